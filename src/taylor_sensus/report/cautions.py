"""Warnings in plain words, each with what to do."""

from __future__ import annotations

import numpy as np

from taylor_sensus.report.contents import Caution, Evidence, References, Survey
from taylor_sensus.scores import coverage_by_tercile, interval_coverage
from taylor_sensus.words.format import one_line, percent

ENOUGH = 100
"""Rows from which on a coverage is worth judging."""
UNFAMILIAR = 0.5
"""A familiarity below which a prediction leans on the prior rather than on data nearby."""


REMEDIES = {
    "never change": "Nothing to do, unless they should have changed.",
    "repeat others": "Nothing to do if they are true repeats; drop copies that were made by mistake.",
    "far from Gaussian": "Use predict_interval, which assumes nothing of the noise.",
}
"""What to do about warnings of the summary that do not say so themselves, by words that stand in them."""


def split_caution(text: str) -> Caution:
    """A warning of the summary: its first sentence is what was found, the rest what to do."""
    found, dot, remedy = text.partition(". ")
    known = next((what for words, what in REMEDIES.items() if words in text), "")
    return Caution(found + dot.strip(), remedy or known)


def cautions_of_evidence(evidence: Evidence, names: tuple[str, ...]) -> list[Caution]:
    """Error bars that hold too few or too many, on the whole or among the surest or least sure rows."""
    found = []
    for at, name in enumerate(names):
        _, y, mean, std = evidence.target(at)
        if len(y) < ENOUGH:
            continue
        slack = 3 * np.sqrt(0.9 * 0.1 / len(y)) + 0.02
        whole = interval_coverage(y, mean, std, 0.9)
        if whole < 0.9 - slack:
            found.append(
                Caution(
                    f"{one_line(name)}: 90 % intervals hold only {percent(whole, 0)} of the measurements.",
                    "Use predict_interval, which makes up for it, and look at the rows with large errors below.",
                )
            )
        thirds = coverage_by_tercile(y, mean, std, 0.9)
        slack = 3 * np.sqrt(3 * 0.9 * 0.1 / len(y)) + 0.03
        for third, words in ((thirds.low, "surest"), (thirds.high, "least sure")):
            if third < 0.9 - slack:
                found.append(
                    Caution(
                        f"{one_line(name)}: among the third of the rows where the model is {words}, 90 % intervals "
                        f"hold only {percent(third, 0)}.",
                        "Take error bars there as too small, and measure more such rows.",
                    )
                )
    return found


def cautions_of_references(references: References, names: tuple[str, ...]) -> list[Caution]:
    """A simple method that does clearly better."""
    found = []
    *others, own = references.methods
    for at, name in enumerate(names):
        best = min(others, key=lambda method: method.rmse[at])
        if best.rmse[at] < 0.97 * own.rmse[at]:
            found.append(
                Caution(
                    f"{one_line(name)}: {best.name} has smaller errors than this model "
                    f"({best.rmse[at]:.3g} against {own.rmse[at]:.3g}).",
                    "Try settings.best() or TSNetSearch; if the simple method still wins, use it for the mean.",
                )
            )
    return found


def cautions_of_survey(survey: Survey) -> list[Caution]:
    """Rows far from the training data."""
    found = []
    far = float(np.mean(survey.familiarity < UNFAMILIAR))
    if far > 0.05:
        found.append(
            Caution(
                f"{percent(far, 0)} of the rows lie where the model has seen little (familiarity below {UNFAMILIAR}).",
                "Their predictions lean on the trend of all data; measure there before relying on them.",
            )
        )
    return found
