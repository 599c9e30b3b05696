"""All rows are looked at, block by block, and the worst and least familiar are the worst and least familiar."""

import numpy as np
import pytest

from taylor_sensus.budget_mean import mean_table
from taylor_sensus.report.survey import LISTED, survey_rows
from taylor_sensus.report.table import read_data


def test_blocks_give_what_the_whole_gives(model, table, monkeypatch):
    read = read_data(table, model.fitted_)
    monkeypatch.setattr("taylor_sensus.report.survey.ROWS_AT_ONCE", 50)
    prediction, survey = survey_rows(model, read)
    whole = model.predict_distribution(read.features)
    assert prediction.mean == pytest.approx(whole.mean, rel=1e-5) and survey.rows == 120
    assert prediction.std == pytest.approx(whole.std, rel=1e-4)
    mean, expected = mean_table(survey.budget), model.noise_budget(read.features).mean(every=True)
    assert mean["variance"].to_numpy() == pytest.approx(expected["variance"].to_numpy(), rel=1e-4)
    assert mean["variance"].sum() == pytest.approx(float(np.mean(whole.variance)), rel=1e-4)
    assert prediction.origin is None, "the rows' inputs are not kept in memory"


def test_rows_are_ranked(model, table):
    _, survey = survey_rows(model, read_data(table, model.fitted_))
    prediction = model.predict_distribution(table.iloc[:, :3])
    order = np.argsort(-prediction.std, kind="stable")[:LISTED]
    assert list(survey.worst[0].index) == list(table.index[order])
    assert survey.worst_mean[0] == pytest.approx(prediction.mean[order])
    assert np.sqrt(survey.worst[0].total_variance[:, 0]) == pytest.approx(prediction.std[order], rel=1e-5)
    assert survey.least_familiar.familiarity[0] == prediction.familiarity.min()
    assert survey.lacking.epistemic[0, 0] == pytest.approx(prediction.epistemic.max())
    assert list(survey.lacking.features.columns) == ["temp [degC]", "time [s]", "alloy"]


def test_declared_errors_of_the_table_are_used(model, table):
    exact, noisy = (
        survey_rows(model, read_data((table.iloc[:, :3], None, {"temp [degC]": std}), model.fitted_))[1]
        for std in (0.0, 40.0)
    )
    share = [mean_table(s.budget).set_index("source") for s in (exact, noisy)]
    assert share[0].loc["temp [degC]", ["variance", "origin"]].tolist() == [0, "exact"]
    assert share[1].loc["temp [degC]", "origin"] == "declared" and share[1].loc["temp [degC]", "variance"] > 0
    assert noisy.worst[0].parts.kind[:, 0].tolist() == [1] * LISTED
