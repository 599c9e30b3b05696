"""What to measure next: the question, and the answer as a table that is also the form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pandas.api.types import is_numeric_dtype

from taylor_sensus.app.choices import DECIMALS
from taylor_sensus.app.pages.frame import TABLES, button, field, form, labelled, page, problem, select
from taylor_sensus.app.whatif import Knob
from taylor_sensus.app.workbench import SUGGESTIONS
from taylor_sensus.report.html import table
from taylor_sensus.report.sections.pieces import cell
from taylor_sensus.suggest import Suggestions
from taylor_sensus.words.html import Content, Markup, shown, tag

GOALS = {"learn": "to learn most", "max": "the highest value", "min": "the lowest value", "target": "a value near"}


def suggestions_page(
    knobs: Sequence[Knob], targets: Sequence[str], limit: int, found: Suggestions | None,
    said: Mapping[str, str] | None = None, trouble: str | None = None,
) -> str:  # fmt: skip
    """The question; below, what was found last."""
    given = said or {}
    whose: Content = None
    if len(targets) > 1:
        names = {str(at): shown(name) for at, name in enumerate(targets)}
        whose = labelled("About", select("target", names, given.get("target", "0")))
    ask = tag(
        "div",
        labelled("I want", select("goal", GOALS, given.get("goal", "learn"), id="goal")),
        labelled("this value", field("number", "value", given.get("value", ""), step="any"), "only for a value near"),
        labelled("How many", field("number", "n", given.get("n", "8"), min="1", max="1000", id="n")),
        whose,
        class_="options",
    )
    from_table = labelled(
        "Choose from a table", field("file", "candidates", accept=TABLES),
        "Settings that could be measured, with the model's columns. Without a table, from these ranges:",
    )  # fmt: skip
    question = form(
        "/suggestions", ask, from_table, labelled("Decimal sign of that table", select("decimal", DECIMALS, "")),
        tag("div", [_range(at, knob, given) for at, knob in enumerate(knobs)], class_="knobs"),
        button("Suggest", id="suggest"), files=True, limit=limit,
    )  # fmt: skip
    answer = _answer(found, [knob.column.name for knob in knobs])
    return page("What to measure next", problem(trouble), answer, question, _filled(limit), here="/suggestions")


def _filled(limit: int) -> Markup:
    return form(
        "/update",
        labelled("A form that was filled in", field("file", "form", accept=TABLES, required="required"),
                 "Its results are added to the training rows, and the model is fitted again."),
        button("Fit again with the results", class_="quiet", id="send-form"),
        files=True,
        limit=limit,
        class_="box",
    )  # fmt: skip


def _range(at: int, knob: Knob, said: Mapping[str, str]) -> Markup:
    name = shown(knob.column.name)
    if knob.column.categories is not None:
        words = {"": "any", **{str(place): shown(category) for place, category in enumerate(knob.column.categories)}}
        return tag("div", tag("label", tag("span", name), select(f"only-{at}", words, said.get(f"only-{at}", ""))),
                   class_="knob")  # fmt: skip
    ends = [
        field("number", f"{end}-{at}", said.get(f"{end}-{at}", f"{value:.6g}"), step="any", required="required",
              aria_label=f"{end} of column {at + 1}")
        for end, value in zip(("low", "high"), knob.seen, strict=True)
    ]  # fmt: skip
    return tag("div", tag("span", name), ends[0], " to ", ends[1], class_="knob range")


def _answer(found: Suggestions | None, names: Sequence[str]) -> Content:
    if found is None:
        return None
    settings = [name for name in found.table if name in names]
    frame = found.table[
        [*(name for name in found.table if name not in names), *settings]
    ]  # what is said of a row first
    frame = frame.loc[:, frame.notna().any() & (frame.astype(str) != "").any()]
    texts = [at for at, kind in enumerate(frame.dtypes) if not is_numeric_dtype(kind)]
    rows = [[cell(value) for value in line] for line in frame.itertuples(index=False)]
    return tag(
        "section",
        table([shown(name) for name in frame.columns], rows, words=texts),
        tag("p", str(found.outlook)),
        tag("p", found.note) if found.note else None,
        tag("p", tag("a", "Download the form", href=f"/download/{SUGGESTIONS}", download=SUGGESTIONS,
                     id="download-suggestions"), class_="downloads"),
        tag("p", "Measure, fill in the results, and send the form back below.", class_="soft"),
        id="found",
    )  # fmt: skip
