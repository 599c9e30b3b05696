"""Missing cells: what they probably hold given the row's other cells, and how far that may be off.

The features are described by a normal distribution, learned from incomplete rows by expectation and maximisation.
With very many columns each is described by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from taylor_sensus.model.shapes import Bool, Float, Int
from taylor_sensus.rows import spread

MOST_COLUMNS = 128
"""With more columns the others are not asked: their covariance would be larger than the rest of the model."""
MOST_ROWS = 20_000
"""Rows that are learned from; fewer where many columns make each of them slow."""
ITERATIONS = 15
LIMIT = 6.0
"""Scaled cells are cut here before anything is learned from them."""
SHRINKAGE = 5.0
"""So many rows' worth of a prior that columns are independent."""


class Imputer(NamedTuple):
    """Mean and covariance of the scaled features; the covariance is their variances alone where columns are many."""

    mean: Float[np.ndarray, " features"]
    covariance: Float[np.ndarray, "features features"] | Float[np.ndarray, " features"]
    """Of variances alone where columns are many."""
    low: Float[np.ndarray, " features"]
    high: Float[np.ndarray, " features"]
    """The range that was seen, which no filled cell leaves."""

    def __call__(
        self, x: Float[np.ndarray, "rows features"]
    ) -> tuple[Float[np.ndarray, "rows features"], Float[np.ndarray, "rows features"] | None]:
        """Rows without gaps, and the variance of each cell that was filled (0 elsewhere); None without gaps."""
        missing = np.isnan(x)
        if not missing.any():
            return x, None
        filled, variance = x.copy(), np.zeros(x.shape)
        if self.covariance.ndim == 1:
            places = np.nonzero(missing)
            filled[places], variance[places] = self.mean[places[1]], self.covariance[places[1]]
            return filled, variance
        known = np.clip(np.where(missing, 0.0, x), -LIMIT, LIMIT)
        for gaps, rows in _patterns(missing):
            expected, covariance = _given_others(self.mean, self.covariance, known[rows], gaps)
            where = np.ix_(rows, np.flatnonzero(gaps))
            filled[where] = np.clip(expected, self.low[gaps], self.high[gaps])
            variance[where] = np.diag(covariance)
        return filled, variance


def learn_imputer(x: Float[np.ndarray, "rows features"]) -> Imputer:
    """From scaled rows, of which some may have gaps."""
    most = int(np.clip(3e9 / x.shape[1] ** 3, 1000, MOST_ROWS)) if np.isnan(x).any() else MOST_ROWS
    x = np.clip(x[spread(np.arange(len(x)), most)], -LIMIT, LIMIT).astype(np.float64)
    missing = np.isnan(x)
    seen = np.maximum((~missing).sum(axis=0), 1)
    zeros = np.where(missing, 0.0, x)
    mean = zeros.sum(axis=0) / seen
    variance = np.maximum(((zeros - mean) ** 2 * ~missing).sum(axis=0) / seen, 1e-6)
    low = np.where(missing, np.inf, x).min(axis=0, initial=np.inf)
    high = np.where(missing, -np.inf, x).max(axis=0, initial=-np.inf)
    low, high = (np.where(np.isfinite(edge), edge, mean) for edge in (low, high))
    if x.shape[1] > MOST_COLUMNS:
        return Imputer(mean, variance, low, high)
    covariance = np.diag(variance)
    patterns = list(_patterns(missing, whole=True))
    for iteration in range(ITERATIONS if missing.any() else 1):
        filled, left_covariance = zeros.copy(), np.zeros_like(covariance)
        for gaps, rows in patterns:
            if gaps.any():
                expected, left = _given_others(mean, covariance, zeros[rows], gaps)
                filled[np.ix_(rows, np.flatnonzero(gaps))] = expected
                left_covariance[np.ix_(gaps, gaps)] += len(rows) * left
        before, mean = mean, filled.mean(axis=0)
        total = (filled - mean).T @ (filled - mean) + left_covariance
        covariance = (total + SHRINKAGE * np.diag(np.diag(total) / len(x))) / (len(x) + SHRINKAGE)
        covariance[np.diag_indices_from(covariance)] *= 1 + 1e-4
        covariance[np.diag_indices_from(covariance)] += 1e-8
        if iteration > 3 and np.abs(mean - before).max(initial=0.0) < 1e-4:
            break
    return Imputer(mean, covariance, low, high)


def _given_others(
    mean: Float[np.ndarray, " features"],
    covariance: Float[np.ndarray, "features features"],
    rows: Float[np.ndarray, "rows features"],
    gaps: Bool[np.ndarray, " features"],
) -> tuple[Float[np.ndarray, "rows gaps"], Float[np.ndarray, "gaps gaps"]]:
    """Conditional mean of the gaps in each row, and their conditional covariance."""
    there = ~gaps
    among, across = covariance[np.ix_(there, there)], covariance[np.ix_(there, gaps)]
    slopes = np.linalg.solve(among, across) if there.any() else across
    expected = mean[gaps] + (rows[:, there] - mean[there]) @ slopes
    left = covariance[np.ix_(gaps, gaps)] - across.T @ slopes
    return expected, (left + left.T) / 2


def _patterns(
    missing: Bool[np.ndarray, "rows features"], whole: bool = False
) -> Iterator[tuple[Bool[np.ndarray, " features"], Int[np.ndarray, " chosen"]]]:
    """Which cells are missing, and the rows where just these are; rows without gaps only if `whole` is asked for."""
    rows = np.arange(len(missing)) if whole else np.flatnonzero(missing.any(axis=1))
    if not len(rows):
        return
    packed = np.packbits(missing[rows], axis=1)
    _, first, group = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(group.ravel(), kind="stable")
    ends = np.cumsum(np.bincount(group.ravel()))
    for place, part in zip(first, np.split(order, ends[:-1]), strict=True):
        yield missing[rows[place]], rows[part]
