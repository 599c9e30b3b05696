"""Columns by name: those that a model has learned, and those that the user names."""

import pandas as pd
import pytest

from taylor_sensus.errors import DataError
from taylor_sensus.tables.alignment import align, headers_meant, split_target

STEEL = pd.DataFrame({"T": [300.5, 310.0], "alloy": ["steel", "brass"], "n": [1, 2]})


def aligned(headers, learned):
    return list(align(pd.DataFrame([range(len(headers))], columns=headers), learned))


@pytest.mark.parametrize(
    ("headers", "learned", "expected"),
    [
        (["temp"], ["temp [degC]"], ["temp [degC]"]),
        (["temp (°C)", "p"], ["temp [degC]", "p"], ["temp [degC]", "p"]),
        (["temp [degC]"], ["temp"], ["temp"]),
        (["p", "temp"], ["temp [degC]", "p"], ["p", "temp [degC]"]),
        (["T [K]", "T [degC]"], ["T [degC]"], ["T [K]", "T [degC]"]),  # the very header goes first
        (["T / degC", "T"], ["T [degC]"], ["T [degC]", "T"]),  # then the same unit
        (["other"], ["temp"], ["other"]),
        (["T"], ["T [K]", "T [degC]"], ["T"]),  # which of the two cannot be told
        (["T / K", "T (°C)"], ["T [K]", "T [degC]"], ["T [K]", "T [degC]"]),
        (["temp"], ["temp (sd)"], ["temp"]),  # sd is no unit
        ([0, 1], ["x0", "x1"], [0, 1]),
    ],
)
def test_headers_that_mean_a_learned_column(headers, learned, expected):
    assert aligned(headers, learned) == expected


def test_other_units_are_refused_all_at_once():
    with pytest.raises(DataError) as caught:
        aligned(["temp [K]", "p [Pa]", "h"], ["temp [degC]", "p [bar]", "h [m]"])
    assert "column 'temp [degC]' was learned in 'degC', but comes in 'K'" in str(caught.value)
    assert "column 'p [bar]' was learned in 'bar', but comes in 'Pa'" in str(caught.value)
    assert "'h" not in str(caught.value)


def test_two_columns_that_may_both_be_meant():
    with pytest.raises(DataError, match=r"columns 'T \[K\]' and 'T \[degC\]' may both be what was learned as 'T'"):
        aligned(["T [K]", "T [degC]"], ["T"])


def test_the_values_stay_with_their_columns():
    frame = pd.DataFrame({"p": [1], "temp": [2]})
    found = align(frame, ["temp [degC]", "p"])
    assert found.to_dict("list") == {"p": [1], "temp [degC]": [2]} and list(frame) == ["p", "temp"]


def test_names_without_units():
    headers = ["T [K]", "T [degC]", "p [bar]", "x"]
    assert headers_meant("p", headers) == headers_meant("p (bar)", headers) == ["p [bar]"]
    assert headers_meant("T", headers) == ["T [K]", "T [degC]"] and headers_meant("T [K]", headers) == ["T [K]"]
    assert headers_meant("p [Pa]", headers) == headers_meant("q", headers) == []


def test_split():
    features, targets = split_target(STEEL, ["T"], ["alloy"])
    assert list(features) == ["n"] and list(targets) == ["T"]
    assert isinstance(targets, pd.DataFrame)
    assert list(split_target(STEEL, ["n", "T"], []).targets) == ["n", "T"], "in the order asked for"


def test_split_names_every_problem_and_near_matches():
    frame = pd.DataFrame(columns=["yield strength (MPa)", "Carbon", "Mn"])
    with pytest.raises(DataError) as caught:
        split_target(frame, ["yield strength", "carbon", "Mn", "Mn"], ["xyz", "Mn"])
    message = str(caught.value)
    assert "'yield strength'; did you mean 'yield strength (MPa)'?" in message
    assert "'carbon'; did you mean 'Carbon'?" in message
    assert "'xyz'; the columns are" in message
    assert "'Mn' is given 2 times" in message
    assert "both a target and dropped" in message


def test_split_must_leave_something():
    with pytest.raises(DataError, match="no target was named"):
        split_target(STEEL, [], [])
    with pytest.raises(DataError, match="no column is left"):
        split_target(STEEL, ["T"], ["alloy", "n"])


def test_a_wide_table_is_not_listed_whole():
    with pytest.raises(DataError, match=r"and \d\d more"):
        split_target(pd.DataFrame(columns=[f"c{i}" for i in range(100)]), ["wavelength"], [])
