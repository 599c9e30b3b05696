"""What the toy studies fit, by name, and what each method is given of the inputs. Light: imports no NumPy.

The paper embeds the inputs of all methods on its toys (eq. 48). TSNet as printed has that embedding as a setting; all
others get its columns in place of the inputs. The default estimator also runs as users run it: on the plain inputs,
with the embedding that it learns by itself. References see the plain inputs too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from taylor_sensus.baselines.registry import METHODS, Method
from taylor_sensus.settings import paper

PLAIN, UNITS, COLUMNS = "plain", "units", "columns"
"""The inputs as they are; in the units that the embedding's waves are of; the embedding's columns of these."""


@dataclass(frozen=True)
class ToyMethod(Method):
    """A method and what it is given."""

    sees: str = PLAIN


@dataclass(frozen=True)
class Reference(ToyMethod):
    """Something simple to hold methods against, which lives beside the studies: `place` is below `paper`."""

    def make(self, *, random_state: int, n_jobs: int | None = None, quick: bool = False, **changes: Any) -> Any:
        """A new estimator; references are quick and draw nothing at random."""
        module, _, name = self.place.partition(":")
        return getattr(import_module(f"paper.{module}"), name)(**self.settings, **changes)


def _toy(kind: Method, sees: str, **changes: Any) -> ToyMethod:
    fields = {name: getattr(kind, name) for name in kind.__dataclass_fields__}
    return ToyMethod(**{**fields, "grid": {}, **changes}, sees=sees)


def _printed(name: str, label: str, **changes: Any) -> ToyMethod:
    settings = paper(embedding="positional", **changes)
    return _toy(METHODS["tsnet_paper"], UNITS, name=name, label=label, settings=settings)


PROCESS = Reference(
    "gp", "Gaussian process, plain inputs", "toy_references:PlainProcess", "today",
)  # fmt: skip
HARMONICS = Reference(
    "harmonics", "linear trend and waves found in the data", "toy_references:Harmonics", "today",
)  # fmt: skip
TREND = Reference(
    "trend", "the exact trend, without waves", "toy_references:ExactTrend", "today", gives_std=False,
)  # fmt: skip
DEFAULT = _toy(METHODS["tsnet"], PLAIN)
PRINTED = _printed("tsnet_paper", METHODS["tsnet_paper"].label)
EMBEDDED = _toy(METHODS["tsnet"], COLUMNS, name="tsnet_embedded", label="TSNet, embedded inputs")

_RIVALS = [_toy(method, COLUMNS) for name, method in METHODS.items() if method.origin != "ours"]
TOYS: dict[str, ToyMethod] = {m.name: m for m in (*_RIVALS, PROCESS, PRINTED, EMBEDDED, DEFAULT)}
"""Of the study `toys`."""

MODULES: dict[str, dict[str, Any]] = {
    "": {"contrast": "off", "density": False},
    "contrast": {"density": False},
    "density": {"contrast": "off"},
    "both": {},
}
"""Additions to a base, in the order of the paper's table, as changes to the method as printed."""
BASES = {"mlp": ("two plain networks", False), "dtb": ("Deep Taylor Block", True)}
"""Label, and whether the Taylor term is there."""


def variant_name(base: str, addition: str) -> str:
    """`dtb_contrast`; a base by itself has its own name."""
    return f"{base}_{addition}" if addition else base


_GRID = [
    _printed(
        variant_name(base, addition),
        f"{label} + contrast + density" if addition == "both" else f"{label} + {addition}".removesuffix(" + "),
        taylor=taylor,
        **changes,
    )
    for base, (label, taylor) in BASES.items()
    for addition, changes in MODULES.items()
]
WITH_RIDGE = _printed("dtb_both_ridge", "the last, with a straight line as its prior", prior="ridge")
"""The paper's prior is a function of the inputs, which it does not name; a constant is ours."""
ABLATION: dict[str, ToyMethod] = {
    m.name: m for m in (*_GRID, WITH_RIDGE, replace(DEFAULT, label="TSNet, our default"), PROCESS, TREND, HARMONICS)
}
"""Of the study `toy_ablation`: the paper's eight rows in its order, then what they are held against."""
PRINTED_ROWS = tuple(m.name for m in _GRID)
DEVIATIONS: dict[str, ToyMethod] = {m.name: m for m in (DEFAULT, PRINTED)}
"""Of the study `deviations`."""
