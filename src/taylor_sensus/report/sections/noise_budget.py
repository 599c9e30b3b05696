"""Where the error comes from: on average, and in the rows with the largest error bars."""

from __future__ import annotations

import numpy as np
import pandas as pd

from taylor_sensus.budget_mean import BudgetSums, mean_table
from taylor_sensus.report import figures
from taylor_sensus.report.contents import Contents
from taylor_sensus.report.html import table
from taylor_sensus.report.sections.pieces import LISTED, LONG, bar, missing, section, target_heading
from taylor_sensus.tables.units import split_header
from taylor_sensus.words.budget_text import HEADINGS, exact_words, source_line, source_word, split_words
from taylor_sensus.words.format import number, percent
from taylor_sensus.words.html import Content, Markup, shown, tag

PARTS = {
    "feature_noise": "inputs' noise",
    "missing_cells": "missing cells",
    "system_noise": "system noise",
    "target_error": "measuring it",
    "group": "between groups",
    "epistemic": "too little data",
}


def budget(contents: Contents) -> Markup:
    """The averaged noise budget, and that of the rows with the largest error bars."""
    title = "Where does the error come from?"
    survey = contents.survey
    if survey is None:
        return section("budget", title, missing("a table"))
    pieces: list[Content] = [
        tag("p", "Each source of error with its size, how strongly the prediction reacts to it (sensitivity), and what "
            "it causes in the prediction. Variances add up exactly to the total."),
        tag("p", _which_rows(survey.budget)),
    ]  # fmt: skip
    remarks = split_words(survey.identifiable, survey.assumes_one_size)
    pieces += [tag("ul", tag("li", words), class_="warnings") for words in remarks]
    pieces += [tag("p", words) for words in exact_words(contents.fitted.fit_summary.probably_exact or {})]
    average = mean_table(survey.budget)
    sources = len(survey.budget.sources)
    for at, name in enumerate(contents.fitted.target_names):
        pieces.append(target_heading(contents, at))
        unit = split_header(name).unit
        part = average.iloc[at * sources : (at + 1) * sources].sort_values("variance", ascending=False, kind="stable")
        pieces += [figures.average_budget(survey.budget, at), _budget_table(part, unit)]
        worst = survey.worst[at]
        pieces += [figures.worst_budget(worst, at), _worst_table(contents, at)]
    return section("budget", title, *pieces)


def _which_rows(sums: BudgetSums) -> str:
    """For which rows the budget is."""
    if not sums.trained_on:
        return f"It is the budget of {sums.rows:,} rows that the model was not fitted on, as far as it knows."
    which = "all" if sums.trained_on == sums.rows else f"{sums.trained_on:,}"
    return (
        f"It is the budget of {sums.rows:,} rows, of which the model was fitted on {which}. There it is surer than at "
        "new rows: advice on what to measure next goes by such rows as long as they are unseen."
    )


def _budget_table(part: pd.DataFrame, unit: str | None) -> Markup:
    lines = [_budget_line(line, unit) for line in part.to_dict("records") if line["variance"] > 0]
    unlisted = len(part) - len(lines)
    total = number(float(part["variance"].sum() ** 0.5), unit)
    cells = (tag("td", "total", class_="words"), tag("td"), tag("td"), tag("td", total), tag("td", "100.0 %"))
    last = tag("tr", cells, tag("td"), tag("td"), tag("td"), class_="own")
    shown_first = lines if len(lines) <= LONG else lines[:LISTED]
    pieces: list[Content] = [_sheet([*shown_first, last])]
    rest = lines[len(shown_first) :]
    if rest:
        pieces.append(tag("details", tag("summary", f"{len(rest)} smaller sources"), _sheet(rest)))
    if unlisted:
        words = "One source has" if unlisted == 1 else f"{unlisted} sources have"
        pieces.append(
            tag("p", f"{words} no part in it and {'is' if unlisted == 1 else 'are'} not listed.", class_="soft")
        )
    return tag("div", pieces)


def _budget_line(line: dict, unit: str | None) -> Markup:
    source, std, sensitivity, contribution, share, between, origin, identifiable = source_line(line, unit)
    return tag(
        "tr",
        tag("td", shown(source), class_="words"),
        [tag("td", text) for text in (std, sensitivity, contribution)],
        bar(share, line["share"]),
        tag("td", between),
        [tag("td", text, class_="words") for text in (origin, identifiable)],
    )


def _sheet(lines: list[Markup]) -> Markup:
    words = ("source", "known from", "identifiable")
    head = tag("tr", [tag("th", h, scope="col", class_="words" if h in words else None) for h in HEADINGS])
    return tag("div", tag("table", tag("thead", head), tag("tbody", lines)), class_="wide")


def _worst_table(contents: Contents, at: int) -> Markup:
    survey = contents.survey
    assert survey is not None, "the caller has checked"
    worst, unit = survey.worst[at], split_header(contents.fitted.target_names[at]).unit
    parts = np.array(worst.part_of_source)
    present = [part for part in PARTS if part in parts]
    rows = []
    for place, label in enumerate(worst.index):
        largest = int(worst.variance[place, 0].argmax())
        shares = [percent(float(worst.share[place, 0, parts == part].sum()), 0) for part in present]
        mean, std = survey.worst_mean[at][place], worst.total_variance[place, 0] ** 0.5
        source = source_word({"part": parts[largest], "source": worst.sources[largest]})
        rows.append((shown(label), number(float(mean), unit), number(float(std), unit), *shares, shown(source)))
    headings = ("row", "predicted", "std", *[PARTS[part] for part in present], "largest source")
    return table(headings, rows, words=(0, len(headings) - 1))
