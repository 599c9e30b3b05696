"""References are honest: out of fold, repeats together, and the right one wins where it must."""

import numpy as np
import pandas as pd
import pytest

from taylor_sensus.prediction import Prediction
from taylor_sensus.report.contents import EvaluatedRows
from taylor_sensus.report.references import compare, mean_only


def evidence(y, mean):
    nothing = np.zeros(len(y))
    predictions = tuple(Prediction(column, nothing, nothing + 1, nothing, nothing) for column in mean.T)
    return EvaluatedRows("", True, pd.RangeIndex(len(y)), y, predictions)


def errors(found):
    return {method.name: method.rmse for method in found.methods}


def test_a_straight_line_is_found_and_the_model_comes_last():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 3))
    y = x @ [[3.0, 0.0], [-2.0, 1.0], [0.0, 1.0]] + rng.normal(0, 0.1, (200, 2))
    found = compare(x, y, np.arange(200), evidence(y, y + 0.5), 1)
    rmse = errors(found)
    assert list(rmse)[-1] == "Taylor-Sensus" and rmse["Taylor-Sensus"] == pytest.approx([0.5, 0.5])
    assert (rmse["straight line (ridge)"] < 0.15).all()
    assert (rmse["straight line (ridge)"] < rmse["random forest"]).all()
    assert rmse["mean of the other rows"] == pytest.approx(y.std(axis=0), rel=0.05)


def test_repeated_rows_do_not_leak():
    rng = np.random.default_rng(0)
    x, noise = np.repeat(rng.normal(size=(60, 2)), 3, axis=0), np.repeat(rng.normal(size=(60, 1)), 3, axis=0)
    found = compare(x, noise, np.arange(180), evidence(noise, noise), 1)
    assert errors(found)["random forest"][0] > 0.9 * noise.std(), "nothing can be learned from pure noise"


def test_gaps_are_filled_and_rows_keep_the_order_of_the_evidence():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(100, 2))
    y = x[:, :1] * 5
    x[::7, 1] = np.nan
    rows = rng.permutation(100)[:80]
    found = compare(x, y, rows, evidence(y[rows], y[rows]), 1)
    assert errors(found)["Taylor-Sensus"][0] == 0 and errors(found)["straight line (ridge)"][0] < 0.1


def test_many_rows_are_drawn_and_the_report_says_so(monkeypatch):
    monkeypatch.setattr("taylor_sensus.report.references.MOST_ROWS", 50)
    y = np.random.default_rng(0).normal(size=(200, 1))
    found = compare(y.copy(), y, np.arange(200), evidence(y, y), 1)
    assert any("use 50 of 200 rows, drawn at random with seed 0" in note for note in found.notes)


def test_too_few_rows_are_not_compared():
    y = np.arange(8.0)[:, None]
    assert compare(y, y, np.arange(8), evidence(y, y), 1) is None
    same = np.zeros((40, 1))
    assert compare(same, np.arange(40.0)[:, None], np.arange(40), evidence(same, same), 1) is None


def test_new_rows_have_the_training_mean_as_reference():
    y = np.array([[1.0], [3.0]])
    found = mean_only(np.array([0.0]), evidence(y, y))
    assert errors(found) == {"mean of the training rows": pytest.approx([5**0.5]), "Taylor-Sensus": [0]}
    assert "need the table" in found.notes[0]
