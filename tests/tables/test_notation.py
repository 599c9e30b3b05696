"""Cells as scientists write them: a table by hand of what is read, missing, censored and refused; and the speed."""

import time

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from taylor_sensus.errors import DataError, SettingError
from taylor_sensus.tables.measurements import read_measurements
from taylor_sensus.tables.notation import BELOW_UNTOLD_LIMIT, MISSING, read_cells
from taylor_sensus.tables.refusals import why_refused

NONE = float("nan")
THIN, NARROW, UNBREAKABLE = "\u2009", "\u202f", "\u00a0"

READ = [
    # bare numbers have no declared error
    ("14.2", 14.2, NONE),
    ("-5", -5.0, NONE),
    ("+5", 5.0, NONE),
    ("−5", -5.0, NONE),
    ("–5.5", -5.5, NONE),
    (" 7 ", 7.0, NONE),
    (f"7{UNBREAKABLE}", 7.0, NONE),
    ("5.", 5.0, NONE),
    (".5", 0.5, NONE),
    ("-.5", -0.5, NONE),
    ("007", 7.0, NONE),
    ("1e5", 1e5, NONE),
    ("1.5E-3", 0.0015, NONE),
    ("2.5e−3", 0.0025, NONE),
    ("1.42 x 10^1", 14.2, NONE),
    ("1.42×10^{-3}", 0.00142, NONE),
    ("1.42 · 10⁻³", 0.00142, NONE),
    ("1.42*10**2", 142.0, NONE),
    ("+6.02214076 × 10²³", 6.02214076e23, NONE),
    (f"1{THIN}234{THIN}567.5", 1234567.5, NONE),
    (f"12{NARROW}345", 12345.0, NONE),
    (f"0.123{THIN}45", 0.12345, NONE),
    # the error in brackets, in units of the last digit
    ("14.2(3)", 14.2, 0.3),
    ("14.2(13)", 14.2, 1.3),
    ("0.00142(12)", 0.00142, 0.00012),
    ("1.42(3)e1", 14.2, 0.3),
    ("1.42(3)E+1", 14.2, 0.3),
    ("1.42(3) x 10^1", 14.2, 0.3),
    ("1.42(3) × 10⁻²", 0.0142, 0.0003),
    ("14.2(1.3)", 14.2, 1.3),
    ("1.42(0.03)e1", 14.2, 0.3),
    ("-5(2)", -5.0, 2.0),
    ("−5(2)", -5.0, 2.0),
    ("120(10)", 120.0, 10.0),
    ("+.50(1)", 0.5, 0.01),
    ("14.2(0)", 14.2, 0.0),
    (f"6.674{THIN}30(15)e-11", 6.67430e-11, 1.5e-15),
    # plus-minus
    ("14.2±0.3", 14.2, 0.3),
    ("14.2 ± 0.3", 14.2, 0.3),
    ("14.2 +/- 0.3", 14.2, 0.3),
    ("14.2+/−0.3", 14.2, 0.3),
    ("14.2+-0.3", 14.2, 0.3),
    (f"14.2{THIN}±{THIN}0.3", 14.2, 0.3),
    (f"1{THIN}420{THIN}±{THIN}30", 1420.0, 30.0),
    ("-14.2 ± .3", -14.2, 0.3),
    ("(14.2 ± 0.3)", 14.2, 0.3),
    ("1.42e1 ± 3e-1", 14.2, 0.3),
    ("1.42e3 ± 20", 1420.0, 20.0),
    ("(1.42e1 ± 3e-1)", 14.2, 0.3),
    ("(1.42±0.03)e1", 14.2, 0.3),
    ("(1.42 ± 0.03) x 10^1", 14.2, 0.3),
    ("(1.42 ± 0.03)×10^1", 14.2, 0.3),
    ("( 1.42 ± 0.03 ) × 10¹", 14.2, 0.3),
    ("(−1.42 +/- 0.03) * 10**-1", -0.142, 0.003),
    ("345 ± 2%", 345.0, 6.9),
    ("-345 ± 2 %", -345.0, 6.9),
    ("(345 ± 2%)e1", 3450.0, 69.0),
    ("5 ± 0", 5.0, 0.0),
    ("0 ± 0%", 0.0, 0.0),
    ("0 ± 2%", 0.0, NONE),  # two percent of nothing would call it exact
]

