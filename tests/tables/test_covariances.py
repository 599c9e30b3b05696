"""Errors that go together in a row."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from taylor_sensus import read_measurements
from taylor_sensus.errors import DataError
from taylor_sensus.fit.law import shared_errors
from taylor_sensus.tables.covariances import taken_apart
from tests.tiny import tiny


def test_columns_of_covariances_become_matrices():
    table = pd.DataFrame({"a": [1.0, 2.0], "a_err": [0.1, 0.2], "b": [3.0, 4.0], "b_err": [0.3, 0.4], "y": [0.0, 1.0],
                          "y_err": [0.5, 0.5], "cov(a,b)": [0.01, -0.02], "cov(b,y)": [0.03, 0.0]})  # fmt: skip
    split = read_measurements(table).split("y")
    assert list(split.X) == ["a", "b"]
    expected = [[0.01, 0.01, 0.0], [0.01, 0.09, 0.03], [0.0, 0.03, 0.25]]
    np.testing.assert_allclose(split.X_err[0], expected)
    np.testing.assert_allclose(read_measurements(table).inputs(["b", "a"]).X_err[1], [[0.16, -0.02], [-0.02, 0.04]])


def test_matrices_that_are_no_covariances_are_refused():
    good = np.broadcast_to(np.array([[1.0, 0.5], [0.5, 1.0]]), (4, 2, 2)).copy()
    assert taken_apart(good, None, 4, 2, 1).among is not None
    too_much = good.copy()
    too_much[2, 0, 1] = too_much[2, 1, 0] = 1.5
    with pytest.raises(DataError, match="row 2"):
        taken_apart(too_much, None, 4, 2, 1)
    with pytest.raises(DataError, match="shape"):
        taken_apart(good[:3], None, 4, 2, 1)


def test_what_the_targets_error_shares_with_the_readings():
    """For one reading c / S; an exact feature brings nothing along."""
    covariance = np.array([[[4.0, 0.0], [0.0, 0.0]]])
    found = shared_errors(covariance, np.array([[1.0, 0.0]]), np.array([True, True]))
    np.testing.assert_allclose(found, [[0.25, 0.0]])


@pytest.mark.slow
def test_errors_shared_with_the_target_do_not_bend_the_law():
    """y and its reading share their error: without the covariance the law is too steep."""
    rng = np.random.default_rng(0)
    x, shared = rng.standard_normal((400, 1)), 0.5 * rng.standard_normal(400)
    w, y = x + shared[:, None], 2 * x[:, 0] + shared + 0.1 * rng.standard_normal(400)
    whole = np.broadcast_to(np.full((2, 2), 0.25), (400, 2, 2)).copy()
    line = np.array([[-1.0], [1.0]])
    told = tiny().fit(w, y, X_err=whole).predict(line, X_err=0)
    untold = tiny().fit(w, y, X_err=0.5, y_err=0.5).predict(line, X_err=0)
    assert np.diff(told)[0] / 2 == pytest.approx(2.0, abs=0.15)
    assert np.diff(untold)[0] / 2 > np.diff(told)[0] / 2 + 0.12  # in theory by c / V = 0.25
