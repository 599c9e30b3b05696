"""The model is judged by predictions that were made without the row, and the report says which these are."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from taylor_sensus.fitted import HeldOut
from taylor_sensus.model.tails import Tails
from taylor_sensus.report.evidence import held_out_evidence, is_training_table, new_row_evidence
from taylor_sensus.report.table import ReportTable, read_data


def fitted_with(rows, counts=None, shrink=1.0):
    """What the evidence asks of a fitted model: held-out predictions of 20 rows, and their errors in stds."""
    rng = np.random.default_rng(0)
    y, std = rng.normal(size=(len(rows), 1)), np.full((len(rows), 1), 0.5)
    mean = y + rng.normal(size=y.shape)
    zero = np.zeros_like(std)
    score = shrink * (y - mean) / std
    held = HeldOut(np.asarray(rows), np.zeros(len(rows), int), y, mean, zero, std**2, zero, score, group_variance=zero)
    scaler = SimpleNamespace(target_scale=np.ones(1))
    counted = SimpleNamespace(**{"rows": 20, "distinct_rows": 20, **(counts or {})})
    ensemble = SimpleNamespace(tails=Tails(np.array([4.0]), np.array([1.5])))
    return SimpleNamespace(
        held_out=held, fit_summary=counted, scaler=scaler, ensemble=ensemble, target_names=("strength",), groups=None
    )


def table_of(y, labels=None):
    return ReportTable(pd.DataFrame({"x": np.zeros(len(y))}, index=labels), np.asarray(y))


def test_the_training_table_is_recognised_by_its_measurements(model, table):
    assert is_training_table(read_data(table, model.fitted_), model.fitted_)
    assert not is_training_table(read_data(table.iloc[::-1], model.fitted_), model.fitted_)
    assert not is_training_table(read_data(table.iloc[:-1], model.fitted_), model.fitted_)
    assert not is_training_table(read_data(table.drop(columns="strength [MPa]"), model.fitted_), model.fitted_)


def test_held_out_predictions_carry_the_labels_of_their_rows():
    fitted = fitted_with(np.arange(20)[::-1])
    found = held_out_evidence(fitted, table_of(np.zeros((20, 1)), [f"r{at}" for at in range(20)]))
    assert found.unseen and found.labels[0] == "r19" and found.mean == pytest.approx(fitted.held_out.mean)
    assert held_out_evidence(fitted, None).labels[0] == 19


def test_error_bars_stand_to_errors_as_they_will_for_new_rows():
    found = held_out_evidence(fitted_with(np.arange(20), shrink=0.8), None)
    assert found.std == pytest.approx(0.5 / 0.8)
    low, high = found.target(0).prediction.interval(0.9)
    assert high - found.mean[:, 0] != pytest.approx(found.mean[:, 0] - low, rel=0.2), "with the tails of the model"
    assert found.target(0).z == pytest.approx(fitted_with(np.arange(20), shrink=0.8).held_out.score[:, 0])


def test_validation_rows_are_called_so():
    found = held_out_evidence(fitted_with(np.full(20, -1)), None)
    assert "validation rows" in found.origin and found.labels[3] == "validation row 3"
    assert is_training_table(table_of(np.zeros((20, 1))), fitted_with(np.full(20, -1)))


def test_a_part_of_the_rows_is_said_to_be_a_part():
    found = held_out_evidence(fitted_with(np.arange(20), {"rows": 1000, "distinct_rows": 1000}), None)
    assert "20 of its 1,000 rows" in found.origin


def test_new_rows_are_judged_by_the_model_itself(model, table):
    other = table.iloc[:50].copy()
    other.iloc[:10, 3] = np.nan
    read = read_data(other, model.fitted_)
    prediction = model.predict_distribution(read.features)
    found = new_row_evidence(read, prediction, certain=True)
    assert len(found.y) == 40 and "10 rows without a measurement" in found.origin and found.unseen
    assert found.mean[:, 0] == pytest.approx(prediction.mean[10:])
    assert "may be the one" in new_row_evidence(read, prediction, certain=False).origin
    assert new_row_evidence(read._replace(y=None), prediction, certain=True) is None
    assert new_row_evidence(read._replace(y=np.full((50, 1), np.nan)), prediction, certain=True) is None
