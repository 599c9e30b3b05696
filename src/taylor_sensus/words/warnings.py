"""What a careful user should know, as records: what was found, and what to do. Summary, report and app use them.

Everything that warns of a model is made here, and nowhere else; thresholds are those of the verdicts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from taylor_sensus.words.format import explained_share, one_line, percent
from taylor_sensus.words.verdicts import (
    ENOUGH_TO_WARN,
    FAMILIAR,
    FEW_UNFAMILIAR,
    MANY_ROWS,
    Coverage,
    coverage_of_fit,
)

if TYPE_CHECKING:
    from taylor_sensus.fitted import FittedModel

Code = Literal[
    "few_rows", "constant_columns", "constant_target", "not_learned", "missing_cells", "split_unknown", "repeated_rows",
    "large_target_error", "small_target_error", "no_skill", "small_error_bars", "wide_error_bars",
    "small_among_surest", "small_among_least_sure", "simple_is_better", "unfamiliar_rows",
    "possible_groups", "negative_bounds",
]  # fmt: skip

MOST_COLUMNS = 8
"""Columns that are named at most."""
OFTEN_NEGATIVE = 0.02
"""Share of intervals that reach below 0 from which on a warning says so."""
HARDLY = 0.1
"""Share of the variance explained below which a model is hardly better than its mean."""
DIVERGED = 1000.0
"""Loss a target at the end of a run from which on a network has diverged."""
FEWEST_CHECKED, MUCH_MORE = 20, 1.5
"""Rows from which on declared errors are checked, and the reduced chi-square from which on they explain too little."""
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
                "They were filled from the rest of their row; what that leaves open is a source of its own in the "
                "noise budget.",
            )
        )
    if not fit.split_identifiable:
        found.append(
            ModelWarning(
                "split_unknown",
                "Noise of the inputs and noise of the system cannot be separated here: the 90 % interval of their "
                "shares is wider than 50 percentage points.",
                "Their sum is right. Declare errors of the inputs (X_err, --x-err) to separate them; repeated rows "
                "only give the sum.",
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
    if fit.suspected_groups is not None:
        columns, sets = fit.suspected_groups
        listed = ", ".join(map(one_line, columns[:MOST_COLUMNS])) + (" ..." if len(columns) > MOST_COLUMNS else "")
        found.append(
            ModelWarning(
                "possible_groups",
                f"These columns repeat together, in {sets:,} sets of values for {fit.rows:,} rows: {listed}. Rows of a "
                "set may share a batch, sample or mixture, and then error bars of new ones are too small.",
                "If so, give the set of each row as groups (fit(..., groups=), --groups).",
            )
        )
    if count := not_learned(fitted):
        found.append(
            ModelWarning(
                "not_learned",
                f"{count} of {fitted.members} networks diverged in training: their loss grew without bound.",
                "Lower learning_rate; until then predictions come from what is left.",
            )
        )
    for at, (target, explained) in enumerate(zip(fitted.target_names, fit.held_out_explained, strict=True)):
        found += (
            _of_declared(fitted, at)
            + _of_sign(fitted, at)
            + _of_scores(target, explained)
            + coverage_warnings(target, coverage_of_fit(fit, at))
        )
    return found


def not_learned(fitted: FittedModel) -> int:
    """Networks whose training ended far worse than it began, or in no number at all."""
    last = fitted.history.drop_duplicates(["stage", "member"], keep="last")
    sound = last["loss"] < DIVERGED * len(fitted.target_names)  # targets are scaled: a start is about 1 each
    return last["member"][~sound].nunique()


def _of_declared(fitted: FittedModel, at: int) -> list[ModelWarning]:
    """Whether unseen rows bear out the declared measuring errors of a target, by chi-square."""
    checks, target = fitted.fit_summary.declared_target_checks, fitted.target_names[at]
    if checks is None or checks[at].rows < FEWEST_CHECKED:
        return []
    from scipy.stats import chi2

    rows, alone, known = checks[at]
    low, high = chi2.ppf([0.001, 0.999], rows) / rows
    if alone < low:
        return [
            ModelWarning(
                "large_target_error",
                f"The declared errors of {one_line(target)} are too large: {rows:,} unseen rows scatter only "
                f"{alone**0.5:.2g} times as much (reduced chi-square {alone:.2g}, chance allows {low:.2g}).",
                "Check their unit, and that they are standard deviations, not whole widths or 95 % limits.",
                target,
            )
        ]
    if known > max(high, MUCH_MORE):
        return [
            ModelWarning(
                "small_target_error",
                f"The declared errors of {one_line(target)} do not explain the scatter: {rows:,} unseen rows scatter "
                f"{known**0.5:.2g} times as much (reduced chi-square {known:.2g}, chance allows {high:.2g}).",
                "They are too small, or the system has noise of its own besides, which was learned.",
                target,
            )
        ]
    return []


def _of_sign(fitted: FittedModel, at: int) -> list[ModelWarning]:
    """Whether intervals reach below 0 although the target never does."""
    shares, target = fitted.fit_summary.negative_bounds, fitted.target_names[at]
    if shares is None or shares[at] < OFTEN_NEGATIVE:
        return []
    return [
        ModelWarning(
            "negative_bounds",
            f"{one_line(target)} is never negative, but {percent(shares[at], 0)} of the 90 % intervals of unseen rows "
            "begin below 0.",
            "If it cannot be negative, fit with positive=True (--set positive=true).",
            target,
        )
    ]


def _of_scores(target: str, explained: float) -> list[ModelWarning]:
    """What the scores of one target on unseen rows show."""
    found = []
    if np.isnan(explained):
        found.append(
            ModelWarning(
                "constant_target",
                f"{one_line(target)} does not vary: there is nothing to learn.",
                "Check that it is the right column; predictions only repeat its value.",
                target,
            )
        )
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
    return found


def coverage_warnings(target: str, held: Coverage, of: str = "unseen rows") -> list[ModelWarning]:
    """Error bars of one target that hold far too few rows, or far too many, or too few of the surest or least sure."""
    if held.rows < ENOUGH_TO_WARN:
        return []
    found: list[ModelWarning] = []
    off = {level: share - level / 100 for level, share in held.levels.items()}
    small = [level for level, by in off.items() if by < -_slack(held.rows, level / 100, 0.02)]
    wide = [level for level, by in off.items() if by > _slack(held.rows, level / 100, 0.04)]

    def message(levels: list[int], word: str) -> str:
        each = ", ".join(f"{level} % intervals hold {word} {percent(held.levels[level], 0)}" for level in levels)
        return f"{one_line(target)}: {each} of {held.rows:,} {of}."

    if small:
        remedy = "Use predict_interval, which makes up for it, and look at the rows with large errors."
        found.append(ModelWarning("small_error_bars", message(small, "only"), remedy, target))
    elif wide:
        remedy = "They are on the safe side; predict_interval may be narrower."
        found.append(ModelWarning("wide_error_bars", message(wide, "as many as"), remedy, target))
    if held.thirds is None:
        return found
    parts: tuple[tuple[str, Code, float], ...] = (
        ("surest", "small_among_surest", held.thirds[0]),
        ("least sure", "small_among_least_sure", held.thirds[2]),
    )
    for words, code, share in parts:
        if share < 0.9 - _slack(held.rows / 3, 0.9, 0.03):
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


def _slack(rows: float, nominal: float, more: float) -> float:
    """What chance may take from a coverage, three standard deviations, and a little more."""
    return float(3 * np.sqrt(nominal * (1 - nominal) / rows) + more)


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
