"""Whole tables as scientists write them: values, errors, units, pairings, censored cells, and all that is refused."""

import re
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from taylor_sensus.errors import DataError, SettingError, TaylorSensusWarning
from taylor_sensus.tables.companions import Pairing
from taylor_sensus.tables.measurements import read_measurements

NONE = float("nan")


def refusal(columns, index=None, **settings):
    with pytest.raises(DataError) as caught:
        read_measurements(pd.DataFrame(columns, index=index), **settings)
    return str(caught.value)


def test_a_table_with_everything():
    frame = pd.DataFrame(
        {
            "temp [degC]": ["14.2(3)", "15", "n.d.", "1.6e1 ± 1"],
            "p / kPa": [100, 101, 102, 103],
            "u(p) / kPa": ["0.5", "", "0.25", "1"],
            "alloy": ["steel", "brass", "NA", "steel"],
            "open": [True, False, True, True],
            "q_err": [1.0, -2.0, 3.0, 4.0],
        },
        index=["a", "b", "c", "d"],
    )
    before = frame.copy()
    read = read_measurements(frame)
    pd.testing.assert_frame_equal(frame, before)
    assert list(read.values) == ["temp [degC]", "p / kPa", "alloy", "open", "q_err"]
    np.testing.assert_equal(read.values["temp [degC]"].to_numpy(), [14.2, 15, NONE, 16])
    assert read.values["alloy"].fillna("").tolist() == ["steel", "brass", "", "steel"]
    for header in ("p / kPa", "open", "q_err"):
        pd.testing.assert_series_equal(read.values[header], frame[header])
    assert list(read.errors) == ["temp [degC]", "p / kPa", "q_err"]
    np.testing.assert_equal(read.errors["temp [degC]"].to_numpy(), [0.3, NONE, NONE, 1])
    np.testing.assert_equal(read.errors["p / kPa"].to_numpy(), [0.5, NONE, 0.25, 1])
    assert read.errors["q_err"].isna().all()
    assert set(read.errors.dtypes) == {np.dtype(float)} and read.errors.index.equals(frame.index)
    assert read.units == {"temp [degC]": "degC", "p / kPa": "kPa"}
    assert read.pairings == [Pairing("p / kPa", "u(p) / kPa", relative=False)]
    assert list(read.censored) == ["row", "column", "side", "bound"] and read.censored.empty
    assert str(read) == (
        "Column 'u(p) / kPa' holds the errors of column 'p / kPa'. "
        "Errors are declared for 'temp [degC]' (in 2 of 4 rows), 'p / kPa' (in 3 of 4 rows)."
    )


def test_refused_cells_are_named_all_at_once():
    message = refusal({"T": ["1", "2", "12 kg", "4"], "p": ["1,234", "5±-1", "3", "14.2(3"]}, index=list("abcd"))
    assert "column 'T': row 'c' ('12 kg') has text behind the number; put units in the header" in message
    assert "column 'p': row 'a' ('1,234') has a comma" in message
    assert "row 'b' ('5±-1') has a negative error" in message
    assert "row 'd' ('14.2(3') has a bracket" in message
    assert "Rows go by their labels." in message


def test_many_refused_cells_are_counted():
    message = refusal({"T": ["1"] * 20 + ["x"] * 8})
    assert len(re.findall(r"row \d+ ", message)) == 5 and "and 3 more cells like these" in message


def test_columns_of_words_and_of_misspelt_numbers():
    words = {"place": ["A1", "B2", "C3"], "age": ["20-30", "30-40", "50"], "day": ["2024-01-01", "2024-01-02", "x"]}
    read = read_measurements(pd.DataFrame(words))
    assert read.values.to_dict("list") == words and read.errors.shape == (3, 0)
    assert "'1,234' has a comma" in refusal({"T": ["1,234", "2,345"]}).replace("(", "").replace(")", "")
    assert "column 'version': row 0 ('1.2.3')" in refusal({"version": ["1.2.3", "1.2.4"]})
    read = read_measurements(
        pd.DataFrame({"version": ["1.2.3", "1.2.4"], "code": ["1", "2"]}), text=["version", "code"]
    )
    assert read.values.to_dict("list") == {"version": ["1.2.3", "1.2.4"], "code": ["1", "2"]}
    assert read_measurements(pd.DataFrame({"mass": ["12 kg", "13 kg"]})).values["mass"].tolist() == ["12 kg", "13 kg"]
    assert "put units in the header" in refusal({"mass": ["12 kg", "13 kg"]}, numbers=["mass"])


