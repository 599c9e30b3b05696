"""In Python the labels of a table are the names of its rows: in what is said of the fit, in predictions, in forms."""

import numpy as np
import pandas as pd
import pytest

from taylor_sensus import load
from taylor_sensus.errors import DataError
from tests.tiny import measurements, tiny

TABLE = measurements(40).set_axis(pd.Index([f"S{place}" for place in range(40)], name="sample"), axis=0)
X, Y = TABLE.iloc[:, :3], TABLE["strength [MPa]"]


@pytest.fixture(scope="module")
def model():
    gaps = X.copy()
    gaps.loc[["S3", "S5"], "alloy"] = None
    gaps.loc["S7", "time [s]"] = np.nan
    return tiny().fit(gaps, Y)


def test_a_missing_cell_counts_once(model):
    assert model.fitted_.fit_summary.missing_cells == 3, "not once a category"


def test_outliers_have_names_that_a_file_keeps(model, tmp_path):
    summary = model.fitted_.fit_summary
    assert summary.outlier_names == tuple(f"S{place}" for place in summary.outliers)
    model.save(tmp_path / "m.tsnet")
    assert load(tmp_path / "m.tsnet").fitted_.fit_summary.outlier_names == summary.outlier_names


def test_predictions_carry_names_and_on_request_inputs(model):
    frame = model.predict_distribution(X[:3]).to_frame(inputs=True)
    assert list(frame.index) == ["S0", "S1", "S2"] and frame.index.name == "sample"
    pd.testing.assert_frame_equal(frame[list(X)], X[:3], check_dtype=False)
    assert list(frame)[3:5] == ["mean", "std"]


def test_messages_and_forms_use_the_names(model):
    bad = X.astype({"time [s]": object})
    bad.loc["S4", "time [s]"] = "x"
    with pytest.raises(DataError, match=r"column 'time \[s\]': row 'S4' \('x'\) is not a number\. Rows go by 'sample'"):
        model.predict(bad)
    form = model.suggest(X, n=2, random_state=0).table
    assert set(form["candidate"]) <= set(X.index)
