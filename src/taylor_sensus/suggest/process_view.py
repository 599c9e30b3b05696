"""The model's Gaussian process as seen from outside: how errors at two rows go together, given the training rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpstrf
from threadpoolctl import threadpool_limits

from taylor_sensus.model.kernel import drawn_in, matern
from taylor_sensus.training.process import covariance, split, squared_distance
from taylor_sensus.training.support import Support


class ProcessView(NamedTuple):
    """A process that has seen some rows. With fewer rows than the model has, its variances are never too small."""

    theta: np.ndarray
    reach: float
    centres: np.ndarray
    factor: np.ndarray
    """Lower Cholesky factor of the covariance of what was measured at the centres."""

    @property
    def size(self) -> float:
        """Variance of the function where nothing is known."""
        return float(sum(size for size, _ in split(self.theta, self.centres.shape[1])))

    def seen(self, scaled: np.ndarray) -> Seen:
        """Rows in scaled units, as the process sees them."""
        drawn = drawn_in(np.asarray(scaled, np.float64), self.reach)
        cross = covariance(self.theta, self.centres, drawn)
        with threadpool_limits(1, "blas"):
            return Seen(drawn, solve_triangular(self.factor, cross, lower=True).T)

    def variance(self, scaled: np.ndarray) -> np.ndarray:
        """Of the function at each row, given the centres."""
        return self.size - np.minimum((self.seen(scaled).known ** 2).sum(axis=1), self.size)

    def correlation(self, a: Seen, b: Seen) -> np.ndarray:
        """Between the errors at all pairs of rows, given the centres."""
        shared = covariance(self.theta, a.drawn, b.drawn) - a.known @ b.known.T
        return shared / np.sqrt(np.multiply.outer(self._spread(a), self._spread(b)))

    def _spread(self, rows: Seen) -> np.ndarray:
        left = self.size - (rows.known**2).sum(axis=1)
        return np.maximum(left, LEAST * self.size)


class Seen(NamedTuple):
    """Rows as a process sees them."""

    drawn: np.ndarray
    """(rows, features), `drawn_in`"""
    known: np.ndarray
    """What the centres tell of them: the squares add up to the variance that is gone, (rows, centres)"""


LEAST = 1e-9
"""Variances below this share of the whole are rounding errors."""


def whole_view(support: Support) -> ProcessView:
    """With all centres of the model."""
    return _view(support, np.arange(len(support.stored.centres)))


def quick_view(support: Support, most: int) -> ProcessView:
    """With the `most` centres that tell the most, for a first look at very many rows."""
    stored = support.stored
    centres = stored.centres.astype(np.float64)
    if len(centres) <= most:
        return whole_view(support)
    with threadpool_limits(1, "blas"):
        _, pivots, _, _ = dpstrf(covariance(stored.theta, centres, centres) + np.diag(stored.row_noise), lower=1)
    return _view(support, np.sort(pivots[:most] - 1))


def _view(support: Support, rows: np.ndarray) -> ProcessView:
    stored = support.stored
    centres = stored.centres[rows].astype(np.float64)
    with threadpool_limits(1, "blas"):
        total = covariance(stored.theta, centres, centres) + np.diag(stored.row_noise[rows])
        return ProcessView(stored.theta, float(stored.reach), centres, np.linalg.cholesky(total))


def plain_correlation(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Between errors at rows in scaled units, for a model without a process: it fades over a standard deviation.

    Distances grow with the root of the number of features, and so does the reach.
    """
    reach = np.sqrt(max(a.shape[1], 1) / 8)
    return matern(squared_distance(a, b) / reach**2)[0]
