"""Three rivals of the textbook: a Gaussian process, ridge with t-intervals, split conformal intervals."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel
from sklearn.linear_model import RidgeCV

from taylor_sensus.baselines.mcrf import MCRFBaseline
from taylor_sensus.model.intervals import half_widths, is_finite
from taylor_sensus.model.tails import LEAST_FREEDOM, Tails
from taylor_sensus.prediction import Interval, Prediction

ALPHAS = np.geomspace(1e-4, 1e4, 33)
"""Penalties that ridge chooses from, by leaving each row out in turn."""


class InUnits(NamedTuple):
    """Inputs of mean 0 and standard deviation 1."""

    center: np.ndarray
    scale: np.ndarray

    def __call__(self, X: Any) -> np.ndarray:
        return (np.asarray(X, float) - self.center) / self.scale


def units_of(X: Any) -> InUnits:
    """The units of these rows; a constant column keeps its own."""
    x = np.asarray(X, float)
    spread = x.std(axis=0)
    return InUnits(x.mean(axis=0), np.where(spread > 0, spread, 1.0))


def _prediction(mean: np.ndarray, noise: float, mean_variance: np.ndarray, tails: Tails | None = None) -> Prediction:
    unknown = np.full_like(mean, np.nan)
    return Prediction(mean, np.zeros_like(mean), np.full_like(mean, noise), mean_variance, unknown, tails=tails)


class MaternProcess(BaseEstimator):
    """scikit-learn's Gaussian process: Matérn 5/2 with a length for each input, and white noise."""

    def __init__(self, restarts: int = 2, random_state: Any = None, n_jobs: int | None = None) -> None:
        self.restarts = restarts
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> Self:
        """Find the hyper-parameters by the evidence, from the usual start and a few random ones."""
        self.units_ = units_of(X)
        lengths = Matern(np.ones(self.units_.center.shape), (1e-2, 1e3), nu=2.5)
        kernel = ConstantKernel(1.0, (1e-3, 1e4)) * lengths + WhiteKernel(0.1, (1e-9, 10.0))
        process = GaussianProcessRegressor(
            kernel, normalize_y=True, n_restarts_optimizer=self.restarts, random_state=self.random_state
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # a parameter at its bound is an answer, too
            self.process_ = process.fit(self.units_(X), np.asarray(y, float))
        self.noise_variance_ = float(self.process_.kernel_.k2.noise_level) * float(np.var(y))
        return self

    def predict_distribution(self, X: Any) -> Prediction:
        """Mean, constant noise, and the standard error of the mean."""
        mean, std = self.process_.predict(self.units_(X), return_std=True)
        return _prediction(mean, self.noise_variance_, np.maximum(std**2 - self.noise_variance_, 0.0))


class RidgeT(BaseEstimator):
    """Linear regression with a penalty from leave-one-out, and the intervals of textbooks.

    The size of the noise has the degrees of freedom that the weights leave, and so has the t distribution.
    """

    def __init__(self, random_state: Any = None, n_jobs: int | None = None) -> None:
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> Self:
        """Choose the penalty, solve, count the degrees of freedom."""
        self.units_ = units_of(X)
        x, y = self.units_(X), np.asarray(y, float)
        self.model_ = RidgeCV(ALPHAS).fit(x, y)
        squares = x.T @ x
        self.covariance_ = np.linalg.inv(squares + float(self.model_.alpha_) * np.eye(len(squares)))
        left = len(y) - 1 - float(np.trace(self.covariance_ @ squares))
        self.rows_, self.freedom_ = len(y), max(left, LEAST_FREEDOM)
        self.size_ = float(np.sum((y - self.model_.predict(x)) ** 2) / self.freedom_)
        return self

    def predict_distribution(self, X: Any) -> Prediction:
        """Mean, constant noise, and the standard error of the mean, as a t distribution."""
        x = self.units_(X)
        variance = self.size_ * self.freedom_ / (self.freedom_ - 2)
        leverage = 1 / self.rows_ + np.einsum("ri,ij,rj->r", x, self.covariance_, x)
        tails = Tails(np.array([self.freedom_]), np.ones(1))
        return _prediction(self.model_.predict(x), variance, variance * leverage, tails)


class Bounds(NamedTuple):
    """Intervals without a distribution."""

    mean: np.ndarray
    errors: np.ndarray
    """Absolute errors of rows that the mean has not seen."""

    def interval(self, coverage: float = 0.9) -> Interval:
        """As wide as the unseen rows need; infinite where these are too few."""
        half = half_widths(self.errors[:, None], coverage)[0] if is_finite(len(self.errors), coverage) else np.inf
        return Interval(self.mean - half, self.mean + half)


class SplitConformal(BaseEstimator):
    """A random forest on half of the rows; the errors of the other half are the half width of all intervals."""

    def __init__(self, trees: int = 200, random_state: Any = None, n_jobs: int | None = None) -> None:
        self.trees = trees
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> Self:
        """Grow the forest on one half, keep its errors on the other."""
        x, y = np.asarray(X, float), np.asarray(y, float)
        held, used = np.array_split(np.random.default_rng(self.random_state).permutation(len(y)), [len(y) // 2])
        forest = MCRFBaseline(trees=self.trees, random_state=self.random_state, n_jobs=self.n_jobs)
        self.forest_ = forest.fit(x[used], y[used], X_val=x[held], y_val=y[held])
        self.errors_ = np.abs(y[held] - self.forest_.predict(x[held]))
        return self

    def predict_distribution(self, X: Any) -> Bounds:
        """Means and what their intervals are made of."""
        return Bounds(self.forest_.predict(np.asarray(X, float)), self.errors_)