def test_words_for_missing_cells_are_no_categories():
    words = {"catalyst": ["Pt", "n.d.", "-", "NA", "n/a", " ? "], "salt": ["Na", "Nd", "none", "unknown", "ND", "—"]}
    for read in (read_measurements(pd.DataFrame(words)), read_measurements(pd.DataFrame(words), text=list(words))):
        assert read.values["catalyst"].dropna().tolist() == ["Pt"]
        assert read.values["salt"].dropna().tolist() == ["Na", "Nd", "none", "unknown"]


def test_decimal_commas():
    frame = pd.DataFrame({"T": ["1,234", "14,2(3)"], "T_err": ["0,5", ""]})
    read = read_measurements(frame, decimal=",")
    assert read.values["T"].tolist() == [1.234, 14.2] and read.errors["T"].tolist() == [0.5, 0.3]


def test_an_error_in_the_cell_and_in_a_companion_must_be_equal():
    read = read_measurements(pd.DataFrame({"T": ["14.2(3)", "5"], "T_sd": [0.3, 0.1]}))
    assert read.errors["T"].tolist() == [0.3, 0.1]
    message = refusal({"T": ["14.2(3)", "5"], "T_sd": [0.4, 0.1]})
    assert "columns 'T' and 'T_sd': row 0 (0.3 and 0.4): declare two different errors" in message


@pytest.mark.parametrize(
    ("cell", "why"),
    [("-0.1", "negative"), ("0.1±0.01", "an error of its own"), ("<0.1", "only a bound"), ("1,5", "has a comma")],
)
def test_what_cannot_be_an_error(cell, why):
    message = refusal({"T": [1.0, 2.0, 3.0], "T_err": ["0.1", cell, "0.2"]})
    assert "column 'T_err': row 1" in message and why in message


def test_negative_and_infinite_errors_in_numeric_columns():
    message = refusal({"T": [1.0, 2.0, 3.0], "T_err": [-1.0, np.inf, -2.0]})
    assert "column 'T_err': rows 0 (-1.0), 2 (-2.0): is negative" in message and "row 1 (inf): is infinite" in message
    frame = pd.DataFrame({"T": [1.0, 2.0], "T_err": [-1.0, 1.0]})
    assert list(read_measurements(frame, ordinary=["T_err"]).values) == ["T", "T_err"]


def test_errors_in_percent():
    read = read_measurements(pd.DataFrame({"p [kPa]": [-200.0, 50.0, 0.0], "p_err [%]": [1.0, 10.0, 1.0]}))
    np.testing.assert_equal(read.errors["p [kPa]"].to_numpy(), [2.0, 5.0, NONE])


def test_words_are_neither_companions_nor_have_them():
    frame = pd.DataFrame({"T": [1.0, 2.0], "T_err": ["low", "high"], "kind": ["a", "b"], "kind_sd": [1.0, 2.0]})
    read = read_measurements(frame)
    assert list(read.values) == list(frame) and read.pairings == []


def test_names_that_only_units_tell_apart():
    read = read_measurements(pd.DataFrame({"T [K]": [300.0], "T [degC]": [27.0], "T (sd)": [1.0]}))
    assert list(read.values) == ["T [K]", "T [degC]", "T (sd)"]
    assert read.units == {"T [K]": "K", "T [degC]": "degC"}


CENSORED = {"Cd [mg/l]": ["<0.05", "0.2", ">100", "bdl", "<-1"], "x": [1, 2, 3, 4, 5]}


@pytest.mark.parametrize(
    ("way", "values", "words"),
    [
        ("missing", [NONE, 0.2, NONE, NONE, NONE], "count as missing. To treat"),
        ("bound", [0.05, 0.2, 100, NONE, -1], "take the value of their bound, but 1 of them have none"),
        ("half", [0.025, 0.2, NONE, NONE, NONE], "take half their bound, but 3 of them have none"),
    ],
)
def test_censored_cells(way, values, words):
    with pytest.warns(TaylorSensusWarning) as caught:
        read = read_measurements(pd.DataFrame(CENSORED), censored=way)
    message = str(caught[0].message)
    assert caught[0].filename == __file__
    assert "column 'Cd [mg/l]': cells with only a bound (4 rows, such as '<0.05')" in message and words in message
    np.testing.assert_equal(read.values["Cd [mg/l]"].to_numpy(), values)
    assert read.errors["Cd [mg/l]"].isna().all()
    expected = {"row": [0, 2, 3, 4], "column": ["Cd [mg/l]"] * 4, "side": ["below", "above", "below", "below"]}
    assert read.censored.drop(columns="bound").to_dict("list") == expected
    np.testing.assert_equal(read.censored["bound"].to_numpy(), [0.05, 100, NONE, -1])


