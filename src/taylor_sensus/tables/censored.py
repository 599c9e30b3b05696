"""Censored cells, which give only a bound such as <0.05: what they become, a table of them, and a warning."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd

from taylor_sensus.errors import TaylorSensusWarning
from taylor_sensus.tables.limits import expected_cells
from taylor_sensus.tables.notation import Cells
from taylor_sensus.tables.row_names import shown

CENSORED = {
    "missing": "count as missing",
    "bound": "take the value of their bound",
    "half": "take half their bound",
    "expected": "take the value expected on their side of the bound, with its error",
}
"""What can be done with such cells, and how a warning says it."""


def filled(cells: Cells, censored: str) -> np.ndarray:
    """Values, with what the user chose in place of censored ones."""
    if censored == "bound":
        return np.where(cells.sides != 0, cells.bounds, cells.values)
    if censored == "half":
        return np.where((cells.sides < 0) & (cells.bounds > 0), cells.bounds / 2, cells.values)
    return expected_cells(cells)[0] if censored == "expected" else cells.values


def censored_table(read: dict[str, Cells]) -> pd.DataFrame:
    """One line a censored cell; see `Measurements.censored`."""
    parts = []
    for name, cells in read.items():
        rows = np.flatnonzero(cells.sides)
        side = np.where(cells.sides[rows] < 0, "below", "above").astype(object)
        parts.append(pd.DataFrame({"row": rows, "column": name, "side": side, "bound": cells.bounds[rows]}))
    empty = pd.DataFrame({"row": np.array([], dtype=np.int64), "column": [], "side": [], "bound": np.array([])})
    present = [part for part in parts if len(part)]
    return pd.concat(present, ignore_index=True) if present else empty


def warn_of_censored(frame: pd.DataFrame, read: dict[str, Cells], headers: dict[str, Any], censored: str) -> None:
    """Warn which columns have such cells, and what becomes of them."""
    parts = []
    for header, cells in read.items():
        rows = np.flatnonzero(cells.sides)
        if not len(rows):
            continue
        count = f"{len(rows)} row{'s' if len(rows) > 1 else ''}"
        example = shown(frame[headers[header]].iloc[rows[0]])
        left = int(np.isnan(filled(cells, censored)[rows]).sum())
        but = f", but {left} of them have none and count as missing" if left and censored != "missing" else ""
        parts.append(
            f"column {header!r}: cells with only a bound ({count}, such as {example}) {CENSORED[censored]}{but}"
        )
    if parts:
        others = " or ".join(f'"{way}"' for way in CENSORED if way != censored)
        message = "; ".join(parts) + f". To treat such cells otherwise, choose censored={others} (--censored)."
        warnings.warn(message, TaylorSensusWarning, stacklevel=3)
