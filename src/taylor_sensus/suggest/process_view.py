"""The posterior covariance of the model's Gaussian process: how errors at two rows go together, given training rows.

A model without a process gets a stand-in with typical length scales, which knows where its training rows are: it
measures how far rows are from those and from each other, in the model's scaled units.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpstrf
from threadpoolctl import threadpool_limits

from taylor_sensus.fitted import FittedModel
from taylor_sensus.model.coordinates import Coordinates
from taylor_sensus.model.gaussian_process import CENTRES, covariance, hyper_prior, noise, prior_variances
from taylor_sensus.records import Query
from taylor_sensus.rows import spread, take

LEAST = 1e-9
"""Variances below this share of the whole are rounding errors."""
MOST_CENTRES = 1000
"""Training rows that a stand-in knows."""
STAND_IN_START = 4.0
"""Where it begins to squash long tails."""


class SeenRows(NamedTuple):
    """Rows as a process sees them."""

    seen: np.ndarray
    """In the process' coordinates, (rows, features)"""
    explained: np.ndarray
    """Whitened covariance with the centres: the squares add up to the variance that is gone, (rows, centres)"""

    def take(self, rows: np.ndarray) -> SeenRows:
        """These rows only."""
        return SeenRows(self.seen[rows], self.explained[rows])


class ProcessView(NamedTuple):
    """A process that has seen some rows. With fewer rows than the model has, its variances are never too small."""

    theta: np.ndarray
    coordinates: Coordinates
    centres: np.ndarray
    factor: np.ndarray
    """Lower Cholesky factor of the covariance of what was measured at the centres."""

    def rows(self, scaled: np.ndarray) -> SeenRows:
        """Rows in scaled units, as the process sees them."""
        x = self.coordinates(scaled)
        if not len(self.centres):
            return SeenRows(x, np.zeros((len(x), 0)))
        cross = covariance(self.theta, self.centres, x)
        with threadpool_limits(1, "blas"):
            return SeenRows(x, solve_triangular(self.factor, cross, lower=True).T)

    def variance(self, rows: SeenRows) -> np.ndarray:
        """Of the function at each row, given the centres."""
        prior = prior_variances(self.theta, rows.seen)
        return np.maximum(prior - (rows.explained**2).sum(axis=1), LEAST * prior)

    def covariance(self, a: SeenRows, b: SeenRows) -> np.ndarray:
        """Of the function at all pairs of rows, given the centres."""
        return covariance(self.theta, a.seen, b.seen) - a.explained @ b.explained.T

    def correlation(self, a: SeenRows, b: SeenRows, covariance: np.ndarray) -> np.ndarray:
        """Between the errors at all pairs of rows, from their covariance given the centres."""
        return covariance / np.multiply.outer(np.sqrt(self.variance(a)), np.sqrt(self.variance(b)))


def process_view(fitted: FittedModel, most: int | None = None) -> ProcessView:
    """The model's process, or its stand-in, with all centres, or with the `most` informative ones."""
    theta, coordinates, x, row_noise = _measured(fitted)
    with threadpool_limits(1, "blas"):
        total = covariance(theta, x, x) + np.diag(row_noise)
        if most is None or len(x) <= most:
            return ProcessView(theta, coordinates, x, np.linalg.cholesky(total))
        _, pivots, _, _ = dpstrf(total, lower=1)
        rows = np.sort(pivots[:most] - 1)
        return ProcessView(theta, coordinates, x[rows], np.linalg.cholesky(total[np.ix_(rows, rows)]))


class _Measured(NamedTuple):
    """All that makes a process: hyper-parameters, and where and how well the function was measured."""

    theta: np.ndarray
    coordinates: Coordinates
    x: np.ndarray
    noise: np.ndarray


def _measured(fitted: FittedModel) -> _Measured:
    if fitted.ensemble.process_share is not None:
        process = fitted.ensemble.process_share.process
        return _Measured(process.numbers.theta, process.coordinates, process.numbers.centres, process.numbers.row_noise)
    features = len(fitted.scaler.scale)
    theta, coordinates = hyper_prior(CENTRES[2], features).mean, Coordinates(STAND_IN_START)
    x = np.empty((0, features))
    if fitted.rows is not None:
        x = take(fitted.rows.x, spread(np.flatnonzero(fitted.rows.weight > 0), MOST_CENTRES))
        x = coordinates(fitted.inputs(Query(x))[0])
    return _Measured(theta, coordinates, x, np.full(len(x), noise(theta)))
