"""What to measure next: the question, and the answer as a table that is also the form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pandas.api.types import is_numeric_dtype

from taylor_sensus.app.choices import DECIMALS
from taylor_sensus.app.pages.frame import TABLES, button, field, form, labelled, page, problem, select
from taylor_sensus.app.whatif import Control
from taylor_sensus.app.workbench import SUGGESTIONS
from taylor_sensus.report.html import table
from taylor_sensus.report.sections.pieces import cell
from taylor_sensus.suggest import Suggestions
from taylor_sensus.suggest.form import form_names
from taylor_sensus.tables.units import split_header
from taylor_sensus.words.format import number, one_line
from taylor_sensus.words.html import Content, Markup, shown, tag

GOALS = {"learn": "to learn most", "max": "the highest value", "min": "the lowest value", "target": "a value near"}


def suggestions_page(
    controls: Sequence[Control], targets: Sequence[str], limit: int, found: Suggestions | None,
    entries: Mapping[str, str] | None = None, trouble: str | None = None,
) -> str:  # fmt: skip
    """The question; below, what was found last."""
    given = entries or {}
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
    ranges = tag(
        "fieldset",
        tag("legend", "Where to look"),
        [_range(at, control, given) for at, control in enumerate(controls)],
        class_="controls",
    )
    from_table = tag(
        "details",
        tag("summary", "Or choose from a table of settings that could be measured"),
        tag(
            "div",
            labelled("Table", field("file", "candidates", accept=TABLES), "with the model's columns; the ranges above "
                     "are not used then"),
            labelled("Decimal sign", select("decimal", DECIMALS, "")),
            labelled("Sheet of a book", field("text", "sheet", size="12"), "its name or number; else the first"),
            class_="options",
        ),
    )  # fmt: skip
    question = form(
        "/suggestions", ask, ranges, from_table, button("Suggest", id="suggest"), files=True, limit=limit,
    )  # fmt: skip
    answer = _answer(found, [control.column.name for control in controls], targets)
    again = tag("h2", "Ask again") if found is not None else None
    return page("What to measure next", problem(trouble), answer, again, question, _filled(limit), here="/suggestions")


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


def _range(at: int, control: Control, entries: Mapping[str, str]) -> Markup:
    name, named = shown(control.column.name), one_line(control.column.name, 40)
    if not control.moves:
        return tag("div", tag("span", name), tag("small", f"{control.start:.6g} in all training rows", class_="soft"),
                   [field("hidden", f"{end}-{at}", f"{control.start:.10g}") for end in ("low", "high")],
                   class_="control")  # fmt: skip
    if control.column.categories is not None:
        words = {"": "any", **{str(place): shown(category) for place, category in enumerate(control.column.categories)}}
        return tag("div", tag("label", name, select(f"only-{at}", words, entries.get(f"only-{at}", ""))),
                   class_="control")  # fmt: skip
    ends = [
        field("number", f"{end}-{at}", entries.get(f"{end}-{at}", f"{value:.6g}"), step="any", required="required",
              aria_label=f"{word} value of {named}")
        for end, word, value in zip(("low", "high"), ("lowest", "highest"), control.seen, strict=True)
    ]  # fmt: skip
    return tag("div", tag("span", name), ends[0], " to ", ends[1], class_="control range")


def _answer(found: Suggestions | None, settings: Sequence[str], targets: Sequence[str]) -> Content:
    """What to set, row by row, then what is expected of it. What holds for all rows stands once, below."""
    if found is None:
        return None
    whole, own = found.table, form_names([*settings, *targets])
    unit = split_header(found.target).unit
    expected = [f"{number(mean, unit)} ± {number(std, unit)}"
                for mean, std in zip(whole[own.mean], whole[own.std], strict=True)]  # fmt: skip
    first = [name for name in (own.id, own.candidate) if name in whole]
    frame = whole[[*first, *(name for name in whole if name in settings)]].assign(**{"expected result": expected})
    once: list[Content] = []
    if whole[own.advice].nunique() == 1 and whole[own.source].nunique() == 1:
        source, advice = str(whole[own.source].iloc[0]), str(whole[own.advice].iloc[0])
        once = [f"For all of them: {advice}. The largest source of error there: ", shown(source), "."]
    else:
        frame = frame.assign(**{"advice": whole[own.advice], "largest source of error": whole[own.source]})
    texts = [at for at, kind in enumerate(frame.dtypes) if not is_numeric_dtype(kind)]
    rows = [[cell(value) for value in line] for line in frame.itertuples(index=False)]
    return tag(
        "section",
        tag("h2", "Measure these"),
        table([shown(name) for name in frame.columns], rows, words=texts, label="What to measure next"),
        tag("p", once) if once else None,
        tag("p", str(found.outlook)),
        tag("p", found.note) if found.note else None,
        tag("p", tag("a", "Download the form", href=f"/download/{SUGGESTIONS}", download=SUGGESTIONS,
                     id="download-suggestions"), class_="downloads"),
        tag("p", "Measure, fill in the results, and send the form back below.", class_="soft"),
        id="found",
    )  # fmt: skip
