"""How accurate are the predictions, and how well calibrated the error bars? Plain NumPy in, one number out.

    inputs.py       what every score asks of its arrays, written once
    accuracy.py     the means alone: mse, rmse, mae, r2
    proper.py       means and error bars together: nll, nll_paper, crps, interval_score
    calibration.py  the error bars alone: do 90 % intervals hold 90 %, everywhere, and how wide are they
    comparison.py   evaluate: all of the above for one Prediction; paired_bootstrap: is A better than B

Truth comes first, then the prediction: ``mse(y, mean)``, ``crps(y, mean, std)``.
Arrays are ``(rows,)`` or ``(rows, targets)``; the score is the mean over everything. The scores that rank or
compare rows (r2, terciles, rank correlation) are taken target by target and then averaged, because metres
cannot be ranked against seconds.
"""

from taylor_sensus.scores.accuracy import mae, mse, r2, rmse
from taylor_sensus.scores.calibration import (
    BoundsCheck,
    CalibrationCurve,
    TercileCoverage,
    calibration_curve,
    check_bounds,
    coverage_by_tercile,
    interval_coverage,
    interval_width,
    pit_curve,
    std_error_correlation,
)
from taylor_sensus.scores.comparison import PairedDifference, evaluate, paired_bootstrap
from taylor_sensus.scores.proper import crps, interval_score, nll, nll_paper

__all__ = [
    "BoundsCheck",
    "CalibrationCurve",
    "PairedDifference",
    "TercileCoverage",
    "calibration_curve",
    "check_bounds",
    "coverage_by_tercile",
    "crps",
    "evaluate",
    "interval_coverage",
    "interval_score",
    "interval_width",
    "mae",
    "mse",
    "nll",
    "nll_paper",
    "paired_bootstrap",
    "pit_curve",
    "r2",
    "rmse",
    "std_error_correlation",
]
