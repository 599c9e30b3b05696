"""Groups of rows, such as batches: labels of any kind to codes, and to the codes of a fitted model's groups."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from taylor_sensus.errors import DataError
from taylor_sensus.model.groups import NO_GROUP
from taylor_sensus.records import GroupNames
from taylor_sensus.tables.alignment import headers_of

UNNAMED = "group"
"""What groups are called that come without a name."""


def learn_groups(groups: Any, rows: int, index: pd.Index | None = None) -> tuple[np.ndarray, GroupNames]:
    """The code of each row, and the names by code; rows without a group have the code -1.

    Parameters
    ----------
    groups : Series or array-like, (rows,)
        Labels: numbers or words; None or not a number where there is none.
    rows : int
        How many there must be.
    index : Index, optional
        Labels of the table's rows, which those of a Series must match.

    Returns
    -------
    tuple of ndarray and GroupNames
        Codes, and the names of the groups in their order.
    """
    labels = _labels(groups, rows, index)
    known = sorted({label for label in labels if label is not None})
    if not known:
        raise DataError("groups has no label in any row; leave it out, or give the batch or sample of each row")
    code = {label: place for place, label in enumerate(known)}
    title = getattr(groups, "name", None)
    names = GroupNames(UNNAMED if title is None else str(title), tuple(known))
    return np.array([NO_GROUP if label is None else code[label] for label in labels]), names


def known_codes(groups: Any, names: GroupNames | None, rows: int, index: pd.Index | None = None) -> np.ndarray | None:
    """Codes of a model's groups; -1 for rows of a new group, or without one."""
    if groups is None:
        return None
    if names is None:
        raise DataError("the model was fitted without groups, so it knows none; fit with groups=")
    code = {label: place for place, label in enumerate(names.labels)}
    return np.array(
        [NO_GROUP if label is None else code.get(label, NO_GROUP) for label in _labels(groups, rows, index)]
    )


def group_column(names: GroupNames | None, headers: list[str], wanted: str | None) -> str | None:
    """The column of a table that names the groups: the one that is wanted, or the model's own, if it is there."""
    if wanted is not None:
        return headers_of([wanted], headers)[0]
    return names.title if names is not None and names.title in headers else None


def _labels(groups: Any, rows: int, index: pd.Index | None) -> list[str | None]:
    if isinstance(groups, pd.Series) and index is not None and not groups.index.equals(index):
        raise DataError("groups has other row labels than X; take both from one table")
    cells = groups.to_numpy(dtype=object) if isinstance(groups, pd.Series) else np.asarray(groups, dtype=object)
    if cells.shape != (rows,):
        raise DataError(f"groups must hold one label for each of the {rows} rows, not an array of shape {cells.shape}")
    return [None if pd.isna(cell) else _label(cell) for cell in cells]


def _label(cell: Any) -> str:
    """A label as text; 3 and 3.0 are the same."""
    number = isinstance(cell, float | np.floating) and float(cell).is_integer()
    return str(int(cell)) if number else str(cell)
