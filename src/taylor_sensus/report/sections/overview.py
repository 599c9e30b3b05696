"""The first and the last of the page: answers, warnings, what was fitted, and with what."""

from __future__ import annotations

from dataclasses import fields

from taylor_sensus.report.answers import Answer, answers
from taylor_sensus.report.contents import Contents
from taylor_sensus.report.html import table
from taylor_sensus.report.sections.pieces import LONG, names_of, section
from taylor_sensus.settings import DEFAULTS
from taylor_sensus.tables.units import split_header
from taylor_sensus.words.format import number, one_line
from taylor_sensus.words.html import Content, Markup, shown, tag


def in_short(contents: Contents) -> Markup:
    """Four questions and their answers."""
    cards = [
        tag("div", tag("b", one.question), tag("strong", one.short), tag("span", one.why), class_=_card_class(one))
        for one in answers(contents)
    ]
    several = len(contents.fitted.target_names) > 1
    note = f"These are about {one_line(contents.fitted.target_names[0])}; the other targets follow below."
    return tag("section", tag("div", cards, class_="cards"), tag("p", note, class_="soft") if several else None)


def _card_class(answer: Answer) -> str:
    return "card" if answer.verdict is None else f"card {answer.verdict}"


def warnings(contents: Contents) -> Markup:
    """What was found, and what to do."""
    if not contents.warnings:
        return section("warnings", "Warnings", tag("p", "None."))
    items = [tag("li", tag("b", one.words), " ", one.remedy) for one in contents.warnings]
    return section("warnings", "Warnings", tag("ul", items, class_="warnings"))


def fitted(contents: Contents) -> Markup:
    """What was fitted, and on what."""
    model, found = contents.fitted, contents.fitted.fit_summary
    rows = [
        ("rows", f"{found.rows:,} ({found.distinct_rows:,} distinct)"),
        (
            "validation rows",
            f"{found.validation_rows:,}" if found.validation_rows else "none given; held-out folds",
        ),
        ("predicts", names_of(model.target_names)),
        ("from", f"{len(model.columns):,} columns"),
        ("networks", str(model.members)),
        ("settings changed", _settings(contents)),
    ]
    if contents.data_name:
        rows.insert(0, ("table of this report", shown(contents.data_name)))
    if contents.model_name:
        rows.insert(0, ("model file", shown(contents.model_name)))
    known = table(("", ""), rows, words=(0, 1))
    return section("fitted", "What was fitted, and on what", known, tag("h3", "Columns"), _columns(contents))


def _settings(contents: Contents) -> str:
    chosen = contents.fitted.settings
    changed = {f.name: getattr(chosen, f.name) for f in fields(DEFAULTS)}
    parts = [f"{name} = {value}" for name, value in changed.items() if value != getattr(DEFAULTS, name)]
    return ", ".join(parts) or "none"


def _columns(contents: Contents) -> Markup:
    ranges = contents.ranges
    rows = []
    for column in contents.fitted.columns:
        header = split_header(column.name)
        kind = "number" if column.categories is None else f"{len(column.categories)} categories"
        row: list[Content] = [shown(header.name), shown(header.unit or ""), kind]
        if ranges is not None:
            row += [number(float(v)) for v in ranges.loc[column.name, ["smallest", "middle", "largest"]]]
            row.append(f"{int(ranges.loc[column.name, 'missing']):,}")
        rows.append(row)
    headings = ["column", "unit", "holds"] + ["smallest", "middle", "largest", "missing"] * (ranges is not None)
    whole = table(headings, rows, words=(0, 1, 2))
    if len(rows) <= LONG:
        return whole
    return tag("details", tag("summary", f"{len(rows)} columns"), whole)


def made_with(contents: Contents) -> Markup:
    """Versions, seed, data hash."""
    rows = [(name, tag("code", value)) for name, value in contents.made_with.items()]
    return section("made-with", "How this page was made", table(("", ""), rows, words=(0, 1)))
