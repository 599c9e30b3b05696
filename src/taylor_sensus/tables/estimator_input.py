"""From the user's table to numbers: tables, names and inference of kinds stop here; below are arrays of one kind."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import _check_feature_names, _check_n_features, _check_sample_weight, validate_data

from taylor_sensus.errors import DataError
from taylor_sensus.model.groups import NO_GROUP
from taylor_sensus.model.input_density import as_matrices
from taylor_sensus.records import EncodedTable, Names
from taylor_sensus.settings import Settings
from taylor_sensus.tables.alignment import align
from taylor_sensus.tables.columns import (
    Column,
    as_frame,
    check_finite,
    check_names,
    encode,
    has_text,
    learn_columns,
    read_targets,
    refuse_dust,
    without_dust,
)
from taylor_sensus.tables.covariances import taken_apart
from taylor_sensus.tables.declared import read_feature_errors, read_target_errors
from taylor_sensus.tables.row_names import row_labels

if TYPE_CHECKING:
    from taylor_sensus.fitted import FittedModel


class ReadsTables:
    """What an estimator needs to read its tables; scikit-learn's checks leave their marks on the estimator."""

    def _learn_table(self, X: Any, y: Any, sample_weight: Any, settings: Settings) -> tuple[EncodedTable, Names]:
        x, columns = self._learn_features(X)
        targets = read_targets(y)
        _check_lengths(x, targets.values, "X", "y")
        weight = _weights(sample_weight, x)
        kept = np.flatnonzero(weight)
        if len(kept) < 2:
            raise DataError("sample_weight leaves fewer than 2 rows with a positive weight")
        if _all_same(x, kept) and _all_same(targets.values, kept):
            raise DataError("all rows are the same, as if n_samples=1: at least 2 different rows are needed to fit")
        names = Names(columns, targets.names, targets.one_dimensional)
        prior = self._own_prior(X, settings, targets.values.shape)
        if prior is not None:
            _check_unit(prior, targets.values, targets.names, "the prior")
        return EncodedTable(x, targets.values, weight, prior), names

    def _learn_features(self, X: Any) -> tuple[np.ndarray, tuple[Column, ...]]:
        frame = as_frame(X)
        if frame is not None:
            check_names(frame)
        if frame is not None and has_text(frame):
            _check_feature_names(self, frame, reset=True)
            _check_n_features(self, frame, reset=True)
            if len(frame) < 2:
                raise DataError(f"n_samples={len(frame)}: at least 2 rows are needed to fit")
            columns = learn_columns(frame)
            x = encode(frame, columns, new_categories=True, warn_unseen=False)  # rare ones among very many
        else:
            x = self._validated(X if frame is None else frame, reset=True, ensure_min_samples=2)
            columns = tuple(Column(name, None) for name in self._names(x.shape[1]))
        index = None if frame is None else frame.index
        names = [part for column in columns for part in column.parts]
        check_finite(x, names, index=index, gaps=True)
        refuse_dust(x, names)
        return without_dust(x), columns

    def _validation_table(self, X: Any, y: Any, fitted_y: np.ndarray, names: Names, settings: Settings) -> EncodedTable:
        x, _ = self._encode(X, names.columns, "X_val", new_categories=True)
        targets = read_targets(y, "y_val")
        if targets.one_dimensional != names.one_dimensional or len(targets.names) != len(names.targets):
            raise DataError(
                f"y_val must have the shape of y: {len(names.targets)} target(s), "
                f"{'as a plain list' if names.one_dimensional else 'as a table'}, not {np.asarray(y).shape}"
            )
        _check_lengths(x, targets.values, "X_val", "y_val")
        _check_unit(targets.values, fitted_y, names.targets, "y_val")
        prior = self._own_prior(X, settings, targets.values.shape)
        if prior is not None:
            _check_unit(prior, fitted_y, names.targets, "the prior")
        return EncodedTable(x, targets.values, np.ones(len(x)), prior)

    def _encode(
        self, X: Any, columns: tuple[Column, ...], what: str = "X", *, new_categories: bool = False
    ) -> tuple[np.ndarray, pd.Index | None]:
        """Rows as numbers in the order of the fitted columns, and the table's row labels."""
        frame = as_frame(X)
        categories = any(c.categories is not None for c in columns)
        if frame is not None:
            check_names(frame, what)
            X = frame = align(frame, [c.name for c in columns])
            if categories or has_text(frame):
                _check_feature_names(self, frame, reset=False)
                _check_n_features(self, frame, reset=False)
        if categories:
            if frame is None:
                raise DataError(
                    f"{what} must be a table with named columns, because the model was fitted on text columns"
                )
            if not len(frame):
                raise DataError(f"{what} has no rows: 0 sample(s) while a minimum of 1 is required")
            x = encode(frame, columns, new_categories=new_categories)
        else:
            if frame is not None and has_text(frame):
                frame = pd.DataFrame(encode(frame, columns), columns=frame.columns, index=frame.index)
            x = self._validated(X if frame is None else frame, reset=False)
        index = None if frame is None else frame.index
        check_finite(x, [p for c in columns for p in c.parts], what, index, gaps=True)
        return without_dust(x), index

    def _validated(self, X: Any, reset: bool, **limits: Any) -> np.ndarray:
        """X as scikit-learn checks it; a text in an array is named by row and column."""
        try:
            kinds = [np.float64, np.float32]  # single precision is kept: a large table is not copied
            return validate_data(self, X, reset=reset, dtype=kinds, ensure_all_finite=False, **limits)
        except ValueError:
            cells = _text_cells(X)
            if cells is not None:
                try:
                    encode(cells, [Column(str(name), None) for name in cells.columns])
                except DataError as problem:
                    raise DataError(f"{problem} (Columns of categories must come in a DataFrame.)") from None
            raise

    def _names(self, count: int) -> list[str]:
        return [str(n) for n in getattr(self, "feature_names_in_", [f"x{i}" for i in range(count)])]

    def _own_prior(self, X: Any, settings: Settings, shape: tuple[int, ...]) -> np.ndarray | None:
        """The user's prior at the rows of X, of `shape` (rows, targets), or None for the built-in ones."""
        if not callable(settings.prior):
            return None
        try:
            values = read_targets(settings.prior(X), "the prior").values
        except DataError as problem:
            raise DataError(f"the prior must give a finite number for each row and target: {problem}") from None
        if values.shape != shape:
            raise DataError(
                f"the prior must give a finite number for each row and target, an array of shape {shape}; "
                f"it gave one of shape {values.shape}"
            )
        return values


