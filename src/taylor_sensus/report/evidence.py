"""Which predictions may evaluate the model? Only those that were made without the rows' own measurements."""

from __future__ import annotations

import numpy as np
import pandas as pd

from taylor_sensus.fitted import FittedModel
from taylor_sensus.prediction import Prediction
from taylor_sensus.report.contents import EvaluatedRows
from taylor_sensus.report.table import ReportTable


def is_training_table(table: ReportTable, fitted: FittedModel) -> bool:
    """Whether this is the table that the model was fitted on: as many rows, and the same measurements in them."""
    if table.y is None or len(table.y) != fitted.fit_summary.rows:
        return False
    held_out = getattr(fitted, "held_out", None)
    if held_out is None:
        return True
    kept = held_out.rows >= 0
    rows, y = held_out.rows[kept], held_out.y[kept]
    if len(rows) and rows.max() >= len(table.y):
        return False
    there = table.y[rows]
    unit = np.maximum(np.abs(y), np.abs(fitted.scaler.target_scale))
    return bool((np.abs(there - y) <= 1e-4 * unit).all())


def held_out_evidence(fitted: FittedModel, table: ReportTable | None) -> EvaluatedRows | None:
    """Predictions for training rows by networks that had not seen them; None if the model has none.

    The standard deviations are made wider by as much as the errors of the few networks that had not seen a row are
    larger than those of the whole ensemble, so that both stand in the proportion that new rows will have.
    """
    held_out = getattr(fitted, "held_out", None)
    if held_out is None or not len(held_out.rows):
        return None
    std = np.asarray(held_out.std, dtype=float)
    error, expected = np.abs(held_out.y - held_out.mean), np.abs(held_out.score)
    known = (expected > 0) & (error > 0)
    std = np.where(known, error / np.where(known, expected, 1), std)
    of_validation = held_out.rows < 0
    if of_validation.all():
        labels = pd.Index([f"validation row {at}" for at in range(len(of_validation))])
        origin = "They are the validation rows that were given to fit; no network was trained on them."
    else:
        names = pd.RangeIndex(fitted.fit_summary.rows) if table is None else table.labels
        labels = names[np.maximum(held_out.rows, 0)]
        if of_validation.any():
            labels = labels.astype(object).where(~of_validation, "validation row")
        origin = "Each row was predicted by networks of the ensemble that were trained without it."
        total = fitted.fit_summary.rows
        if len(held_out.rows) < 0.99 * fitted.fit_summary.distinct_rows:
            origin += f" The model keeps such predictions for {len(held_out.rows):,} of its {total:,} rows."
    return EvaluatedRows(origin, True, labels, np.asarray(held_out.y, float), _held_out_predictions(fitted, std))


def _held_out_predictions(fitted: FittedModel, std: np.ndarray) -> tuple[Prediction, ...]:
    """The distributions of held-out rows: their means, these standard deviations, and the model's tails."""
    nothing, mean = np.zeros(std.shape), np.asarray(fitted.held_out.mean, float)
    between, freedom = None, None
    if fitted.groups is not None:
        between, freedom = np.minimum(fitted.held_out.group_variance, std**2), float(fitted.groups.freedom)
    whole = Prediction(
        mean, nothing, std**2 - (nothing if between is None else between), nothing, familiarity=np.ones(len(std)),
        target_names=fitted.target_names, tails=fitted.ensemble.tails, group_variance=between, group_freedom=freedom,
    )  # fmt: skip
    return tuple(whole.target(name) for name in fitted.target_names)


def new_row_evidence(table: ReportTable, prediction: Prediction, certain: bool) -> EvaluatedRows | None:
    """Predictions for the rows of a table with measurements; None if there are none."""
    if table.y is None:
        return None
    measured = ~np.isnan(table.y).any(axis=1)
    if not measured.any():
        return None
    predictions = tuple(prediction.target(name).take(measured) for name in prediction.target_names)
    if certain:
        origin = "They are rows of the given table, which is not the one that the model was fitted on."
    else:
        origin = (
            "They are rows of the given table. It may be the one that the model was fitted on, and then these errors "
            "are smaller than those of new rows will be."
        )
    if not measured.all():
        origin += f" {np.count_nonzero(~measured):,} rows without a measurement are left out."
    return EvaluatedRows(origin, certain, table.labels[measured], table.y[measured], predictions)
