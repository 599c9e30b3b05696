"""Declared errors: unknown, exact and declared are never mixed up, whatever form they come in."""

import warnings

import numpy as np
import pandas as pd
import pytest

from taylor_sensus.errors import DataError, TaylorSensusWarning
from taylor_sensus.tables.column import Column
from taylor_sensus.tables.declared import (
    read_feature_errors,
    read_target_errors,
    warn_of_empty_columns,
    warn_of_targets,
    warn_of_units,
)

COLUMNS = (Column("temp", None), Column("time", None))
WORDS = (Column("temp", None), Column("alloy", ("brass", "steel")))
NAN = np.nan
FORMS = {
    "a number": (0.5, [[0.5, 0.5], [0.5, 0.5]]),
    "exact": (0, [[0, 0], [0, 0]]),
    "one a column": ([0.5, 0], [[0.5, 0], [0.5, 0]]),
    "by name": ({"time": 2}, [[NAN, 2], [NAN, 2]]),
    "by name and row": ({"time": [2, NAN], "temp": 0}, [[0, 2], [0, NAN]]),
    "a Series by name": (pd.Series({"temp": 1.0}), [[1, NAN], [1, NAN]]),
    "one a cell": ([[1, NAN], [0, 3]], [[1, NAN], [0, 3]]),
    "some columns of a table": (pd.DataFrame({"time": [2.0, None]}), [[NAN, 2], [NAN, NAN]]),
    "a table in another order": (pd.DataFrame({"time": [1, 2], "temp": [3, 4]}), [[3, 1], [4, 2]]),
    "nullable numbers": (pd.DataFrame({"time": pd.array([2, None], "Float64")}), [[NAN, 2], [NAN, NAN]]),
}


@pytest.mark.parametrize("form", FORMS)
def test_forms(form):
    given, cells = FORMS[form]
    np.testing.assert_array_equal(read_feature_errors(given, COLUMNS, 2), cells)


def test_nothing_given_is_nothing_known():
    assert read_feature_errors(None, COLUMNS, 2) is None and read_target_errors(None, ["y"], 2) is None


REFUSED = {
    "negative": ({"time": [1, -2]}, r"row 1, column 'time' \(-2\)"),
    "infinite": ([[1, np.inf], [1, 1]], r"row 0, column 'time' \(inf\)"),
    "unknown column": ({"tmp": 1}, "column 'tmp' that does not exist; did you mean 'temp'"),
    "one a row": ([1, 2, 3], r"X_err has 3 numbers and X has 2 column\(s\); give a number for all columns, a dict"),
    "wrong shape": (np.ones((3, 2)), r"shape \(3, 2\) and X \(2, 2\)"),
    "wrong length": ({"time": [1, 2, 3]}, r"X_err\['time'\] has the shape \(3,\); give one number, or"),
    "texts": ({"time": "14±2"}, "read_measurements"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case):
    given, says = REFUSED[case]
    with pytest.raises(DataError, match=says):
        read_feature_errors(given, COLUMNS, 2)


def test_rows_in_another_order_are_refused():
    with pytest.raises(DataError, match="different row labels"):
        read_feature_errors(pd.DataFrame({"temp": [1, 2]}), COLUMNS, 2, index=pd.Index([1, 0]))


def test_categories_are_exact_or_unknown():
    np.testing.assert_array_equal(read_feature_errors(0.5, WORDS, 1), [[0.5, NAN, NAN]])
    np.testing.assert_array_equal(read_feature_errors(0, WORDS, 1), [[0, 0, 0]])
    np.testing.assert_array_equal(read_feature_errors({"alloy": 0}, WORDS, 1), [[NAN, 0, 0]])
    with pytest.raises(DataError, match="'alloy' holds categories"):
        read_feature_errors({"alloy": 0.1}, WORDS, 1)


def test_errors_of_targets():
    np.testing.assert_array_equal(read_target_errors(0.1, ["y"], 2), [[0.1], [0.1]])
    np.testing.assert_array_equal(read_target_errors([0.1, NAN], ["y"], 2), [[0.1], [NAN]])
    np.testing.assert_array_equal(read_target_errors({"b": [1, 2]}, ["a", "b"], 2), [[NAN, 1], [NAN, 2]])
    np.testing.assert_array_equal(read_target_errors(pd.Series([1, 2]), ["y"], 2), [[1], [2]])
    with pytest.raises(DataError, match="row 1, column 'y'"):
        read_target_errors([1, -1], ["y"], 2)


X = np.random.default_rng(0).normal(20, 4, (50, 2))


def test_errors_in_another_unit_than_their_column_are_noticed():
    standard = (X - X.mean(axis=0)) / X.std(axis=0)
    with pytest.warns(TaylorSensusWarning, match=r"'temp' \(typical error 40, standard deviation of the column 1\)"):
        warn_of_units(np.full(X.shape, 40.0), standard, ["temp", "time"])
    with pytest.warns(TaylorSensusWarning, match="an earlier step had rescaled it .* leave the scaler out"):
        warn_of_units(np.full(X.shape, 0.5), standard, ["temp", "time"])
    unit = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    with pytest.warns(TaylorSensusWarning, match="rescaled"):
        warn_of_units(np.full(X.shape, 0.5), unit, ["temp", "time"])


def test_ordinary_tables_give_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_units(np.full(X.shape, 0.5), X, ["temp", "time"])
        warn_of_units(np.full(X.shape, NAN), X, ["temp", "time"])
        warn_of_units(np.zeros(X.shape), (X - X.mean(axis=0)) / X.std(axis=0), ["temp", "time"])
        marks = (X > 20).astype(float)
        warn_of_units(np.full(X.shape, 0.1), marks, ["yes", "no"])


def test_an_error_of_the_target_that_drowns_it_is_noticed():
    y = X[:, :1]
    with pytest.warns(TaylorSensusWarning, match=r"more than 1,000 times as large as the target 'y' varies"):
        warn_of_targets(np.full(y.shape, 1e4), y, ["y"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_targets(np.full(y.shape, 100.0), y, ["y"])
        warn_of_targets(np.full(y.shape, NAN), y, ["y"])


def test_an_error_beyond_all_numbers_is_refused():
    errors = np.full((50, 1), 0.1)
    errors[7] = 1e30
    with pytest.raises(DataError, match=r"row 7, column 'y' has an error of 1e\+30, more than a billion times"):
        warn_of_targets(errors, X[:, :1], ["y"])
    with pytest.raises(DataError, match=r"row 0, column 'y' \(1e\+300\)"):
        read_target_errors(1e300, ["y"], 2)


def test_columns_without_a_value_are_noticed():
    gaps = np.array([[1.0, NAN, NAN], [2.0, NAN, NAN]])
    with pytest.warns(TaylorSensusWarning, match="without a single value: 'alloy'"):
        warn_of_empty_columns(gaps, WORDS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_empty_columns(np.array([[1.0, NAN], [NAN, 2.0]]), COLUMNS)
