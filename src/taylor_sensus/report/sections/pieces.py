"""What the sections are put together from."""

from __future__ import annotations

import numpy as np

from taylor_sensus.report.contents import Contents
from taylor_sensus.words.format import number
from taylor_sensus.words.html import Content, Markup, shown, tag

LISTED = 10
"""Rows and columns that are listed by name."""
LONG = 15
"""Lists longer than this are folded."""


def section(name: str, title: str, *content: Content) -> Markup:
    return tag("section", tag("h2", title), *content, id=name)


def missing(what: str) -> Markup:
    return tag("p", f"Not shown: this needs {what}, given as data.", class_="soft")


def target_heading(contents: Contents, at: int) -> Markup | None:
    names = contents.fitted.target_names
    return tag("h3", shown(names[at])) if len(names) > 1 else None


def bar(text: str, share: float) -> Markup:
    return tag("td", text, class_="bar", style=f"--share:{100 * min(max(share, 0), 1):.1f}%")


def cell(value: object) -> Content:
    if isinstance(value, (float, np.floating)):
        return number(float(value))
    if isinstance(value, (bool, np.bool_)):
        return str(value)
    if isinstance(value, (int, np.integer)):
        return number(float(value))
    return shown("" if value is None else value)


def names_of(names: tuple[str, ...]) -> Content:
    pieces: list[Content] = []
    for name in names:
        pieces += [", "] * bool(pieces) + [shown(name)]
    return pieces
