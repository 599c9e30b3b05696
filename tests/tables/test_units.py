"""Units in headers, what is only a name, and tables whose units differ."""

import pytest

from taylor_sensus.errors import DataError
from taylor_sensus.tables.units import check_units, same_unit, split_header


@pytest.mark.parametrize(
    ("header", "name", "unit"),
    [
        ("temp [degC]", "temp", "degC"),
        ("temp (degC)", "temp", "degC"),
        ("temp / degC", "temp", "degC"),
        (" temp [ °C ] ", "temp", "°C"),
        ("temp[degC]", "temp", "degC"),
        ("heat flow [W/m^2]", "heat flow", "W/m^2"),
        ("heat flow (W/(m² K))", "heat flow", "W/(m² K)"),
        ("flow / (l/min)", "flow", "l/min"),
        ("x_1 [1]", "x_1", "1"),
        ("share [%]", "share", "%"),
        ("f(x) [m]", "f(x)", "m"),
        ("p/p0 [1]", "p/p0", "1"),
    ],
)
def test_units_are_parted_from_names(header, name, unit):
    assert split_header(header) == (name, unit)


@pytest.mark.parametrize(
    "header",
    [
        "temp",
        "f(x)",
        "T(K)",
        "u(temp)",
        "m/z",
        "x[1]",
        "[degC]",
        "(degC)",
        "temp []",
        "temp ()",
        "sample (2)",
        "a /b",
        "",
    ],
)
def test_what_is_only_a_name(header):
    assert split_header(header) == (header, None)


@pytest.mark.parametrize(
    ("one", "other"),
    [("°C", "degC"), ("℃", "degC"), ("µm", "μm"), ("µm", "um"), ("m²", "m^2"), ("m·s⁻¹", "m s^-1"), ("Ω", "ohm")],
)
def test_two_spellings_of_one_unit(one, other):
    assert same_unit(one, other) and same_unit(other, one)


@pytest.mark.parametrize(("one", "other"), [("mPa", "MPa"), ("K", "degC"), ("m", "mm"), ("m2", "m3"), ("m s", "ms")])
def test_different_units(one, other):
    assert not same_unit(one, other)


def test_differing_units_are_refused_with_column_and_both_units():
    training = {"temp": "degC", "p": "kPa", "h": "m", "only here": "s"}
    check_units(training, {"temp": "°C", "p": "kPa", "only there": "kg"})
    check_units({}, training)
    with pytest.raises(DataError) as caught:
        check_units(training, {"temp": "K", "p": "kPa", "h": "cm"})
    message = str(caught.value)
    assert "column 'temp' was learned in 'degC', but comes in 'K'" in message
    assert "column 'h' was learned in 'm', but comes in 'cm'" in message
    assert "'p'" not in message and "Convert" in message
