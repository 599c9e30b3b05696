"""All scores of one prediction, and whether one method really beats another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from taylor_sensus.errors import DataError, SettingError
from taylor_sensus.scores.accuracy import mae, mse, r2, rmse
from taylor_sensus.scores.calibration import (
    check_bounds,
    std_error_correlation,
)
from taylor_sensus.scores.inputs import fraction, matching_arrays, matching_with_std
from taylor_sensus.scores.proper import nll_paper

if TYPE_CHECKING:
    from taylor_sensus.prediction import Prediction

_DRAWS_AT_ONCE = 2_000_000
"""Bounds the memory of the bootstrap: about 32 MB, whatever the number of rows."""


@dataclass(frozen=True)
class PairedDifference:
    """Mean of a minus b and the bounds of its bootstrap interval; zero outside means a real difference.

    Parameters
    ----------
    difference : float
        Mean of a minus b.
    lower : float
        Lower bound of the interval.
    upper : float
        Upper bound of the interval.
    """

    difference: float
    lower: float
    upper: float


def evaluate(y: ArrayLike, prediction: Prediction) -> dict[str, float]:
    """Every score of one prediction, under the names used in result tables.

    A score that is not defined for these rows (r2 of a constant target, the rank correlation of constant
    error bars) is NaN.

    Parameters
    ----------
    y : array-like, (rows,) or (rows, targets)
        What was measured.
    prediction : Prediction
        What a model says about the same rows.

    Returns
    -------
    dict of float
        Scores by name.
    """
    y, mean, std = matching_with_std(y=y, mean=prediction.mean, std=prediction.std)
    held = {level: check_bounds(y, *prediction.interval(level / 100), std) for level in (50, 80, 90, 95)}
    return {
        "mse": mse(y, mean),
        "rmse": rmse(y, mean),
        "mae": mae(y, mean),
        "r2": r2(y, mean),
        "nll": -float(np.mean(prediction.logpdf(y))),
        "nll_paper": nll_paper(y, mean, std),
        "crps": float(np.mean(prediction.crps(y))),
        **{f"coverage_{level}": found.coverage for level, found in held.items()},
        "width_90": held[90].width,
        "coverage_90_low": held[90].low,
        "coverage_90_mid": held[90].mid,
        "coverage_90_high": held[90].high,
        "std_error_spearman": std_error_correlation(y, mean, std),
    }


def paired_bootstrap(
    a: ArrayLike,
    b: ArrayLike,
    *,
    random_state: int | np.random.Generator,
    level: float = 0.95,
    resamples: int = 2000,
) -> PairedDifference:
    """Mean difference of two methods' scores on the same rows (or splits), with a percentile interval.

    Pairs stay together, so that what makes a row hard for both cancels. With ``(rows, targets)`` whole rows are drawn.
    With fewer than twenty pairs or so the interval is somewhat too narrow. Rows of one split say nothing about other
    splits.

    Parameters
    ----------
    a : array-like, (rows,) or (rows, targets)
        Scores of one method: one a row, such as squared errors, or one a split.
    b : array-like, of the shape of a
        Scores of the other, in the same order.
    random_state : int or Generator
        The same integer gives the same interval.
    level : float, default=0.95
        Confidence of the interval.
    resamples : int, default=2000
        Tables drawn with replacement.

    Returns
    -------
    PairedDifference
        Mean of a minus b, with its interval.
    """
    level = fraction("level", level)
    if isinstance(resamples, bool) or not isinstance(resamples, (int, np.integer)) or resamples < 1:
        raise SettingError(f"resamples must be a whole number above zero, not {resamples!r}; 2000 is usual")
    a, b = matching_arrays(a=a, b=b)
    difference = (a - b).reshape(len(a), -1).mean(axis=1)
    rows = len(difference)
    if rows < 2:
        raise DataError("a and b hold one pair; a comparison needs at least two rows or splits.")
    rng = np.random.default_rng(random_state)
    means = np.empty(resamples)
    step = max(1, _DRAWS_AT_ONCE // rows)
    for begin in range(0, resamples, step):
        count = min(step, resamples - begin)
        drawn = rng.integers(rows, size=(count, rows))
        means[begin : begin + count] = difference[drawn].mean(axis=1)
    lower, upper = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return PairedDifference(float(difference.mean()), float(lower), float(upper))
