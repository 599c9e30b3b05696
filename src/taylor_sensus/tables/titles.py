"""Lines above a table's header: a title, a date, who measured. Found, to be left out and reported. No pandas.

A line is above the header if it leaves at least half of the table's columns empty, or has another number of cells,
and below it stands a line of names with numbers beneath. Where there is no such line, the first one is the header.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

MOST_TITLES = 30
"""Lines above the header at most."""

_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?")


def title_lines(records: Sequence[Sequence[str]]) -> int:
    """How many of the first records stand above the header."""
    widths = Counter(len(record) for record in records)
    if len(records) < 3 or not widths:
        return 0
    width = max(widths, key=lambda one: (widths[one], one))
    if width < 2 or not _is_title(records[0], width):
        return 0
    for place, record in enumerate(records[: MOST_TITLES + 1]):
        if not _is_title(record, width):
            first_row = records[place + 1] if place + 1 < len(records) else ()
            named = not any(_NUMBER.fullmatch(cell.strip()) for cell in record)
            return place if named and any(_NUMBER.match(cell.strip()) for cell in first_row) else 0
    return 0


def _is_title(record: Sequence[str], width: int) -> bool:
    filled = sum(bool(cell.strip()) for cell in record)
    return len(record) != width or 2 * filled <= width
