"""The law behind readings and set points: f at exactly known inputs, deconvolved, beside the regression on them.

A regression on readings learns E[y | reading], flatter than f (attenuation); one on set points, around which the system
works, learns f averaged over their errors. The law is a Gaussian process whose rows are not values of f but averages of
it over the true inputs that a reading or set point may have had: y_i = sum_q w_q f(x_iq) + noise. It answers for exact
inputs (`X_err=0`), and shares in the answer for readings whose errors are smaller than any in training. It also has a
voice in the answer for all other readings, as unseen rows like it: where errors differ between rows, so does
E[y | reading], which the regression, told of no errors, cannot know. Where errors of
readings are larger than in training, the regression on readings answers, averaged over the better readings behind the
worse one, through which alone y depends on it.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

from taylor_sensus.model.chunks import one_blas_thread
from taylor_sensus.model.coordinates import Coordinates
from taylor_sensus.model.gaussian_process import covariance, prior_variances
from taylor_sensus.model.input_density import InputDensity, as_matrices
from taylor_sensus.model.shapes import Bool, Float, Num

JITTER = 1e-6
"""On the centres' covariance, as a share of its diagonal."""
NODES = 16
"""Points for the true inputs of a reading in several features; a multiple of 2."""


class LawNumbers(NamedTuple):
    """The numbers that make the law: what a model file holds."""

    theta: Float[np.ndarray, " numbers"]
    log_range: Float[np.ndarray, ""]
    centres: Float[np.ndarray, "centres features"]
    """In the coordinates of the process"""
    factor: Float[np.ndarray, "centres centres"]
    """Cholesky factor of what the rows told in the centres' whitened coordinates"""
    weight: Float[np.ndarray, "centres targets"]
    noise: Float[np.ndarray, " targets"]
    """Variance of the system's noise with which it was fitted; predictions have that of the regression"""
    used: Num[np.ndarray, " used"]
    """Features whose true values are inferred together"""
    low: Float[np.ndarray, ""]
    high: Float[np.ndarray, ""]
    """Smallest and largest usual size of a row's errors in training, relative to their mean"""
    usual: Float[np.ndarray, " features"]
    """Mean variance of the errors of each feature in training"""
    scale: Float[np.ndarray, " features"]
    """Factor on the variances of true inputs behind readings in the regression on readings; 1 for settings."""
    offset: Float[np.ndarray, " features"] | None = None
    """What is added to them because declared errors differ less between rows than declared; None: of an
    earlier model file, whose factor is on the declared variances themselves."""
    most: Float[np.ndarray, " features"] | None = None
    """Largest variance of each feature's errors in training."""
    axes: Float[np.ndarray, "features features"] | None = None
    """Of the coordinates of the process; None: the features themselves"""
    is_setting: Num[np.ndarray, ""] | None = None
    """1 where the errors are those of set points; None or 0: of readings"""
    voice: Float[np.ndarray, " targets"] | None = None
    """Share of its mean in the answer for readings, beside the regression on them; None: of an earlier model file"""


class LawAnswer(NamedTuple):
    """What the law says of rows, scaled."""

    mean: Float[np.ndarray, "rows targets"]
    feature_variance: Float[np.ndarray, "rows targets"]
    """By which the value differs between the true inputs that a reading may have had."""
    epistemic_variance: Float[np.ndarray, "rows targets"]


