"""Which columns are probably exact: inferred from their values, with the reason. Nothing is changed.

Set points, counts of days and categories come in few levels that return again and again; readings of an instrument
hardly ever repeat. Whole numbers and decimal fractions are treated alike: only repetition counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from taylor_sensus.model.shapes import Bool, Float

if TYPE_CHECKING:
    from taylor_sensus.tables.column import Column

MOST_LEVELS = 30
"""With more levels a column may be a rounded reading."""
FEWEST_EACH = 5.0
"""Rows that each level has on average at least."""


def few_levels(values: Float[np.ndarray, " rows"]) -> str | None:
    """Why a column of numbers is probably exact; None if it is not. Gaps are left out."""
    there = values[~np.isnan(values)]
    levels = len(np.unique(there))
    if not 1 < levels <= MOST_LEVELS or len(there) < FEWEST_EACH * levels:
        return None
    return f"{levels} levels in {len(there):,} rows"


def probably_exact(
    columns: Sequence[Column], x: Float[np.ndarray, "rows features"], is_declared: Bool[np.ndarray, " features"]
) -> dict[str, str]:
    """For encoded rows: columns that look exact, and why; those with declared errors are left out."""
    found, place = {}, 0
    for column in columns:
        parts = slice(place, place := place + len(column.parts))
        why = "categories" if column.categories is not None else few_levels(x[:, parts.start])
        if why is not None and not is_declared[parts].any():
            found[column.name] = why
    return found
