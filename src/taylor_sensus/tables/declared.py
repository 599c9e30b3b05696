"""Declared errors: standard deviations that the user knows, read from whatever he has at hand.

Three states are never mixed up: not a number (or not given) means unknown, so that it is learned; 0 means exact;
a positive number is the standard deviation, in the unit of its column.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from taylor_sensus.errors import DataError, TaylorSensusWarning, did_you_mean, listed
from taylor_sensus.tables.columns import LARGEST, MOST_NAMED, Column, as_frame
from taylor_sensus.tables.row_names import counting, named_row

UNKNOWN = np.nan
FORMS = (
    "a number for all columns, a dict by column name, one number a column, or one number a cell "
    "(an array or table of the shape of {of})"
)


def read_feature_errors(
    given: Any, columns: Sequence[Column], rows: int, what: str = "X_err", of: str = "X", index: pd.Index | None = None
) -> np.ndarray | None:
    """Errors of all cells as `(rows, parts of the columns)`, in the columns' units; None if none is given."""
    if given is None:
        return None
    cells = _cells(given, [c.name for c in columns], rows, what, of, index)
    categories = [place for place, c in enumerate(columns) if c.categories is not None]
    if categories:
        cells = cells.copy()
        wrong = [columns[place].name for place in categories if (cells[:, place] > 0).any()]
        if wrong and not _is_number(given):
            raise DataError(
                f"{what}: column {wrong[0]!r} holds categories, which have no standard deviation; "
                "give 0 (exact) or nothing for it"
            )
        for place in categories:
            cells[:, place] = np.where(cells[:, place] > 0, UNKNOWN, cells[:, place])
    return np.repeat(cells, [len(c.parts) for c in columns], axis=1) if categories else cells


def read_target_errors(
    given: Any, names: Sequence[str], rows: int, what: str = "y_err", of: str = "y", index: pd.Index | None = None
) -> np.ndarray | None:
    """Errors of the targets as `(rows, targets)`; None if none is given. A plain list has one number a row."""
    if given is None:
        return None
    if len(names) == 1 and not isinstance(given, Mapping) and as_frame(given) is None:
        values = np.asarray(given, dtype=object)
        if values.ndim == 1:
            given = values[:, None]
    return _cells(given, names, rows, what, of, index)


def warn_of_units(errors: np.ndarray, x: np.ndarray, names: Sequence[str]) -> None:
    """Say so where declared errors are hardly in the unit of their column: a step before may have rescaled X alone."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        spread, typical = np.nanstd(x, axis=0), np.nanmedian(np.where(errors > 0, errors, np.nan), axis=0)
    if not np.isfinite(typical).any():
        return
    wide = np.flatnonzero((typical > 3 * spread) & (spread > 0))
    if len(wide):
        listed_columns = ", ".join(
            f"{names[c]!r} (typical error {typical[c]:.3g}, standard deviation of the column {spread[c]:.3g})"
            for c in wide[:MOST_NAMED]
        )
        _warn(f"X_err (--x-err) is larger than the whole column for {listed_columns}.")
    elif _looks_rescaled(x, spread):
        _warn(
            "X looks as if an earlier step had rescaled it (all columns have mean 0 and standard deviation 1, or lie "
            "from 0 to 1), while X_err is passed on as it is."
        )


WIDE_TARGET = 1000.0
"""A declared error of the target beyond so many standard deviations of it leaves nothing to learn."""
WIDEST_TARGET = 1e9
"""Beyond it the arithmetic ends."""


def warn_of_targets(errors: np.ndarray, y: np.ndarray, names: Sequence[str]) -> None:
    """Say so where declared errors of a target drown it: a unit may have been mixed up."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        spread, typical = np.std(y, axis=0), np.nanmedian(np.where(errors > 0, errors, np.nan), axis=0)
        size = np.maximum(spread, np.maximum(1e-6 * np.abs(y).max(axis=0), 1e-12))
    beyond = np.argwhere(errors > WIDEST_TARGET * size)
    if len(beyond):
        row, column = beyond[0]
        raise DataError(
            f"y_err: row {row}, column {names[column]!r} has an error of {errors[row, column]:.3g}, more than a "
            f"billion times as large as the target varies ({spread[column]:.3g}). Leave the row out if nothing is "
            "known of its target; else check units and decimals."
        )
    for t in np.flatnonzero((typical > WIDE_TARGET * spread) & (spread > 0)).tolist():
        warnings.warn(
            f"y_err is more than {WIDE_TARGET:,.0f} times as large as the target {names[t]!r} varies (typical error "
            f"{typical[t]:.3g}, standard deviation {spread[t]:.3g}): nothing can be learned. y_err must be a standard "
            "deviation in the unit of y; check units and decimals.",
            TaylorSensusWarning,
            stacklevel=4,
        )


