"""The table that a report is made of: features and, where they were measured, targets."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from taylor_sensus.errors import DataError
from taylor_sensus.fitted import FittedModel
from taylor_sensus.tables.columns import as_frame, decode, encode, read_targets

if TYPE_CHECKING:
    from taylor_sensus.regressor import TSNetRegressor


class ReportTable(NamedTuple):
    """Features under the model's names, and targets as numbers; NaN where nothing was measured."""

    features: pd.DataFrame
    y: np.ndarray | None
    """``(rows, targets)``, or None if the table has no targets."""
    errors: pd.DataFrame | None = None
    """Declared errors of some of the features, in their units."""

    def take(self, rows: slice | np.ndarray) -> ReportTable:
        """These rows only."""
        y, errors = self.y, self.errors
        return ReportTable(
            self.features.iloc[rows],
            None if y is None else y[rows],
            None if errors is None else errors.iloc[rows],
        )

    @property
    def labels(self) -> pd.Index:
        """Labels of the rows."""
        return self.features.index


def read_data(data: Any, fitted: FittedModel) -> ReportTable:
    """The model's columns from a table, from ``(X, y)`` or from ``(X, y, X_err)``; other columns are not looked at."""
    names = [column.name for column in fitted.columns]
    errors = None
    if isinstance(data, tuple):
        if len(data) not in (2, 3):
            raise DataError(f"data must be a table, (X, y) or (X, y, X_err), not {len(data)} things")
        features = _features(data[0], names)
        y = None if data[1] is None else read_targets_with_gaps(data[1], fitted)
        errors = _errors(data[2], features) if len(data) == 3 else None
    else:
        frame = as_frame(data)
        if frame is None:
            raise DataError("data must be a table with named columns, or (X, y) if these are arrays")
        frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
        features = _features(frame, names)
        there = [name for name in fitted.target_names if name in frame.columns]
        if there and len(there) < len(fitted.target_names):
            missing = [name for name in fitted.target_names if name not in there]
            raise DataError(f"data has the target(s) {there}, but not {missing}; give all of them, or none")
        y = read_targets_with_gaps(frame[there], fitted) if there else None
    if not len(features):
        raise DataError("data has no rows; give at least one")
    if y is not None and len(y) != len(features):
        raise DataError(f"X has {len(features)} rows and y has {len(y)}; they must match row by row")
    return ReportTable(features, y, errors)


def kept_rows(fitted: FittedModel) -> ReportTable | None:
    """The training rows that the model keeps, categories put together again; None if it keeps none."""
    rows = getattr(fitted, "rows", None)
    if rows is None:
        return None
    errors = None
    if rows.x_err is not None:
        starts = np.cumsum([0, *(len(column.parts) for column in fitted.columns)])
        numbers = [(c.name, at) for c, at in zip(fitted.columns, starts, strict=False) if c.categories is None]
        errors = pd.DataFrame({name: rows.x_err[:, at] for name, at in numbers}) if numbers else None
    return ReportTable(decode(rows.x, fitted.columns), rows.y, errors)


def _errors(given: Any, features: pd.DataFrame) -> pd.DataFrame | None:
    """Declared errors as one number a cell, whatever form they came in."""
    if given is None:
        return None
    frame = as_frame(given)
    if frame is not None:
        return frame.set_axis(features.index, axis=0) if len(frame) == len(features) else frame
    if isinstance(given, Mapping):
        columns = {str(name): np.broadcast_to(values, len(features)) for name, values in given.items()}
        return pd.DataFrame(columns, index=features.index)
    return pd.DataFrame(np.broadcast_to(given, features.shape), columns=features.columns, index=features.index)


def _features(X: Any, names: list[str]) -> pd.DataFrame:
    frame = as_frame(X)
    if frame is None:
        values = np.asarray(X)
        if values.ndim != 2 or values.shape[1] != len(names):
            raise DataError(f"X has shape {values.shape}; the model needs (rows, {len(names)})")
        return pd.DataFrame(values, columns=pd.Index(names))
    frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
    missing = [name for name in names if name not in frame.columns]
    if missing:
        raise DataError(f"data lacks {len(missing)} column(s) that the model needs: {missing[:10]}")
    return frame[names]


def read_targets_with_gaps(y: Any, fitted: FittedModel) -> np.ndarray:
    """Targets as numbers, ``(rows, targets)``; rows without a measurement stay, as NaN."""
    frame = as_frame(y)
    values = pd.DataFrame(np.asarray(y, dtype=object).reshape(len(y), -1)) if frame is None else frame
    empty = values.isna().to_numpy()
    numbers = read_targets(values.mask(empty, 0.0).infer_objects(), "y").values.copy()
    if numbers.shape[1] != len(fitted.target_names):
        raise DataError(f"y has {numbers.shape[1]} column(s); the model has {len(fitted.target_names)} target(s)")
    numbers[empty] = np.nan
    return numbers


def as_fitted(model: TSNetRegressor, features: pd.DataFrame) -> pd.DataFrame | np.ndarray:
    """The features in the form in which the model saw them in fitting: with names, or as a plain array."""
    return features if hasattr(model, "feature_names_in_") else features.to_numpy()


def errors_as_fitted(model: TSNetRegressor, errors: pd.DataFrame | None) -> pd.DataFrame | np.ndarray | None:
    """The same for declared errors."""
    if errors is None or hasattr(model, "feature_names_in_"):
        return errors
    return errors.to_numpy()


def numbers_of(features: pd.DataFrame, fitted: FittedModel) -> np.ndarray:
    """The features as numbers, categories spread out, gaps as NaN."""
    return encode(features, fitted.columns, new_categories=True, warn_unseen=False)


def table_hash(table: ReportTable) -> str:
    """SHA-256 of the names, the cells and their order, whatever file they came from."""
    found = hashlib.sha256(json.dumps([str(name) for name in table.features.columns]).encode())
    for _, column in table.features.items():
        if pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column):
            found.update(column.to_numpy(dtype="<f8", na_value=np.nan).tobytes())
        else:
            found.update(json.dumps([None if pd.isna(cell) else str(cell) for cell in column]).encode())
    if table.y is not None:
        found.update(table.y.astype("<f8").tobytes())
    return found.hexdigest()
