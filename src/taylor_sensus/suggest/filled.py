"""The form, read back: rows whose result was filled in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from taylor_sensus.errors import DataError
from taylor_sensus.suggest.form import FormNames, Suggestions, form_names
from taylor_sensus.tables.alignment import align
from taylor_sensus.tables.assignments import read_assignments
from taylor_sensus.tables.columns import MOST_NAMED, as_frame, check_names
from taylor_sensus.tables.companions import find_pairings
from taylor_sensus.tables.files import read_table
from taylor_sensus.tables.measurements import Measurements, read_measurements
from taylor_sensus.tables.reading import declared_sizes
from taylor_sensus.tables.row_names import counting, named_row, shown
from taylor_sensus.tables.wanted import Reading

if TYPE_CHECKING:
    from taylor_sensus.regressor import TSNetRegressor

DONE = ("", "done", "ok", "measured", "finished", "complete", "completed")
"""Statuses of rows that count if they have a result."""
VOID = ("failed", "planned", "pending", "running", "open", "cancelled", "canceled", "skipped", "invalid", "discarded")
"""Statuses of rows that do not count, whatever stands in them."""


class FilledRows(NamedTuple):
    """Rows with a result, as `fit` takes them.

    Parameters
    ----------
    X : DataFrame
        Settings.
    y : Series or DataFrame
        Results; a Series if the model was fitted to a plain list of numbers.
    X_err : DataFrame or None
        Declared errors of numeric settings, not a number where none is declared; None if there are none at all.
    y_err : Series, DataFrame or None
        The same of the results.
    ids : list of str
        Names of the rows in the form.
    """

    X: pd.DataFrame
    y: pd.Series | pd.DataFrame
    X_err: pd.DataFrame | None
    y_err: pd.Series | pd.DataFrame | None
    ids: list[str]


def read_filled(model: TSNetRegressor, table: Any, reading: Reading | None = None) -> FilledRows:
    """Rows of a form whose result is filled in and whose status does not say that they failed or are only planned.

    Results and settings may be written with their errors (``14.2 ± 0.3``, or a column such as ``strength_err``). All
    that is wrong is refused at once, by row and column.

    Parameters
    ----------
    model : TSNetRegressor
        Fitted; it made the form, or one with the same columns.
    table : Suggestions, DataFrame or path
        The form.
    reading : Reading, optional
        Errors of whole columns, which count where a cell has none of its own.

    Returns
    -------
    FilledRows
        The rows that are done.
    """
    check_is_fitted(model, "fitted_")
    fitted = model.fitted_
    features = [column.name for column in fitted.columns]
    targets = list(fitted.target_names)
    names = form_names([*features, *targets])
    frame = _by_id(align(_frame(table), [*features, *targets]), names)
    missing = [name for name in [*features, *targets] if name not in frame.columns]
    if missing:
        raise DataError(f"the form lacks the columns {', '.join(map(repr, missing))}; keep all columns as they were")
    status = _status(frame, names)
    off = status.isin(VOID).to_numpy()
    words = [column.name for column in fitted.columns if column.categories is not None]
    read = _read(frame, features, targets, words, off, names, reading or Reading())
    has_result = read.values[targets].notna().to_numpy()
    filled = has_result.all(axis=1)
    problems = _problems(frame, status, has_result, off, targets)
    if problems:
        raise DataError(f"{'; '.join(problems)}. {counting(frame.index)}")
    if not filled.any():
        raise DataError(f"no row of the form has a result yet; fill in {' and '.join(map(repr, targets))}")
    X, y = read.values.loc[filled, features], read.values.loc[filled, targets].astype(float)
    numbers = [name for name in features if name in read.errors.columns]
    X_err, y_err = read.errors.loc[filled, numbers], read.errors.loc[filled, targets]
    ids = frame[names.id] if names.id in frame.columns else pd.Series(frame.index, index=frame.index)
    one = fitted.one_dimensional
    return FilledRows(
        X=X,
        y=y[targets[0]] if one else y,
        X_err=X_err if X_err.notna().to_numpy().any() else None,
        y_err=None if not y_err.notna().to_numpy().any() else (y_err[targets[0]] if one else y_err),
        ids=[str(name) for name in ids[filled]],
    )


def _frame(table: Any) -> pd.DataFrame:
    if isinstance(table, Suggestions):
        table = table.table
    frame = as_frame(table)
    if frame is None:
        frame = read_table(table)
    check_names(frame, "the form")
    return frame.set_axis([str(name) for name in frame.columns], axis=1)


def _by_id(frame: pd.DataFrame, names: FormNames) -> pd.DataFrame:
    """Rows go by the form's own names for them where these are unique."""
    ids = frame[names.id] if names.id in frame.columns else None
    if ids is not None and ids.notna().all() and ids.is_unique:
        return frame.set_axis(pd.Index(ids.map(str), name=names.id), axis=0)
    return frame if frame.index.is_unique else frame.reset_index(drop=True)


