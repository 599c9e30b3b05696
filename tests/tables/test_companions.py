"""Columns of errors: how their headers are written, when they are not, and what is refused."""

import pytest

from taylor_sensus.errors import DataError
from taylor_sensus.tables.companions import Pairing, describe_pairings, find_pairings

SPELLINGS = ["temp_err", "temp_error", "temp_sd", "temp_std", "temp_unc", "temp uncertainty", "temp.sigma", "temp_ERR"]
SPELLINGS += ["u(temp)", "sigma(temp)", "σ(temp)", "sigma_temp", "σ_temp", "err temp", "err_temp", "sd_temp"]
SPELLINGS += ["temp ±", "temp±", "± temp", "±temp", "temp +/-", "+/- temp", "temp (sd)", "temp [±]", "temp (err)"]


@pytest.mark.parametrize("errors", SPELLINGS)
def test_spellings(errors):
    for headers in (["temp", errors], [errors, "other", "temp"]):
        assert find_pairings(headers) == [Pairing("temp", errors, relative=False)]
    assert find_pairings(["other", errors]) == []
    assert find_pairings(["temp", errors], ordinary=[errors]) == []


@pytest.mark.parametrize(
    "errors",
    [
        "temp_err",
        "temp_err [degC]",
        "temp_err (°C)",
        "u(temp) / degC",
        "u(temp [degC])",
        "± temp [degC]",
        "temp [degC] ±",
        "temp [degC] (sd)",
        "err temp [degC]",
        "sigma_temp / degC",
    ],
)
@pytest.mark.parametrize("base", ["temp [degC]", "temp (degC)", "temp / degC"])
def test_spellings_with_units(base, errors):
    assert find_pairings([base, errors]) == [Pairing(base, errors, relative=False)]


@pytest.mark.parametrize(
    "header", ["stderr", "temperr", "temp_errors_2", "u(other)", "Temp_err", "u_temp", "temp_Se", "err"]
)
def test_what_only_looks_alike_stays_an_ordinary_column(header):
    assert find_pairings(["temp", header]) == []


def test_a_column_of_errors_has_no_errors_itself():
    assert find_pairings(["temp", "temp_err", "temp_err_sd"]) == [Pairing("temp", "temp_err", relative=False)]


def test_one_quantity_in_two_units():
    headers = ["T [K]", "T [degC]", "T_err [degC]", "T_sd"]
    assert find_pairings(headers) == [Pairing("T [degC]", "T_err [degC]", relative=False)]


def test_errors_in_percent():
    assert find_pairings(["p [kPa]", "p_err [%]"]) == [Pairing("p [kPa]", "p_err [%]", relative=True)]
    assert find_pairings(["p [%]", "p_err [%]"]) == [Pairing("p [%]", "p_err [%]", relative=False)]
    with pytest.raises(DataError, match=r"'p_err \[%\]' is in percent.*Write the unit of 'p'"):
        find_pairings(["p", "p_err [%]"])


def test_other_units_and_rivals_are_refused_together():
    with pytest.raises(DataError) as caught:
        find_pairings(["T [degC]", "T_err [K]", "p", "p_err", "u(p)"])
    assert "column 'T [degC]' is in 'degC', but its errors 'T_err [K]' in 'K'" in str(caught.value)
    assert "columns 'p_err' and 'u(p)' all seem to hold the errors of column 'p'" in str(caught.value)
    assert find_pairings(["p", "p_err", "u(p)"], ordinary=["u(p)"]) == [Pairing("p", "p_err", relative=False)]


def test_columns_that_are_told():
    told = find_pairings(["p [bar]", "dp [%]", "q", "u(q)"], declared={"p [bar]": "dp [%]"})
    assert told == [Pairing("p [bar]", "dp [%]", relative=True), Pairing("q", "u(q)", relative=False)]
    with pytest.raises(DataError, match="columns 'dp' and 'p_err' all seem to hold the errors of column 'p'"):
        find_pairings(["p", "dp", "p_err"], declared={"p": "dp"})
    with pytest.raises(DataError, match=r"column 'p \[bar\]' is in 'bar', but its errors 'dp \[Pa\]' in 'Pa'"):
        find_pairings(["p [bar]", "dp [Pa]"], declared={"p [bar]": "dp [Pa]"})


def test_pairings_as_a_sentence():
    assert describe_pairings([]) == "No column holds the errors of another."
    assert describe_pairings([Pairing("T", "u(T)", False), Pairing("p [kPa]", "p_err [%]", True)]) == (
        "Column 'u(T)' holds the errors of column 'T'; "
        "column 'p_err [%]' holds the errors of column 'p [kPa]', in percent of its values."
    )
