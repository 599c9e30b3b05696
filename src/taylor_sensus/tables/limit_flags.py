"""Columns that say whether a value is only a limit: ``x_limit`` or ``l_x`` beside ``x``, with ``<``, ``>`` or 1 in it.

Catalogues write limits so: the column itself holds the bound. Such a header counts only if its cells hold nothing but
marks; a column of detection limits, as numbers, stays an ordinary one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from taylor_sensus.errors import DataError
from taylor_sensus.tables.notation import Cells
from taylor_sensus.tables.row_names import named_row
from taylor_sensus.tables.units import split_header

_FORMS = [
    re.compile(form, flags=re.IGNORECASE)
    for form in (
        r"(?P<base>.*[^\s_.-])[\s_.-]+(?:limit|lim)(?:[\s_.-]*flag)?",  # x_limit, x lim, x_limit_flag
        r"(?:limit|lim|l)[\s_.-]+(?P<base>[^\s_.-].*)",  # l_x, limit_x
    )
]
BELOW = frozenset({"<", "<=", "≤", "1", "true", "yes", "upper", "upper limit", "below"})
"""The value is an upper limit: what was measured lies below it."""
ABOVE = frozenset({">", ">=", "≥", "lower", "lower limit", "above"})
MEASURED = frozenset({"", "0", "=", "false", "no", "measured", "nan", "none", "<na>"})
AMBIGUOUS = "-1"
"""Some catalogues write it for lower limits, others for values below a limit."""


def limit_headers(headers: Sequence[str]) -> dict[str, str]:
    """Headers that promise marks of limits, with the columns that they are about."""
    by_name = {split_header(header).name: header for header in headers}
    found = {}
    for header in headers:
        fits = next((fit for form in _FORMS if (fit := form.fullmatch(split_header(header).name))), None)
        base = by_name.get(fits["base"]) if fits else None
        if base is not None and base != header:
            found[header] = base
    return found


def read_flags(column: pd.Series, header: str) -> np.ndarray | None:
    """-1 where a value lies below what is written, 1 where above, 0 where it was measured; None for other columns."""
    marks = [_mark(cell) for cell in column]
    if not set(marks) <= BELOW | ABOVE | MEASURED | {AMBIGUOUS}:
        return None
    if AMBIGUOUS in marks:
        row = named_row(column.index, marks.index(AMBIGUOUS))
        raise DataError(
            f"column {header!r} marks limits, and the -1 in row {row} can mean an upper or a lower limit; write < or >,"
            " or name the column in ordinary= (--ordinary) if it marks nothing"
        )
    return np.array([-1 if mark in BELOW else int(mark in ABOVE) for mark in marks])


def with_flags(cells: Cells, sides: np.ndarray) -> Cells:
    """Cells of which some are bounds; a cell that gives its own side, as <0.05 does, keeps it."""
    marked = (sides != 0) & np.isfinite(cells.values)
    return cells._replace(
        values=np.where(marked, np.nan, cells.values),
        errors=np.where(marked, np.nan, cells.errors),
        sides=np.where(marked, sides, cells.sides),
        bounds=np.where(marked, cells.values, cells.bounds),
    )


def _mark(cell: object) -> str:
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return "" if cell is None else str(cell).strip().lower()
