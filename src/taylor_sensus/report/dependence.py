"""How predictions change with one column while the others stay: averaged over rows, with the error bar's parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from taylor_sensus.prediction import Prediction
from taylor_sensus.report.contents import Curve, Dependence
from taylor_sensus.report.table import as_fitted

if TYPE_CHECKING:
    from taylor_sensus.budget_mean import BudgetSums
    from taylor_sensus.regressor import TSNetRegressor
    from taylor_sensus.tables.column import Column

CURVES = 8
"""Columns that are drawn."""
ROWS = 200
"""Rows that a curve is averaged over; of more, so many are drawn at random."""
MOST_CELLS = 10_000
"""Rows times columns that a curve is averaged over, so that wide tables do not take long; at least 25 rows."""
POINTS = 25
MOST_CATEGORIES = 12
LOOK_ROWS = 40
"""Rows for a quicker look at columns of categories, which have no slope to go by."""


def dependence(model: TSNetRegressor, features: pd.DataFrame, budget: BudgetSums) -> Dependence:
    """The curves of the columns along which the averaged prediction moves most, largest first.

    Of many columns those are drawn whose slope times the spread of the column is largest; ``budget`` has the slopes.
    """
    columns = model.fitted_.columns
    rows = _some(features, min(ROWS, max(25, MOST_CELLS // len(columns))))
    chosen = np.arange(len(columns))
    if len(columns) > CURVES:
        chosen = np.argsort(-_expected_movement(model, features, budget), kind="stable")[:CURVES]
    curves = [_curve(model, rows, features, at, POINTS) for at in chosen.tolist()]
    curves = [curve for curve in curves if len(curve.at) > 1]
    ranked = sorted(curves, key=lambda curve: -_movement(curve, model))
    return Dependence(ranked, len(rows), len(features), len(columns))


def _expected_movement(model: TSNetRegressor, features: pd.DataFrame, budget: BudgetSums) -> np.ndarray:
    """For each column how far predictions move along it, in standard deviations of the target."""
    slope = np.sqrt(budget.squared_sensitivity / np.maximum(budget.sensitivity_cells, 1))
    relative = (slope / model.fitted_.scaler.target_scale[:, None]).max(axis=0)
    few = _some(features, LOOK_ROWS)
    found = np.zeros(len(relative))
    for at, column in enumerate(model.fitted_.columns):
        if column.categories is None:
            cells = pd.to_numeric(features.iloc[:, at], errors="coerce").to_numpy(dtype=float, na_value=np.nan)
            low, high = np.nanquantile(cells, [0.01, 0.99]) if np.isfinite(cells).any() else (0.0, 0.0)
            found[at] = relative[at] * (high - low)
        else:
            found[at] = _movement(_curve(model, few, features, at, POINTS), model)
    return found


def _some(features: pd.DataFrame, count: int) -> pd.DataFrame:
    if len(features) <= count:
        return features
    return features.iloc[np.sort(np.random.default_rng(0).choice(len(features), count, replace=False))]


def _curve(model: TSNetRegressor, rows: pd.DataFrame, features: pd.DataFrame, at: int, points: int) -> Curve:
    column = model.fitted_.columns[at]
    values = _values(features.iloc[:, at], column, points)
    repeated = rows.iloc[np.tile(np.arange(len(rows)), len(values))].reset_index(drop=True)
    if len(values):
        repeated[column.name] = np.repeat(np.asarray(values, dtype=object if column.categories else float), len(rows))
        average = _averaged(model.predict_distribution(as_fitted(model, repeated)), len(values))
    else:
        average = _averaged(model.predict_distribution(as_fitted(model, rows)), 1)
    return Curve(column.name, values, average)


def _values(cells: pd.Series, column: Column, points: int) -> np.ndarray | list[str]:
    """Where to look: between the 1 % and 99 % quantiles of numbers, or the most frequent categories."""
    if column.categories is not None:
        return cells.dropna().map(str).value_counts().index[:MOST_CATEGORIES].tolist()
    numbers = pd.to_numeric(cells, errors="coerce").to_numpy(dtype=float, na_value=np.nan)
    numbers = np.unique(numbers[np.isfinite(numbers)])
    if len(numbers) <= points:
        return numbers
    present = pd.to_numeric(cells, errors="coerce").dropna().to_numpy(dtype=float)
    low, high = np.quantile(present, [0.01, 0.99])
    return np.linspace(low, high, points) if high > low else np.linspace(numbers[0], numbers[-1], points)


def _averaged(prediction: Prediction, values: int) -> Prediction:
    """Means and variances averaged over the rows that share a value."""

    def average(array: np.ndarray) -> np.ndarray:
        return array.reshape(values, -1, *array.shape[1:]).mean(axis=1)

    return Prediction(
        mean=average(prediction.mean),
        feature_variance=average(prediction.feature_variance),
        system_variance=average(prediction.system_variance),
        epistemic_variance=average(prediction.epistemic_variance),
        familiarity=average(prediction.familiarity),
        target_names=prediction.target_names,
        tails=prediction.tails,
        group_variance=None if prediction.group_variance is None else average(prediction.group_variance),
        group_freedom=prediction.group_freedom,
    )


def _movement(curve: Curve, model: TSNetRegressor) -> float:
    """How far the curve moves in standard deviations of the target, the largest over targets."""
    mean = curve.average.mean.reshape(len(curve.average), -1)
    return float((np.ptp(mean, axis=0) / model.fitted_.scaler.target_scale).max())
