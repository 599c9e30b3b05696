"""Where a search starts, which settings it varies between which values, and how new trials are drawn from them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from taylor_sensus.errors import SettingError
from taylor_sensus.regressor import TSNetRegressor
from taylor_sensus.settings import CONSTRUCTOR, DEFAULTS, NAMES, Settings, idle, resolve

SPACE: dict[str, tuple[Any, ...]] = {
    "width": (64, 128, 256),
    "depth": (2, 3, 4),
    "activation": ("silu", "mish", "tanh"),
    "embedding": ("periodic", "none"),
    "epochs": (128, 256, 512),
    "learning_rate": (0.005, 0.01, 0.02, 0.04),
    "dropout": (0.0, 0.1, 0.2),
    "weight_decay": (0.0, 0.02, 0.1),
    "prior": ("ridge", "mean"),
    "contrast": ("off", "bounded"),
    "kernel": (True, False),
}
"""What a search varies, and between which values, by default; `settings.Settings` explains each."""
MOST_CHANGES = 3
"""Settings in which a trial differs from the best of the earlier rounds, as long as there are such trials."""
Choice = tuple[int, ...]
"""Settings of a trial: for each setting of the space, which of its values."""


def starting_point(estimator: TSNetRegressor | None, seed: int) -> TSNetRegressor:
    """A copy of the estimator with an integer as random state, so that all its fits draw the same."""
    start = TSNetRegressor() if estimator is None else clone(estimator)
    own = start.random_state
    if not isinstance(own, Integral):
        own = seed if own is None else check_random_state(own).randint(2**31 - 1)
    return start.set_params(random_state=int(own))


def default_space(start: TSNetRegressor) -> dict[str, tuple[Any, ...]]:
    """What of `SPACE` has an effect with the estimator's training."""
    ignored = idle(vars(start))
    return {name: values for name, values in SPACE.items() if name not in ignored}


def resolved(estimator: TSNetRegressor) -> Settings:
    """All settings of an estimator, checked."""
    return resolve({name: getattr(estimator, name) for name in CONSTRUCTOR}, estimator.details)


@dataclass(frozen=True)
class Options:
    """The values that each setting can take, the estimator's own first."""

    values: dict[str, tuple[Any, ...]]

    @classmethod
    def of(cls, space: Any, start: TSNetRegressor) -> Options:
        """Of a space, after every name and value in it was checked."""
        if not isinstance(space, Mapping) or not space:
            raise SettingError(f"space must be a dict of setting names and tuples of values, not empty, not {space!r}")
        problems = [problem for name, values in space.items() for problem in _problems(name, values, start, space)]
        if problems:
            raise SettingError("space: " + "; ".join(problems))
        own = resolved(start)
        names = sorted(space, key=NAMES.index)  # so that the order in the space does not matter
        return cls({name: _distinct([getattr(own, name), *space[name]]) for name in names})

    @property
    def own(self) -> Choice:
        """The estimator's own settings."""
        return (0,) * len(self.values)

    def settings(self, choice: Choice) -> dict[str, Any]:
        """What a choice means."""
        return {name: values[i] for (name, values), i in zip(self.values.items(), choice, strict=True)}

    def changes(self, choice: Choice) -> dict[str, Any]:
        """What in a choice is not the estimator's own."""
        return {n: v for (n, v), i in zip(self.settings(choice).items(), choice, strict=True) if i}

    def applied(self, start: TSNetRegressor, choice: Choice) -> TSNetRegressor:
        """A new estimator with the chosen settings."""
        return _with(start, self.changes(choice))

    def draw(self, count: int, *, near: Choice, known: set[Choice], rng: np.random.Generator) -> list[Choice]:
        """Up to `count` new choices, each with one to three settings other than in `near` as long as there are any."""
        drawn: list[Choice] = []
        sizes = [len(values) for values in self.values.values()]
        while len(drawn) < count and len(known) + len(drawn) < math.prod(sizes):
            taken = known.union(drawn)
            new = next((c for c in (_neighbour(near, sizes, rng) for _ in range(64)) if c not in taken), None)
            if new is None:  # nearly all are taken, so there are few
                rest = [c for c in itertools.product(*map(range, sizes)) if c not in taken]
                new = rest[rng.integers(len(rest))]
            drawn.append(new)
        return drawn


def _neighbour(choice: Choice, sizes: Sequence[int], rng: np.random.Generator) -> Choice:
    variable = [position for position, size in enumerate(sizes) if size > 1]
    changes = rng.integers(1, min(MOST_CHANGES, len(variable)) + 1)
    new = list(choice)
    for position in rng.choice(variable, size=changes, replace=False):
        other = int(rng.integers(sizes[position] - 1))
        new[position] = other + (other >= choice[position])
    return tuple(new)


def _with(start: TSNetRegressor, changes: Mapping[str, Any]) -> TSNetRegressor:
    """A new estimator with some settings changed, be they arguments or details; what then has no effect is left out."""
    chosen = {**{name: getattr(start, name) for name in CONSTRUCTOR}, **(start.details or {}), **changes}
    chosen |= {name: getattr(DEFAULTS, name) for name in idle(chosen) if name in CONSTRUCTOR}
    arguments = {name: value for name, value in chosen.items() if name in CONSTRUCTOR}
    details = {name: value for name, value in chosen.items() if name not in CONSTRUCTOR and name not in idle(chosen)}
    if details or start.details:
        arguments["details"] = details
    return clone(start).set_params(**arguments)


def _problems(name: Any, values: Any, start: TSNetRegressor, varied: Iterable[Any]) -> Sequence[str]:
    if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray) or not len(values):
        return [f"{name} must have a tuple of values, not empty, not {values!r}"]
    reason = idle(vars(start)).get(name)
    if reason is not None and reason not in varied:
        return [f"{name} has no effect with {reason}={getattr(start, reason)!r}: leave {name} out"]
    problems = []
    for value in values:
        try:
            resolved(_with(start, {name: value}))
        except SettingError as problem:
            problems.append(str(problem))
    return _distinct(problems)


def _distinct(values: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(value for i, value in enumerate(values) if value not in values[:i])
