"""HTML in which every text is escaped unless it was made here: strings go in as text, ``Markup`` as markup."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from taylor_sensus.words.format import one_line

_FORMULA = re.compile(r"\s*[=+\-@]")


class Markup(str):
    """A piece of finished HTML. Only this module and ``report.svg`` make such pieces."""

    __slots__ = ()


Content = str | Markup | None | Iterable["Content"]

VOID = frozenset({"meta", "br", "link", "input"})


def tag(element: str, /, *content: Content, **attributes: str | None) -> Markup:
    """An element. Texts and attributes are escaped; a trailing underscore in an attribute's name is dropped."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value, quote=True)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{element}{given}>" if element in VOID else f"<{element}{given}>{joined(content)}</{element}>")


def joined(content: Content) -> Markup:
    """Pieces one after another: texts escaped, markup as it is, nothing for None."""
    if content is None:
        return Markup("")
    if isinstance(content, Markup):
        return content
    if isinstance(content, str):
        return Markup(escape(content, quote=True))
    return Markup("".join(joined(piece) for piece in content))


def shown(text: object, longest: int = 60) -> Markup:
    """A name or cell of the user's: one line, cut where long, kept from turning the words around it.

    A text that a spreadsheet would run as a formula, if the page were pasted there, gets a leading apostrophe.
    """
    line = one_line(text, longest)
    if _FORMULA.match(line) and not _is_number(line):
        line = "'" + line
    return tag("bdi", line)


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", ""))
    except ValueError:
        return False
    return True
