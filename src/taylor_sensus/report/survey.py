"""All rows of a table, block by block: their error bars, what these are made of, and which rows are unfamiliar."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from taylor_sensus.budget import NoiseBudget
from taylor_sensus.budget_mean import added, budget_sums
from taylor_sensus.prediction import Prediction, joined
from taylor_sensus.report.contents import Listed, Survey
from taylor_sensus.report.table import ReportTable, as_fitted, errors_as_fitted

if TYPE_CHECKING:
    from taylor_sensus.regressor import TSNetRegressor

ROWS_AT_ONCE = 8192
LISTED = 10
"""Rows that are shown by name."""


def survey_rows(model: TSNetRegressor, table: ReportTable) -> tuple[Prediction, Survey]:
    """The prediction of all rows, and what there is to say about them. Memory does not grow with rows times columns."""
    predictions, sums, identifiable, assumes = [], None, True, False
    for start in range(0, len(table.features), ROWS_AT_ONCE):
        prediction = _predicted(model, table.take(slice(start, start + ROWS_AT_ONCE)))
        budget = prediction.noise_budget()
        sums = budget_sums(budget) if sums is None else added(sums, budget_sums(budget))
        identifiable, assumes = budget.identifiable, assumes or budget.assumes_one_size
        predictions.append(_bare(prediction))
    assert sums is not None, "a table has at least one row"
    whole = joined(predictions, table.labels)
    std = whole.std.reshape(len(whole), -1)
    mean = whole.mean.reshape(len(whole), -1)
    worst = [np.argsort(-std[:, at], kind="stable")[:LISTED] for at in range(std.shape[1])]
    epistemic = whole.epistemic.reshape(len(whole), -1)
    relative = (epistemic / model.fitted_.scaler.target_scale).max(axis=1)

    def listed(order: np.ndarray) -> Listed:
        rows = np.argsort(order, kind="stable")[:LISTED]
        return Listed(table.features.iloc[rows], whole.familiarity[rows], epistemic[rows])

    names = whole.target_names
    return whole, Survey(
        rows=len(whole),
        labels=table.labels,
        std=std,
        familiarity=whole.familiarity,
        budget=sums,
        worst=[_budget_of(model, table.take(rows)).target(n) for rows, n in zip(worst, names, strict=True)],
        worst_mean=[mean[rows, at] for at, rows in enumerate(worst)],
        least_familiar=listed(whole.familiarity),
        lacking=listed(-relative),
        identifiable=identifiable,
        assumes_one_size=assumes,
    )


def _predicted(model: TSNetRegressor, rows: ReportTable) -> Prediction:
    return model.predict_distribution(as_fitted(model, rows.features), X_err=errors_as_fitted(model, rows.errors))


def _budget_of(model: TSNetRegressor, rows: ReportTable) -> NoiseBudget:
    found = _predicted(model, rows).noise_budget()
    return NoiseBudget(found.parts._replace(index=rows.labels))


def _bare(prediction: Prediction) -> Prediction:
    """Without what would keep the rows' inputs in memory."""
    return replace(prediction, index=None, noise_covariance=None, origin=None)
