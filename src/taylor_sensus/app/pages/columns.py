"""The table that was chosen: what is each column for, and what is known of its errors?"""

from __future__ import annotations

from collections.abc import Mapping

from taylor_sensus.app.choices import CENSORED, DECIMALS, EFFORTS, INPUT, NAME, OUT, ROLES, TARGET
from taylor_sensus.app.pages.frame import button, field, form, labelled, page, problem, select
from taylor_sensus.app.workbench import ChosenTable
from taylor_sensus.words.html import Content, shown, tag

EXAMPLES = 3
"""Cells of a column that are shown."""


def columns_page(table: ChosenTable, fields: Mapping[str, str] | None = None, trouble: str | None = None) -> str:
    """The form of the columns, as it was sent before if there is `trouble`."""
    said = preset(table) if fields is None else dict(fields)
    headers = table.headers
    rows = []
    for at, header in enumerate(headers):
        name = tag("label", shown(header), for_=f"role-{at}")
        role = select(f"role-{at}", ROLES, said.get(f"role-{at}", INPUT), id=f"role-{at}")
        error = field("text", f"error-{at}", said.get(f"error-{at}", ""), list="columns", size="14",
                      aria_label=f"error of column {at + 1}", placeholder="not known")  # fmt: skip
        if (why := table.exact.get(header)) is not None:
            box = field("checkbox", f"exact-{at}", "1", checked="checked" if said.get(f"exact-{at}") else None)
            error = tag("div", error, tag("label", box, f" exact? ({why})"))
        rows.append(tag("tr", [tag("td", cell, class_="words") for cell in (name, _examples(table, at), role, error)]))
    head = tag("tr", [tag("th", words, scope="col", class_="words")
                      for words in ("column", "first cells", "use it as", "its error (std)")])  # fmt: skip
    hint = (
        "The error of a column is a standard deviation in the column's own unit: a number, a percentage of the value "
        "such as 2%, 0 for exact, or the column that holds it row by row. Left empty, it is taken from cells such as "
        "14.2(3) or 14.2 ± 0.3, and else learned from the data."
    )
    options = tag(
        "div",
        labelled("How thorough", select("effort", EFFORTS, said.get("effort", "default"), id="effort")),
        labelled("Decimal sign", select("decimal", DECIMALS, said.get("decimal", ""))),
        labelled("Cells such as <0.05 become", select("censored", CENSORED, said.get("censored", "missing"))),
        labelled(
            "Seed", field("number", "seed", said.get("seed", "0"), min="0", step="1"), "the same seed, the same model"
        ),
        class_="options",
    )
    listed = tag("datalist", [tag("option", value=header) for header in headers], id="columns")
    count = f"{len(table.frame):,} rows, {len(headers):,} columns."
    return page(
        "What are the columns?",
        problem(trouble),
        tag("p", shown(table.name, 80), ": ", count),
        [tag("p", note, class_="soft") for note in table.notes],
        form(
            "/fit",
            tag("div", tag("table", tag("thead", head), tag("tbody", rows)), class_="wide"),
            listed,
            tag("p", hint, class_="soft"),
            options,
            button("Fit", id="fit"),
        ),
        tag("p", tag("a", "Another table", href="/")),
    )


def preset(table: ChosenTable) -> dict[str, str]:
    """The last column of values is predicted; errors and names of rows are proposed; dates are left out."""
    headers = table.headers
    of_errors = {pairing.errors for pairing in table.pairings}
    said = {f"error-{headers.index(p.column)}": p.errors for p in table.pairings}
    aside = {*of_errors, *table.labels, *table.dates}
    said |= {f"role-{at}": OUT for at, header in enumerate(headers) if header in aside}
    if table.labels:
        said[f"role-{headers.index(table.labels[0])}"] = NAME
    values = [at for at, header in enumerate(headers) if header not in aside]
    if values:
        said[f"role-{values[-1]}"] = TARGET
    return said


def _examples(table: ChosenTable, at: int) -> Content:
    cells = table.frame.iloc[:EXAMPLES, at]
    texts = [f"{cell:.6g}" if isinstance(cell, float) else cell for cell in cells]
    return [tag("span", shown(text, 16), class_="cell") for text in texts]