def with_errors(table: EncodedTable, names: Names, X: Any, y: Any, X_err: Any, y_err: Any, suffix: str) -> EncodedTable:
    """The table with the declared errors of its cells."""
    rows, x_index, y_index = len(table.x), row_index(X), row_index(y)
    apart = taken_apart(X_err, y_err, rows, len(names.columns), len(names.targets), f"X{suffix}_err")
    X_err, y_err = apart.X_err, apart.y_err
    if apart.among is not None and any(c.categories is not None for c in names.columns):
        raise DataError(f"X{suffix}_err: covariances are possible only where no column holds categories")
    return table._replace(
        x_cov=apart.among,
        xy_cov=apart.with_target,
        x_err=read_feature_errors(X_err, names.columns, rows, f"X{suffix}_err", f"X{suffix}", x_index),
        y_err=read_target_errors(y_err, names.targets, rows, f"y{suffix}_err", f"y{suffix}", y_index),
    )


def with_limits(table: EncodedTable, y_limit: Any) -> EncodedTable:
    """The table with marks on censored targets."""
    if y_limit is None:
        return table
    marks = np.asarray(y_limit, dtype=object)
    words = {"below": -1.0, "above": 1.0, "": 0.0, None: 0.0}
    try:
        sides = np.array([words[m] if m in words else float(m) for m in marks.ravel().tolist()]).reshape(marks.shape)
    except (TypeError, ValueError):
        sides = np.full(marks.shape, np.nan)
    sides = sides[:, None] if sides.ndim == 1 and table.y.shape[1] == 1 else sides
    if sides.shape != table.y.shape or not np.isin(sides, (-1.0, 0.0, 1.0)).all():
        raise DataError(
            f"y_limit must hold -1 (y lies below the number in y), 1 (above) or 0 (measured), or 'below' and 'above', "
            f"for each of {len(table.y)} rows and {table.y.shape[1]} target(s)"
        )
    if (sides == 0).sum(axis=0).min() < 2:
        raise DataError("y_limit: at least 2 rows must have been measured")
    return table._replace(y_limit=sides if sides.any() else None)


