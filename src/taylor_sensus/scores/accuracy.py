"""How far the means are from the truth. The error bars play no part here."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from taylor_sensus.scores.inputs import columns, matching_arrays, matching_weights


def mse(y: ArrayLike, mean: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Mean squared error (eq. 19), in the target's unit squared; large errors dominate.

    Parameters
    ----------
    y : array-like, (rows,) or (rows, targets)
        What was measured.
    mean : array-like, of the shape of y
        Predicted means.
    sample_weight : array-like, (rows,), optional
        Weight of each row, 1 by default.

    Returns
    -------
    float
        0 is perfect.
    """
    y, mean = matching_arrays(y=y, mean=mean)
    weight = matching_weights(sample_weight, y.shape)
    return float(np.average((y - mean) ** 2, weights=weight))


def rmse(y: ArrayLike, mean: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Root of the mean squared error, in the target's unit. Several targets share one mean and one root.

    Parameters
    ----------
    y : array-like, (rows,) or (rows, targets)
        What was measured.
    mean : array-like, of the shape of y
        Predicted means.
    sample_weight : array-like, (rows,), optional
        Weight of each row, 1 by default.

    Returns
    -------
    float
        0 is perfect.
    """
    return float(np.sqrt(mse(y, mean, sample_weight=sample_weight)))


def mae(y: ArrayLike, mean: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Mean absolute error (eq. 19), in the target's unit; less moved by single large errors.

    Parameters
    ----------
    y : array-like, (rows,) or (rows, targets)
        What was measured.
    mean : array-like, of the shape of y
        Predicted means.
    sample_weight : array-like, (rows,), optional
        Weight of each row, 1 by default.

    Returns
    -------
    float
        0 is perfect.
    """
    y, mean = matching_arrays(y=y, mean=mean)
    weight = matching_weights(sample_weight, y.shape)
    return float(np.average(np.abs(y - mean), weights=weight))


def r2(y: ArrayLike, mean: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Share of the target's variance that the means explain: 1 is perfect, 0 no better than a constant.

    Several targets: the average of their shares. NaN where a target does not vary, because there is nothing
    to explain (scikit-learn says 1 or 0 there).

    Parameters
    ----------
    y : array-like, (rows,) or (rows, targets)
        What was measured.
    mean : array-like, of the shape of y
        Predicted means.
    sample_weight : array-like, (rows,), optional
        Weight of each row, 1 by default.

    Returns
    -------
    float
        At most 1.
    """
    y, mean = matching_arrays(y=y, mean=mean)
    weight = matching_weights(sample_weight, y.shape)
    shares = [_explained(*target) for target in zip(columns(y), columns(mean), columns(weight), strict=True)]
    return float(np.mean(shares))


def _explained(y: np.ndarray, mean: np.ndarray, weight: np.ndarray) -> float:
    used = weight > 0
    y, mean, weight = y[used], mean[used], weight[used]
    # Range, not variance, decides: rounding gives a constant column of 0.1 a tiny variance.
    spread = np.ptp(y)
    if spread == 0:
        return float("nan")
    center = np.average(y, weights=weight)
    # Divided by the range, so that very small or large units neither vanish nor overflow when squared.
    unexplained = np.sum(weight * ((y - mean) / spread) ** 2)
    total = np.sum(weight * ((y - center) / spread) ** 2)
    return float(1 - unexplained / total)