def _status(frame: pd.DataFrame, names: FormNames) -> pd.Series:
    if names.status not in frame.columns:
        return pd.Series("", index=frame.index)
    return frame[names.status].map(lambda cell: "" if pd.isna(cell) else str(cell).strip().casefold())


def _read(
    frame: pd.DataFrame,
    features: list[str],
    targets: list[str],
    words: list[str],
    off: np.ndarray,
    names: FormNames,
    reading: Reading,
) -> Measurements:
    """Settings, results and their errors; rows that do not count are blanked, so that nothing in them matters."""
    wanted, headers = [*features, *targets], list(frame)
    settings, one = [name for name in features if name not in words], len(targets) == 1
    x = read_assignments(reading.x_err or (), option="--x-err", among=settings, headers=headers, one_unit=False)
    y = read_assignments(reading.y_err or (), option="--y-err", among=targets, headers=headers, one_unit=one)
    declared = x.columns | y.columns
    others = [name for name in headers if name not in names or name in declared.values()]
    pairings = find_pairings(others, ordinary=wanted, declared=declared)
    errors = [pairing.errors for pairing in pairings if pairing.column in wanted]
    cells = frame.loc[:, [*wanted, *errors]].astype(object).where(~pd.Series(off, index=frame.index), None)
    numbers = [name for name in [*wanted, *errors] if name not in words]
    for name in numbers:
        column = pd.to_numeric(cells[name], errors="coerce")
        if (column.notna() | cells[name].isna()).all():
            cells[name] = column.astype(float)
    read = read_measurements(cells, numbers=numbers, text=words, ordinary=wanted, error_columns=declared)
    return read.declare(declared_sizes(read, x, settings) | declared_sizes(read, y, targets))


def _problems(
    frame: pd.DataFrame, status: pd.Series, has_result: np.ndarray, off: np.ndarray, targets: list[str]
) -> list[str]:
    problems = []
    strange = np.flatnonzero(~status.isin([*DONE, *VOID]))
    if len(strange):
        cells = ", ".join(
            f"{named_row(frame.index, r)} ({shown(status.iloc[r])})" for r in strange[:MOST_NAMED].tolist()
        )
        known = ", ".join(map(repr, [word for word in (*DONE, *VOID) if word]))
        problems.append(f"column 'status': unknown in row {cells}; leave it empty, or write one of {known}")
    half = np.flatnonzero(has_result.any(axis=1) & ~has_result.all(axis=1))
    half = half[~off[half]]
    for row in half[:MOST_NAMED].tolist():
        empty = ", ".join(repr(name) for name, there in zip(targets, has_result[row], strict=True) if not there)
        name = named_row(frame.index, row)
        problems.append(f"row {name}: column {empty} is empty although other results are there; fill in all or none")
    claimed = np.flatnonzero(status.isin(DONE[1:]).to_numpy() & ~has_result.any(axis=1))
    for row in claimed[:MOST_NAMED].tolist():
        name, word = named_row(frame.index, row), shown(status.iloc[row])
        problems.append(f"row {name}: the status is {word}, but column {targets[0]!r} has no result")
    return problems