def joined(one: EncodedTable, other: EncodedTable) -> EncodedTable:
    """The rows of both; what only one declares is unknown in the other."""
    parts = {}
    for name, a, b in zip(EncodedTable._fields, one, other, strict=True):
        if a is None and b is None:
            continue
        a = _unknown(name, one) if a is None else a
        b = _unknown(name, other) if b is None else b
        parts[name] = np.concatenate([a, b])
    return EncodedTable(**parts)


def _unknown(name: str, table: EncodedTable) -> np.ndarray:
    """What is not declared: no number, and no covariance."""
    if name == "x_cov":
        errors = np.zeros(table.x.shape) if table.x_err is None else np.nan_to_num(table.x_err)
        return as_matrices(errors**2)
    if name == "group":  # rows without groups have none each
        return np.full(len(table.x), NO_GROUP)
    if name in {"xy_cov", "y_limit"}:
        return np.zeros((table.x if name == "xy_cov" else table.y).shape)
    return np.full((table.x if name == "x_err" else table.y).shape, np.nan)


def carried_over(old: np.ndarray | None, new: np.ndarray | None, cells: np.ndarray) -> np.ndarray | None:
    """Errors of new cells; those that were declared for a whole column hold for its new cells too."""
    if old is None:
        return new
    whole = np.where((old == old[0]).all(axis=0), old[0], np.nan)
    return np.where(np.isnan(new), whole, new) if new is not None else np.broadcast_to(whole, cells.shape)


def row_index(table: Any) -> pd.Index | None:
    """Labels of a table's rows; None for arrays."""
    frame = as_frame(table)
    if frame is not None:
        return frame.index
    return table.index if isinstance(table, pd.Series) else None


def with_row_names(fitted: FittedModel, index: pd.Index | None) -> FittedModel:
    """The model with the names of its rows."""
    summary = fitted.fit_summary
    names = row_labels(index, summary.outliers or ())
    return fitted if names is None else replace(fitted, fit_summary=replace(summary, outlier_names=names))


def same_for_all_rows(errors: Any) -> bool:
    """Whether declared errors can be taken over for other rows: a number, or numbers by column name."""
    if isinstance(errors, dict):
        return all(np.ndim(value) == 0 for value in errors.values())
    return errors is not None and np.ndim(errors) == 0


def _weights(sample_weight: Any, x: np.ndarray) -> np.ndarray:
    """One weight a row; bad ones are named by their row."""
    if sample_weight is not None and np.asarray(sample_weight).ndim == 1:
        sample_weight = read_targets(sample_weight, "sample_weight").values[:, 0]
    return _check_sample_weight(sample_weight, x, dtype=np.float64, ensure_non_negative=True)


def _all_same(values: np.ndarray, kept: np.ndarray) -> bool:
    first, second = values[kept[:2]]
    return bool((first == second).all() and (values[kept] == first).all())


def _check_unit(values: np.ndarray, y: np.ndarray, names: tuple[str, ...], what: str) -> None:
    """Refuse values that lie so far from y that they must be in another unit."""
    scale = np.maximum(y.std(axis=0), np.maximum(1e-6 * np.abs(y).max(axis=0), 1e-12))
    far = np.argwhere(np.abs(values - y.mean(axis=0)) > 1e9 * scale)
    if len(far):
        row, column = far[0].tolist()
        raise DataError(
            f"{what}: row {row}, column {names[column]!r} ({values[row, column]:g}) is more than 1e9 standard "
            "deviations from y; is it in the same unit? Rows count from 0."
        )


def _check_lengths(x: np.ndarray, y: np.ndarray, x_name: str, y_name: str) -> None:
    if len(x) != len(y):
        raise DataError(f"{x_name} has {len(x)} rows and {y_name} has {len(y)}; they must match row by row")


def _text_cells(X: Any) -> pd.DataFrame | None:
    """An array or nested list that holds texts as a table, else None."""
    try:
        cells = np.asarray(X, dtype=object)
    except ValueError:
        return None
    if cells.ndim != 2 or not any(isinstance(cell, str) for cell in cells.flat):
        return None
    return pd.DataFrame(cells, columns=pd.Index([f"x{i}" for i in range(cells.shape[1])]))
