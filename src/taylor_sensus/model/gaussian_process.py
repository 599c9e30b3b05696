"""One Gaussian process over scaled rows: its evidence, and its posterior at seen and unseen rows.

The covariance is a sum over `SHAPES` of amplitude times shape, each with a length scale for every feature, plus white
noise. Libraries form one matrix for each length scale to get the gradient; here all length scales of a shape share one
matrix product, so that a fit takes a second where theirs takes a minute. A row of weight w counts as w rows.

The posterior mean is as smooth as the mean network is, and the noise of the features goes through its slope in the same
way. All is double precision: with little noise, single precision could not tell rows apart.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs
from scipy.optimize import minimize

from taylor_sensus.model.squash import squash, squash_slope

CENTRES = ((10.0, 10.0), (3.0, 30.0), (3.0, 3.0))
"""Typical length scales of the shapes, where a search starts: smooth in everything, rough on a wide trend, rough."""
LEAST_NOISE = 1e-6
"""Smallest noise variance in scaled units; equal rows stay solvable."""
HIGHEST = 20.0
"""Logarithms of hyper-parameters stay within this."""


def matern(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Matérn 5/2 as a function of the squared distance, and its derivative."""
    t = np.sqrt(5 * q)
    decay = np.exp(-t)
    slope = 1 + t
    value = np.multiply(t, t, out=t)
    value /= 3
    value += slope
    value *= decay
    slope *= decay
    slope *= -5 / 6
    return value, slope


