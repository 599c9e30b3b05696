"""Errors that differ upwards and downwards."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from taylor_sensus import read_measurements
from taylor_sensus.tables.asymmetric import asymmetric_headers, split_normal


def test_moments_are_those_of_draws():
    rng = np.random.default_rng(0)
    up, down = 0.3, 0.1
    above = rng.uniform(size=400_000) < up / (up + down)
    draws = 1.2 + np.abs(rng.standard_normal(400_000)) * np.where(above, up, -down)
    found = split_normal(np.array([1.2]), np.array([up]), np.array([down]))
    assert found.mean[0] == pytest.approx(draws.mean(), abs=2e-3)
    assert found.std[0] == pytest.approx(draws.std(), abs=2e-3)


def test_equal_sides_are_a_normal_distribution():
    found = split_normal(np.array([5.0]), np.array([0.2]), np.array([0.2]))
    np.testing.assert_allclose([found.mean[0], found.std[0]], [5.0, 0.2])


@pytest.mark.parametrize("cell", ["1.2 +0.3 -0.1", "1.2+0.3/-0.1", "1.2^{+0.3}_{-0.1}", "1.2_{-0.1}^{+0.3}"])
def test_notations(cell: str):
    read = read_measurements(pd.DataFrame({"mass": [cell, "2.0"], "y": [1.0, 2.0]}))
    found = split_normal(np.array([1.2]), np.array([0.3]), np.array([0.1]))
    assert read.values["mass"][0] == pytest.approx(found.mean[0])
    assert read.errors["mass"][0] == pytest.approx(found.std[0])
    assert np.isnan(read.errors["mass"][1])


def test_two_columns_of_errors():
    table = pd.DataFrame({"mass": [1.2, 3.0], "mass_err1": [0.3, 0.2], "mass_err2": [-0.1, -0.2], "y": [0.0, 1.0]})
    assert asymmetric_headers(list(table)) == {"mass": ("mass_err1", "mass_err2")}
    read = read_measurements(table)
    found = split_normal(table["mass"].to_numpy(), np.array([0.3, 0.2]), np.array([0.1, 0.2]))
    np.testing.assert_allclose(read.values["mass"], found.mean)
    np.testing.assert_allclose(read.errors["mass"], found.std)
    assert list(read.values) == ["mass", "y"]


def test_one_such_column_alone_is_an_ordinary_one():
    assert asymmetric_headers(["mass", "mass_err1"]) == {}
