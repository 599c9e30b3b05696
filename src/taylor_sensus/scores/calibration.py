"""Are the error bars honest? Do 90 % intervals hold 90 % of the truth, for sure and unsure rows alike?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri
from scipy.stats import rankdata

from taylor_sensus.errors import DataError, SettingError
from taylor_sensus.rows import tercile_shares
from taylor_sensus.scores.inputs import columns, fraction, matching_arrays, matching_with_std

LEVELS = tuple(np.round(np.arange(0.05, 1.0, 0.05), 2).tolist())
"""Nominal coverages of a calibration curve: 5 %, 10 %, ..., 95 %."""


class TercileCoverage(NamedTuple):
    """Coverage among the third of the rows with the smallest, the middle and the largest predicted std.

    Parameters
    ----------
    low : float
        Share of the truth inside, among the rows with the smallest std.
    mid : float
        Among the middle third.
    high : float
        Among the rows with the largest std.
    """

    low: float
    mid: float
    high: float


class BoundsCheck(NamedTuple):
    """Share of the truth inside given bounds, overall and in each third by predicted std, and the mean width.

    Parameters
    ----------
    coverage : float
        Share of the truth inside, of all rows.
    low : float
        Among the rows with the smallest std.
    mid : float
        Among the middle third.
    high : float
        Among the rows with the largest std.
    width : float
        Mean width, in the target's unit.
    """

    coverage: float
    low: float
    mid: float
    high: float
    width: float


@dataclass(frozen=True, eq=False)
class CalibrationCurve:
    """Nominal against observed coverage of central intervals; honest error bars lie on the diagonal.

    Parameters
    ----------
    nominal : ndarray, (levels,)
        Coverages that were promised.
    observed : ndarray, (levels,)
        Shares of the truth that were inside.
    """

    nominal: np.ndarray
    observed: np.ndarray

    @property
    def error(self) -> float:
        """Mean distance from the diagonal: 0 is perfect."""
        return float(np.mean(np.abs(self.observed - self.nominal)))


def interval_coverage(y: ArrayLike, mean: ArrayLike, std: ArrayLike, coverage: float = 0.9) -> float:
    """Share of the truth inside the central intervals that promise ``coverage``.

    Parameters
    ----------
    y : array-like, (rows,) or (rows, targets)
        What was measured.
    mean : array-like, of the shape of y
        Predicted means.
    std : array-like, of the shape of y
        Predicted standard deviations, above 0.
    coverage : float, default=0.9
        What the intervals promise, between 0 and 1.

    Returns
    -------
    float
        From 0 to 1; honest error bars give ``coverage``.
    """
    half_width = _half_width(coverage)
    y, mean, std = matching_with_std(y=y, mean=mean, std=std)
    return float(np.mean(np.abs(y - mean) <= half_width * std))


def interval_width(std: ArrayLike, coverage: float = 0.9) -> float:
    """Mean width of the central intervals, in the target's unit. At equal coverage, narrower is better.

    Parameters
    ----------
    std : array-like, (rows,) or (rows, targets)
        Predicted standard deviations, above 0.
    coverage : float, default=0.9
        What the intervals promise, between 0 and 1.

    Returns
    -------
    float
        Mean over everything.
    """
    half_width = _half_width(coverage)
    (std,) = matching_with_std(std=std)
    return float(np.mean(2 * half_width * std))


def coverage_by_tercile(y: ArrayLike, mean: ArrayLike, std: ArrayLike, coverage: float = 0.9) -> TercileCoverage:
    """Coverage in each third of the rows, ordered by predicted std.

    A model can be right on average and still overconfident exactly where it claims to be sure; this shows it.
    Each third weighs exactly ``rows / 3``: a row on a border counts in part on both sides, and rows of equal
    std share their places evenly. So the result does not depend on the order of the rows, constant error bars
    give the overall coverage three times, and one or two rows still give three numbers.

    Parameters
    ----------
    y : array-like, (rows,) or (rows, targets)
        What was measured.
    mean : array-like, of the shape of y
        Predicted means.
    std : array-like, of the shape of y
        Predicted standard deviations, above 0.
    coverage : float, default=0.9
        What the intervals promise, between 0 and 1.

    Returns
    -------
    TercileCoverage
        Three shares, from the surest third to the least sure.
    """
    half_width = _half_width(coverage)
    y, mean, std = matching_with_std(y=y, mean=mean, std=std)
    inside = np.abs(y - mean) <= half_width * std
    return TercileCoverage(*_by_tercile(inside, std))


def check_bounds(y: ArrayLike, lower: ArrayLike, upper: ArrayLike, std: ArrayLike) -> BoundsCheck:
    """Coverage and mean width of intervals of any kind. Thirds as in `coverage_by_tercile`.

    Parameters
    ----------
    y : array-like, (rows,) or (rows, targets)
        What was measured.
    lower : array-like, of the shape of y
        Lower bounds of the intervals; may be infinite.
    upper : array-like, of the shape of y
        Upper bounds of the intervals; may be infinite.
    std : array-like, of the shape of y
        Predicted standard deviations, above 0.

    Returns
    -------
    BoundsCheck
        Coverage of all rows and of each third, and the mean width.
    """
    (std,) = matching_with_std(std=std)
    low, high = np.asarray(lower, dtype=float), np.asarray(upper, dtype=float)
    largest = np.finfo(float).max
    y, *_ = matching_arrays(y=y, lower=np.clip(low, -largest, None), upper=np.clip(high, None, largest), std=std)
    inside = (low <= y) & (y <= high)
    return BoundsCheck(float(inside.mean()), *_by_tercile(inside, std), width=float(np.mean(high - low)))


def _by_tercile(inside: np.ndarray, std: np.ndarray) -> list[float]:
    """Share of the rows inside in each third by std, averaged over the targets."""
    found = [
        [np.average(target_inside, weights=share) for share in tercile_shares(target_std)]
        for target_std, target_inside in zip(columns(std), columns(inside), strict=True)
    ]
    return np.mean(found, axis=0).tolist()


def calibration_curve(
    y: ArrayLike, mean: ArrayLike, std: ArrayLike, levels: Sequence[float] | np.ndarray = LEVELS
) -> CalibrationCurve:
    """Observed coverage of central intervals at each of the nominal ``levels``.

    Parameters
    ----------
    y : array-like, (rows,) or (rows, targets)
        What was measured.
    mean : array-like, of the shape of y
        Predicted means.
    std : array-like, of the shape of y
        Predicted standard deviations, above 0.
    levels : list of float, optional
        Coverages to look at, between 0 and 1; 0.05, 0.1, ..., 0.95 by default.

    Returns
    -------
    CalibrationCurve
        Promised and observed coverages.
    """
    nominal = _levels(levels)
    y, mean, std = matching_with_std(y=y, mean=mean, std=std)
    distance = np.sort((np.abs(y - mean) / std).ravel())
    inside = np.searchsorted(distance, ndtri(0.5 + nominal / 2), side="right")
    return CalibrationCurve(nominal, inside / distance.size)


def pit_curve(pit: ArrayLike, levels: Sequence[float] | np.ndarray = LEVELS) -> CalibrationCurve:
    """The calibration curve of distributions of any shape, from probability integral transforms.

    Parameters
    ----------
    pit : array-like, (rows,) or (rows, targets)
        Probability of a value below what was measured, as `Prediction.pit` gives it.
    levels : list of float, optional
        Coverages to look at, between 0 and 1; 0.05, 0.1, ..., 0.95 by default.

    Returns
    -------
    CalibrationCurve
        Promised and observed coverages.
    """
    nominal = _levels(levels)
    (pit,) = matching_arrays(pit=pit)
    if pit.min() < 0 or pit.max() > 1:
        raise DataError("pit holds values outside 0 to 1; give probabilities, as Prediction.pit does.")
    off = np.sort(np.abs(2 * pit - 1).ravel())
    return CalibrationCurve(nominal, np.searchsorted(off, nominal, side="right") / off.size)


def _levels(levels: Sequence[float] | np.ndarray) -> np.ndarray:
    nominal = np.array([fraction("every level", level) for level in np.ravel(levels)])
    if nominal.size == 0:
        raise SettingError("levels is empty; give at least one coverage, such as [0.5, 0.9]")
    return nominal


def std_error_correlation(y: ArrayLike, mean: ArrayLike, std: ArrayLike) -> float:
    """Spearman rank correlation of the predicted std with the absolute error: are unsure rows really worse?

    Even perfect error bars stay well below 1, because one error is a single draw. Several targets: the
    average of their correlations. NaN where all error bars or all errors are equal, because nothing can
    be ranked.

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
        From -1 to 1; NaN where nothing can be ranked.
    """
    y, mean, std = matching_with_std(y=y, mean=mean, std=std)
    error = np.abs(y - mean)
    return float(np.mean([_spearman(*pair) for pair in zip(columns(std), columns(error), strict=True)]))


def _spearman(a: np.ndarray, b: np.ndarray) -> float:
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        return float("nan")
    return float(np.corrcoef(rankdata(a), rankdata(b))[0, 1])


def _half_width(coverage: float) -> float:
    """Half the width of the central interval of a standard normal."""
    return float(ndtri(0.5 + fraction("coverage", coverage) / 2))
