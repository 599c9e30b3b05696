"""Between which bounds each source's share of the noise lies: profile likelihood of variance components.

The squared error of an unseen row has the expectation sum_j J_j^2 s_j^2 + s_system^2 + known: slopes J that differ
between rows tell the sources apart, and where they do not, any split explains the rows as well, and the bounds are 0
and 1. A share lies in its 90 % interval if rows are at most exp(1.35) times less likely with it than with the best.

It is assumed that the system's own noise has one size. Noise of the system that happens to vary like a slope is taken
for noise of that input; no data without declared errors can tell the two apart.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from taylor_sensus.model.shapes import Float

GRID = np.array([0.0, 0.03, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.97, 1.0])
"""Shares that are tried; bounds are interpolated between them."""
DROP = 1.353
"""Half the 90 % quantile of chi-square with one degree of freedom."""
ROUGH = 0.02
"""By how much bounds are moved outwards: slopes are estimates, and bends carry some noise where there is no slope."""
MOST_ROWS = 600
FEWEST_ROWS = 10
"""With fewer rows nothing is learned: the bounds are 0 and 1."""
MOST_SOURCES = 12
"""Sources with an interval of their own; the smallest others are taken together."""
ACCURACY = 1e-5
"""Relative, of a log-likelihood of at most some hundreds: far finer than `DROP`."""
FREEDOM = 8.0
"""Of Student's t for residuals: a few outliers must not decide the split."""


class ShareBounds(NamedTuple):
    """For each source the bounds of its share of the learned noise; the system is the last."""

    low: Float[np.ndarray, " sources"]
    high: Float[np.ndarray, " sources"]


def share_bounds(
    squared_slopes: Float[np.ndarray, "rows inputs"],
    squared_error: Float[np.ndarray, " rows"],
    known: Float[np.ndarray, " rows"],
) -> ShareBounds:
    """Of one target: slopes, squared errors of unseen rows, and what of their variance is known."""
    inputs = squared_slopes.shape[1]
    if len(squared_error) < FEWEST_ROWS:
        return ShareBounds(np.zeros(inputs + 1), np.ones(inputs + 1))
    rows = np.linspace(0, len(squared_error) - 1, min(len(squared_error), MOST_ROWS)).astype(int)
    pattern = np.column_stack([squared_slopes[rows], np.ones(len(rows))])
    size = pattern.mean(axis=0)
    own = np.append(np.argsort(-size[:-1], kind="stable")[: MOST_SOURCES - 1], inputs)
    own = own[size[own] > 1e-12 * size[:-1].max(initial=1e-300)] if inputs else own
    others = np.setdiff1d(np.flatnonzero(size > 0), own)
    shapes = pattern[:, own] / size[own]
    if len(others):
        shapes = np.column_stack([shapes, pattern[:, others].sum(axis=1) / size[others].sum()])
    profile = _Profile(shapes, squared_error[rows], known[rows])
    low, high = np.zeros(inputs + 1), np.zeros(inputs + 1)
    for place, source in enumerate(own):
        low[source], high[source] = profile.bounds(place)
    if len(others):
        _, most = profile.bounds(len(own))
        high[others] = most
    return ShareBounds(low, high)


class _Profile:
    """The likelihood of shares on a simplex and of the total; each shape has a mean of 1."""

    def __init__(
        self,
        shapes: Float[np.ndarray, "rows sources"],
        squares: Float[np.ndarray, " rows"],
        known: Float[np.ndarray, " rows"],
    ) -> None:
        self.shapes, self.squares, self.known = shapes, squares, known
        self.start = np.log(max(float(np.mean(squares) - np.mean(known)), 0.05 * float(np.mean(squares)), 1e-12))

    def bounds(self, place: int) -> tuple[float, float]:
        """Of the share of one source."""
        if self.shapes.shape[1] == 1:
            return 1.0, 1.0  # there is no other source
        first = int(np.abs(GRID - self.likeliest[place]).argmin())
        costs, begun = np.full(len(GRID), np.inf), {}
        costs[first], begun[first] = self._cost(place, GRID[first], None)
        for step in (-1, 1):  # from the likeliest outwards, each search from where the one before has ended
            at = first
            while 0 <= at + step < len(GRID) and costs[at] <= costs.min() + DROP:
                costs[at + step], begun[at + step] = self._cost(place, GRID[at + step], begun[at])
                at += step
        inside = costs - costs.min() - DROP
        best = int(costs.argmin())
        return max(_crossing(inside, best, -1) - ROUGH, 0.0), min(_crossing(inside, best, 1) + ROUGH, 1.0)

    @cached_property
    def likeliest(self) -> Float[np.ndarray, " sources"]:
        """Shares of all sources together that explain the rows best."""
        nothing = np.zeros(len(self.squares))
        found = self._search(nothing, self.shapes, 0.0, None)[1][1:]
        return np.exp(found) / np.exp(found).sum()

    def _cost(
        self, place: int, share: float, begin: Float[np.ndarray, " numbers"] | None
    ) -> tuple[float, Float[np.ndarray, " numbers"]]:
        """The least negative log-likelihood with this share, over the total and the other shares, and where it is."""
        return self._search(self.shapes[:, place], np.delete(self.shapes, place, axis=1), share, begin)

    def _search(
        self,
        own: Float[np.ndarray, " rows"],
        rest: Float[np.ndarray, "rows others"],
        share: float,
        begin: Float[np.ndarray, " numbers"] | None,
    ) -> tuple[float, Float[np.ndarray, " numbers"]]:
        def cost(values: Float[np.ndarray, " numbers"]) -> tuple[float, Float[np.ndarray, " numbers"]]:
            total, weight = np.exp(values[0]), np.exp(values[1:] - values[1:].max())
            weight = weight / weight.sum()
            mixed = rest @ weight
            noise = total * (share * own + (1 - share) * mixed)
            variance = noise + self.known + 1e-12
            ratio = self.squares / variance / (FREEDOM - 2)
            found = 0.5 * np.log(variance) + (FREEDOM + 1) / 2 * np.log1p(ratio)
            slope = (0.5 - (FREEDOM + 1) / 2 * ratio / (1 + ratio)) / variance
            by_weight = total * (1 - share) * weight * ((slope @ rest) - slope @ mixed)
            return float(found.sum()), np.concatenate([[slope @ noise], by_weight])

        if begin is None:
            begin = np.concatenate([[self.start], np.zeros(rest.shape[1])])
        limits = [(self.start - 12, self.start + 6)] + [(-8.0, 8.0)] * rest.shape[1]
        options = {"maxiter": 40, "ftol": ACCURACY}
        found = minimize(cost, begin, jac=True, method="L-BFGS-B", bounds=limits, options=options)
        # A share at its limit has no slope to come back by: the next search begins a little inside.
        return float(found.fun), np.append(found.x[0], np.clip(found.x[1:] - found.x[1:].max(), -4.0, 0.0))


def _crossing(inside: Float[np.ndarray, " shares"], best: int, step: int) -> float:
    """Where the cost leaves what is allowed, walking from the best share; the end of the range if it never does."""
    at = best
    while 0 <= at + step < len(GRID) and inside[at + step] <= 0:
        at += step
    beyond = at + step
    if not 0 <= beyond < len(GRID):
        return float(GRID[at])
    part = inside[at] / (inside[at] - inside[beyond])
    return float(GRID[at] + part * (GRID[beyond] - GRID[at]))
