"""The linear trend of a table: what is believed where there are no data."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.linear_model import RidgeCV

LIMIT = 6.0
"""Scaled features level off here in the trend, so that one wild cell cannot carry a prediction away."""


class Trend(NamedTuple):
    """A linear function of smoothly clipped scaled features."""

    slope: np.ndarray
    intercept: np.ndarray

    def __call__(self, x: np.ndarray) -> np.ndarray:
        return clipped(x) @ self.slope + self.intercept


def clipped(x):
    """The identity near 0 that levels off at ±`LIMIT`; works on NumPy and JAX arrays."""
    return x / (1 + (x / LIMIT) ** 2) ** 0.5


def ridge_trend(x: np.ndarray, y: np.ndarray, weight: np.ndarray) -> Trend:
    """Ridge regression whose strength is chosen by leave-one-out error."""
    ridge = RidgeCV(alphas=np.logspace(-2, 4, 13), alpha_per_target=True).fit(clipped(x), y, sample_weight=weight)
    return Trend(ridge.coef_.reshape(y.shape[1], -1).T, np.atleast_1d(ridge.intercept_))


def flat_trend(x: np.ndarray, y: np.ndarray, weight: np.ndarray) -> Trend:
    """The mean of the targets everywhere."""
    return Trend(np.zeros((x.shape[1], y.shape[1])), np.average(y, axis=0, weights=weight))
