"""What notebooks show: coloured words for statuses, and tables, with styles inside so that no style sheet is needed.

Texts take the colour of the page, light or dark. The coloured words bring their own background and are never told by
colour alone: each is written out, and has a sign of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from taylor_sensus.words.html import Content, Markup, shown, tag
from taylor_sensus.words.verdicts import Status, Word

CHIPS: dict[Word, tuple[str, str, str]] = {
    "good": ("✓", "#00674A", "#FFFFFF"),
    "fair": ("~", "#F0E442", "#000000"),
    "check": ("!", "#D55E00", "#000000"),
}
"""Sign, background and ink of each word; lightness alone tells the backgrounds apart."""
BAR = "rgba(86,180,233,.45)"
"""Translucent, so that it reads on light and on dark pages."""
CELL = "padding:.15em .6em;vertical-align:top;"
LISTED = 20
"""Names that are listed one by one; of more, the first."""


def chip(word: Word) -> Markup:
    """The word on its colour."""
    sign, paper, ink = CHIPS[word]
    style = f"background:{paper};color:{ink};border-radius:.6em;padding:0 .55em;font-size:.9em;white-space:nowrap"
    return tag("span", f"{sign} {word}", style=style)


def statuses(found: Iterable[Status]) -> Markup:
    """One line a status: the word, what it is about, and why."""
    return table(None, [(chip(one.word), one.about, one.why) for one in found], words=(0, 1, 2))


def table(
    headings: Sequence[Content] | None,
    rows: Iterable[Sequence[Content]],
    *,
    words: Sequence[int] = (0,),
    bars: Sequence[float] | None = None,
    bar_at: int | None = None,
) -> Markup:
    """A table; the columns at the positions ``words`` hold words and are set to the left, the others to the right.

    ``bars`` are shares from 0 to 1, one a row, drawn behind the cells of the column ``bar_at``.
    """

    def style(at: int, line: int | None) -> str:
        side = f"{CELL}text-align:{'left' if at in words else 'right'}"
        if bars is None or line is None or at != bar_at:
            return side
        end = f"{100 * min(max(bars[line], 0), 1):.1f}%"
        return f"{side};min-width:6em;background:linear-gradient(to right,{BAR} {end},transparent {end})"

    body = [
        tag("tr", [tag("td", cell, style=style(at, line)) for at, cell in enumerate(row)])
        for line, row in enumerate(rows)
    ]
    head = None
    if headings is not None:
        cells = [tag("th", cell, scope="col", style=style(at, None)) for at, cell in enumerate(headings)]
        head = tag("thead", tag("tr", cells))
    return tag("table", head, tag("tbody", body), style="border-collapse:collapse;margin:.3em 0")


def card(title: Content, *content: Content) -> Markup:
    """A title and what belongs to it."""
    return tag("div", tag("p", tag("b", title), style="margin:.3em 0"), *content)


def folded(words: str, *content: Content) -> Markup:
    """What is shown when the words are clicked."""
    return tag("details", tag("summary", words, style="cursor:pointer"), *content)


def paragraph(*content: Content) -> Markup:
    """A line of text."""
    return tag("p", *content, style="margin:.3em 0")


def names(found: Sequence[object]) -> Content:
    """Names of the user's one after another; of very many the first, and how many more there are."""
    pieces: list[Content] = []
    for name in found[:LISTED]:
        pieces += [", "] * bool(pieces) + [shown(name)]
    return [*pieces, f" and {len(found) - LISTED:,} more" if len(found) > LISTED else None]
