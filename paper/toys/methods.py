"""What the toy studies fit, by name, and what each method is given of the inputs. Light: imports no NumPy.

The paper embeds the inputs of all methods on its toys (eq. 48). TSNet as printed has that embedding as a setting; all
others get its columns in place of the inputs. The default estimator also runs as users run it: on the plain inputs,
with the embedding that it learns by itself. References see the plain inputs too.
"""

from __future__ import annotations

from dataclasses import dataclass
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


def printed_method(name: str, label: str, **changes: Any) -> ToyMethod:
    """The method as printed, with its embedding and further changes."""
    settings = paper(embedding="positional", **changes)
    return _toy(METHODS["tsnet_paper"], UNITS, name=name, label=label, settings=settings)


PROCESS = Reference(
    "gp", "Gaussian process, plain inputs", "toys.references:PlainProcess", "today",
)  # fmt: skip
HARMONICS = Reference(
    "harmonics", "linear trend and waves found in the data", "toys.references:Harmonics", "today",
)  # fmt: skip
TREND = Reference(
    "trend", "the exact trend, without waves", "toys.references:ExactTrend", "today", gives_std=False,
)  # fmt: skip
DEFAULT = _toy(METHODS["tsnet"], PLAIN)
PRINTED = printed_method("tsnet_paper", METHODS["tsnet_paper"].label)
EMBEDDED = _toy(METHODS["tsnet"], COLUMNS, name="tsnet_embedded", label="TSNet, embedded inputs")

_RIVALS = [_toy(method, COLUMNS) for name, method in METHODS.items() if method.origin != "ours"]
TOY_METHODS: dict[str, ToyMethod] = {m.name: m for m in (*_RIVALS, PROCESS, PRINTED, EMBEDDED, DEFAULT)}
"""Of the study `toys`."""