class Law:
    """f at exact inputs, as a process that has seen averages of it."""

    def __init__(self, numbers: LawNumbers, density: InputDensity) -> None:
        self.numbers, self.density = numbers, density

    @cached_property
    def root(self) -> Float[np.ndarray, "centres centres"]:
        """Cholesky factor of the prior's covariance at the centres."""
        return prior_root(self.numbers.theta, self.numbers.centres)

    @cached_property
    def coefficients(self) -> Float[np.ndarray, "centres targets"]:
        """Of each centre in the mean."""
        whitened = solve_triangular(self.numbers.factor, self.numbers.weight, lower=True, trans="T")
        return solve_triangular(self.root, whitened, lower=True, trans="T")

    @cached_property
    def coordinates(self) -> Coordinates:
        """From scaled rows to those of the process."""
        return Coordinates(self.numbers.log_range, self.numbers.axes)

    @property
    def of_settings(self) -> bool:
        """Whether the errors are those of set points."""
        return self.numbers.is_setting is not None and bool(self.numbers.is_setting)

    @property
    def has_errors(self) -> Bool[np.ndarray, " features"]:
        """Which features were read or set with errors."""
        return self.numbers.usual > 0

    @property
    def is_reading(self) -> Bool[np.ndarray, " features"]:
        """Which features were read with errors."""
        return self.has_errors & (not self.of_settings)

    def basis(
        self, x: Float[np.ndarray, "rows features"]
    ) -> tuple[Float[np.ndarray, "centres rows"], Float[np.ndarray, "centres rows"]]:
        """Scaled rows in whitened coordinates, before and after the data."""
        n = self.numbers
        z = self.coordinates(x)
        before = solve_triangular(self.root, covariance(n.theta, z, n.centres).T, lower=True, check_finite=False)
        return before, solve_triangular(n.factor, before, lower=True, check_finite=False)

    def function(
        self, x: Float[np.ndarray, "rows features"]
    ) -> tuple[Float[np.ndarray, "rows targets"], Float[np.ndarray, " rows"]]:
        """f at exactly known scaled inputs: mean and variance."""
        before, after = self.basis(x)
        known = prior_variances(self.numbers.theta, self.coordinates(x)) - (before * before).sum(axis=0)
        return after.T @ self.numbers.weight, np.maximum(known, 0.0) + (after * after).sum(axis=0)

    def mean(self, x: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, "rows targets"]:
        """f at exactly known scaled inputs, without its variance."""
        return covariance(self.numbers.theta, self.coordinates(x), self.numbers.centres) @ self.coefficients

    def slopes(
        self, x: Float[np.ndarray, "rows features"], step: float = 1e-3
    ) -> Float[np.ndarray, "rows targets features"]:
        """Of f at exact scaled inputs by central differences."""
        found = []
        for feature in range(x.shape[1]):
            aside = np.zeros(x.shape[1])
            aside[feature] = step
            found.append((self.mean(x + aside) - self.mean(x - aside)) / (2 * step))
        return np.stack(found, axis=2)

    def share(self, variance: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, " rows"]:
        """Of the law in a prediction: 0 for errors like those in training or larger ones, 1 for none."""
        usual = self.numbers.usual[self.has_errors]
        size = (variance[:, self.has_errors] / usual).mean(axis=1)
        below = 1 - size / max(float(self.numbers.low), 1e-12)
        if self.numbers.most is not None:
            return np.clip(below, 0.0, 1.0)
        above = 1 - float(self.numbers.high) / np.maximum(size, 1e-12)
        return np.clip(np.maximum(below, above), 0.0, 1.0)

    def in_regression(
        self, x: Float[np.ndarray, "rows features"], variance: Float[np.ndarray, "rows features"]
    ) -> Float[np.ndarray, "rows features"]:
        """Variances of scaled readings' errors as the regression on readings counts them.

        Of what a declared error leaves open of the true input; that is never more than the inputs differ.
        """
        n = self.numbers
        if self.of_settings:  # they go through the slope as they are
            return variance
        if n.offset is None:
            return variance * n.scale
        read = self.is_reading & (variance > 0)
        left = left_open(self.density, n.used, self.is_reading, x, variance)
        return np.where(read, left * n.scale + n.offset, np.where(self.is_reading, 0.0, variance))

    def is_worse(self, variance: Float[np.ndarray, "rows features"]) -> Bool[np.ndarray, " rows"]:
        """Which rows have larger errors in some feature than any training row."""
        if self.numbers.most is None:
            return np.zeros(len(variance), bool)
        return np.asarray((self.is_reading & (variance > self.numbers.most)).any(axis=1))

    def better_readings(
        self, x: Float[np.ndarray, "rows features"], variance: Float[np.ndarray, "rows features"]
    ) -> tuple[
        Float[np.ndarray, "rows points features"], Float[np.ndarray, " points"], Float[np.ndarray, "rows features"]
    ]:
        """Readings like those in training that may stand behind worse ones, and their errors.

        Points, their weights, and the variances. Inputs may lie elsewhere than in training.
        """
        most = np.inf if self.numbers.most is None else np.where(self.is_reading, self.numbers.most, np.inf)
        kept = np.minimum(variance, most)
        density = self.density.with_elsewhere()
        points, weight = nodes(density, self.numbers.used, self.is_reading, x, variance - kept, kept)
        return points, weight, kept

    def answer(self, x: Float[np.ndarray, "rows features"], variance: Float[np.ndarray, "rows features"]) -> LawAnswer:
        """For scaled readings with these variances of their errors, 0 where exact."""
        n, rows = self.numbers, len(x)
        if not len(x):
            nothing = np.zeros((0, n.weight.shape[1]))
            return LawAnswer(nothing, nothing, nothing)
        points, weight = nodes(self.density, n.used, self.has_errors, x, variance)
        count = len(weight)
        values = self.mean(points.reshape(rows * count, -1)).reshape(rows, count, -1)
        mean = np.einsum("q,rqt->rt", weight, values)
        noisy = (variance[:, self.has_errors] > 0).any(axis=1, keepdims=True)
        spread = np.where(~noisy, 0.0, np.einsum("q,rqt->rt", weight, (values - mean[:, None]) ** 2))
        unknown = self.function(np.einsum("q,rqf->rf", weight, points))[1]
        return LawAnswer(mean, spread, np.broadcast_to(unknown[:, None], mean.shape))


