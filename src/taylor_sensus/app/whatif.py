"""One row to play with: its prediction, where the error comes from, and a curve through it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from taylor_sensus.app.workbench import COVERAGE, Opened
from taylor_sensus.budget import NoiseBudget
from taylor_sensus.errors import DataError
from taylor_sensus.prediction import Interval, Prediction
from taylor_sensus.report.table import as_fitted, errors_as_fitted
from taylor_sensus.tables.column import Column

POINTS = 61
STEPS = 200
"""Positions of a slider."""
MARGIN = 0.1
"""How far sliders go beyond the training rows, as a share of their range; there the model extrapolates and says so."""


class Control(NamedTuple):
    """An input that can be changed: numbers from `low` to `high`, or categories, which go by their positions."""

    column: Column
    start: float
    low: float = 0.0
    high: float = 0.0
    seen: tuple[float, float] = (0.0, 0.0)
    """The smallest and the largest number of the training rows."""
    declared: float | None = None
    """The error that is usually declared for it, if one is."""

    @property
    def moves(self) -> bool:
        """Whether the training rows differ in it; else nothing was learned from it."""
        return self.column.categories is not None or self.seen[0] < self.seen[1]

    @property
    def step(self) -> float:
        """The smallest change: a round number."""
        return float(f"{(self.high - self.low) / STEPS:.0e}") if self.high > self.low else 1.0


class RowView(NamedTuple):
    """What the model says about one row, and along one of its columns."""

    prediction: Prediction
    interval: Interval
    budget: NoiseBudget
    along: Control
    at: float | str
    """Where the row stands on it."""
    places: np.ndarray | list[str]
    curve: Prediction


def controls_of(opened: Opened) -> list[Control]:
    """A control for each column, set to the middle of the training rows; refused if these are not known."""
    if opened.rows is None:
        raise DataError(
            "This model file does not hold its training rows, so there are no ranges for sliders. Fit the table here, "
            "or save the model with its rows."
        )
    controls = []
    declared = opened.model.fitted_.fit_summary.declared
    for column in opened.model.fitted_.columns:
        cells = opened.rows[column.name].dropna()
        if column.categories is not None:
            most_frequent = str(cells.map(str).mode().iloc[0]) if len(cells) else column.categories[0]
            controls.append(Control(column, column.categories.index(most_frequent)))
            continue
        numbers = cells.to_numpy(dtype=float)
        low, middle, high = np.quantile(numbers, [0, 0.5, 1], method="nearest") if len(numbers) else (0.0, 0.0, 1.0)
        margin = MARGIN * (high - low)
        bottom = max(low - margin, 0.0) if low >= 0 else low - margin  # what is never negative stays so
        error = declared[column.name].std if column.name in declared else None
        seen = (float(low), float(high))
        controls.append(Control(column, float(middle), float(bottom), float(high + margin), seen, error))
    return controls


def read_row(fields: Mapping[str, str], controls: list[Control]) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """The row and its declared errors from the fields of the form; an empty field is a missing cell, or no error."""
    cells: dict[str, list] = {}
    errors: dict[str, list[float]] = {}
    for at, control in enumerate(controls):
        name = control.column.name
        text = fields.get(f"value-{at}", "").strip()
        if control.column.categories is None:
            cells[name] = [_number(text, name) if text else np.nan]
            error = fields.get(f"error-{at}", "").strip()
            if error:
                errors[name] = [_number(error, f"the error of {name}")]
        else:
            cells[name] = [category(control, text) if text else None]
    return pd.DataFrame(cells), pd.DataFrame(errors) if errors else None


def category(control: Control, position: str) -> str:
    """The category at a position that a form sent."""
    categories = control.column.categories or ()
    if not position.isdecimal() or int(position) >= len(categories):
        raise DataError(f"{control.column.name}: there is no category number {position!r}; choose one of the list.")
    return categories[int(position)]


def look(opened: Opened, row: pd.DataFrame, errors: pd.DataFrame | None, along: Control) -> RowView:
    """Ask the model about the row, and about the same row with other values in the column `along`."""
    model = opened.model
    name = along.column.name
    X, X_err = as_fitted(model, row), errors_as_fitted(model, errors)
    prediction = model.predict_distribution(X, X_err=X_err)
    places: np.ndarray | list[str]
    if along.column.categories is None:
        places = np.linspace(along.low, along.high, POINTS)
    else:
        places = list(along.column.categories[:POINTS])
    many = row.loc[row.index.repeat(len(places))].reset_index(drop=True)
    many[name] = places
    many_errors = None
    if errors is not None:
        many_errors = errors.loc[errors.index.repeat(len(places))].reset_index(drop=True)
    curve = model.predict_distribution(as_fitted(model, many), X_err=errors_as_fitted(model, many_errors))
    return RowView(
        prediction,
        prediction.conformal_interval(COVERAGE),
        prediction.noise_budget(),
        along,
        row[name].iloc[0],
        places,
        curve,
    )


def _number(text: str, what: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = np.nan
    if not np.isfinite(value):
        raise DataError(f"{what}: {text!r} is not a number.")
    return value
