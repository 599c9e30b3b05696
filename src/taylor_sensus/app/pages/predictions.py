"""Predictions for the rows of another table: the question, and the first rows of the answer."""

from __future__ import annotations

from pandas.api.types import is_numeric_dtype

from taylor_sensus.app.choices import DECIMALS
from taylor_sensus.app.pages.frame import TABLES, button, field, form, labelled, page, problem, select
from taylor_sensus.app.workbench import PREDICTIONS, Opened, Predicted
from taylor_sensus.report.html import table
from taylor_sensus.report.sections.pieces import cell
from taylor_sensus.words.html import Content, shown, tag


def predictions_page(opened: Opened, limit: int, made: Predicted | None, trouble: str | None = None) -> str:
    """What was predicted last, and a form for more rows."""
    names: list[Content] = []
    for column in opened.model.fitted_.columns:
        names += [", "] * bool(names) + [shown(column.name)]
    question = form(
        "/predict",
        labelled("Rows to predict", field("file", "rows", accept=TABLES, required="required", id="rows"),
                 ["A table with the columns ", names, ". Others are kept; the target may be missing."]),
        tag(
            "div",
            labelled("Decimal sign", select("decimal", DECIMALS, "")),
            labelled("Sheet of a book", field("text", "sheet", size="12"), "its name or number; else the first"),
            tag("label", field("checkbox", "exact", "1"), " its inputs are known exactly"),
            class_="options",
        ),
        button("Predict", id="predict"),
        files=True,
        limit=limit,
        class_="box",
    )  # fmt: skip
    return page("Predictions", problem(trouble), _answer(made), question, here="/predict")


def _answer(made: Predicted | None) -> Content:
    if made is None:
        return None
    left: list[Content] = []
    for name in made.ignored:
        left += [", " if left else "Columns that the model does not use: ", shown(name)]
    first = made.first
    texts = [at for at, kind in enumerate(first.dtypes) if not is_numeric_dtype(kind)]
    rows = [[cell(value) for value in line] for line in first.itertuples(index=False)]
    more = f"The first {len(first)} of {made.rows:,} rows." if len(first) < made.rows else None
    return tag(
        "section",
        tag("p", f"{made.rows:,} rows of ", shown(made.name, 80), " were predicted. ", left),
        table([shown(name) for name in first.columns], rows, words=texts, label="Predictions"),
        tag("p", more, class_="soft") if more else None,
        tag("p", tag("a", "All predictions, beside your columns", href=f"/download/{PREDICTIONS}",
                     download=PREDICTIONS, id="download-predictions"), class_="downloads"),
        id="predictions",
    )  # fmt: skip
