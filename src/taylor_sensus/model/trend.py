"""The linear trend of a table: the prior mean where there are no data."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from sklearn.linear_model import RidgeCV

from taylor_sensus.model.shapes import Float
from taylor_sensus.model.squash import squash

LIMIT = 6.0
"""Scaled features level off here in the trend, so that one wild cell cannot carry a prediction away."""


class Trend(NamedTuple):
    """A linear function of squashed scaled features."""

    slope: Float[np.ndarray, "features targets"]
    intercept: Float[np.ndarray, " targets"]

    def __call__(self, x: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, "rows targets"]:
        return squash(x, LIMIT) @ self.slope + self.intercept


STRENGTHS = np.logspace(-2, 4, 13)
"""Of the ridge; leave-one-out errors choose."""


def ridge_trend(
    x: Float[np.ndarray, "rows features"], y: Float[np.ndarray, "rows targets"], weight: Float[np.ndarray, " rows"]
) -> Trend:
    """Ridge regression whose strength is chosen by leave-one-out error."""
    ridge = RidgeCV(alphas=STRENGTHS, alpha_per_target=True).fit(squash(x, LIMIT), y, sample_weight=weight)
    return Trend(ridge.coef_.reshape(y.shape[1], -1).T, np.atleast_1d(ridge.intercept_))


def streamed_ridge_trend(
    blocks: Callable[[], Iterable[Float[np.ndarray, "_ features"]]],
    y: Float[np.ndarray, "rows targets"],
    weight: Float[np.ndarray, " rows"],
) -> Trend:
    """The same for a large table that comes in blocks, gone through twice: first sums, then leave-one-out errors."""
    total, target_mean = weight.sum(), np.average(y, axis=0, weights=weight)
    mean, products, answers = 0.0, 0.0, 0.0
    for x, rows in _counted(blocks()):
        z, w = squash(x, LIMIT), weight[rows, None]
        mean += (w * z).sum(axis=0) / total
        products += z.T @ (w * z)
        answers += z.T @ (w * (y[rows] - target_mean))
    size, axes = np.linalg.eigh(products - total * np.multiply.outer(mean, mean))
    shrunk = 1 / np.add.outer(np.maximum(size, 0.0), STRENGTHS)  # (features, strengths)
    along = np.einsum("fs,ft->fst", shrunk, axes.T @ answers)
    error = np.zeros((len(STRENGTHS), y.shape[1]))
    for x, rows in _counted(blocks()):
        z, w = (squash(x, LIMIT) - mean) @ axes, weight[rows]
        residual = (y[rows] - target_mean)[:, None] - np.einsum("rf,fst->rst", z, along)
        own = w[:, None] * (z**2 @ shrunk + 1 / total)  # a row's share in its own answer
        error += np.einsum("r,rst->st", w, (residual / (1 - own)[:, :, None]) ** 2)
    slope = np.stack([axes @ along[:, best, t] for t, best in enumerate(error.argmin(axis=0))], axis=1)
    return Trend(slope, target_mean - mean @ slope)


def _counted(
    blocks: Iterable[Float[np.ndarray, "_ features"]],
) -> Iterable[tuple[Float[np.ndarray, "_ features"], slice]]:
    """Blocks with the rows that they are."""
    start = 0
    for block in blocks:
        yield block, slice(start, start := start + len(block))


def flat_trend(
    x: Float[np.ndarray, "all_rows features"], y: Float[np.ndarray, "rows targets"], weight: Float[np.ndarray, " rows"]
) -> Trend:
    """The mean of the targets everywhere."""
    return Trend(np.zeros((x.shape[1], y.shape[1])), np.average(y, axis=0, weights=weight))
