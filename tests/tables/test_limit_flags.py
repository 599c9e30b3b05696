"""Columns that mark limits: found by their headers and cells, and what becomes of the values."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from taylor_sensus import read_measurements
from taylor_sensus.errors import DataError, TaylorSensusWarning
from taylor_sensus.tables.limit_flags import limit_headers, read_flags
from taylor_sensus.tables.reading import OpenedTable, table_for_model
from taylor_sensus.tables.wanted import KnownColumns, Reading


def test_headers():
    names = [
        "mass [kg]",
        "mass_limit",
        "l_age",
        "age",
        "speed limit",
        "zinc",
        "zinc_lim",
        "limit_zinc",
        "iron_limit_flag",
    ]
    assert limit_headers(names) == {
        "mass_limit": "mass [kg]",
        "l_age": "age",
        "zinc_lim": "zinc",
        "limit_zinc": "zinc",
    }


@pytest.mark.parametrize(
    ("cells", "sides"),
    [
        (["<", "", None, ">"], [-1, 0, 0, 1]),
        (["≤", "=", "≥", " < "], [-1, 0, 1, -1]),
        ([1, 0, 0, 1], [-1, 0, 0, -1]),
        ([1.0, np.nan, 0.0, np.nan], [-1, 0, 0, 0]),
        ([True, False, False, True], [-1, 0, 0, -1]),
        (["Upper", "lower limit", "no", "measured"], [-1, 1, 0, 0]),
        ([None, None, None, None], [0, 0, 0, 0]),
    ],
)
def test_marks(cells, sides):
    assert read_flags(pd.Series(cells), "x_limit").tolist() == sides


@pytest.mark.parametrize("cells", [[0.05, 0.05, 0.1], ["fast", "slow", ""], [1, 2, 0], ["<0.05", "", ""]])
def test_other_columns_mark_nothing(cells):
    assert read_flags(pd.Series(cells), "x_limit") is None


def test_minus_one_is_refused_because_it_means_two_things():
    with pytest.raises(DataError, match=r"'l_x' marks limits.*-1.*write < or >"):
        read_measurements(pd.DataFrame({"x": [1.0, 2.0], "l_x": [0, -1], "y": [1, 2]}))
    kept = read_measurements(pd.DataFrame({"x": [1.0, 2.0], "l_x": [0, -1], "y": [1, 2]}), ordinary=["l_x"])
    assert list(kept.values) == ["x", "l_x", "y"]


TABLE = pd.DataFrame(
    {"l_x": ["", "<", "", ">"], "x": [1.0, 0.5, 2.0, 9.0], "x_err": [0.1, 0.0, 0.2, 0.3], "y": [1.0, 2.0, 3.0, 4.0]}
)


def test_marked_values_are_bounds():
    with pytest.warns(TaylorSensusWarning, match=r"column 'x': cells with only a bound \(2 rows, such as 0.5\)"):
        read = read_measurements(TABLE)
    assert list(read.values) == ["x", "y"]
    np.testing.assert_array_equal(read.values["x"], [1, np.nan, 2, np.nan])
    assert read.censored.to_dict("records") == [
        {"row": 1, "column": "x", "side": "below", "bound": 0.5},
        {"row": 3, "column": "x", "side": "above", "bound": 9.0},
    ]
    X, _, X_err, _ = read.split("y")
    assert list(X) == ["x"] and X_err["x"].isna().tolist() == [False, True, False, True]


@pytest.mark.parametrize("censored", ["missing", "half", "bound", "expected"])
def test_a_mark_is_the_same_as_the_sign_in_the_cell(censored):
    rng = np.random.default_rng(0)
    x = np.round(np.exp(rng.standard_normal(40)), 3)
    below, y = x < 0.6, rng.standard_normal(40)
    marked = pd.DataFrame({"x": np.where(below, 0.6, x), "x_limit": below.astype(int), "y": y})
    written = pd.DataFrame({"x": [f"<{0.6}" if b else f"{v}" for b, v in zip(below, x, strict=True)], "y": y})
    with pytest.warns(TaylorSensusWarning, match="only a bound"):
        one, other = (read_measurements(table, censored=censored) for table in (marked, written))
    pd.testing.assert_frame_equal(one.values, other.values)
    pd.testing.assert_frame_equal(one.errors, other.errors)


def test_marks_beside_words_and_numbers_stay_columns():
    table = pd.DataFrame({"state": ["dry", "wet"], "state_limit": [0, 1], "x": [1.0, 2.0], "x_limit": [0.05, 0.1]})
    assert list(read_measurements(table).values) == ["state", "state_limit", "x", "x_limit"]


def test_a_model_reads_marks_of_its_columns_and_keeps_features_that_look_like_them():
    known = KnownColumns({"x": False}, ["y"])
    with pytest.warns(TaylorSensusWarning, match="only a bound"):
        read = table_for_model(OpenedTable("new.csv", TABLE), Reading(censored="half"), known)
    np.testing.assert_array_equal(read.X["x"], [1, 0.25, 2, np.nan])
    both = KnownColumns({"x": False, "x_limit": False}, ["y"])
    table = pd.DataFrame({"x": [1.0, 0.5], "x_limit": [0, 1]})
    read = table_for_model(OpenedTable("new.csv", table), Reading(), both)
    np.testing.assert_array_equal(read.X.to_numpy(float), [[1, 0], [0.5, 1]])