def test_settings_are_checked():
    frame = pd.DataFrame({"T": ["1"]})
    for settings in ({"censored": "zero"}, {"decimal": ";"}, {"text": ["t"]}, {"numbers": "T"}, {"ordinary": ["u(T)"]}):
        with pytest.raises(SettingError, match=next(iter(settings))):
            read_measurements(frame, **settings)
    with pytest.raises(DataError, match="expected a table with named columns or the path of a file, not list"):
        read_measurements([["1"]])
    with pytest.raises(DataError, match="several columns of the table are named 'T'"):
        read_measurements(pd.DataFrame([[1, 2]], columns=["T", "T"]))


@pytest.mark.parametrize("dtype", [object, "string", "str", pd.ArrowDtype(pa.string())])
def test_kinds_of_text_column(dtype):
    read = read_measurements(pd.DataFrame({"T": pd.Series(["1(1)", None, "3"], dtype=dtype)}))
    np.testing.assert_equal(read.values["T"].to_numpy(), [1, NONE, 3])
    np.testing.assert_equal(read.errors["T"].to_numpy(), [1, NONE, NONE])


def test_other_kinds_of_column_are_untouched():
    frame = pd.DataFrame(
        {
            "when": pd.to_datetime(["2024-01-01", "2024-01-02"]),
            "kind": pd.Categorical(["1", "2"]),
            "count": pd.array([1, None], dtype="Int64"),
            "single": np.array([1.5, 2.5], dtype=np.float32),
            7: ["1", "2"],
        }
    )
    read = read_measurements(frame)
    assert list(read.values) == ["when", "kind", "count", "single", "7"]
    for name in ("when", "kind", "count", "single"):
        pd.testing.assert_series_equal(read.values[name], frame[name])
    assert list(read.errors) == ["count", "single", "7"]


def test_columns_that_must_be_numbers_and_are_not_are_refused():
    columns = {
        "open": [True, False],
        "when": pd.to_datetime(["2024-01-01", "2024-01-02"]),
        "kind": pd.Categorical(["a", "b"]),
    }
    message = refusal(columns, numbers=list(columns))
    for name in columns:
        assert f"column {name!r}: row 0" in message
    frame = pd.DataFrame({"kind": pd.Categorical(["1(1)", "2"])})
    assert read_measurements(frame, numbers=["kind"]).values["kind"].tolist() == [1, 2]


@pytest.mark.parametrize("index", [[5, 5, 5], pd.MultiIndex.from_tuples([(1, "a"), (1, "a"), (2, "b")])])
def test_row_labels_may_repeat_and_are_kept(index):
    frame = pd.DataFrame({"T": ["1(1)", "2", "3"], "p": [1, 2, 3], "p_err": [1.0, 2.0, None]}, index=index)
    read = read_measurements(frame)
    assert read.values.index.equals(frame.index) and read.errors.index.equals(frame.index)
    assert read.values["T"].tolist() == [1, 2, 3]
    np.testing.assert_equal(read.errors["p"].to_numpy(), [1, 2, NONE])


def test_numbers_that_are_labels():
    frame = pd.DataFrame({"lot": [7, 12], "batch": [1.0, NONE], "grade": [0.5, 1e6]})
    read = read_measurements(frame, text=["lot", "batch", "grade"])
    assert read.values["lot"].tolist() == ["7", "12"] and read.values["grade"].tolist() == ["0.5", "1000000"]
    assert read.values["batch"][0] == "1" and read.values["batch"].isna().tolist() == [False, True]
    assert read.errors.empty


def test_columns_of_errors_that_are_told():
    frame = pd.DataFrame({"p": [1.0, 2.0], "q": [3.0, 4.0], "spread": ["0.1", ""]})
    read = read_measurements(frame, error_columns={"p": "spread", "q": "spread"})
    assert list(read.values) == ["p", "q"]
    np.testing.assert_equal(read.errors.to_numpy(), [[0.1, 0.1], [NONE, NONE]])
    assert read.pairings == [Pairing("p", "spread", False), Pairing("q", "spread", False)]
    with pytest.raises(SettingError, match="error_columns names 'sd'"):
        read_measurements(frame, error_columns={"p": "sd"})
    assert "column 'kind': row 0 ('low') is neither a number" in refusal(
        {"p": [1.0], "kind": ["low"]}, error_columns={"p": "kind"}
    )


