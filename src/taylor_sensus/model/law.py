"""The law behind readings: f at exactly known inputs, deconvolved, beside the regression on readings.

A regression on readings learns E[y | reading], flatter than f (attenuation). The law is a Gaussian process whose rows
are not values of f but averages of it over the true inputs that a reading may have had:
y_i = sum_q w_q f(x_iq) + noise. It answers for exact inputs (`X_err=0`), and for readings whose errors are smaller or
larger than any seen, where what a regression on readings has learned does not hold.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

from taylor_sensus.model.chunks import one_blas_thread
from taylor_sensus.model.gaussian_process import covariance, prior_variances
from taylor_sensus.model.input_density import InputDensity
from taylor_sensus.model.squash import squash

JITTER = 1e-6
"""On the centres' covariance, as a share of its diagonal."""
NODES = 16
"""Points for the true inputs of a reading in several features; a multiple of 2."""


class LawNumbers(NamedTuple):
    """The numbers that make the law: what a model file holds."""

    theta: np.ndarray
    log_range: np.ndarray
    centres: np.ndarray
    """Squashed, (centres, features)"""
    factor: np.ndarray
    """Cholesky factor of what the rows told in the centres' whitened coordinates, (centres, centres)"""
    weight: np.ndarray
    """(centres, targets)"""
    noise: np.ndarray
    """Variance of the system's noise, (targets,)"""
    used: np.ndarray
    """Features whose true values are inferred together, (used,)"""
    low: np.ndarray
    high: np.ndarray
    """Smallest and largest usual size of a row's errors in training, relative to their mean, ()"""
    usual: np.ndarray
    """Mean variance of the errors of each feature in training, (features,)"""
    scale: np.ndarray
    """Factor on declared variances in the regression on readings, (features,); 1 for settings."""


class LawAnswer(NamedTuple):
    """What the law says of rows, scaled, `(rows, targets)`."""

    mean: np.ndarray
    feature_variance: np.ndarray
    """By which the value differs between the true inputs that a reading may have had."""
    system_variance: np.ndarray
    epistemic_variance: np.ndarray


