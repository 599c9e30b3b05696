"""The table that was chosen: what is each column for, and what is known of its errors?"""

from __future__ import annotations

from collections.abc import Mapping

from taylor_sensus.app.choices import CENSORED, DECIMALS, EFFORTS, INPUT, KINDS, NAME, OUT, READING, ROLES, TARGET
from taylor_sensus.app.chosen_table import NAMES, UNINFORMATIVE, ChosenTable, ColumnProfile
from taylor_sensus.app.pages.frame import button, field, form, labelled, page, problem, select, wide
from taylor_sensus.words.format import one_line
from taylor_sensus.words.html import Content, Markup, shown, tag

EXAMPLES = 3
"""Cells of a column that are shown."""
HEADINGS = ("column", "first cells", "use it as", "its error (std)", "its values are")
HINT = (
    "The error of a column is a standard deviation in the column's own unit: a number, a percentage of the value such "
    "as 2%, 0 for exact, or the name of the column that holds it row by row. Left empty, it is taken from cells such "
    "as 14.2(3) or 14.2 ± 0.3, and else learned from the data."
)
KIND_HINT = (
    "A reading is the true value plus the instrument's error. A set point is what was asked for; the system worked at "
    "that value plus an error. An exact column has no error at all, such as a day count or a category."
)


def columns_page(table: ChosenTable, fields: Mapping[str, str] | None = None, trouble: str | None = None) -> str:
    """The form of the columns, as it was sent before if there is `trouble`."""
    entries = preset(table) if fields is None else dict(fields)
    headers = table.headers
    head = tag("tr", [tag("th", words, scope="col", class_="words") for words in HEADINGS])
    rows = [_row(table, at, header, entries) for at, header in enumerate(headers)]
    options = tag(
        "div",
        labelled("How thorough", select("effort", EFFORTS, entries.get("effort", "default"), id="effort")),
        labelled("Decimal sign", select("decimal", DECIMALS, entries.get("decimal", ""))),
        labelled("Cells such as <0.05 become", select("censored", CENSORED, entries.get("censored", "missing"))),
        labelled(
            "Seed",
            field("number", "seed", entries.get("seed", "0"), min="0", step="1"),
            "the same seed, the same model",
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
        _sheets(table),
        form(
            "/fit",
            wide(tag("table", tag("thead", head), tag("tbody", rows), class_="stacked"), "The columns"),
            listed,
            tag("p", HINT, class_="soft"),
            tag("p", KIND_HINT, class_="soft"),
            options,
            button("Fit", id="fit"),
        ),
        tag("p", tag("a", "Another table", href="/")),
    )


def preset(table: ChosenTable) -> dict[str, str]:
    """The last column of values is predicted; errors and row names are proposed; uninformative columns are left out."""
    headers = table.headers
    of_errors = {pairing.errors for pairing in table.pairings}
    entries = {f"error-{headers.index(p.column)}": p.errors for p in table.pairings}
    kinds = [profile.kind for profile in table.profiles]
    aside = [at for at, kind in enumerate(kinds) if kind in UNINFORMATIVE or headers[at] in of_errors]
    entries |= {f"role-{at}": OUT for at in aside}
    if NAMES in kinds:
        entries[f"role-{kinds.index(NAMES)}"] = NAME
    values = [at for at in range(len(headers)) if at not in aside]
    if values:
        entries[f"role-{values[-1]}"] = TARGET
    return entries


def _row(table: ChosenTable, at: int, header: str, entries: Mapping[str, str]) -> Markup:
    profile, named = table.profiles[at], one_line(header, 40)
    of = next((pairing.column for pairing in table.pairings if pairing.errors == header), None)
    remark = _remark(profile) if of is None else _small(["errors of ", shown(of, 40)])
    name = [tag("label", shown(header), for_=f"role-{at}"), remark]
    role = select(f"role-{at}", ROLES, entries.get(f"role-{at}", INPUT), id=f"role-{at}")
    empty = "in its cells" if profile.declared else "not known"
    error = field("text", f"error-{at}", entries.get(f"error-{at}", ""), list="columns", size="14",
                  aria_label=f"error of {named}", placeholder=empty)  # fmt: skip
    declared = f"declared in {profile.declared:,} of {profile.looked_at:,} cells" if profile.declared else None
    kind = select(f"kind-{at}", KINDS, entries.get(f"kind-{at}", READING), aria_label=f"kind of values of {named}")
    exact = f"exact? ({profile.exact})" if profile.exact else None
    cells = (name, _examples(table, at), role, [error, _small(declared)], [kind, _small(exact)])
    return tag("tr", [tag("td", cell, class_="words", data_heading=heading)
                      for cell, heading in zip(cells, HEADINGS, strict=True)])  # fmt: skip


def _remark(profile: ColumnProfile) -> Content:
    """What the column seems to be, if that is worth a word."""
    if profile.kind in UNINFORMATIVE:
        return _small(UNINFORMATIVE[profile.kind])
    return _small(f"{profile.missing:,} missing" if profile.missing else None)


def _small(words: Content) -> Content:
    return tag("small", words, class_="soft") if words else None


def _sheets(table: ChosenTable) -> Content:
    if len(table.sheets) < 2:
        return None
    names = {str(at): shown(name) for at, name in enumerate(table.sheets)}
    return form(
        "/sheet",
        labelled("Sheet of the book", select("sheet", names, "0", id="sheet")),
        button("Open this sheet", class_="quiet", id="open-sheet"),
        class_="options",
    )


def _examples(table: ChosenTable, at: int) -> Content:
    cells = table.frame.iloc[:EXAMPLES, at]
    texts = [f"{cell:.6g}" if isinstance(cell, float) else cell for cell in cells]
    return [tag("span", shown(text, 16), class_="cell") for text in texts]
