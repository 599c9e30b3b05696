"""Simple models that the toys' methods are held against; each knows little, and what it knows is said."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import least_squares
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

from taylor_sensus.datasets.synthetic import trend_1d
from taylor_sensus.prediction import Prediction


def _prediction(mean: np.ndarray, noise_variance: float, doubt_variance: np.ndarray) -> Prediction:
    nothing = np.zeros_like(mean)
    return Prediction(mean, nothing, np.full_like(mean, noise_variance), doubt_variance, np.full_like(mean, np.nan))


class PlainProcess(BaseEstimator):
    """A textbook Gaussian process: squared exponential kernel, a length scale for each input, constant noise."""

    def fit(self, X: Any, y: Any) -> Self:
        """Find the hyper-parameters by the evidence."""
        x = np.asarray(X, float)
        kernel = ConstantKernel() * RBF(x.std(axis=0)) + WhiteKernel()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # a parameter at its bound is an answer, too
            self.process_ = GaussianProcessRegressor(kernel, normalize_y=True).fit(x, np.asarray(y, float))
        self.unit_ = float(np.std(y))
        return self

    def predict_distribution(self, X: Any) -> Prediction:
        """Mean, constant noise, and what too little data leaves open."""
        mean, std = self.process_.predict(np.asarray(X, float), return_std=True)
        noise = float(self.process_.kernel_.k2.noise_level) * self.unit_**2
        return _prediction(mean, noise, np.maximum(std**2 - noise, 0.0))


class ExactTrend(BaseEstimator):
    """Knows the truth except its waves: the 1-D toy's trend. The 2-D toy has no trend, which leaves 0."""

    def fit(self, X: Any, y: Any) -> Self:
        """Nothing is learned."""
        return self

    def predict_distribution(self, X: Any) -> Prediction:
        """The trend, without a standard deviation."""
        x = np.asarray(X, float)
        mean = trend_1d(x) if x.shape[1] == 1 else np.zeros(len(x))
        return _prediction(mean, np.nan, np.full_like(mean, np.nan))


class Wave(NamedTuple):
    """A wave along one input, in radians a unit."""

    feature: int
    frequency: float


class Harmonics(BaseEstimator):
    """Least squares on a straight line and waves along single inputs, whose frequencies come from the data alone.

    Waves are added one by one: of all frequencies from one turn over the data's range up to `most_turns`, the one that
    leaves the smallest squares, after which all frequencies are improved together. The Bayesian information criterion
    says when to stop. Knows nothing of the toys but that waves may go on beyond the data.
    """

    def __init__(self, most_waves: int = 8, most_turns: int = 30, steps_a_turn: int = 8) -> None:
        self.most_waves = most_waves
        self.most_turns = most_turns
        self.steps_a_turn = steps_a_turn

    def fit(self, X: Any, y: Any) -> Self:
        """Find the waves and their sizes."""
        x, y = np.asarray(X, float), np.asarray(y, float)
        waves: list[Wave] = []
        best = self._criterion(x, y, waves)
        while len(waves) < self.most_waves:
            wider = _improved(x, y, [*waves, self._next(x, y, waves)])
            score = self._criterion(x, y, wider)
            if score >= best:
                break
            best, waves = score, wider
        self.waves_ = waves
        columns = _columns(x, waves)
        self.weights_ = _solved(columns, y)
        left = len(y) - columns.shape[1] - len(waves)
        self.noise_variance_ = float(np.sum((y - columns @ self.weights_) ** 2) / left)
        self.factor_ = cho_factor(columns.T @ columns)
        return self

    def predict_distribution(self, X: Any) -> Prediction:
        """Mean, constant noise, and the textbook variance of the weights (not of the frequencies)."""
        columns = _columns(np.asarray(X, float), self.waves_)
        doubt = self.noise_variance_ * np.sum(columns * cho_solve(self.factor_, columns.T).T, axis=1)
        return _prediction(columns @ self.weights_, self.noise_variance_, doubt)

    def _next(self, x: np.ndarray, y: np.ndarray, waves: list[Wave]) -> Wave:
        turns = np.arange(self.steps_a_turn, self.steps_a_turn * self.most_turns) / self.steps_a_turn
        tried = [
            Wave(feature, frequency)
            for feature, span in enumerate(np.ptp(x, axis=0))
            for frequency in 2 * np.pi * turns / span
        ]
        return min(tried, key=lambda wave: _squares(x, y, [*waves, wave]))

    def _criterion(self, x: np.ndarray, y: np.ndarray, waves: list[Wave]) -> float:
        """Each wave has three numbers: frequency, size and phase."""
        return len(y) * np.log(_squares(x, y, waves) / len(y)) + 3 * len(waves) * np.log(len(y))


def _columns(x: np.ndarray, waves: list[Wave]) -> np.ndarray:
    angles = [wave.frequency * x[:, wave.feature] for wave in waves]
    return np.stack([np.ones(len(x)), *x.T, *map(np.sin, angles), *map(np.cos, angles)], axis=1)


def _solved(columns: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.linalg.lstsq(columns, y, rcond=None)[0]


def _residual(x: np.ndarray, y: np.ndarray, waves: list[Wave]) -> np.ndarray:
    columns = _columns(x, waves)
    return y - columns @ _solved(columns, y)


def _squares(x: np.ndarray, y: np.ndarray, waves: list[Wave]) -> float:
    return float(np.sum(_residual(x, y, waves) ** 2))


def _improved(x: np.ndarray, y: np.ndarray, waves: list[Wave]) -> list[Wave]:
    """All frequencies moved to the nearest best fit; sizes and phases follow."""

    def moved(frequencies: np.ndarray) -> list[Wave]:
        return [wave._replace(frequency=float(f)) for wave, f in zip(waves, frequencies, strict=True)]

    start = [wave.frequency for wave in waves]
    return moved(least_squares(lambda frequencies: _residual(x, y, moved(frequencies)), start).x)