CENSORED = [
    ("<0.05", -1, 0.05),
    ("< 0.05", -1, 0.05),
    ("≤0.05", -1, 0.05),
    ("<=0.05", -1, 0.05),
    ("<5e-2", -1, 0.05),
    ("< 5 × 10⁻²", -1, 0.05),
    (">100", 1, 100.0),
    ("≥ 100", 1, 100.0),
    (">=-3", 1, -3.0),
    ("bdl", -1, NONE),
    ("<LOD", -1, NONE),
]

REFUSED = [
    ("1,234", "comma"),
    ("1,234.5", "comma"),
    ("14.2(3", "bracket"),
    ("14.2)", "bracket"),
    ("14.2()", "neither a number"),
    ("14.2 (3)", "space before the bracket"),
    ("14.(3)", "repeating"),
    ("14.2(-3)", "neither a number"),
    ("(14.2)", "neither a number"),
    ("14.2±", "no number behind"),
    ("±0.3", "no number before"),
    ("+/-0.3", "no number before"),
    ("5±-1", "negative error"),
    ("5 +/- -1", "negative error"),
    ("1.42±0.03e1", "exponent belongs"),
    ("1.42 ± 0.03 x 10^1", "power of 10 belongs"),
    ("1.2.3", "neither a number"),
    ("12 kg", "units in the header"),
    ("14.2 ± 0.3 K", "units in the header"),
    ("14.2(3) mm", "units in the header"),
    ("5%", "percent"),
    ("(5 ± 1)%", "percent"),
    ("5-6", "range"),
    ("5–6", "range"),
    ("1 234", "two numbers"),
    (f"12{THIN}34", "two numbers"),
    (f"0.12{THIN}345", "two numbers"),
    ("1.42 x 105", "lost the sign"),
    ("1.5D+03", "write e"),
    ("~5", "about right"),
    ("inf", "not finite"),
    ("-Infinity", "not finite"),
    ("1e999", "exponent beyond"),
    ("1e-99999", "exponent beyond"),
    ("5e0±1e999", "exponent beyond"),
    ("1.4(3)e999", "exponent beyond"),
    ("<1e999", "exponent beyond"),
    ("1_000", "neither a number"),
    ("0x1F", "number"),
    ("5²", "neither a number"),
    ("٣", "neither a number"),
    ("++5", "neither a number"),
    ("--5", "neither a number"),
    ("< 5 ± 1", "neither a number"),
    ("<", "neither a number"),
    ("high", "neither a number"),
    ("#DIV/0!", "neither a number"),
    ("2024-01-01", "neither a number"),
    ("5\n6", "two numbers"),
]


def read_one(cell, decimal="."):
    return {name: array[0] for name, array in read_cells(pd.Series([cell]), decimal=decimal)._asdict().items()}


@pytest.mark.parametrize(("cell", "value", "error"), READ)
def test_what_is_read(cell, value, error):
    read = read_one(cell)
    assert not read["refused"] and not read["missing"] and read["sides"] == 0
    assert read["values"] == value
    np.testing.assert_allclose(read["errors"], error, rtol=1e-15, atol=0)


def test_columns_of_all_notations_agree_with_cells_one_by_one():
    cells = [row[0] for row in READ + CENSORED + REFUSED] + sorted(MISSING) + [None]
    shuffled = pd.Series(cells * 3).sample(frac=1, random_state=0)
    together = read_cells(shuffled)
    alone = pd.DataFrame([read_one(cell) for cell in shuffled])
    for name, array in together._asdict().items():
        np.testing.assert_array_equal(array, alone[name].to_numpy(dtype=array.dtype), err_msg=name)


@pytest.mark.parametrize(("cell", "side", "bound"), CENSORED)
def test_censored(cell, side, bound):
    read = read_one(cell)
    assert read["sides"] == side and not read["refused"] and not read["missing"]
    np.testing.assert_equal([read["bounds"], read["values"], read["errors"]], [bound, NONE, NONE])


@pytest.mark.parametrize(
    "word", [*sorted(MISSING), "NA", "N/A", "NaN", "N.D.", "–", "−", "  ", None, float("nan"), pd.NA]
)
def test_missing(word):
    read = read_one(word)
    assert read["missing"] and not read["refused"] and np.isnan(read["values"]) and np.isnan(read["errors"])


