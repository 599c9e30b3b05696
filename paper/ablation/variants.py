"""The variants of TSNet that the study `ablation` compares; edit the list to compare others.

A variant is a name, a label for tables, and the constructor arguments of `TSNetRegressor` that differ from its
defaults; settings without an argument of their own go into `details`. This file is light: it imports no NumPy.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from taylor_sensus.baselines.registry import METHODS, Method
from taylor_sensus.settings import paper

DEFAULT = "default"
MEAN_ALONE = "mean_alone"
"""The same network trained on the mean alone: what the default's error is held against."""


def variant(name: str, label: str, **arguments: Any) -> Method:
    """The default estimator with other constructor arguments."""
    return replace(METHODS["tsnet"], name=name, label=label, settings=arguments, grid={})


_VARIANTS = (
    variant(DEFAULT, "default"),
    variant(MEAN_ALONE, "mean alone: no density", density=False, training="staged"),
    variant("members_1", "one network", members=1),
    variant("no_kernel", "no Gaussian process in the mean", kernel=False),
    variant("no_robust", "all rows believed alike", details={"robust": False}),
    variant("no_embedding", "no periodic embedding", embedding="none"),
    variant("one_spread", "one spread of frequencies", details={"frequency_multiples": (1.0,)}),
    variant("mish", "activation mish", activation="mish"),
    variant("weight_decay", "weight decay 0.02", details={"weight_decay": 0.02}),
    variant("prior_mean", "prior: a constant", prior="mean"),
    variant("contrast", "contrast bounded", contrast="bounded"),
    variant("printed_combination", "combination as printed", combination="printed"),
    variant("joint", "trained jointly, without the process", training="joint"),
    variant("dropout", "dropout 0.1", dropout=0.1),
    variant("printed", "the whole method as printed", **paper()),
)
VARIANTS: dict[str, Method] = {each.name: each for each in _VARIANTS}