def prior_root(
    theta: Float[np.ndarray, " numbers"], centres: Float[np.ndarray, "centres features"]
) -> Float[np.ndarray, "centres centres"]:
    """Cholesky factor of the prior's covariance at squashed centres."""
    with one_blas_thread():
        whole = covariance(theta, centres, centres)
        whole.flat[:: len(whole) + 1] += JITTER * whole.diagonal().mean()
        return np.linalg.cholesky(whole)


def left_open(
    density: InputDensity,
    used: Num[np.ndarray, " used"],
    reading: Bool[np.ndarray, " features"],
    x: Float[np.ndarray, "rows features"],
    variance: Float[np.ndarray, "rows features"],
) -> Float[np.ndarray, "rows features"]:
    """Variance of each true input given its whole reading."""
    used = used.astype(int)
    variance = np.where(reading, variance, 0.0)
    true = density.behind(np.asarray(x, np.float64)[:, used], as_matrices(variance[:, used]))
    left = np.zeros(variance.shape)
    left[:, used] = np.einsum("rii->ri", true.covariance)
    return np.minimum(np.where(variance > 0, np.maximum(left, 0.0), 0.0), variance)


def nodes(
    density: InputDensity,
    used: Num[np.ndarray, " used"],
    reading: Bool[np.ndarray, " features"],
    x: Float[np.ndarray, "rows features"],
    variance: Float[np.ndarray, "rows features"] | Float[np.ndarray, "rows features features"],
    kept: Float[np.ndarray, "rows features"] | None = None,
) -> tuple[Float[np.ndarray, "rows points features"], Float[np.ndarray, " points"]]:
    """Points at which f is averaged for each reading, and their weights.

    `variance` holds variances or covariances of the errors. With
    `kept` the points are better readings with these variances; see `InputDensity.behind`.
    Gauss and Hermite's where one feature has errors; otherwise points that have the right mean and covariance.
    """
    used = used.astype(int)
    whole = variance if variance.ndim == 3 else as_matrices(variance)
    whole = np.where(reading[:, None] & reading, whole, 0.0)
    error = whole[:, used][:, :, used]
    better = None if kept is None else as_matrices(np.where(reading, kept, 0.0)[:, used])
    true = density.behind(np.asarray(x, np.float64)[:, used], error, better)
    exact = np.einsum("rii->ri", error) <= 0
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


def _directions(features: int) -> Float[np.ndarray, "points {features}"]:
    """Points with mean 0 and unit covariance in so many dimensions, both signs of each; always the same."""
    half = max(NODES // 2, features)
    drawn = np.random.default_rng(features).standard_normal((half, features))
    both = np.concatenate([drawn, -drawn])
    root = np.linalg.cholesky(both.T @ both / len(both))
    return np.linalg.solve(root, both.T).T
