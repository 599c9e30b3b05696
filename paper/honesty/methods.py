"""What the study `honesty` compares, by name. Light: imports no NumPy."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from taylor_sensus.baselines.registry import METHODS, Method


@dataclass(frozen=True)
class Compared(Method):
    """A method and what can be judged of it."""

    has_density: bool = True
    """Whether it gives a whole distribution, and not intervals alone."""
    has_epistemic: bool = False
    """Whether it tells the standard error of the function apart from the noise."""


@dataclass(frozen=True)
class Textbook(Compared):
    """A method that lives beside the studies: `place` is below `paper`."""

    def make(self, *, random_state: int, n_jobs: int | None = None, quick: bool = False, **changes: Any) -> Any:
        """A new estimator."""
        module, _, name = self.place.partition(":")
        arguments = {**self.settings, **(self.quick if quick else {}), **changes}
        return getattr(import_module(f"paper.{module}"), name)(random_state=random_state, n_jobs=n_jobs, **arguments)


def _registered(kind: str, **changes: Any) -> Compared:
    fields = {field: getattr(METHODS[kind], field) for field in Method.__dataclass_fields__}
    return Compared(**{**fields, "grid": {}, **changes})


_COMPARED = (
    _registered("tsnet", has_epistemic=True),
    _registered("tsnet", name="untold", label="TSNet, groups not told", has_epistemic=True),
    Textbook("gp", "GP, Matérn 5/2", "honesty.rivals:MaternProcess", "today",
             quick={"restarts": 0}, has_epistemic=True),
    _registered("ngboost"),
    _registered("catboost"),
    Textbook("ridge", "Ridge, t-intervals", "honesty.rivals:RidgeT", "today", has_epistemic=True),
    Textbook("conformal", "Split conformal, forest", "honesty.rivals:SplitConformal", "today",
             quick={"trees": 20}, has_density=False),
)  # fmt: skip
HONESTY_METHODS: dict[str, Compared] = {method.name: method for method in _COMPARED}