def squared_exponential(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The smoothest shape, as a function of the squared distance, and its derivative."""
    value = np.exp(-q / 2)
    return value, -value / 2


SHAPES: tuple[Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]], ...] = (matern, squared_exponential)
"""Each has an amplitude and length scales of its own."""


class HyperPrior(NamedTuple):
    """Independent normal priors of the logarithms of all hyper-parameters, in the order of `split`."""

    mean: np.ndarray
    std: np.ndarray


class ProcessRows(NamedTuple):
    """What a process learns from: features (squashed), targets `(rows, targets)` and weights."""

    x: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    declared_variance: np.ndarray
    """Variance of each row beside the white noise that is known beforehand, from declared errors."""

    def take(self, rows: np.ndarray) -> ProcessRows:
        """These rows only."""
        return ProcessRows(*[part[rows] for part in self])

    def reweighted(self, factor: np.ndarray) -> ProcessRows:
        """The same rows, each with a factor on its weight."""
        return self._replace(weight=self.weight * factor)

    def noise(self, theta: np.ndarray) -> np.ndarray:
        """Variance of each row's noise."""
        return (noise(theta) + self.declared_variance) / self.weight


class ProcessEstimate(NamedTuple):
    """Posterior of the function, without noise, at each row."""

    mean: np.ndarray
    """(rows, targets)"""
    variance: np.ndarray
    """The same for all targets, (rows,)"""
    jacobian: np.ndarray | None
    """d mean / d x, (rows, targets, features), if asked for"""


class ProcessNumbers(NamedTuple):
    """The numbers that make a process: what a model file holds."""

    theta: np.ndarray
    log_range: np.ndarray
    """Where long tails begin to be squashed, ()"""
    centres: np.ndarray
    """Training rows, squashed, (centres, features)"""
    row_noise: np.ndarray
    coefficients: np.ndarray
    """Of each centre in the mean, (centres, targets)"""


class GaussianProcess:
    """A process that has seen its rows."""

    def __init__(self, numbers: ProcessNumbers, factor: np.ndarray | None = None) -> None:
        self.numbers = ProcessNumbers(*[np.asarray(part, np.float64) for part in numbers])
        if factor is not None:
            self.factor = factor

    @classmethod
    def condition(cls, theta: np.ndarray, log_range: float, rows: ProcessRows) -> GaussianProcess:
        """The process given all these rows."""
        row_noise = rows.noise(theta)
        factor = _factor(theta, rows.x, row_noise)
        coefficients = dpotrs(factor, rows.y, lower=1)[0]
        return cls(ProcessNumbers(theta, np.array(log_range), rows.x, row_noise, coefficients), factor)

    @cached_property
    def factor(self) -> np.ndarray:
        """Lower Cholesky factor of the covariance of what was measured at the centres."""
        return _factor(self.numbers.theta, self.numbers.centres, self.numbers.row_noise)

    @property
    def amplitude(self) -> float:
        """Variance of the function where nothing is known."""
        return float(sum(size for size, _ in split(self.numbers.theta, self.numbers.centres.shape[1])))

    def squashed(self, x: np.ndarray) -> np.ndarray:
        """Scaled rows in the coordinates of the centres."""
        return squash(np.asarray(x, np.float64), float(self.numbers.log_range), "log")

    def cross(self, z: np.ndarray) -> np.ndarray:
        """Covariance of the function at squashed rows with that at the centres, (rows, centres)."""
        return covariance(self.numbers.theta, z, self.numbers.centres)

    def explained(self, cross: np.ndarray) -> np.ndarray:
        """What the centres tell of rows, whitened: the squares add up to the variance that is gone, (centres, rows)."""
        return solve_triangular(self.factor, cross.T, lower=True, check_finite=False)

    def posterior(self, x: np.ndarray, *, slopes: bool = False, variances: bool = True) -> ProcessEstimate:
        """At scaled rows; many at once, because all is matrix products. Without `variances` these are 0."""
        return self.posterior_at(self.squashed(x), x if slopes else None, variances)

    def posterior_at(self, z: np.ndarray, x: np.ndarray | None = None, variances: bool = True) -> ProcessEstimate:
        """The same at rows that are squashed already; slopes where the scaled rows `x` are given."""
        theta, coefficients = self.numbers.theta, self.numbers.coefficients
        jacobian = None if x is None else np.zeros((len(z), coefficients.shape[1], z.shape[1]))
        cross = np.zeros((len(z), len(coefficients)))
        for shape, (size, w) in zip(SHAPES, split(theta, z.shape[1]), strict=True):
            a, b = z * w, self.numbers.centres * w
            value, slope = shape(squared_distance(a, b))
            cross += size * value
            if jacobian is not None:
                for target, column in enumerate(coefficients.T):
                    pull = (size * slope) * column
                    jacobian[:, target] += 2 * w * (pull.sum(axis=1)[:, None] * a - pull @ b)
        if jacobian is not None and x is not None:
            jacobian *= squash_slope(np.asarray(x, np.float64), float(self.numbers.log_range), "log")[:, None, :]
        variance = np.zeros(len(z))
        if variances:
            variance = np.maximum(self.amplitude - (self.explained(cross) ** 2).sum(axis=0), 0.0)
        return ProcessEstimate(cross @ coefficients, variance, jacobian)

    def left_out(self, y: np.ndarray, fold: np.ndarray) -> ProcessEstimate:
        """At each of its own rows, whose targets are `y`, as if the rows of its fold had not been seen."""
        half = dpotri(self.factor, lower=1)[0]
        inverse = np.tril(half) + np.tril(half, -1).T
        mean, variance = np.empty_like(y), np.empty(len(y))
        for number in np.unique(fold):
            own = np.flatnonzero(fold == number)
            among = np.linalg.inv(inverse[np.ix_(own, own)])
            mean[own] = y[own] - among @ self.numbers.coefficients[own]
            variance[own] = np.diag(among) - self.numbers.row_noise[own]
        return ProcessEstimate(mean, np.maximum(variance, 0.0), None)


def _factor(theta: np.ndarray, x: np.ndarray, row_noise: np.ndarray) -> np.ndarray:
    return np.linalg.cholesky(covariance(theta, x, x) + np.diag(row_noise))


def hyper_prior(centre: tuple[float, ...], features: int) -> HyperPrior:
    """Weak priors; length scales grow with the root of the number of features, as distances do."""
    lengths = np.log(np.array(centre) * np.sqrt(features / 8))
    kernels = [np.append(np.log(0.5), np.full(features, length)) for length in lengths]
    spread = np.tile(np.append(2.0, np.ones(features)), len(kernels))
    return HyperPrior(np.append(np.concatenate(kernels), np.log(0.1)), np.append(spread, 2.0))


def hyper_parameters(features: int) -> int:
    """How many there are."""
    return len(SHAPES) * (1 + features) + 1


def split(theta: np.ndarray, features: int) -> list[tuple[float, np.ndarray]]:
    """Amplitude and inverse length scales of each shape."""
    table = np.exp(theta[:-1].reshape(len(SHAPES), 1 + features))
    return [(row[0], 1 / row[1:]) for row in table]


def noise(theta: np.ndarray) -> float:
    """Variance of the white noise."""
    return float(np.exp(theta[-1])) + LEAST_NOISE


def squared_distance(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Between all pairs of rows."""
    return np.maximum((a * a).sum(axis=1)[:, None] + (b * b).sum(axis=1) - 2 * a @ b.T, 0.0)


def covariance(theta: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Of the function, without noise, between all pairs of squashed rows."""
    total = np.zeros((len(a), len(b)))
    for shape, (size, w) in zip(SHAPES, split(theta, a.shape[1]), strict=True):
        total += size * shape(squared_distance(a * w, b * w))[0]
    return total


def negative_log_evidence(theta: np.ndarray, rows: ProcessRows, prior: HyperPrior) -> tuple[float, np.ndarray]:
    """Negative log of marginal likelihood times prior, for each row, and its gradient; targets count alike."""
    n, targets = rows.y.shape
    if np.abs(theta).max() > HIGHEST:
        return 1e10, np.zeros_like(theta)  # the line search turns back
    parts = []
    for shape, (size, w) in zip(SHAPES, split(theta, rows.x.shape[1]), strict=True):
        z = rows.x * w
        value, slope = shape(squared_distance(z, z))
        parts.append((size * value, size * slope, z))
    total = sum(part[0] for part in parts) + np.diag(rows.noise(theta))
    factor, failed = dpotrf(total, lower=1, overwrite_a=1)
    if failed or not np.isfinite(factor[-1, -1]):
        return 1e10, np.zeros_like(theta)
    solved = dpotrs(factor, rows.y, lower=1)[0]
    evidence = -np.sum(rows.y * solved) / 2 - targets * np.log(np.diag(factor)).sum()
    half = dpotri(factor, lower=1)[0]
    pull = solved @ solved.T - targets * (half + np.tril(half, -1).T)
    gradient = []
    for value, slope, z in parts:
        # Σ_ij A_ij (z_ik - z_jk)² for all features k at once, because A is symmetric.
        a = pull * slope
        gradient += [np.sum(pull * value) / 2, *(2 * np.sum(z * (a @ z), axis=0) - 2 * a.sum(axis=1) @ (z * z))]
    gradient = np.append(gradient, np.exp(theta[-1]) * np.sum(np.diag(pull) / rows.weight) / 2)
    off = (theta - prior.mean) / prior.std
    return float(off @ off / 2 - evidence) / n, (off / prior.std - gradient) / n


class FoundMaximum(NamedTuple):
    """Where a search for hyper-parameters has ended."""

    cost: float
    theta: np.ndarray
    centre: tuple[float, ...]


def search(
    rows: ProcessRows, centre: tuple[float, ...], iterations: int, start: np.ndarray | None = None
) -> FoundMaximum:
    """The nearest maximum of the evidence from one start, the prior's by default."""
    prior = hyper_prior(centre, rows.x.shape[1])
    start = prior.mean if start is None else start
    options = {"maxiter": iterations, "ftol": 1e-6}
    found = minimize(negative_log_evidence, start, (rows, prior), method="L-BFGS-B", jac=True, options=options)
    return FoundMaximum(float(found.fun), found.x, centre)
