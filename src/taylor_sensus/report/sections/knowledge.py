"""What the model has learned, where it knows too little, and what to measure next."""

from __future__ import annotations

import numpy as np
from pandas.api.types import is_numeric_dtype

from taylor_sensus.report import figures
from taylor_sensus.report.answers import advice
from taylor_sensus.report.contents import Contents, Listed
from taylor_sensus.report.html import table
from taylor_sensus.report.sections.pieces import cell, missing, section, target_heading
from taylor_sensus.tables.units import split_header
from taylor_sensus.words.format import number
from taylor_sensus.words.html import Content, Markup, shown, tag
from taylor_sensus.words.verdicts import FAMILIAR

MOST_SHOWN_FEATURES = 6
MOST_SETTINGS = 12
"""Columns of the suggestions that are shown."""
ALL_FAMILIAR = 0.9
"""If all rows are at least as familiar, none is listed as unfamiliar."""


def familiarity(contents: Contents) -> Markup:
    """Where the model knows too little."""
    title = "Where does the model know too little?"
    survey = contents.survey
    if survey is None:
        return section("familiarity", title, missing("a table"))
    least = float(survey.familiarity.min())
    thin = int(np.count_nonzero(survey.familiarity < FAMILIAR))
    words = f"{thin:,} of {survey.rows:,} rows lie where the model has seen little (familiarity below {FAMILIAR:g})."
    if least > ALL_FAMILIAR:
        words = f"All rows lie where there are training data (the least familiarity is {least:.2f})."
    pieces: list[Content] = [tag("p", words), figures.familiarity(survey.familiarity)]
    if least <= ALL_FAMILIAR:
        pieces.append(_rows_listed(contents, survey.least_familiar, "The least familiar rows"))
    pieces.append(_rows_listed(contents, survey.lacking, "The rows whose error owes most to too little data"))
    return section("familiarity", title, *pieces)


def _rows_listed(contents: Contents, rows: Listed, caption: str) -> Markup:
    names = [column.name for column in contents.fitted.columns]
    order = _most_moving(contents, MOST_SHOWN_FEATURES)
    if len(order) < len(names):
        caption += f", with the {len(order)} columns that move predictions most"
    targets = contents.fitted.target_names
    units = [split_header(name).unit for name in targets]
    std = [[number(float(v), unit) for v, unit in zip(line, units, strict=True)] for line in rows.epistemic]
    from_data = ["std from it"] if len(targets) == 1 else [("std of ", shown(name)) for name in targets]
    body = [
        (
            shown(label),
            f"{rows.familiarity[at]:.2f}",
            *std[at],
            *[cell(rows.features[name].iloc[at]) for name in order],
        )
        for at, label in enumerate(rows.features.index)
    ]
    return table(("row", "familiarity", *from_data, *[shown(name) for name in order]), body, caption=caption)


def dependence(contents: Contents) -> Markup:
    """The curves of the columns that move the prediction most."""
    title = "What the model has learned"
    found = contents.dependence
    if found is None:
        return section("dependence", title, missing("a table"))
    rows = f"{found.rows:,} rows"
    if found.rows < found.of_rows:
        rows += f" (drawn at random with seed 0 from {found.of_rows:,})"
    words = (
        f"Each figure changes one column and leaves the others as they are, averaged over {rows}. The bands are 90 % "
        "intervals for a new row, split into their sources. What changes together in the data may look different."
    )
    if len(found.curves) < found.columns:
        words += f" Shown are the {len(found.curves)} of {found.columns:,} columns along which predictions move most."
    pieces: list[Content] = [tag("p", words), _legend()]
    for at, name in enumerate(contents.fitted.target_names):
        limits = figures.common_limits(found.curves, at)
        drawn = [figures.dependence(curve, name, (at, place), limits) for place, curve in enumerate(found.curves)]
        pieces += [target_heading(contents, at), tag("div", drawn, class_="small")]
    return section("dependence", title, *pieces)


def _legend() -> Markup:
    entries = [("ink", "mean"), ("system-noise", "system noise"), ("feature-noise", "+ noise of the inputs"),
               ("epistemic", "+ too little data")]  # fmt: skip
    swatches = [tag("span", tag("i", style=f"background:var(--{colour})"), words) for colour, words in entries]
    return tag("p", swatches, class_="legend")


def next_steps(contents: Contents) -> Markup:
    """Suggestions from candidates, or advice from the budget."""
    title = "What to measure next"
    pieces: list[Content] = []
    if contents.survey is not None:
        for at in range(len(contents.fitted.target_names)):
            short, why = advice(contents, at)
            pieces += [target_heading(contents, at), tag("p", tag("b", short[:1].upper() + short[1:] + "."), " ", why)]
    if contents.suggestions is None:
        what = "Give candidates (settings that could be measured) to get a ranked list here."
        return section("next", title, *pieces, tag("p", what, class_="soft"))
    found = contents.suggestions
    features = [column.name for column in contents.fitted.columns]
    kept = _most_moving(contents, MOST_SETTINGS)
    own = [name for name in found.table.columns if name not in features]
    form = found.table[[*own, *kept]]  # what is known about a row first, then its settings
    form = form.loc[:, form.notna().any() & (form.astype(str) != "").any()]
    texts = [at for at, kind in enumerate(form.dtypes) if at and not is_numeric_dtype(kind)]
    rows = [[cell(value) for value in line] for line in form.itertuples(index=False)]
    words = f"{len(found)} of {found.candidates:,} candidates, to learn most about "
    left = f"{len(features) - len(kept)} columns are left out here; model.suggest gives the whole table."
    return section(
        "next",
        title,
        *pieces,
        tag("h3", words, shown(found.target)),
        table([shown(name) for name in form.columns], rows, words=texts),
        tag("p", str(found.outlook)),
        tag("p", found.note) if found.note else None,
        tag("p", left, class_="soft") if len(kept) < len(features) else None,
    )


def _most_moving(contents: Contents, count: int) -> list[str]:
    """The columns that move predictions most, if they are known, then the others in their order."""
    names = [column.name for column in contents.fitted.columns]
    moving = [curve.column for curve in contents.dependence.curves] if contents.dependence else []
    return [*moving, *[name for name in names if name not in moving]][:count]
