"""Rows by name: their label, else their place, counted as a spreadsheet does for files and from 0 in Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

FILE_ROW = "row of the file"
"""Name of the labels of a file's rows that have no names of their own: where they stand, as a spreadsheet counts."""


def only_counts(index: pd.Index | None) -> bool:
    """Whether labels say no more than where a row stands."""
    return index is None or index.name == FILE_ROW or index.equals(pd.RangeIndex(len(index)))


def named_row(index: pd.Index | None, position: int, cell: str | None = None) -> str:
    """A row by its label, else by its place, and what it holds. A label that several rows share names both."""
    parts = [] if cell is None else [cell]
    if index is None or index.equals(pd.RangeIndex(len(index))):
        name = str(position)
    elif index.name == FILE_ROW or index.is_unique:
        name = shown(index[position])
    else:
        name = str(position)
        parts.insert(0, f"labelled {shown(index[position])}")
    return f"{name} ({': '.join(parts)})" if parts else name


def counting(index: pd.Index | None) -> str:
    """How rows are named in a message, as a sentence."""
    if index is not None and index.name == FILE_ROW:
        return "Rows count as in a spreadsheet, where the header is a row too."
    if only_counts(index) or index is None or not index.is_unique:
        return "Rows count from 0."
    return f"Rows go by {index.name!r}." if index.name is not None else "Rows go by their labels."


def row_labels(index: pd.Index | None, positions: Any) -> tuple[str, ...] | None:
    """Labels of some rows as texts; None where they would only count from 0."""
    if index is None or index.equals(pd.RangeIndex(len(index))):
        return None
    return tuple(str(index[position]) for position in positions)


def shown(value: Any) -> str:
    """A cell or label as one would type it, cut where it is long."""
    text = repr(value.item() if isinstance(value, np.generic) else value)
    return text if len(text) <= 60 else text[:57] + "..."
