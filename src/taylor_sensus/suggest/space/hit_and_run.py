"""A hit-and-run sampler: many settings from all over a feasible region.

Rejection sampling would throw away nearly all. Here each chain starts at allowed settings and moves along directions
that keep all sums: two columns of a sum exchange some amount, for example. How far a move may go (its chord) follows
from the bounds, so most moves are allowed; those that are not are not made. Directions are sparse, so that columns with
steps, levels or zeros can move too.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import lcm
from typing import NamedTuple

import numpy as np

from taylor_sensus.suggest.space.constraints import TOLERANCE
from taylor_sensus.suggest.space.domain import Levels, Range
from taylor_sensus.suggest.space.feasible_region import FeasibleRegion, starting_points

MOST_MOVES = 4000
"""Directions that are kept where there are more."""
CHAINS = 1024
"""Chains side by side."""
ROUNDING = 1e-12
"""Amounts below this share of a column's largest value are rounding errors of 0."""


class Moves(NamedTuple):
    """Directions that change no sum, each in few columns."""

    direction: np.ndarray
    """(moves, columns)"""
    step: np.ndarray
    """Smallest length that keeps all columns with steps on them; 0 if there are none, (moves,)"""
    level: np.ndarray
    """A column with levels that decides how far the move goes; -1 if there is none, (moves,)"""