def test_files_are_read_too(tmp_path):
    (tmp_path / "t.csv").write_text("T;p\n1,5(1);1,234\n2;2,345\n")
    read = read_measurements(tmp_path / "t.csv", decimal=",")
    assert read.values.to_dict("list") == {"T": [1.5, 2.0], "p": [1.234, 2.345]}
    pl = pytest.importorskip("polars")
    assert read_measurements(pl.DataFrame({"T": ["1(1)"]})).errors["T"].tolist() == [1.0]


# ------------------------------------------------------------------------------------------ ready to fit

MESSY = {"T [K]": ["300(1)", "310", ""], "p": [1.0, 2.0, 3.0], "kind": ["a", "b", "a"], "y": ["1±0.1", "2", "3"]}


def test_split_gives_what_fit_takes():
    X, y, X_err, y_err = read_measurements(pd.DataFrame(MESSY, index=[5, 6, 7])).split("y")
    assert list(X) == ["T [K]", "p", "kind"] and isinstance(y, pd.Series) and y.name == "y"
    assert list(X_err) == ["T [K]"] and X_err.index.equals(X.index)
    np.testing.assert_equal(X_err["T [K]"].to_numpy(), [1, NONE, NONE])
    np.testing.assert_equal(y_err.to_numpy(), [0.1, NONE, NONE])
    split = read_measurements(pd.DataFrame(MESSY)).split(["p", "y"], drop=["T"])
    assert list(split.X) == ["kind"] and split.X_err is None and list(split.y) == ["p", "y"] == list(split.y_err)
    assert read_measurements(pd.DataFrame(MESSY)).split("p").y_err is None


def test_targets_must_be_there():
    read = read_measurements(pd.DataFrame({"x": [1, 2, 3], "y": [1.0, NONE, NONE], "kind": list("abc")}))
    with pytest.raises(DataError, match=r"column 'y': no number in rows 1, 2\. Rows count from 0"):
        read.split("y")
    with pytest.raises(DataError, match="target 'kind' holds no numbers"):
        read.split("kind")
    with pytest.raises(DataError, match=r"no target column 'z'"):
        read.split("z")
    twins = read_measurements(pd.DataFrame({"T [K]": [1], "T [degC]": [2], "y": [3]}))
    with pytest.raises(DataError, match="'T' may be any of the columns 'T \\[K\\]', 'T \\[degC\\]'; write the unit"):
        twins.split("T")


def test_errors_of_whole_columns():
    read = read_measurements(pd.DataFrame({"T [K]": ["300(1)", "-310", "", "0"], "p": [1, 2, 3, 4], "k": list("abcd")}))
    declared = read.declare({"T": "2%", "p": 0.5})
    np.testing.assert_equal(declared.errors["T [K]"].to_numpy(), [1, 6.2, NONE, NONE])
    assert declared.errors["p"].tolist() == [0.5] * 4 and read.errors["p"].isna().all()
    assert read.declare({"p": 0}).split("p").y_err.tolist() == [0] * 4
    assert read.declare({"k": 0}).split("p").X_err["k"].tolist() == [0] * 4
    for size in (-1, "x", "1,5", True, float("inf"), "nan%"):
        with pytest.raises(SettingError, match="not an error size"):
            read.declare({"p": size})
    with pytest.raises(DataError, match=r"column 'k' holds words.*column 'z' is not in the table"):
        read.declare({"k": 1, "z": 1})
    with pytest.raises(DataError, match="all its cells have errors of their own"):
        declared.declare({"p": 1})


def test_inputs_for_a_model():
    learned = ["T [K]", "p", "kind"]
    table = pd.DataFrame({"extra": [1], "kind": ["a"], "p [bar]": ["2(1)"], "T": ["300"]})
    X, X_err = read_measurements(table).inputs(learned)
    assert list(X) == learned and X.iloc[0].tolist() == [300, 2, "a"]
    assert list(X_err) == ["p"] and X_err["p"].tolist() == [1.0]
    with pytest.raises(DataError, match=r"column 'T \[K\]' was learned in 'K', but comes in 'degC'"):
        read_measurements(table.rename(columns={"T": "T [degC]"})).inputs(learned)
    with pytest.raises(DataError, match=r"the table lacks 1 needed column\(s\): 'T \[K\]'"):
        read_measurements(table.drop(columns="T")).inputs(learned)


def test_empty_columns_and_tables():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read = read_measurements(pd.DataFrame({"T": ["", None], "p": [None, None]}))
        assert read.values.isna().all(axis=None) and set(read.values.dtypes) == {np.dtype(float)}
        assert read_measurements(pd.DataFrame({"T": pd.Series([], dtype=object)})).values.shape == (0, 1)
