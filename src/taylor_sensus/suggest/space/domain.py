"""What a single column may be set to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from taylor_sensus.errors import SettingError, did_you_mean
from taylor_sensus.suggest.space.constraints import Rules, is_number, slack, two_numbers
from taylor_sensus.tables.column import Column


class Range(NamedTuple):
    """Any number between two; with a `step` only ``start + step * i`` for whole numbers i."""

    low: float
    high: float
    step: float = 0.0
    start: float = 0.0

    def draw(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """Evenly spread values."""
        if not self.step:
            return rng.uniform(self.low, self.high, count)
        first, last = self.first_and_last
        return self.start + self.step * rng.integers(first, last + 1, count)

    @property
    def first_and_last(self) -> tuple[int, int]:
        """Lowest and highest i."""
        return (
            int(np.ceil((self.low - slack(self.low) - self.start) / self.step)),
            int(np.floor((self.high + slack(self.high) - self.start) / self.step)),
        )

    def near(self, values: np.ndarray, rng: np.random.Generator, share: float) -> np.ndarray:
        """Values moved by about a `share` of the width."""
        moved = values + share * (self.high - self.low) * rng.standard_normal(len(values))
        if self.step:
            first, last = self.first_and_last
            return self.start + self.step * np.clip(np.round((moved - self.start) / self.step), first, last)
        return np.clip(moved, self.low, self.high)


class Levels(NamedTuple):
    """One of a few numbers, in rising order."""

    values: tuple[float, ...]

    def draw(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """Evenly spread values."""
        return rng.choice(np.array(self.values), count)

    def near(self, values: np.ndarray, rng: np.random.Generator, share: float) -> np.ndarray:
        """Any level: a few levels are near each other."""
        return self.draw(rng, len(values))


class Categories(NamedTuple):
    """One of a few categories."""

    values: tuple[str, ...]

    def draw(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """Evenly spread categories."""
        return np.array(self.values, dtype=object)[rng.integers(len(self.values), size=count)]

    def near(self, values: np.ndarray, rng: np.random.Generator, share: float) -> np.ndarray:
        """Any category."""
        return self.draw(rng, len(values))


Domain = Range | Levels | Categories


def read_domains(space: Mapping[str, Any], columns: Iterable[Column], rules: Rules) -> dict[str, Domain]:
    """What each column may be set to, by bounds, levels and the rules that are about one column only.

    Columns of categories that are not named may take all categories that the model knows.
    """
    columns = list(columns)
    names = [column.name for column in columns]
    unknown = [name for name in space if name not in names]
    problems = [f"there is no column {name!r}{did_you_mean(name, names, 'the columns are')}" for name in unknown]
    domains: dict[str, Domain] = {}
    for column in columns:
        try:
            if column.categories is None:
                domains[column.name] = _numbers(column.name, space.get(column.name), rules)
            else:
                domains[column.name] = _words(column, space.get(column.name), rules)
        except SettingError as problem:
            problems.append(str(problem))
    if problems:
        raise SettingError("; ".join(problems))
    return domains


def _numbers(name: str, given: Any, rules: Rules) -> Domain:
    low, high = rules.bounds.get(name, (-np.inf, np.inf))
    fixed, step = rules.fixed.get(name), rules.steps.get(name)
    levels = None
    if is_number(given):
        levels = [float(given)]
    elif isinstance(given, tuple):
        pair = two_numbers(given)
        if pair is None:
            raise SettingError(f"the bounds of column {name!r} are {given!r}; expected (low, high), low not above high")
        low, high = max(low, pair[0]), min(high, pair[1])
    elif given is not None:
        levels = _list(name, given)
        if not levels or not all(map(is_number, levels)):
            raise SettingError(
                f"the levels of column {name!r} must be numbers, because the model learned numbers there"
            )
        levels = sorted({float(level) for level in levels})
    if levels is None and fixed is not None:
        levels = [fixed]
    if levels is not None:
        return _allowed_levels(name, levels, rules)
    if not (np.isfinite(low) and np.isfinite(high)):
        raise SettingError(f"column {name!r} has no bounds; give (low, high), a list of levels, or one fixed value")
    if low > high:
        raise SettingError(f"the bounds of column {name!r} contradict each other: at least {low:g}, at most {high:g}")
    found = Range(low, high, *((step.size, step.start) if step else ()))
    if step:
        first, last = found.first_and_last
        if first > last:
            raise SettingError(
                f"no multiple of the step {step.size:g} of column {name!r} lies from {low:g} to {high:g}"
            )
        ends = found.start + found.step * first, found.start + found.step * last
        return Levels((ends[0],)) if first == last else found._replace(low=ends[0], high=ends[1])
    return Levels((low,)) if low == high else found


def _allowed_levels(name: str, levels: list[float], rules: Rules) -> Levels:
    low, high = rules.bounds.get(name, (-np.inf, np.inf))
    fixed, step = rules.fixed.get(name), rules.steps.get(name)
    kept = [level for level in levels if low - slack(low) <= level <= high + slack(high)]
    if fixed is not None:
        kept = [level for level in kept if abs(level - fixed) <= slack(fixed)]
    if step is not None:
        off = [abs(level - step.start - step.size * round((level - step.start) / step.size)) for level in kept]
        kept = [level for level, gap in zip(kept, off, strict=True) if gap <= slack(level)]
    if not kept:
        shown = ", ".join(f"{level:g}" for level in levels[:6])
        raise SettingError(f"column {name!r}: none of its values ({shown}) meets its bounds, steps and fixed value")
    return Levels(tuple(kept))


def _words(column: Column, given: Any, rules: Rules) -> Categories:
    known = column.categories or ()
    wanted = list(known) if given is None else [str(word) for word in _list(column.name, given)]
    strange = [word for word in wanted if word not in known]
    if strange or not wanted:
        raise SettingError(
            f"column {column.name!r}: the model does not know {', '.join(map(repr, strange)) or 'an empty list'}; "
            f"it knows {', '.join(map(repr, known[:10]))}"
        )
    fixed = rules.fixed.get(column.name)
    if fixed is not None and fixed not in wanted:
        raise SettingError(f"column {column.name!r} is fixed to {fixed!r}, which is not among its categories")
    return Categories((fixed,) if fixed is not None else tuple(dict.fromkeys(wanted)))


def _list(name: str, given: Any) -> list[Any]:
    if isinstance(given, str):
        return [given]
    if isinstance(given, Mapping) or not isinstance(given, Iterable):
        raise SettingError(
            f"column {name!r} is given as {given!r}; expected (low, high), a list of levels, or one fixed value"
        )
    return list(given)
