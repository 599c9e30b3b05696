"""The page stays small, however large the table: rows are counted in cells, and the page says so."""

import re

import numpy as np
import pandas as pd
import pytest

from taylor_sensus.prediction import Prediction
from taylor_sensus.report import make_report
from taylor_sensus.report.contents import EvaluatedRows
from taylor_sensus.report.gather import gather
from taylor_sensus.report.page import page

pytestmark = pytest.mark.slow


def table_of(rows, columns, seed=0):
    rng = np.random.default_rng(seed)
    x = pd.DataFrame(
        rng.normal(size=(rows, columns)), columns=[f"measured quantity {at} [kg m-3]" for at in range(columns)]
    )
    return x, pd.Series(x.iloc[:, 0] + np.sin(x.iloc[:, 1]) + rng.normal(0, 0.1, rows), name="strength [MPa]")


def test_a_thousand_rows_of_thirty_columns_fit_in_400_kb(make_model):
    x, y = table_of(1000, 30)
    model = make_model().fit(x, y)
    made = make_report(model, data=(x, y))
    assert len(made.html.encode()) <= 400_000
    assert made.html.count("<use") > 1500, "all rows are drawn"


@pytest.fixture(scope="module")
def wide(make_model):
    x, y = table_of(200, 200)
    return gather(make_model().fit(x, y), (x, y))


def test_many_rows_of_200_columns_fit_in_2_mb(wide):
    """The figures and tables of 200,000 rows; the model was fitted on few, as fitting is not what is tested."""
    rng = np.random.default_rng(0)
    rows = 200_000
    y = rng.normal(size=(rows, 1)) * 50
    std = rng.uniform(1, 20, (rows, 1))
    mean, nothing = (y + std * rng.standard_t(4, (rows, 1)))[:, 0], np.zeros(rows)
    prediction = Prediction(mean, nothing, std[:, 0] ** 2, nothing, nothing, tails=wide.fitted.ensemble.tails)
    many = EvaluatedRows("", True, pd.RangeIndex(rows), y, (prediction,))
    survey = wide.survey._replace(rows=rows, familiarity=rng.beta(5, 1, rows), std=std)
    made = page(wide._replace(evidence=many, survey=survey))
    assert len(made.encode()) <= 2_000_000
    assert made.count("200,000 rows") >= 3 and "counted in cells" in made


def test_what_was_drawn_at_random_is_said(wide):
    made = page(wide)
    assert "Shown are the 8 of 200 columns" in made
    smaller, silent = (re.search(p, made) for p in (r"(\d+) smaller sources", r"(\d+) sources have no part in it"))
    assert 10 + sum(int(found[1]) for found in (smaller, silent) if found) >= 202, "all sources are accounted for"
