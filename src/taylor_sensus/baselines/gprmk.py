"""GPRMK: Gaussian process regression with multiple kernels, each with its own length scale for every feature.

The kernel is a sum over `SHAPES` of amplitude times shape, plus white noise. Hyper-parameters maximise the marginal
likelihood under weak priors. Libraries form one matrix for each length scale to get the gradient; here all length
scales of a kernel share one matrix product, so that a fit takes seconds where theirs takes a minute.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs
from scipy.optimize import minimize
from threadpoolctl import threadpool_limits

from taylor_sensus.baselines.calibration import std_factor
from taylor_sensus.baselines.face import Baseline, Moments, Scaled
from taylor_sensus.training.ensemble import run_all

CENTRES = ((10.0, 10.0), (3.0, 30.0), (3.0, 3.0))
"""Typical length scales of the shapes, where a search starts: smooth in everything, rough on a wide trend, rough."""
LEAST_NOISE = 1e-6
"""Smallest noise variance in scaled units; equal rows stay solvable."""
CHUNK = 1024
"""Rows predicted at once, which bounds the memory."""


def matern(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Matérn 5/2 as a function of the squared distance, and its derivative."""
    t = np.sqrt(5 * q)
    decay = np.exp(-t)
    return (1 + t + t * t / 3) * decay, (-5 / 6) * (1 + t) * decay


def squared_exponential(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The smoothest shape, as a function of the squared distance, and its derivative."""
    value = np.exp(-q / 2)
    return value, -value / 2


SHAPES: tuple[Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]], ...] = (matern, squared_exponential)


class Prior(NamedTuple):
    """Independent normal priors of the logarithms of all hyper-parameters, in the order of `split`."""

    mean: np.ndarray
    std: np.ndarray


class Conditioned(NamedTuple):
    """A process that has seen its rows."""

    theta: np.ndarray
    x: np.ndarray
    weights: np.ndarray
    factor: np.ndarray
    """Lower Cholesky factor of the training rows' covariance."""


class GPRMKBaseline(Baseline):
    """A sum of a Matérn 5/2 and a squared exponential kernel, both with a length scale for each feature.

    Hyper-parameters see at most `kernel_rows` random training rows; the process is then conditioned on all of them.
    The likelihood has several maxima. The search is started at `1 + restarts` typical length scales, in threads, and
    validation rows choose among the ends and set one factor on the standard deviation.
    """

    kernel_rows: int = 700
    restarts: int = 2
    max_iterations: int = 150

    def _fit(self, rows: Scaled, seed: int) -> None:
        pick = np.random.default_rng(seed).permutation(len(rows.x))[: self.kernel_rows]
        x, y = rows.x[pick], rows.y[pick]

        def search(centre: tuple[float, ...]) -> tuple[float, float, Conditioned]:
            prior = new_prior(centre, x.shape[1])
            options = {"maxiter": self.max_iterations, "ftol": 1e-6}
            found = minimize(loss, prior.mean, (x, y, prior), method="L-BFGS-B", jac=True, options=options)
            process = condition(found.x, rows.x, rows.y)
            mean, doubt = posterior(process, rows.x_val)
            std = np.sqrt(doubt + noise(found.x))
            error = rows.y_val - mean
            return float(np.mean(np.log(std) + (error / std) ** 2 / 2)), std_factor(error, std), process

        starts = CENTRES[: 1 + self.restarts]
        # One thread a search: threads inside small matrix products gain little, and their order changes last digits.
        with threadpool_limits(1, "blas"):
            ends = run_all([lambda c=c: search(c) for c in starts], self.n_jobs)
        _, self.std_factor_, self.process_ = min(ends, key=lambda end: end[0])

    def _predict(self, x: np.ndarray) -> Moments:
        parts = [posterior(self.process_, x[i : i + CHUNK]) for i in range(0, len(x), CHUNK)]
        mean, doubt = (np.concatenate(part) for part in zip(*parts, strict=True))
        stretch = max(self.std_factor_, 1e-3) ** 2
        return Moments(mean, np.full(len(x), noise(self.process_.theta) * stretch), doubt * stretch)


def new_prior(centre: tuple[float, ...], features: int) -> Prior:
    """Weak priors; length scales grow with the root of the number of features, as distances do."""
    lengths = np.log(np.array(centre) * np.sqrt(features / 8))
    kernels = [np.append(np.log(0.5), np.full(features, length)) for length in lengths]
    spread = np.tile(np.append(2.0, np.ones(features)), len(kernels))
    return Prior(np.append(np.concatenate(kernels), np.log(0.1)), np.append(spread, 2.0))


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


def loss(theta: np.ndarray, x: np.ndarray, y: np.ndarray, prior: Prior) -> tuple[float, np.ndarray]:
    """Negative log of marginal likelihood times prior, for each row, and its gradient."""
    n = len(x)
    parts = []
    for shape, (size, w) in zip(SHAPES, split(theta, x.shape[1]), strict=True):
        z = x * w
        value, slope = shape(squared_distance(z, z))
        parts.append((size * value, size * slope, z))
    total = sum(part[0] for part in parts) + noise(theta) * np.eye(n)
    factor, failed = dpotrf(total, lower=1, overwrite_a=1)
    if failed or not np.isfinite(factor[-1, -1]):
        return 1e10, np.zeros_like(theta)  # the line search turns back
    solved = dpotrs(factor, y, lower=1)[0]
    evidence = -y @ solved / 2 - np.log(np.diag(factor)).sum()
    half = dpotri(factor, lower=1)[0]
    pull = np.outer(solved, solved) - half - np.tril(half, -1).T
    gradient = []
    for value, slope, z in parts:
        # Σ_ij A_ij (z_ik - z_jk)² for all features k at once, because A is symmetric.
        a = pull * slope
        gradient += [np.sum(pull * value) / 2, *(2 * np.sum(z * (a @ z), axis=0) - 2 * a.sum(axis=1) @ (z * z))]
    gradient = np.append(gradient, np.exp(theta[-1]) * np.trace(pull) / 2)
    off = (theta - prior.mean) / prior.std
    return float(off @ off / 2 - evidence) / n, (off / prior.std - gradient) / n


def condition(theta: np.ndarray, x: np.ndarray, y: np.ndarray) -> Conditioned:
    """The process given all its rows."""
    total = covariance(theta, x, x) + noise(theta) * np.eye(len(x))
    factor = np.linalg.cholesky(total)
    return Conditioned(theta, x, dpotrs(factor, y, lower=1)[0], factor)


def posterior(process: Conditioned, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of the function, without noise, at each row."""
    cross = covariance(process.theta, x, process.x)
    known = solve_triangular(process.factor, cross.T, lower=True)
    size = sum(size for size, _ in split(process.theta, x.shape[1]))
    return cross @ process.weights, np.maximum(size - (known * known).sum(axis=0), 0.0)
