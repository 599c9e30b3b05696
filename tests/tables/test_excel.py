"""Excel books: sheets by name and number, titles above the header, blank rows, and what is written."""

import numpy as np
import pandas as pd
import pytest

from taylor_sensus.errors import DataError, SettingError, TaylorSensusWarning
from taylor_sensus.tables.files import read_file, read_table, write_table

pytest.importorskip("openpyxl", reason="Excel files need the extra [excel]")
TABLE = pd.DataFrame({"T": [300.5, 310.0], "alloy": ["steel", "brass"], "y": [1, 2]})


@pytest.fixture
def book(tmp_path):
    """Two sheets; the table stands in the second, under a title and a blank row, with a blank row inside."""
    path = tmp_path / "lab.xlsx"
    rows = [["Batch study", None, None], [None] * 3, list(TABLE), [300.5, "steel", 1], [None] * 3, [310.0, "brass", 2]]
    with pd.ExcelWriter(path) as writer:
        pd.DataFrame({"who": ["me"], "when": [2024]}).to_excel(writer, sheet_name="about", index=False)
        pd.DataFrame(rows).to_excel(writer, sheet_name="data 1", index=False, header=False)
    return path


@pytest.mark.parametrize("sheet", ["data 1", "2"])
def test_a_sheet_by_name_or_number_with_its_title_left_out(book, sheet):
    read = read_file(book, sheet=sheet)
    pd.testing.assert_frame_equal(read.frame, TABLE, check_dtype=False)
    assert read.rows == [4, 6], "as the spreadsheet counts"
    assert read.notes == ["the header of lab.xlsx was found in line 3; left out above it: 'Batch study'"]


def test_the_first_sheet_is_read_and_the_others_are_named(book):
    with pytest.warns(TaylorSensusWarning, match=r"several sheets; 'about' was read, not 'data 1' \(--sheet\)"):
        assert list(read_table(book)) == ["who", "when"]
    with pytest.raises(DataError, match=r"no sheet 'data'; did you mean 'data 1'.*its sheets are 'about', 'data 1'"):
        read_table(book, sheet="data")


def test_a_sheet_is_asked_of_books_only(tmp_path):
    (tmp_path / "t.csv").write_text("a\n1\n")
    with pytest.raises(SettingError, match="no sheets"):
        read_table(tmp_path / "t.csv", sheet="1")


def test_what_is_written_is_read_again_and_no_text_is_a_formula(tmp_path):
    frame = TABLE.assign(alloy=["=1+1", "-x"], wide=[np.inf, np.nan])
    write_table(frame.set_axis(pd.Index(["S1", "S2"], name="sample"), axis=0), tmp_path / "t.xlsx")
    again = read_table(tmp_path / "t.xlsx")
    assert again["alloy"].tolist() == ["=1+1", "-x"] and again["sample"].tolist() == ["S1", "S2"]
    raw = pd.read_excel(tmp_path / "t.xlsx")
    assert raw["alloy"].tolist() == ["'=1+1", "'-x"]
    assert [file.name for file in tmp_path.iterdir()] == ["t.xlsx"], "no temporary file is left"


def test_what_no_sheet_can_hold_is_refused(tmp_path):
    with pytest.raises(DataError, match=r"cannot write t\.xlsx: .*write \.csv"):
        write_table(pd.DataFrame({"a": ["\x01"]}), tmp_path / "t.xlsx")
    with pytest.raises(DataError, match="1,048,575 rows"):
        write_table(pd.DataFrame(index=range(1_048_576)), tmp_path / "t.xlsx")
    assert not list(tmp_path.iterdir())
