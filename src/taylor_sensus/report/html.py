"""Tables of the report, as its style sheet wants them; elements and escaping come from ``words.html``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from taylor_sensus.words.html import Content, Markup, tag


def table(
    headings: Sequence[Content],
    rows: Iterable[Sequence[Content]],
    *,
    words: Sequence[int] = (0,),
    caption: Content = None,
    label: str = "Table",
) -> Markup:
    """A table; the columns at the positions ``words`` hold words and are set to the left, the others to the right.

    A wide one scrolls by itself, with the keyboard too; screen readers call it ``label``.
    """

    def side(at: int) -> str | None:
        return "words" if at in words else None

    head = tag("tr", [
        tag("th", cell, scope="col", class_=side(at)) if cell else tag("td", class_=side(at))
        for at, cell in enumerate(headings)
    ])  # fmt: skip
    body = [tag("tr", [tag("td", cell, class_=side(at)) for at, cell in enumerate(row)]) for row in rows]
    named = None if caption is None else tag("caption", caption)
    return tag("div", tag("table", named, tag("thead", head), tag("tbody", body)), class_="wide", tabindex="0",
               role="group", aria_label=label)  # fmt: skip
