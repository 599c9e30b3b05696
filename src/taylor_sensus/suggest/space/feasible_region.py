"""The feasible region of constraints on several columns at once: settings to start from, or why there are none.

A mixed-integer program (HiGHS, in SciPy) finds settings or proves that there are none. It counts in units in which
every column runs from 0 to 1; what it finds is put right to the last digit afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from taylor_sensus.errors import SettingError
from taylor_sensus.suggest.space.constraints import Cardinality, Linear, slack, tied_columns
from taylor_sensus.suggest.space.domain import Levels, Range

Numbers = Range | Levels
STARTS = 16
"""Different settings that are looked for where columns have steps, levels or may be 0."""
SECONDS = 20.0
"""For one search at most."""


class FeasibleRegion(NamedTuple):
    """Columns of numbers that some constraints tie together, and those constraints."""

    names: tuple[str, ...]
    domains: tuple[Numbers, ...]
    lines: tuple[Linear, ...]
    cardinalities: tuple[Cardinality, ...]

    @property
    def low(self) -> np.ndarray:
        """Lowest values."""
        return np.array([d.low if isinstance(d, Range) else d.values[0] for d in self.domains])

    @property
    def high(self) -> np.ndarray:
        """Highest values."""
        return np.array([d.high if isinstance(d, Range) else d.values[-1] for d in self.domains])

    def weights(self, lines: Sequence[Linear]) -> np.ndarray:
        """Of the columns in each line, (lines, columns)."""
        found = [[line.weights.get(name, 0.0) for name in self.names] for line in lines]
        return np.array(found).reshape(len(lines), len(self.names))

    def met(self, x: np.ndarray) -> np.ndarray:
        """Which rows meet all lines and counts; their columns are within their domains already."""
        good = np.ones(len(x), bool)
        for line, total in zip(self.lines, self.weights(self.lines) @ x.T, strict=True):
            good &= (total >= line.low - slack(line.low)) & (total <= line.high + slack(line.high))
        for limit in self.cardinalities:
            good &= (x[:, [self.names.index(name) for name in limit.columns]] != 0).sum(axis=1) <= limit.most
        return good


def starting_points(region: FeasibleRegion, rng: np.random.Generator) -> np.ndarray:
    """Settings that meet all constraints, at least one, (settings, columns); refused with the reason if none do."""
    if _solve(region, np.zeros(len(region.names))) is None:
        raise SettingError(_why_not(region))
    whole = bool(region.cardinalities) or any(isinstance(d, Levels) or d.step for d in region.domains)
    found = []
    for _ in range(STARTS if whole else 1):
        approximate = _solve(region, rng.standard_normal(len(region.names)))
        exact = None if approximate is None else _exact(region, approximate)
        if exact is not None:
            found.append(exact)
    if not found:
        raise SettingError(
            "the constraints can only be met roughly, not to within rounding errors: "
            f"{'; '.join(_in_words(region))}; loosen one of them, or make steps and sums fit each other"
        )
    return np.unique(np.array(found), axis=0)


class Approximate(NamedTuple):
    """What the solver found: values, of which those with steps and levels are right, and which columns are 0."""

    x: np.ndarray
    zero: np.ndarray


def _solve(region: FeasibleRegion, objective: np.ndarray) -> Approximate | None:
    """Settings with the lowest sum of `objective` times columns, or None if there are none."""
    m, low, width = len(region.names), region.low, _width(region)
    limited = sorted({region.names.index(name) for limit in region.cardinalities for name in limit.columns})
    steps = [i for i, d in enumerate(region.domains) if isinstance(d, Range) and d.step]
    levels = [
        (i, v) for i, d in enumerate(region.domains) if isinstance(d, Levels) and len(d.values) > 1 for v in d.values
    ]
    count = m + len(limited) + len(steps) + len(levels)
    rows, lower, upper = [], [], []

    def add(cells: dict[int, float], smallest: float, largest: float) -> None:
        row = np.zeros(count)
        for place, value in cells.items():
            row[place] += value
        rows.append(row)
        lower.append(smallest)
        upper.append(largest)

    for line, weights in zip(region.lines, region.weights(region.lines), strict=True):
        base, scale = weights @ low, max(np.abs(weights * width).sum(), 1e-300)
        add(dict(enumerate(weights * width / scale)), (line.low - base) / scale, (line.high - base) / scale)
    for place, i in enumerate(limited, m):  # low * on <= x <= high * on
        high = low[i] + width[i]
        add({i: 1.0, place: -high / width[i]}, -np.inf, -low[i] / width[i])
        add({i: 1.0, place: -low[i] / width[i]}, -low[i] / width[i], np.inf)
    for limit in region.cardinalities:
        add({m + limited.index(region.names.index(name)): 1.0 for name in limit.columns}, -np.inf, limit.most)
    top = np.ones(count)
    for place, i in enumerate(steps, m + len(limited)):
        domain = region.domains[i]
        assert isinstance(domain, Range)
        add({i: 1.0, place: -domain.step / width[i]}, 0.0, 0.0)
        top[place] = round((domain.high - domain.low) / domain.step)
    for i in dict.fromkeys(i for i, _ in levels):
        own = {m + len(limited) + len(steps) + k: v for k, (j, v) in enumerate(levels) if j == i}
        add(dict.fromkeys(own, 1.0), 1.0, 1.0)
        add({i: 1.0, **{place: -(v - low[i]) / width[i] for place, v in own.items()}}, 0.0, 0.0)
    top[[i for i in range(m) if region.low[i] == region.high[i]]] = 0.0
    found = milp(
        np.append(objective, np.zeros(count - m)),
        integrality=np.append(np.zeros(m), np.ones(count - m)),
        bounds=Bounds(np.zeros(count), top),
        constraints=LinearConstraint(np.array(rows).reshape(len(rows), count), lower, upper),
        options={"time_limit": SECONDS},
    )
    if found.x is None:
        if found.status == 1:
            raise SettingError(
                f"no settings that meet the constraints were found in {SECONDS:g} s; loosen some of them"
            )
        return None
    zero = np.zeros(m, bool)
    zero[limited] = found.x[m : m + len(limited)] < 0.5
    return Approximate(low + width * found.x[:m], zero)


def _exact(region: FeasibleRegion, approximate: Approximate) -> np.ndarray | None:
    """The nearest settings that meet everything to the last digit, away from bounds where that is possible."""
    x, free = np.where(approximate.zero, 0.0, approximate.x), ~approximate.zero & (region.low < region.high)
    for i, domain in enumerate(region.domains):
        if approximate.zero[i]:
            continue
        if isinstance(domain, Levels):
            values = np.array(domain.values)
            x[i] = values[np.abs(values - x[i]).argmin()]
            free[i] = False
        elif domain.step:
            x[i] = domain.start + domain.step * round((x[i] - domain.start) / domain.step)
            free[i] = False
    if free.any():
        inside = _inside(region, x, free)
        if inside is None:
            return None
        x = inside
        equal = [line for line in region.lines if line.low == line.high]
        if equal:
            loose = free & (x > region.low) & (x < region.high)
            weights = region.weights(equal)
            for _ in range(2):
                missing = np.array([line.low for line in equal]) - weights @ x
                x[loose] += np.linalg.lstsq(weights[:, loose], missing, rcond=None)[0]
        x = np.where(free, np.clip(x, region.low, region.high), x)
    return x if region.met(x[None])[0] else None


def _inside(region: FeasibleRegion, x: np.ndarray, free: np.ndarray) -> np.ndarray | None:
    """With free columns moved off their bounds, and lines off their limits, by a twentieth where possible."""
    width, weights = _width(region)[free], region.weights(region.lines)
    base = weights[:, ~free] @ x[~free] + weights[:, free] @ region.low[free]
    scale = np.maximum(np.abs(weights[:, free] * width).sum(axis=1), 1e-300)
    slopes = weights[:, free] * width / scale[:, None]
    low = np.array([(line.low - b) / s for line, b, s in zip(region.lines, base, scale, strict=True)])
    high = np.array([(line.high - b) / s for line, b, s in zip(region.lines, base, scale, strict=True)])
    equal, f = low == high, int(free.sum())
    one_sided = [(-slopes[i], -low[i]) for i in range(len(low)) if not equal[i] and np.isfinite(low[i])]
    one_sided += [(slopes[i], high[i]) for i in range(len(low)) if not equal[i] and np.isfinite(high[i])]
    slopes_in = np.array([row for row, _ in one_sided]).reshape(-1, f)
    limits = np.concatenate([[limit for _, limit in one_sided], np.zeros(f), np.ones(f)])
    inner = np.vstack([slopes_in, -np.eye(f), np.eye(f)])
    found = linprog(
        np.append(np.zeros(f), -np.ones(len(limits))),
        A_ub=np.hstack([inner, np.eye(len(limits))]),
        b_ub=limits,
        A_eq=np.hstack([slopes[equal], np.zeros((equal.sum(), len(limits)))]) if equal.any() else None,
        b_eq=low[equal] if equal.any() else None,
        bounds=[(0, 1)] * f + [(0, 0.05)] * len(limits),
    )
    if found.x is None:
        return None
    unit = found.x[:f]
    unit = np.where(unit < 1e-7, 0.0, np.where(unit > 1 - 1e-7, 1.0, unit))
    moved = x.copy()
    moved[free] = np.where(unit == 1.0, region.high[free], region.low[free] + width * unit)
    return moved


def _width(region: FeasibleRegion) -> np.ndarray:
    width = region.high - region.low
    return np.where(width > 0, width, 1.0)


def _why_not(region: FeasibleRegion) -> str:
    """An irreducible infeasible subset: constraints that contradict each other, none of which can be left out."""
    lines, limits, domains = list(region.lines), list(region.cardinalities), list(region.domains)

    def rest() -> FeasibleRegion:
        return FeasibleRegion(region.names, tuple(domains), tuple(lines), tuple(limits))

    def impossible() -> bool:
        return _solve(rest(), np.zeros(len(domains))) is None

    def without_needless(group: list[Any]) -> None:
        for item in list(group):
            place = group.index(item)
            group.remove(item)
            if not impossible():
                group.insert(place, item)

    without_needless(limits)
    without_needless(lines)
    for i, domain in enumerate(domains):
        if isinstance(domain, Range) and domain.step:
            domains[i] = domain._replace(step=0.0)
            if not impossible():
                domains[i] = domain
    return f"no settings can meet all of these together: {'; '.join(_in_words(rest()))}; loosen one of them"


def _in_words(region: FeasibleRegion) -> list[str]:
    """Constraints in words, with what the columns in them may be."""
    used = tied_columns(region.lines, region.cardinalities)
    columns = []
    for name, domain in zip(region.names, region.domains, strict=True):
        if name in used and isinstance(domain, Range):
            steps = f" in steps of {domain.step:g}" if domain.step else ""
            columns.append(f"{name} from {domain.low:g} to {domain.high:g}{steps}")
        elif name in used and isinstance(domain, Levels):
            columns.append(f"{name} is {' or '.join(f'{value:g}' for value in domain.values[:6])}")
    return [*(rule.words for rule in (*region.lines, *region.cardinalities)), *columns]
