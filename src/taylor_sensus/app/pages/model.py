"""The fitted model: its report, what can be downloaded, and predictions for other rows."""

from __future__ import annotations

from collections.abc import Sequence

from taylor_sensus.app.choices import DECIMALS
from taylor_sensus.app.pages.frame import TABLES, button, field, form, labelled, page, problem, select
from taylor_sensus.app.workbench import MODEL, PREDICTIONS, REPORT, Opened, Predicted
from taylor_sensus.words.html import Content, shown, tag


def model_page(opened: Opened, limit: int, predicted: Predicted | None = None, trouble: str | None = None) -> str:
    """The report in a frame of its own, in which nothing can run."""
    names: list[Content] = []
    for name in opened.model.fitted_.target_names:
        names += [", "] * bool(names) + [shown(name)]
    files = tag(
        "p",
        tag("a", "Report", href=f"/download/{REPORT}", download=REPORT, id="download-report"),
        tag("a", "Model", href=f"/download/{MODEL}", download=MODEL, id="download-model"),
        class_="downloads",
    )
    predict = form(
        "/predict",
        labelled("Rows to predict", field("file", "rows", accept=TABLES, required="required", id="rows"),
                 "A table with the same columns; the target may be missing."),
        tag(
            "div",
            labelled("Decimal sign", select("decimal", DECIMALS, "")),
            tag("label", field("checkbox", "exact", "1"), " its inputs are known exactly"),
            class_="options",
        ),
        button("Predict", id="predict"),
        files=True,
        limit=limit,
        class_="box",
    )  # fmt: skip
    return page(
        "Your model",
        problem(trouble),
        _warned(opened.warnings),
        tag("p", "From ", shown(opened.name, 80), ". It predicts ", names, "."),
        files,
        predict,
        _predicted(predicted),
        _command(opened.command),
        tag("iframe", src="/report", title="Report", sandbox="", class_="report"),
        here="/model",
    )


def _warned(texts: Sequence[str]) -> Content:
    return tag("ul", [tag("li", text) for text in texts], class_="warnings") if texts else None


def _predicted(made: Predicted | None) -> Content:
    if made is None:
        return None
    left: list[Content] = []
    for name in made.ignored:
        left += [", " if left else "Columns that the model does not use: ", shown(name)]
    return tag(
        "section",
        tag("p", f"{made.rows:,} rows of ", shown(made.name, 80), " were predicted. ", left),
        tag("p", tag("a", "Predictions", href=f"/download/{PREDICTIONS}", download=PREDICTIONS,
                     id="download-predictions"), class_="downloads"),
        id="predictions",
    )  # fmt: skip


def _command(command: str | None) -> Content:
    if command is None:
        return None
    return tag("details", tag("summary", "The same on the command line"), tag("pre", tag("code", command)))