def warn_of_empty_columns(x: np.ndarray, columns: Sequence[Column]) -> None:
    """Say so where a column holds no value at all: a header that was misread, or a file that was joined wrongly."""
    parts = [c.name for c in columns for _ in c.parts]
    empty = list(dict.fromkeys(parts[place] for place in np.flatnonzero(np.isnan(x).all(axis=0))))
    if empty:
        warnings.warn(
            f"X has columns without a single value: {listed(empty)}. They are ignored; drop them, or check "
            "that the table was read and joined correctly.",
            TaylorSensusWarning,
            stacklevel=4,
        )


def _warn(finding: str) -> None:
    remedy = (
        "X_err must be in the unit in which X arrives. In a pipeline leave the scaler out, because the model scales "
        "inside, or divide X_err by the same scale."
    )
    warnings.warn(f"{finding} {remedy}", TaylorSensusWarning, stacklevel=4)


def _looks_rescaled(x: np.ndarray, spread: np.ndarray) -> bool:
    used = spread > 0
    if len(x) < 3 or not used.any():
        return False
    x = x[:, used]
    standard = np.abs(np.nanmean(x, axis=0)) < 1e-5, np.abs(spread[used] - 1) < 1e-5
    unit = np.abs(np.nanmin(x, axis=0)) < 1e-9, np.abs(np.nanmax(x, axis=0) - 1) < 1e-9
    binary = ((x == 0) | (x == 1) | np.isnan(x)).all(axis=0)  # marks of yes and no are no sign of rescaling
    return any(bool(np.all(np.logical_and(*pair) | binary) and not binary.all()) for pair in (standard, unit))


def _is_number(given: Any) -> bool:
    return np.ndim(given) == 0 and not isinstance(given, Mapping)


def _cells(
    given: Any, names: Sequence[str], rows: int, what: str, of: str, index: pd.Index | None
) -> np.ndarray:  # fmt: skip
    """One number a cell, checked; what was given once for many is not copied."""
    shape = (rows, len(names))
    frame = as_frame(given)
    if frame is not None:
        if index is not None and len(frame) == rows and not frame.index.equals(index):
            raise DataError(
                f"{what} and {of} have different row labels; they must come in the same order with the same labels "
                "(or without any: .to_numpy())"
            )
        given = {str(name): frame[name] for name in frame.columns}
    elif isinstance(given, pd.Series) and set(map(str, given.index)) <= set(names):
        given = {str(name): value for name, value in given.items()}
    if isinstance(given, Mapping):
        cells = _from_columns(given, names, rows, what)
    else:
        values = _numbers(given, what)
        if values.ndim == 1 and len(values) != len(names):
            raise DataError(
                f"{what} has {len(values)} numbers and {of} has {len(names)} column(s); give {FORMS.format(of=of)}"
            )
        if values.ndim > 2 or (values.ndim == 2 and values.shape != shape):
            raise DataError(f"{what} has the shape {values.shape} and {of} {shape}; give {FORMS.format(of=of)}")
        cells = np.broadcast_to(values, shape)
    return _checked(cells, names, what, index)


def _from_columns(given: Mapping[Any, Any], names: Sequence[str], rows: int, what: str) -> np.ndarray:
    cells = np.full((rows, len(names)), UNKNOWN)
    places = {name: place for place, name in enumerate(names)}
    for name, value in given.items():
        if str(name) not in places:
            hint = did_you_mean(name, names, "the columns are")
            raise DataError(f"{what} names a column {str(name)!r} that does not exist{hint}")
        values = _numbers(value, f"{what}[{str(name)!r}]")
        if values.ndim > 1 or (values.ndim == 1 and len(values) != rows):
            raise DataError(
                f"{what}[{str(name)!r}] has the shape {values.shape}; give one number, or one for each of {rows} rows"
            )
        cells[:, places[str(name)]] = values
    return cells


def _numbers(value: Any, what: str) -> np.ndarray:
    try:
        if isinstance(value, pd.Series | pd.DataFrame):
            return value.to_numpy(dtype=np.float64, na_value=np.nan)
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as problem:
        raise DataError(
            f"{what} must hold standard deviations as numbers ({problem}); for texts such as '14.2±0.3' use "
            "taylor_sensus.read_measurements first"
        ) from None


def _checked(cells: np.ndarray, names: Sequence[str], what: str, index: pd.Index | None) -> np.ndarray:
    bad = np.argwhere((cells < 0) | (cells > LARGEST))
    if len(bad):
        listed_rows = ", ".join(
            f"row {named_row(index, r)}, column {names[c]!r} ({cells[r, c]:g})" for r, c in bad[:MOST_NAMED].tolist()
        )
        more = f" and {len(bad) - MOST_NAMED} more" if len(bad) > MOST_NAMED else ""
        raise DataError(
            f"{what} holds numbers that cannot be standard deviations: {listed_rows}{more}. {counting(index)} Leave a "
            "cell empty (NaN) where the error is not known, and give 0 where there is none."
        )
    return cells
