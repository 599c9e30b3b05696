"""What a careful user should know, as records: what was found, and what to do. Summary, report and app speak from them.

Everything that warns of a model is made here, and nowhere else; thresholds are those of the verdicts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from taylor_sensus.scores import check_bounds
from taylor_sensus.words.format import explained_share, one_line, percent
from taylor_sensus.words.verdicts import ENOUGH_TO_WARN, FAMILIAR, FEW_UNFAMILIAR, MANY_ROWS, NEARLY

if TYPE_CHECKING:
    from taylor_sensus.fitted import FittedModel
    from taylor_sensus.prediction import Prediction

Code = Literal[
    "few_rows", "constant_columns", "missing_cells", "split_unknown", "repeated_rows", "no_skill", "not_gaussian",
    "small_error_bars", "small_among_surest", "small_among_least_sure", "simple_is_better", "unfamiliar_rows",
]  # fmt: skip

HARDLY = 0.1
"""Share of the variance explained below which a model is hardly better than its mean."""
CLEARLY = 0.97
"""A simple method is better if its error is less than this share of the model's."""


@dataclass(frozen=True)
class ModelWarning:
    """A diagnostic message: which kind, what was found, and what to do about it."""

    code: Code
    """For programs; words may change."""
    words: str
    """What was found, as a sentence."""
    remedy: str
    """What to do, or what was done."""
    target: str | None = None
    """The target that it is about, if it is about one."""

    def __str__(self) -> str:
        return f"{self.words} {self.remedy}"


def warnings_of(fitted: FittedModel) -> list[ModelWarning]:
    """What the fit itself shows."""
    fit, found = fitted.fit_summary, []
    if fit.distinct_rows < MANY_ROWS:
        found.append(
            ModelWarning(
                "few_rows",
                f"Only {fit.distinct_rows} distinct rows: error bars are rough below about {MANY_ROWS}.",
                "Measure more, or compare with a straight line.",
            )
        )
    if fit.constant_columns:
        found.append(
            ModelWarning(
                "constant_columns",
                f"Columns that never change were left out: {', '.join(map(one_line, fit.constant_columns))}.",
                "Nothing to do, unless they should have changed.",
            )
        )
    if fit.missing_cells:
        found.append(
            ModelWarning(
                "missing_cells",
                f"{fit.missing_cells} cells are missing.",
                "They were filled from the rest of their row, and the doubt about them counts as noise of the "
                "features.",
            )
        )
    if not fit.split_identifiable:
        found.append(
            ModelWarning(
                "split_unknown",
                "Noise of the features and of the system cannot be told apart here: the target is hardly more than a "
                "straight line in the features.",
                "Their sum is right; declare errors (X_err) or repeat measurements to split it.",
            )
        )
    if repeated := fit.rows - fit.distinct_rows:
        found.append(
            ModelWarning(
                "repeated_rows",
                f"{repeated} rows repeat others exactly or have weight 0; repeats count as one heavier row.",
                "Nothing to do if they are true repeats; drop copies that were made by mistake.",
            )
        )
    scores = zip(fitted.target_names, fit.held_out_explained, fit.held_out_coverage[90], strict=True)
    return [*found, *(one for score in scores for one in _of_scores(*score, fit.held_out_rows))]


def _of_scores(target: str, explained: float, coverage: float, rows: int) -> list[ModelWarning]:
    """What the scores of one target on unseen rows show."""
    found = []
    if explained < HARDLY:
        found.append(
            ModelWarning(
                "no_skill",
                f"For {one_line(target)} the model is hardly better than its mean ({explained_share(explained)} of "
                "the variance explained on unseen rows).",
                "The features may not carry the answer: look for others that could.",
                target,
            )
        )
    if abs(coverage - 0.9) > NEARLY and rows >= ENOUGH_TO_WARN:
        found.append(
            ModelWarning(
                "not_gaussian",
                f"For {one_line(target)} 90 % intervals held {percent(coverage, 0)} of unseen rows: the noise is far "
                "from Gaussian.",
                "Use predict_interval, which assumes nothing of the noise.",
                target,
            )
        )
    return found


def coverage_warnings(target: str, y: np.ndarray, prediction: Prediction) -> list[ModelWarning]:
    """Error bars of one target that hold too few measurements: on the whole, or among the surest or least sure rows."""
    if len(y) < ENOUGH_TO_WARN:
        return []
    found = []
    held = check_bounds(y, *prediction.interval(0.9), prediction.std)
    if (whole := held.coverage) < 0.9 - _slack(len(y), 0.02):
        found.append(
            ModelWarning(
                "small_error_bars",
                f"{one_line(target)}: 90 % intervals hold only {percent(whole, 0)} of the measurements.",
                "Use predict_interval, which makes up for it, and look at the rows with large errors below.",
                target,
            )
        )
    parts: Mapping[str, tuple[Code, float]] = {
        "surest": ("small_among_surest", held.low),
        "least sure": ("small_among_least_sure", held.high),
    }
    for words, (code, share) in parts.items():
        if share < 0.9 - _slack(len(y) / 3, 0.03):
            found.append(
                ModelWarning(
                    code,
                    f"{one_line(target)}: among the third of the rows where the model is {words}, 90 % intervals hold "
                    f"only {percent(share, 0)}.",
                    "Take error bars there as too small, and measure more such rows.",
                    target,
                )
            )
    return found


def _slack(rows: float, more: float) -> float:
    """What chance may take from a coverage of 90 %, three standard deviations, and a little more."""
    return float(3 * np.sqrt(0.9 * 0.1 / rows) + more)


def reference_warnings(target: str, method: str, its_rmse: float, own_rmse: float) -> list[ModelWarning]:
    """A simple method that does clearly better than the model."""
    if its_rmse >= CLEARLY * own_rmse:
        return []
    words = f"{one_line(target)}: {method} has smaller errors than this model ({its_rmse:.3g} against {own_rmse:.3g})."
    remedy = "Try settings.best() or TSNetSearch; if the simple method still wins, use it for the mean."
    return [ModelWarning("simple_is_better", words, remedy, target)]


def familiarity_warnings(familiarity: np.ndarray) -> list[ModelWarning]:
    """Rows far from the training data."""
    far = float(np.mean(familiarity < FAMILIAR))
    if far <= FEW_UNFAMILIAR:
        return []
    words = f"{percent(far, 0)} of the rows lie where the model has seen little (familiarity below {FAMILIAR})."
    remedy = "Their predictions lean on the trend of all data; measure there before relying on them."
    return [ModelWarning("unfamiliar_rows", words, remedy)]
