"""Numbers of a report in words: accuracy, calibration, what to do."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taylor_sensus.report.contents import Contents
from taylor_sensus.scores import r2, rmse
from taylor_sensus.tables.units import split_header
from taylor_sensus.words.format import PART_WORDS, number, one_line, percent
from taylor_sensus.words.verdicts import Word, accuracy, coverage_of, error_bars

NOISE = ("feature_noise", "system_noise")
"""Parts that can only be told apart where the slope changes or errors are declared."""
ASSUMED = " That holds if the system's own noise has one size."


class Answer(NamedTuple):
    """A question that every reader has, its answer in a few words, and the reason."""

    question: str
    short: str
    why: str
    verdict: Word | None = None
    """None where nothing can be evaluated."""


def answers(contents: Contents) -> list[Answer]:
    """The four questions. With several targets, those of the first are answered here and the others below."""
    return [how_good(contents), how_calibrated(contents), which_noise(contents), where_next(contents)]


def how_good(contents: Contents) -> Answer:
    """Typical error, and what share of the target's variance is explained."""
    question = "How good are the predictions?"
    if contents.evidence is None:
        return Answer(question, "not known here", "Give a table with measured targets to find out.")
    name = contents.fitted.target_names[0]
    evaluated = contents.evidence.target(0)
    unit = split_header(name).unit
    explained, error = r2(evaluated.y, evaluated.mean), rmse(evaluated.y, evaluated.mean)
    why = f"{percent(max(explained, 0), 0)} of the variance of {one_line(split_header(name).name)} is explained"
    if np.isnan(explained):
        why = "The measured values are all equal, so there is nothing to explain"
    if contents.references is not None:
        *others, own = contents.references.methods
        best = min(others, key=lambda method: method.rmse[0])
        if best.rmse[0] > 0:
            better = 1 - own.rmse[0] / best.rmse[0]
            size = "smaller" if better >= 0 else "larger"
            why += f"; errors are {percent(abs(better), 0)} {size} than those of the {best.name}"
    seen = "on unseen rows" if contents.evidence.unseen else "on the given rows, which it may have seen"
    found = accuracy(explained, len(evaluated.y)).word
    short = f"typically off by {number(error, unit)}"
    if found == "check" and np.isfinite(explained):
        short, why = f"{'hardly' if explained > 0 else 'no'} better than the mean", f"{short.capitalize()}: {why}"
    return Answer(question, short, f"{why} ({seen}).", _word(contents, found))


def how_calibrated(contents: Contents) -> Answer:
    """Coverage of 90 % intervals against what chance allows."""
    question = "Can I trust the error bars?"
    if contents.evidence is None:
        return Answer(question, "not known here", "Give a table with measured targets to find out.")
    _, y, prediction = contents.evidence.target(0)
    found = error_bars(coverage_of(y, prediction), of="measurements", constant=bool(np.ptp(y) == 0))
    return Answer(question, found.short, f"{found.why}. {found.remedy}".strip(), _word(contents, found.word))


def _word(contents: Contents, word: Word) -> Word:
    """Networks that did not learn are reported, however good the rest may be."""
    return "check" if any(one.code == "not_learned" for one in contents.warnings) else word


def which_noise(contents: Contents) -> Answer:
    """The largest source of the averaged budget, and the largest among the inputs."""
    question = "Where does the error come from?"
    survey = contents.survey
    if survey is None:
        return Answer(question, "not known here", "Give a table to see the noise budget of its rows.")
    average = survey.budget.variance[0] / survey.budget.variance[0].sum()
    parts = np.array(survey.budget.part_of_source)
    by_part = {part: float(average[parts == part].sum()) for part in dict.fromkeys(parts.tolist())}
    main = max(by_part, key=lambda part: by_part[part])
    inputs = np.where(parts == "feature_noise", average, 0)
    column = one_line(split_header(survey.budget.sources[int(inputs.argmax())]).name)
    rows = "the rows that it was fitted on" if survey.budget.is_of_training_rows else "the rows of the table"
    why = f"{percent(by_part[main], 0)} of the variance on average over {rows}."
    if not survey.identifiable and main in NOISE:
        both = sum(by_part.get(part, 0.0) for part in NOISE)
        why = f"{percent(both, 0)} of the variance on average over {rows}, but the data cannot separate the two."
        return Answer(
            question, "noise of the inputs or of the system", f"{why} Declare the inputs' errors to find out."
        )
    if survey.assumes_one_size and main in NOISE:
        why += ASSUMED
    if inputs.max() > 0:
        why += f" Among the inputs the noise of {column} matters most ({percent(float(inputs.max()))})."
    return Answer(question, f"mostly {PART_WORDS[main]}", why)


def where_next(contents: Contents) -> Answer:
    """New rows where data are missing, repeats or better inputs where noise rules."""
    question = "What should I measure next?"
    if contents.suggestions is not None:
        found = contents.suggestions
        return Answer(question, f"the {len(found)} suggestions below", str(found.outlook))
    survey = contents.survey
    if survey is None:
        return Answer(question, "not known here", "Give a table, or candidates, to get advice.")
    evaluated = None if contents.evidence is None else contents.evidence.target(0)
    if evaluated is not None and accuracy(r2(evaluated.y, evaluated.mean), len(evaluated.y)).word == "check":
        why = (
            "These columns hardly predict the target, so repeating the rows or measuring them better would help "
            "little. Look for inputs that could, or for a mistake in the table."
        )
        return Answer(question, "other inputs", why)
    short, why = advice(contents, 0)
    return Answer(question, short, why)


def advice(contents: Contents, at: int) -> tuple[str, str]:
    """What would make the error bars of one target smaller: in a few words, and why."""
    survey = contents.survey
    assert survey is not None, "advice needs the budget of a table"
    average = survey.budget.variance[at] / survey.budget.variance[at].sum()
    parts = np.array(survey.budget.part_of_source)
    lacking, where = float(average[parts == "epistemic"].sum()), ""
    if survey.budget.is_of_training_rows and survey.budget.unseen_lacking is not None:  # advice is for new rows
        unseen = float(survey.budget.unseen_lacking[at])
        average = average * (1 - unseen) / max(1 - lacking, 1e-9)
        lacking, where = unseen, " at such rows as long as they are unseen"
    inputs = np.where(parts == "feature_noise", average, 0)
    system = float(average[parts == "system_noise"].sum())
    if lacking >= max(system, float(inputs.sum())) or lacking > 0.4:
        return "new rows where data are sparse", (
            f"{percent(lacking, 0)} of the variance comes from too little data{where}; rows like those listed as "
            "lacking data would help most."
        )
    if survey.identifiable and inputs.sum() > system:
        column = one_line(split_header(survey.budget.sources[int(inputs.argmax())]).name)
        return f"{column}, more exactly", (
            f"{percent(float(inputs.sum()), 0)} of the variance comes in through the inputs' noise, and most of that "
            f"through {column}. More rows of the same kind would not help as much."
            + (ASSUMED if survey.assumes_one_size else "")
        )
    return "the same rows again, or more exactly", (
        f"Only {percent(lacking, 0)} of the variance comes from too little data{where}, so more rows of the same kind "
        "would not help much. Average repeated measurements, or find what else influences the target."
    )
