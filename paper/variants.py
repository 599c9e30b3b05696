"""The variants of TSNet that the studies `ablation` and `speed` compare; edit the lists to compare others.

A variant is a name, a label for tables, and the constructor arguments of `TSNetRegressor` that differ from its
defaults; settings without an argument of their own go into `details`. This file is light: it imports no NumPy.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from taylor_sensus.baselines.registry import METHODS, Method
from taylor_sensus.settings import DEFAULTS, best, fast, paper

DEFAULT = "default"
MEAN_ALONE = "mean_alone"
"""The same network trained on the mean alone: what the default's error is held against."""


def _variant(name: str, label: str, **arguments: Any) -> Method:
    return replace(METHODS["tsnet"], name=name, label=label, settings=arguments, grid={})


_ABLATION = (
    _variant(DEFAULT, "default"),
    _variant(MEAN_ALONE, "mean alone: no density, no contrast", density=False, contrast="off", training="staged"),
    _variant("members_1", "one network", members=1),
    _variant("no_kernel", "no Gaussian process in the mean", kernel=False),
    _variant("no_robust", "all rows believed alike", details={"robust": False}),
    _variant("no_repeats", "repeated inputs not remembered", details={"repeats": False}),
    _variant("no_embedding", "no periodic embedding", embedding="none"),
    _variant("one_spread", "one spread of frequencies", details={"frequency_multiples": (1.0,)}),
    _variant("mish", "activation mish", activation="mish"),
    _variant("weight_decay", "weight decay 0.02", details={"weight_decay": 0.02}),
    _variant("prior_mean", "prior: a constant", prior="mean"),
    _variant("no_contrast", "no contrast", contrast="off"),
    _variant("contrast", "contrast bounded", contrast="bounded"),
    _variant("printed_combination", "combination as printed", combination="printed"),
    _variant("joint", "trained jointly, without the process", training="joint"),
    _variant("dropout", "dropout 0.1", dropout=0.1),
    _variant("printed", "the whole method as printed", **paper()),
)
ABLATION: dict[str, Method] = {variant.name: variant for variant in _ABLATION}

_SPEED = (
    *(_variant(f"members_{n}", f"TSNet, members {n}", members=n) for n in (1, 4, 8, 16) if n != DEFAULTS.members),
    _variant("fast", "TSNet, fast()", **fast()),
    _variant(DEFAULT, f"TSNet, default: members {DEFAULTS.members}"),
    _variant("best", "TSNet, best()", **best()),
    METHODS["catboost"],
)
SPEED: dict[str, Method] = {variant.name: variant for variant in _SPEED}
