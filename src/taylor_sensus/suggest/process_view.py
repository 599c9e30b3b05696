"""The model's Gaussian process as seen from outside: how errors at two rows go together, given the training rows.

A model without a kernel part gets a stand-in with typical length scales, which knows where its training rows are: it
measures how far rows are from those and from each other, in the model's scaled units.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpstrf
from threadpoolctl import threadpool_limits

from taylor_sensus.fitted import Asked, FittedModel
from taylor_sensus.model.gaussian_process import CENTRES, covariance, new_prior, noise, split
from taylor_sensus.model.process_mean import drawn_in
from taylor_sensus.rows import spread, take


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
        if not len(self.centres):
            return Seen(drawn, np.zeros((len(drawn), 0)))
        cross = covariance(self.theta, self.centres, drawn)
        with threadpool_limits(1, "blas"):
            return Seen(drawn, solve_triangular(self.factor, cross, lower=True).T)

    def variance(self, scaled: np.ndarray) -> np.ndarray:
        """Of the function at each row, given the centres."""
        return self.variance_of(self.seen(scaled))

    def variance_of(self, rows: Seen) -> np.ndarray:
        """The same for rows that have been seen."""
        return np.maximum(self.size - (rows.known**2).sum(axis=1), LEAST * self.size)

    def covariance(self, a: Seen, b: Seen) -> np.ndarray:
        """Of the function at all pairs of rows, given the centres."""
        return covariance(self.theta, a.drawn, b.drawn) - a.known @ b.known.T

    def correlation(self, a: Seen, b: Seen) -> np.ndarray:
        """Between the errors at all pairs of rows, given the centres."""
        return self.covariance(a, b) / np.sqrt(np.multiply.outer(self.variance_of(a), self.variance_of(b)))


class Seen(NamedTuple):
    """Rows as a process sees them."""

    drawn: np.ndarray
    """(rows, features), `drawn_in`"""
    known: np.ndarray
    """What the centres tell of them: the squares add up to the variance that is gone, (rows, centres)"""


LEAST = 1e-9
"""Variances below this share of the whole are rounding errors."""


MOST_CENTRES = 1000
"""Training rows that a stand-in knows."""
STAND_IN_REACH = 4.0
"""Where it begins to draw in long tails."""


class Centres(NamedTuple):
    """All that makes a process: hyper-parameters, and where and how well the function was measured."""

    theta: np.ndarray
    reach: float
    x: np.ndarray
    noise: np.ndarray

    def view(self, rows: np.ndarray) -> ProcessView:
        """As if only these centres had been measured."""
        x = self.x[rows]
        with threadpool_limits(1, "blas"):
            total = covariance(self.theta, x, x) + np.diag(self.noise[rows])
            return ProcessView(self.theta, self.reach, x, np.linalg.cholesky(total))


def whole_view(fitted: FittedModel) -> ProcessView:
    """With all centres of the model's process, or of its stand-in."""
    centres = _centres(fitted)
    return centres.view(np.arange(len(centres.x)))


def quick_view(fitted: FittedModel, most: int) -> ProcessView:
    """With the `most` centres that tell the most, for a first look at very many rows."""
    centres = _centres(fitted)
    if len(centres.x) <= most:
        return whole_view(fitted)
    with threadpool_limits(1, "blas"):
        total = covariance(centres.theta, centres.x, centres.x) + np.diag(centres.noise)
        _, pivots, _, _ = dpstrf(total, lower=1)
    return centres.view(np.sort(pivots[:most] - 1))


def _centres(fitted: FittedModel) -> Centres:
    if fitted.support is not None:
        stored = fitted.support.stored
        return Centres(stored.theta, float(stored.reach), stored.centres.astype(np.float64), stored.row_noise)
    features = len(fitted.scaler.scale)
    theta = new_prior(CENTRES[2], features).mean
    x = np.empty((0, features))
    if fitted.rows is not None:
        x = take(fitted.rows.x, spread(np.flatnonzero(fitted.rows.weight > 0), MOST_CENTRES))
        x = drawn_in(fitted.inputs(Asked(x))[0], STAND_IN_REACH)
    return Centres(theta, STAND_IN_REACH, x, np.full(len(x), noise(theta)))
