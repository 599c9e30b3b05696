"""Proper scores: means and error bars scored together, so that only the honest prediction scores best.

Smaller is better for all of them. Here ``z = (y - mean) / std``.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import erf

from taylor_sensus.errors import DataError
from taylor_sensus.scores.inputs import fraction, matching_arrays, matching_with_std

HALF_LOG_TWO_PI = 0.5 * math.log(2 * math.pi)


def nll(y: ArrayLike, mean: ArrayLike, std: ArrayLike) -> float:
    """Negative log-likelihood of the Gaussian: ``log(2 pi) / 2 + log std + z**2 / 2``.

    Can be negative. A single row with a far too small error bar can spoil it, on purpose.

    Parameters
    ----------
    y : array-like, (rows,) or (rows, targets)
        What was measured.
    mean : array-like, of the shape of y
        Predicted means.
    std : array-like, of the shape of y
        Predicted standard deviations, above 0.

    Returns
    -------
    float
        Mean over everything; smaller is better.
    """
    # DIFF(eq. 19): the printed NLL lacks log(2 pi) / 2 a row; ours is the full one, the printed one is `nll_paper`.
    return nll_paper(y, mean, std) + HALF_LOG_TWO_PI


def nll_paper(y: ArrayLike, mean: ArrayLike, std: ArrayLike) -> float:
    """The form the paper prints (eq. 19), without the constant: ``log std + z**2 / 2``. To compare with its tables.

    Parameters
    ----------
    y : array-like, (rows,) or (rows, targets)
        What was measured.
    mean : array-like, of the shape of y
        Predicted means.
    std : array-like, of the shape of y
        Predicted standard deviations, above 0.

    Returns
    -------
    float
        Mean over everything; smaller is better.
    """
    y, mean, std = matching_with_std(y=y, mean=mean, std=std)
    z = (y - mean) / std
    return float(np.mean(np.log(std) + z**2 / 2))


def crps(y: ArrayLike, mean: ArrayLike, std: ArrayLike) -> float:
    """Continuous ranked probability score of the Gaussian, in the target's unit.

    The integral of ``(CDF(t) - [t >= y])**2`` over t, in closed form. As the error bar shrinks it becomes the
    absolute error, so it reads as a mean absolute error that rewards honest error bars.

    Parameters
    ----------
    y : array-like, (rows,) or (rows, targets)
        What was measured.
    mean : array-like, of the shape of y
        Predicted means.
    std : array-like, of the shape of y
        Predicted standard deviations, above 0.

    Returns
    -------
    float
        Mean over everything; smaller is better.
    """
    y, mean, std = matching_with_std(y=y, mean=mean, std=std)
    z = (y - mean) / std
    density = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
    # erf(z / sqrt 2) = 2 CDF(z) - 1, without the loss of digits of the difference
    return float(np.mean(std * (z * erf(z / math.sqrt(2)) + 2 * density - 1 / math.sqrt(math.pi))))


def interval_score(y: ArrayLike, lower: ArrayLike, upper: ArrayLike, coverage: float = 0.9) -> float:
    """Width of the interval, plus ``2 / (1 - coverage)`` times the distance by which it misses the truth.

    In the target's unit; needs only bounds, so it also scores methods that give no Gaussian.
    Smallest for the true central quantiles.

    Parameters
    ----------
    y : array-like, (rows,) or (rows, targets)
        What was measured.
    lower : array-like, of the shape of y
        Lower bounds of the intervals.
    upper : array-like, of the shape of y
        Upper bounds of the intervals.
    coverage : float, default=0.9
        What the intervals promise, between 0 and 1.

    Returns
    -------
    float
        Mean over everything; smaller is better.
    """
    coverage = fraction("coverage", coverage)
    y, lower, upper = matching_arrays(y=y, lower=lower, upper=upper)
    crossed = np.count_nonzero(lower > upper)
    if crossed:
        raise DataError(f"lower is above upper in {crossed} places; swap the two, or sort the quantiles first.")
    missed = np.maximum(lower - y, 0) + np.maximum(y - upper, 0)
    return float(np.mean(upper - lower + 2 / (1 - coverage) * missed))
