"""Lines above the header: found and told, never taken from tables that only look odd."""

import pandas as pd
import pytest

from taylor_sensus.errors import DataError, TaylorSensusWarning
from taylor_sensus.tables.file_header import names_at_once
from taylor_sensus.tables.files import read_file, read_table
from taylor_sensus.tables.titles import title_lines

BODY = "T,alloy,y\n300.5,steel,1\n310,brass,2\n"


@pytest.mark.parametrize(
    "above",
    [
        "Batch study 2024\n",
        "Batch study,,\n,,\n",
        "Batch study\noperator,Smith\n\n",
        '"Two, with a comma",,\n',
        "measured 2024-05-17, room 3, by night, again\n",
    ],
)
def test_lines_above_the_header_are_left_out_and_told(tmp_path, above):
    path = tmp_path / "t.csv"
    path.write_text(above + BODY)
    read = read_file(path)
    assert list(read.frame) == ["T", "alloy", "y"] == names_at_once(path)
    assert read.frame["y"].tolist() == [1, 2]
    line = above.count("\n") + 1
    assert read.rows == [line + 1, line + 2]
    assert read.notes[0].startswith(f"the header of t.csv was found in line {line}; left out above it: '")
    with pytest.warns(TaylorSensusWarning, match="left out above it"):
        read_table(path)


@pytest.mark.parametrize("text", [BODY, ",T,y\na,1,2\nb,3,4\n", "a,b,,\n1,2,,\n3,4,,\n", "x\n1\n2\n3\n"])
def test_other_tables_keep_their_first_line(tmp_path, text):
    path = tmp_path / "t.csv"
    path.write_text(text)
    assert read_file(path).notes == []


def test_a_header_that_is_too_short_is_still_refused(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\nr1,1,2\nr2,3,4\n")
    with pytest.raises(DataError, match="every row must have 2 cells"):
        read_table(path)


def test_lines_of_ragged_rows_count_the_titles(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("Batch\n\n" + BODY + "1,2\n")
    with pytest.raises(DataError, match="line 6 has 2"):
        read_table(path)


def test_a_table_of_words_has_no_titles():
    assert title_lines([["", "b"], ["x", "y"], ["z", "w"]]) == 0
    assert title_lines([]) == 0


def test_blank_lines_count_as_rows(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n\n3,4\n")
    read = read_file(path)
    assert read.rows == [2, 4]
    pd.testing.assert_frame_equal(read.frame, pd.DataFrame({"a": [1, 3], "b": [2, 4]}))
