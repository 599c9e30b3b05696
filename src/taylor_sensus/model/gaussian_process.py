"""A Gaussian process over scaled rows: hyper-parameters from the evidence, then its answer at seen and unseen rows.

The kernel is a sum over `SHAPES` of amplitude times shape, each with a length scale for every feature, plus white
noise. Libraries form one matrix for each length scale to get the gradient; here all length scales of a kernel share
one matrix product, so that a fit takes a second where theirs takes a minute. A row of weight w counts as w rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs
from scipy.optimize import minimize

from taylor_sensus.model.process_mean import SHAPES

CENTRES = ((10.0, 10.0), (3.0, 30.0), (3.0, 3.0))
"""Typical length scales of the shapes, where a search starts: smooth in everything, rough on a wide trend, rough."""
LEAST_NOISE = 1e-6
"""Smallest noise variance in scaled units; equal rows stay solvable."""

HIGHEST = 20.0
"""Logarithms of hyper-parameters stay within this."""


class Prior(NamedTuple):
    """Independent normal priors of the logarithms of all hyper-parameters, in the order of `split`."""

    mean: np.ndarray
    std: np.ndarray


class Rows(NamedTuple):
    """What a process learns from: features, targets `(rows, targets)` and weights."""

    x: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    known: np.ndarray
    """Variance of each row beside the white noise that is known beforehand, from declared errors."""

    def some(self, pick: np.ndarray) -> Rows:
        """These rows only."""
        return Rows(*[part[pick] for part in self])

    def believed(self, belief: np.ndarray) -> Rows:
        """The same rows, each with a factor on its weight."""
        return self._replace(weight=self.weight * belief)

    def noise(self, theta: np.ndarray) -> np.ndarray:
        """Variance of each row's noise."""
        return (noise(theta) + self.known) / self.weight


class Conditioned(NamedTuple):
    """A process that has seen its rows."""

    theta: np.ndarray
    x: np.ndarray
    coefficients: np.ndarray
    """Of each row in the mean, `(rows, targets)`."""
    factor: np.ndarray
    """Lower Cholesky factor of the rows' covariance."""


def new_prior(centre: tuple[float, ...], features: int) -> Prior:
    """Weak priors; length scales grow with the root of the number of features, as distances do."""
    lengths = np.log(np.array(centre) * np.sqrt(features / 8))
    kernels = [np.append(np.log(0.5), np.full(features, length)) for length in lengths]
    spread = np.tile(np.append(2.0, np.ones(features)), len(kernels))
    return Prior(np.append(np.concatenate(kernels), np.log(0.1)), np.append(spread, 2.0))


def hyper_parameters(features: int) -> int:
    """How many there are."""
    return len(SHAPES) * (1 + features) + 1


def split(theta: np.ndarray, features: int) -> list[tuple[float, np.ndarray]]:
    """Amplitude and inverse length scales of each kernel."""
    table = np.exp(theta[:-1].reshape(len(SHAPES), 1 + features))
    return [(row[0], 1 / row[1:]) for row in table]


def noise(theta: np.ndarray) -> float:
    """Variance of the white noise."""
    return float(np.exp(theta[-1])) + LEAST_NOISE


def squared_distance(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Between all pairs of rows."""
    return np.maximum((a * a).sum(axis=1)[:, None] + (b * b).sum(axis=1) - 2 * a @ b.T, 0.0)


def covariance(theta: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Of the function, without noise, between all pairs of rows."""
    total = np.zeros((len(a), len(b)))
    for shape, (size, w) in zip(SHAPES, split(theta, a.shape[1]), strict=True):
        total += size * shape(squared_distance(a * w, b * w))[0]
    return total


def loss(theta: np.ndarray, rows: Rows, prior: Prior) -> tuple[float, np.ndarray]:
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


def search(
    rows: Rows, centre: tuple[float, ...], iterations: int, start: np.ndarray | None = None
) -> tuple[float, np.ndarray]:
    """The nearest maximum of the evidence from one start (the prior's by default): its loss and hyper-parameters."""
    prior = new_prior(centre, rows.x.shape[1])
    start = prior.mean if start is None else start
    options = {"maxiter": iterations, "ftol": 1e-6}
    found = minimize(loss, start, (rows, prior), method="L-BFGS-B", jac=True, options=options)
    return float(found.fun), found.x


def condition(theta: np.ndarray, rows: Rows) -> Conditioned:
    """The process given all its rows."""
    total = covariance(theta, rows.x, rows.x) + np.diag(rows.noise(theta))
    factor = np.linalg.cholesky(total)
    return Conditioned(theta, rows.x, dpotrs(factor, rows.y, lower=1)[0], factor)


def posterior(process: Conditioned, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean `(rows, targets)` and variance `(rows,)` of the function, without noise, at each row."""
    cross = covariance(process.theta, x, process.x)
    known = solve_triangular(process.factor, cross.T, lower=True)
    size = sum(size for size, _ in split(process.theta, x.shape[1]))
    return cross @ process.coefficients, np.maximum(size - (known * known).sum(axis=0), 0.0)


def left_out(process: Conditioned, rows: Rows, fold: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of the function at each of its own rows, as if the rows of its fold had not been seen."""
    half = dpotri(process.factor, lower=1)[0]
    inverse = np.tril(half) + np.tril(half, -1).T
    mean, variance = np.empty_like(rows.y), np.empty(len(rows.x))
    for number in np.unique(fold):
        own = np.flatnonzero(fold == number)
        among = np.linalg.inv(inverse[np.ix_(own, own)])
        mean[own] = rows.y[own] - among @ process.coefficients[own]
        variance[own] = np.diag(among) - rows.noise(process.theta)[own]
    return mean, np.maximum(variance, 0.0)