class HitAndRun:
    """Markov chains over the feasible settings of columns that constraints tie together."""

    def __init__(self, region: FeasibleRegion, rng: np.random.Generator) -> None:
        self.region = region
        self.starts = starting_points(region, rng)
        self.moves = _moves(region, rng)
        open_lines = [line for line in region.lines if line.low != line.high]
        self._slopes = region.weights(open_lines)
        self._limits = np.array([(line.low, line.high) for line in open_lines]).reshape(-1, 2)
        self._limited = np.zeros(len(region.names), bool)
        for limit in region.cardinalities:
            self._limited[[region.names.index(name) for name in limit.columns]] = True

    def draw(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """Settings from all over, (count, columns)."""
        columns = len(self.region.names)
        x = self.starts[rng.integers(len(self.starts), size=min(count, CHAINS))]
        drawn: list[np.ndarray] = []
        for number in range(-(-count // len(x))):
            for _ in range(40 + 10 * columns if number == 0 else 5 + 2 * columns):
                x = self.moved(x, rng)
            drawn.append(x)
        return np.concatenate(drawn)[:count]

    def moved(self, x: np.ndarray, rng: np.random.Generator, share: float = 1.0) -> np.ndarray:
        """Each row after one move, of at most a `share` of the way to where it could go; all rows are allowed."""
        if not len(self.moves.direction):
            return x
        pick = self._directions(x, rng)
        v, step, level = (part[pick] for part in self.moves)
        shortest, longest = self._chord(x, v)
        shortest, longest = share * shortest, share * longest
        with np.errstate(invalid="ignore", divide="ignore"):
            t = rng.uniform(shortest, longest)
            first, last = np.ceil(shortest / step - 1e-9), np.floor(longest / step + 1e-9)
            whole = step * (first + np.floor(rng.uniform(size=len(x)) * (last - first + 1)))
            t = np.where(step > 0, np.where(last >= first, whole, 0.0), t)
        t = self._to_level(x, v, level, t, rng)
        t = self._to_zero(x, v, t, rng)
        proposed, good = self._in_domains(x + t[:, None] * v)
        good &= self.region.met(proposed)
        return np.where(good[:, None], proposed, x)

    def _directions(self, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Which move each row makes. Where few columns may be used, half of the rows only move among those in use."""
        count = len(self.moves.direction)
        pick = rng.integers(count, size=len(x))
        if self._limited.any():
            idle = self._limited & (x == 0)
            possible = (idle.astype(np.float32) @ (self.moves.direction != 0).T.astype(np.float32)) == 0
            among = np.argmax(np.where(possible, rng.random(possible.shape, np.float32), -1), axis=1)
            pick = np.where(rng.random(len(x)) < 0.5, among, pick)
        return pick

    def _chord(self, x: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The chord: how far back and forth each move may go within the bounds and the lines with limits."""
        amount, change = x, v
        low, high = np.broadcast_to(self.region.low, x.shape), np.broadcast_to(self.region.high, x.shape)
        if len(self._slopes):
            amount, change = np.hstack([x, x @ self._slopes.T]), np.hstack([v, v @ self._slopes.T])
            low = np.hstack([low, np.broadcast_to(self._limits[:, 0], (len(x), len(self._limits)))])
            high = np.hstack([high, np.broadcast_to(self._limits[:, 1], (len(x), len(self._limits)))])
        with np.errstate(invalid="ignore", divide="ignore"):
            ends = np.stack([(low - amount) / change, (high - amount) / change])
        still = np.abs(change) <= ROUNDING
        shortest = np.where(still, -np.inf, ends.min(axis=0)).max(axis=1)
        longest = np.where(still, np.inf, ends.max(axis=0)).min(axis=1)
        return np.minimum(shortest, 0.0), np.maximum(longest, 0.0)

    def _to_level(self, x, v, level, t, rng) -> np.ndarray:
        """Moves of a column with levels go to one of its levels."""
        for column in np.unique(level[level >= 0]):
            rows = np.flatnonzero(level == column)
            domain = self.region.domains[column]
            t[rows] = (domain.draw(rng, len(rows)) - x[rows, column]) / v[rows, column]
        return t

    def _to_zero(self, x, v, t, rng) -> np.ndarray:
        """Some moves of columns that may be 0 make one of them 0: half of those that bring another into use."""
        used, new = (self._limited & (v != 0) & which for which in (x != 0, x == 0))
        rows = np.flatnonzero(used.any(axis=1) & (rng.random(len(x)) < np.where(new.any(axis=1), 0.5, 0.05)))
        column = np.argmax(np.where(used[rows], rng.random((len(rows), x.shape[1])), -1), axis=1)
        t[rows] = -x[rows, column] / v[rows, column]
        return t

    def _in_domains(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rounding errors removed, and which rows are what their columns may be."""
        size = np.maximum(np.abs(self.region.low), np.abs(self.region.high))
        x = np.where(np.abs(x) <= ROUNDING * size, 0.0, x)
        good = np.ones(len(x), bool)
        for i, domain in enumerate(self.region.domains):
            if isinstance(domain, Levels):
                values = np.array(domain.values)
                exact = values[np.abs(x[:, [i]] - values).argmin(axis=1)]
            elif domain.step:
                exact = domain.start + domain.step * np.round((x[:, i] - domain.start) / domain.step)
            else:
                exact = np.clip(x[:, i], domain.low, domain.high)
                for bound in (domain.low, domain.high):
                    exact = np.where(np.abs(exact - bound) <= ROUNDING * size[i], bound, exact)
            good &= np.abs(x[:, i] - exact) <= TOLERANCE * max(1.0, size[i])
            if isinstance(domain, Range):
                good &= (exact >= domain.low - ROUNDING * size[i]) & (exact <= domain.high + ROUNDING * size[i])
            x[:, i] = exact
        return x, good


def _moves(region: FeasibleRegion, rng: np.random.Generator) -> Moves:
    """Directions with as few columns as possible that change no sum."""
    equal = region.weights([line for line in region.lines if line.low == line.high])
    open_columns = np.flatnonzero(region.low < region.high)
    most = len(equal) + 1
    directions = []
    for size in range(1, most + 1):
        sets = itertools.combinations(open_columns, size)
        for columns in _sampled(sets, MOST_MOVES // most, rng):
            direction = _direction(equal, np.array(columns), len(region.names))
            if direction is not None:
                directions.append(direction)
    v = np.array(directions).reshape(-1, len(region.names))
    step = np.array([_common_step(region, row) for row in v])
    has_levels = [isinstance(domain, Levels) for domain in region.domains]
    level = np.array([next((i for i in np.flatnonzero(row) if has_levels[i]), -1) for row in v], dtype=int)
    usable = np.isfinite(step)
    return Moves(v[usable], step[usable], level[usable])


def _sampled(sets, most: int, rng: np.random.Generator):
    """The first few thousand of a long list of column sets, mixed; all if they are few."""
    listed = list(itertools.islice(sets, 20 * most))
    return listed if len(listed) <= most else [listed[i] for i in rng.choice(len(listed), most, replace=False)]


def _direction(equal: np.ndarray, columns: np.ndarray, count: int) -> np.ndarray | None:
    """The one direction in exactly these columns that changes no sum, if there is one."""
    weights = equal[:, columns]
    if not weights.any():
        if len(columns) > 1:
            return None
        only = np.ones(1)
    else:
        _, sizes, axes = np.linalg.svd(weights)
        rank = int((sizes > 1e-10 * sizes[0]).sum())
        if len(columns) - rank != 1 or np.abs(axes[-1]).min() < 1e-10:
            return None
        only = axes[-1] / np.abs(axes[-1]).max()
        plain = np.round(only, 12)  # 1 rather than 0.9999999999999999, where that is meant
        only = plain if np.abs(weights @ plain).max() <= 1e-15 * np.abs(weights).max() else only
    direction = np.zeros(count)
    direction[columns] = only
    return direction


def _common_step(region: FeasibleRegion, direction: np.ndarray) -> float:
    """The smallest length of a move that keeps all its columns on their steps; 0 without steps, else infinite."""
    total: Fraction | None = None
    for i in np.flatnonzero(direction):
        domain = region.domains[i]
        if isinstance(domain, Range) and domain.step:
            own = Fraction(domain.step / abs(direction[i])).limit_denominator(10**6)
            if own == 0:
                return np.inf
            total = own if total is None else _least_common_multiple(total, own)
    return 0.0 if total is None else float(total)


def _least_common_multiple(a: Fraction, b: Fraction) -> Fraction:
    shared = a.denominator * b.denominator
    return Fraction(lcm(a.numerator * b.denominator, b.numerator * a.denominator), shared)
