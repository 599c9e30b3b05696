"""Intervals from unseen rows: as wide as rows which the networks had not seen would have needed.

Every training row is predicted by networks that have not seen it; its error in predicted standard deviations is a
score. A new row's score is about as likely to have any rank among these as any of them, so that the score of the right
rank bounds it with about the wanted probability, whatever the noise looks like. No row is lost to calibration.

About, because the model that predicts has seen a little more than those that gave the scores: theory then only promises
that a 90 % interval holds 80 %, and simulations (`python -m bench.measurement_errors intervals`) show about 90 %.
"""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING

from taylor_sensus.errors import SettingError, TaylorSensusWarning
from taylor_sensus.model.shapes import AnyArray, Float

if TYPE_CHECKING:
    pass

METHODS = ("conformal", "gaussian")


def half_widths(scores: Float[AnyArray, "rows targets"], coverage: float) -> Float[AnyArray, " targets"]:
    """For each target the half width of an interval in standard deviations; infinite where rows are too few.

    `scores` are absolute errors in standard deviations.
    """
    import numpy as np  # not before: the command line checks a coverage in an instant

    check_coverage(coverage)
    rows = len(scores)
    if not is_finite(rows, coverage):
        needed = math.ceil(coverage / (1 - coverage) - 1e-9)
        warnings.warn(
            f"{rows} unseen rows cannot bound {coverage:g} of all rows whatever the noise looks like: the intervals "
            f"are infinite. Measure at least {needed} rows, ask for less coverage, or use method='gaussian'.",
            TaylorSensusWarning,
            stacklevel=3,
        )
        return np.full(scores.shape[1], np.inf)
    return np.sort(scores, axis=0)[_rank(rows, coverage) - 1]


def is_finite(rows: int, coverage: float) -> bool:
    """Whether so many scores give a finite bound."""
    return _rank(rows, coverage) <= rows


def _rank(rows: int, coverage: float) -> int:
    return math.ceil((rows + 1) * coverage - 1e-9)


def check_coverage(coverage: float) -> None:
    """Refuse what is no probability."""
    if not 0 < coverage < 1:
        raise SettingError(f"coverage must lie between 0 and 1, not {coverage!r}; for 90 % write 0.9")
