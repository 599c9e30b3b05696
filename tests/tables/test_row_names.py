"""Rows by name: labels, places as a spreadsheet counts, or from 0."""

import numpy as np
import pandas as pd
import pytest

from taylor_sensus.errors import DataError
from taylor_sensus.tables.columns import read_targets
from taylor_sensus.tables.reading import naming_columns, open_table, table_to_fit
from taylor_sensus.tables.row_names import FILE_ROW, counting, named_row, only_counts, row_labels
from taylor_sensus.tables.wanted import Reading


def test_each_kind_of_label():
    plain, file = pd.RangeIndex(3), pd.Index([2, 4, 5], name=FILE_ROW)
    named, twice = pd.Index(["a", "b", "c"], name="sample"), pd.Index([7, 7, 8])
    assert [named_row(index, 1) for index in (None, plain, file, named, twice)] == [
        "1",
        "1",
        "4",
        "'b'",
        "1 (labelled 7)",
    ]
    assert named_row(named, 2, "'x'") == "'c' ('x')"
    assert [only_counts(index) for index in (None, plain, file, named)] == [True, True, True, False]
    assert counting(named) == "Rows go by 'sample'." and "header" in counting(file)
    assert counting(plain) == counting(twice) == "Rows count from 0."
    assert row_labels(plain, [1]) is None and row_labels(file, [1]) == ("4",) and row_labels(named, [2]) == ("c",)


def test_rows_of_a_file_are_named_by_a_column_or_as_a_spreadsheet_counts(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("sample,x,y\nS1,1,2\nS2,2,\n,3,4\n")
    with pytest.raises(DataError, match=r"column 'y': no number in row 3\. Rows count as in a spreadsheet"):
        table_to_fit(open_table(path), Reading(), target=["y"], drop=["sample"])
    named = open_table(path, Reading(id="sample"))
    assert list(named.frame) == ["x", "y"] and list(named.frame.index) == ["S1", "S2", "row 4"]
    with pytest.raises(DataError, match=r"column 'y': no number in row 'S2'\. Rows go by 'sample'"):
        table_to_fit(named, Reading(), target=["y"], drop=[])
    with pytest.raises(DataError, match=r"no column 'sampel' to name its rows by \(--id\); did you mean 'sample'"):
        open_table(path, Reading(id="sampel"))


def test_columns_that_may_name_the_rows():
    frame = pd.DataFrame({"a": ["u", "v"], "b": ["u", "u"], "c": [1, 2], "d": ["u", None], "e": [True, False]})
    assert naming_columns(frame) == ["a"]


def test_bad_cells_of_a_file_are_named_as_the_spreadsheet_counts():
    y = pd.Series([1.0, np.nan], index=pd.Index([2, 3], name=FILE_ROW), name="y")
    with pytest.raises(DataError, match=r"row 3, column 'y' \(NaN\)\. Rows count as in a spreadsheet"):
        read_targets(y)