class Law:
    """f at exact inputs, as a process that has seen averages of it."""

    def __init__(self, numbers: LawNumbers, density: InputDensity) -> None:
        self.numbers, self.density = numbers, density

    @cached_property
    def root(self) -> np.ndarray:
        """Cholesky factor of the prior's covariance at the centres."""
        return prior_root(self.numbers.theta, self.numbers.centres)

    @property
    def is_reading(self) -> np.ndarray:
        """Which features were read with errors."""
        return self.numbers.usual > 0

    def basis(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Scaled rows in whitened coordinates, before and after the data, (centres, rows) each."""
        n = self.numbers
        z = squash(np.asarray(x, np.float64), float(n.log_range), "log")
        before = solve_triangular(self.root, covariance(n.theta, z, n.centres).T, lower=True, check_finite=False)
        return before, solve_triangular(n.factor, before, lower=True, check_finite=False)

    def function(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """f at exactly known scaled inputs: mean (rows, targets) and variance (rows,)."""
        before, after = self.basis(x)
        z = squash(np.asarray(x, np.float64), float(self.numbers.log_range), "log")
        known = prior_variances(self.numbers.theta, z) - (before * before).sum(axis=0)
        return after.T @ self.numbers.weight, np.maximum(known, 0.0) + (after * after).sum(axis=0)

    def slopes(self, x: np.ndarray, step: float = 1e-3) -> np.ndarray:
        """Of f at exact scaled inputs by central differences, `(rows, targets, features)`."""
        found = []
        for feature in range(x.shape[1]):
            aside = np.zeros(x.shape[1])
            aside[feature] = step
            found.append((self.function(x + aside)[0] - self.function(x - aside)[0]) / (2 * step))
        return np.stack(found, axis=2)

    def share(self, variance: np.ndarray) -> np.ndarray:
        """Of the law in a prediction, (rows,): 0 for errors like those in training, 1 for none, or far larger ones."""
        usual = self.numbers.usual[self.is_reading]
        size = (variance[:, self.is_reading] / usual).mean(axis=1)
        below = 1 - size / max(float(self.numbers.low), 1e-12)
        above = 1 - float(self.numbers.high) / np.maximum(size, 1e-12)
        return np.clip(np.maximum(below, above), 0.0, 1.0)

    def answer(self, x: np.ndarray, variance: np.ndarray) -> LawAnswer:
        """For scaled readings with these variances of their errors, 0 where exact."""
        n, rows = self.numbers, len(x)
        if not len(x):
            nothing = np.zeros((0, n.weight.shape[1]))
            return LawAnswer(nothing, nothing, nothing, nothing)
        points, weight = nodes(self.density, n.used, self.is_reading, x, variance)
        count = len(weight)
        said = self.function(points.reshape(rows * count, -1))[0].reshape(rows, count, -1)
        mean = np.einsum("q,rqt->rt", weight, said)
        noisy = (variance[:, self.is_reading] > 0).any(axis=1, keepdims=True)
        spread = np.where(~noisy, 0.0, np.einsum("q,rqt->rt", weight, (said - mean[:, None]) ** 2))
        unknown = self.function(np.einsum("q,rqf->rf", weight, points))[1]
        system = np.broadcast_to(n.noise, mean.shape)
        return LawAnswer(mean, spread, system, np.broadcast_to(unknown[:, None], mean.shape))


def prior_root(theta: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """Cholesky factor of the prior's covariance at squashed centres."""
    with one_blas_thread():
        whole = covariance(theta, centres, centres)
        whole.flat[:: len(whole) + 1] += JITTER * whole.diagonal().mean()
        return np.linalg.cholesky(whole)


def nodes(
    density: InputDensity, used: np.ndarray, reading: np.ndarray, x: np.ndarray, variance: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Points at which f is averaged for each reading, `(rows, points, features)`, and their weights.

    Gauss and Hermite's where one feature has errors; otherwise points that have the right mean and covariance.
    """
    used = used.astype(int)
    variance = np.where(reading, variance, 0.0)
    error = np.zeros((len(x), len(used), len(used)))
    np.einsum("rii->ri", error)[:] = variance[:, used]
    true = density.behind(np.asarray(x, np.float64)[:, used], error)
    exact = variance[:, used] <= 0
    mean = np.where(exact, x[:, used], true.mean)
    spread = np.where(exact[:, :, None] | exact[:, None, :], 0.0, true.covariance)
    moving = np.flatnonzero(reading[used])
    if len(moving) <= 1:
        at, weight = np.polynomial.hermite_e.hermegauss(7)
        steps = np.zeros((len(x), len(at), len(used)))
        for feature in moving:
            steps[:, :, feature] = np.sqrt(np.maximum(spread[:, feature, feature], 0.0))[:, None] * at
        weight = weight / weight.sum()
    else:
        size, turn = np.linalg.eigh(spread)
        root = turn * np.sqrt(np.maximum(size, 0.0))[:, None, :]
        steps = np.einsum("rij,qj->rqi", root, _directions(len(used)))
        weight = np.full(steps.shape[1], 1 / steps.shape[1])
    points = np.repeat(np.asarray(x, np.float64)[:, None, :], len(weight), axis=1)
    points[:, :, used] = mean[:, None, :] + steps
    return points, weight


def _directions(features: int) -> np.ndarray:
    """Points with mean 0 and unit covariance in so many dimensions, both signs of each; always the same."""
    half = max(NODES // 2, features)
    drawn = np.random.default_rng(features).standard_normal((half, features))
    both = np.concatenate([drawn, -drawn])
    root = np.linalg.cholesky(both.T @ both / len(both))
    return np.linalg.solve(root, both.T).T
