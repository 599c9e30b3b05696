"""What suggested settings have to meet, written as data: plain dictionaries, which are read here and never run.

========================================================  ==================================================
``{"bounds": {"temp": (20, 80)}}``                        no lower and no higher
``{"fixed": {"age": 28, "solvent": "water"}}``            always this value
``{"step": {"cement": 5}}``                               a multiple of 5; with ``"start": 2`` it is 2, 7, 12 ...
``{"sum": ["a", "b", "c"], "equals": 1}``                 columns that add up
``{"linear": {"a": 1, "b": -0.5}, "at_most": 3}``         a weighted sum; ``at_least`` and ``equals`` too
``{"nonzero": ["a", "b", "c"], "at_most": 2}``            at most so many of the columns are not 0
========================================================  ==================================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral, Real
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from taylor_sensus.errors import SettingError, did_you_mean
from taylor_sensus.tables.column import Column

TOLERANCE = 1e-9
"""How far a constraint may be missed: rounding errors only. Absolute, or relative for bounds beyond 1."""
FORMS = {
    "bounds": set(),
    "fixed": set(),
    "step": {"start"},
    "sum": {"equals"},
    "linear": {"at_most", "at_least", "equals"},
    "nonzero": {"at_most"},
}
"""The word that says what a constraint is, and the words that may stand with it."""


class Linear(NamedTuple):
    """A linear constraint: a weighted sum of columns between two values, which may be the same."""

    words: str
    weights: dict[str, float]
    low: float
    high: float


class Cardinality(NamedTuple):
    """A cardinality constraint: at most so many of the columns are not 0."""

    words: str
    columns: tuple[str, ...]
    most: int


class Step(NamedTuple):
    """Whole multiples of a size, counted from a start."""

    size: float
    start: float


class Rules(NamedTuple):
    """All constraints, sorted by what they are about."""

    lines: tuple[Linear, ...] = ()
    cardinalities: tuple[Cardinality, ...] = ()
    bounds: Mapping[str, tuple[float, float]] = MappingProxyType({})
    fixed: Mapping[str, Any] = MappingProxyType({})
    steps: Mapping[str, Step] = MappingProxyType({})


def tied_columns(lines: Iterable[Linear], cardinalities: Iterable[Cardinality]) -> set[str]:
    """Columns that constraints tie to others."""
    return {name for rule in lines for name in rule.weights} | {n for rule in cardinalities for n in rule.columns}


def read_constraints(constraints: Iterable[Mapping[str, Any]], columns: Sequence[Column]) -> Rules:
    """Constraints from what the user wrote; all that is wrong is reported at once."""
    reader = _Reader({column.name: column for column in columns})
    for number, one in enumerate(constraints, 1):
        reader.read(one, f"constraint {number}")
    if reader.problems:
        raise SettingError("; ".join(reader.problems))
    return Rules(tuple(reader.lines), tuple(reader.cardinalities), reader.bounds, reader.fixed, reader.steps)


class _Reader:
    """Gathers rules and complaints."""

    def __init__(self, columns: dict[str, Column]) -> None:
        self.columns = columns
        self.problems: list[str] = []
        self.lines: list[Linear] = []
        self.cardinalities: list[Cardinality] = []
        self.bounds: dict[str, tuple[float, float]] = {}
        self.fixed: dict[str, Any] = {}
        self.steps: dict[str, Step] = {}

    def read(self, one: Any, place: str) -> None:
        if not isinstance(one, Mapping):
            self.problems.append(
                f'{place} is {one!r}; expected a dictionary such as {{"sum": ["a", "b"], "equals": 1}}'
            )
            return
        kinds = [word for word in one if word in FORMS]
        if len(kinds) != 1:
            self.problems.append(f"{place} must have exactly one of the words {', '.join(FORMS)}; it has {list(one)}")
            return
        (kind,) = kinds
        strange = set(one) - FORMS[kind] - {kind}
        if strange:
            known = ", ".join(sorted(FORMS[kind])) or "nothing"
            self.problems.append(f"{place}: beside {kind!r} there may be {known}, not {', '.join(map(repr, strange))}")
            return
        before = len(self.problems)
        columns = one[kind]
        wanted = Mapping if kind not in ("sum", "nonzero") else Sequence
        if isinstance(columns, str) or not isinstance(columns, wanted) or not len(columns):
            what = "a dictionary by column" if wanted is Mapping else "a list of columns"
            self.problems.append(f"{place}: {kind!r} needs {what}, not {columns!r}")
            return
        for name in columns:
            self._known(name, place, numbers=kind != "fixed")
        if kind in ("sum", "nonzero") and len(set(columns)) < len(columns):
            self.problems.append(f"{place} names a column twice")
        if len(self.problems) == before:
            readers: dict[str, Callable[[Mapping[str, Any], str], None]] = {
                "bounds": self._bounds,
                "fixed": self._fixed,
                "step": self._step,
                "sum": self._sum,
                "linear": self._linear,
                "nonzero": self._nonzero,
            }
            readers[kind](one, place)

    def _known(self, name: Any, place: str, *, numbers: bool) -> None:
        if name not in self.columns:
            hint = did_you_mean(name, self.columns, "the columns are")
            self.problems.append(f"{place}: there is no column {name!r}{hint}")
        elif numbers and self.columns[name].categories is not None:
            self.problems.append(f"{place}: column {name!r} holds words; only 'fixed' and a list of words can limit it")

    def _bounds(self, one: Mapping[str, Any], place: str) -> None:
        for name, pair in one["bounds"].items():
            found = two_numbers(pair)
            if found is None:
                self.problems.append(f"{place}: the bounds of {name!r} are {pair!r}; expected (low, high)")
                continue
            low, high = self.bounds.get(name, (-np.inf, np.inf))
            self.bounds[name] = max(low, found[0]), min(high, found[1])

    def _fixed(self, one: Mapping[str, Any], place: str) -> None:
        for name, value in one["fixed"].items():
            categories = self.columns[name].categories
            if categories is not None and str(value) not in categories:
                known = ", ".join(map(repr, categories[:10]))
                self.problems.append(f"{place}: {value!r} is no category of column {name!r}; known are {known}")
            elif categories is None and not is_number(value):
                self.problems.append(f"{place}: column {name!r} must be fixed to a number, not {value!r}")
            elif name in self.fixed and self.fixed[name] != value:
                self.problems.append(f"{place}: column {name!r} is fixed to {self.fixed[name]!r} and to {value!r}")
            else:
                self.fixed[name] = str(value) if categories is not None else float(value)

    def _step(self, one: Mapping[str, Any], place: str) -> None:
        start = one.get("start", 0)
        for name, size in one["step"].items():
            if not (is_number(size) and size > 0 and is_number(start)):
                self.problems.append(f"{place}: the step of {name!r} must be a positive number, and its start a number")
            elif name in self.steps:
                self.problems.append(f"{place}: column {name!r} has a step already; one is enough")
            else:
                self.steps[name] = Step(float(size), float(start))

    def _sum(self, one: Mapping[str, Any], place: str) -> None:
        if not is_number(one.get("equals")):
            self.problems.append(f"{place}: 'sum' needs a number beside it, as in {{..., \"equals\": 1}}")
            return
        value = float(one["equals"])
        words = f"{' + '.join(one['sum'])} = {value:g}"
        self.lines.append(Linear(words, dict.fromkeys(one["sum"], 1.0), value, value))

    def _linear(self, one: Mapping[str, Any], place: str) -> None:
        limits = {word: one[word] for word in ("at_least", "at_most", "equals") if word in one}
        numbers = [*limits.values(), *one["linear"].values()]
        if not limits or not all(map(is_number, numbers)) or ("equals" in limits and len(limits) > 1):
            self.problems.append(
                f"{place}: 'linear' needs a number for each column, and at_most, at_least or both, or equals"
            )
            return
        weights = {name: float(weight) for name, weight in one["linear"].items() if weight != 0}
        low = float(limits.get("equals", limits.get("at_least", -np.inf)))
        high = float(limits.get("equals", limits.get("at_most", np.inf)))
        total = " + ".join(f"{weight:g} {name}" for name, weight in weights.items()) or "0"
        words_for = {"at_least": "at least", "at_most": "at most", "equals": "="}
        words = f"{total} {' and '.join(f'{words_for[word]} {value:g}' for word, value in limits.items())}"
        self.lines.append(Linear(words, weights, low, high))

    def _nonzero(self, one: Mapping[str, Any], place: str) -> None:
        most = one.get("at_most")
        if not isinstance(most, Integral) or isinstance(most, bool) or int(most) < 0:
            self.problems.append(f"{place}: 'nonzero' needs a whole number beside it, as in {{..., \"at_most\": 2}}")
            return
        words = f"at most {most} of {', '.join(one['nonzero'])} not 0"
        self.cardinalities.append(Cardinality(words, tuple(one["nonzero"]), int(most)))


def is_number(value: Any) -> bool:
    """Whether it is one finite number."""
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_)) and bool(np.isfinite(float(value)))


def two_numbers(pair: Any) -> tuple[float, float] | None:
    """Low and high if it is a pair of numbers in this order, which may be infinite; else None."""
    if isinstance(pair, (str, Mapping)) or not hasattr(pair, "__len__") or len(pair) != 2:
        return None
    if not all(isinstance(v, Real) and not isinstance(v, (bool, np.bool_)) and not np.isnan(float(v)) for v in pair):
        return None
    low, high = float(pair[0]), float(pair[1])
    return (low, high) if low <= high else None


def slack(value: float) -> float:
    """How far beyond a value still counts as meeting it."""
    return TOLERANCE * max(1.0, abs(value)) if np.isfinite(value) else 0.0


def broken(
    rules: Rules, table: Mapping[str, np.ndarray], room: Mapping[str, float] = MappingProxyType({})
) -> dict[str, np.ndarray]:
    """For each rule, in words, which rows break it by more than `room` in each column; by default rounding errors.

    Cells that are missing break every rule about their column.
    """

    def outside(value: np.ndarray, low: float, high: float, spare: float) -> np.ndarray:
        return ~((value >= low - slack(low) - spare) & (value <= high + slack(high) + spare))

    found: dict[str, np.ndarray] = {}
    rows = len(next(iter(table.values())))
    for line in rules.lines:
        total = sum((weight * table[name] for name, weight in line.weights.items()), np.zeros(rows))
        spare = sum(abs(weight) * room.get(name, 0.0) for name, weight in line.weights.items())
        found[line.words] = outside(total, line.low, line.high, spare)
    for limit in rules.cardinalities:
        used = np.column_stack([~(np.abs(table[name]) <= room.get(name, 0.0)) for name in limit.columns])
        found[limit.words] = used.sum(axis=1) > limit.most
    for name, (low, high) in rules.bounds.items():
        found[f"{name} from {low:g} to {high:g}"] = outside(table[name], low, high, room.get(name, 0.0))
    for name, value in rules.fixed.items():
        if isinstance(value, str):
            found[f"{name} = {value}"] = table[name] != value
        else:
            found[f"{name} = {value:g}"] = outside(table[name], value, value, room.get(name, 0.0))
    for name, (size, start) in rules.steps.items():
        nearest = start + size * np.round((table[name] - start) / size)
        spare = TOLERANCE * np.maximum(1, np.abs(nearest)) + room.get(name, 0.0)
        found[f"{name} in steps of {size:g}"] = ~(np.abs(table[name] - nearest) <= spare)
    return found