@pytest.mark.parametrize(("cell", "reason"), REFUSED)
def test_refused(cell, reason):
    read = read_one(cell)
    assert read["refused"] and not read["missing"] and read["sides"] == 0
    assert np.isnan([read["values"], read["errors"], read["bounds"]]).all()
    assert reason in why_refused(cell)


@pytest.mark.parametrize("cell", [row[0] for row in REFUSED])
def test_a_refused_cell_is_named_by_row_and_column(cell):
    with pytest.raises(DataError, match=r"column 'T': row 4 \("):
        read_measurements(pd.DataFrame({"T": ["1", "2", "3", "4", cell], "p": range(5)}))


@pytest.mark.parametrize("decimal", [None, "."])
def test_all_notations_in_a_file(tmp_path, decimal):
    cells, values, errors = map(list, zip(*READ, strict=True))
    pd.DataFrame({"T": cells, "p": range(len(cells))}).to_csv(tmp_path / "t.csv", index=False)
    read = read_measurements(tmp_path / "t.csv", decimal=decimal)
    np.testing.assert_array_equal(read.values["T"], values)
    np.testing.assert_allclose(read.errors["T"], errors, rtol=1e-15)
    assert read.errors["p"].isna().all()


def test_no_word_means_two_things():
    assert not MISSING & BELOW_UNTOLD_LIMIT


@pytest.mark.parametrize(
    ("cell", "value", "error"),
    [
        ("1,234", 1.234, NONE),
        ("14,2(3)", 14.2, 0.3),
        ("14,2(1,3)", 14.2, 1.3),
        ("14,2 ± 0,3", 14.2, 0.3),
        ("(1,42 ± 0,03) × 10¹", 14.2, 0.3),
        (f"1{THIN}234,5", 1234.5, NONE),
        ("-,5e1", -5.0, NONE),
        ("12", 12.0, NONE),
    ],
)
def test_decimal_commas_where_declared(cell, value, error):
    read = read_one(cell, decimal=",")
    assert read["values"] == value
    np.testing.assert_equal(read["errors"], error)


@pytest.mark.parametrize("cell", ["1.234", "1.234,5", "14.2(3)", "14,2 ± 0.3"])
def test_points_are_refused_where_commas_are_declared(cell):
    assert read_one(cell, decimal=",")["refused"]
    assert "point although" in why_refused(cell, decimal=",")
    with pytest.raises(SettingError, match="decimal is ';'"):
        read_one(cell, decimal=";")


def test_numbers_among_texts_stay_numbers():
    read = read_cells(pd.Series([1, 2.5, "3(1)", None, np.int64(4), float("inf"), True, 1j, "x"], dtype=object))
    np.testing.assert_equal(read.values, [1, 2.5, 3, NONE, 4, NONE, NONE, NONE, NONE])
    assert read.missing.tolist() == [False] * 3 + [True] + [False] * 5
    assert read.refused.tolist() == [False] * 5 + [True] * 4
    assert "not finite" in why_refused(float("inf")) and "not a number" in why_refused(True)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_every_float_that_python_writes_is_read_back_exactly(numbers):
    assert read_cells(pd.Series([repr(x) for x in numbers])).values.tolist() == numbers


@given(st.text(alphabet="0123456789.,()±+-/%<>=eExX*^{}¹⁻ \u2009\u2212k", max_size=12))
def test_no_text_breaks_the_reader_and_what_is_read_is_whole(text):
    read = read_one(text)
    kinds = [read["missing"], read["refused"], read["sides"] != 0, np.isfinite(read["values"])]
    assert sum(map(bool, kinds)) == 1
    assert not read["errors"] < 0 and not np.isinf(read["errors"])
    assert why_refused(text)


@pytest.mark.slow
def test_a_million_cells_take_a_few_times_as_long_as_plain_numbers():
    count = 1_000_000
    numbers = np.random.default_rng(0).normal(100, 20, count).round(5)
    forms = ["{}", "{}(12)", "{} ± 0.3", "({} ± 0.03) × 10¹", "<{}", "{}e3", "−{}+/-0.2", "n.d."]
    plain = pd.Series(numbers.astype(str))
    mixed = pd.Series([forms[i % 8].format(x) for i, x in enumerate(numbers)])
    start = time.process_time()
    pd.to_numeric(plain)
    usual = time.process_time() - start
    start = time.process_time()
    read = read_cells(mixed)
    seconds = time.process_time() - start
    assert not read.refused.any() and read.missing.sum() == count / 8
    assert seconds < 15 * usual, (seconds, usual)
