"""Tables as people save them: what is read, what is refused and how it is said, and what is written."""

import builtins
import json
import os
import stat
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from taylor_sensus.errors import DataError, MissingExtraError
from taylor_sensus.tables import excel, files
from taylor_sensus.tables.files import read_table, write_table

EXPECTED = pd.DataFrame({"T": [300.5, 310.0], "alloy": ["steel", "brass"], "n": [1, 2]})


def save(folder, name, content, encoding="utf-8"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
    return path


def same(frame, expected=EXPECTED):
    pd.testing.assert_frame_equal(frame, expected, check_dtype=False)


# -------------------------------------------------------------------------------------- reading text


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("ending", [".csv", ".tsv", ".txt", ".CSV"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_separators_endings_and_newlines(tmp_path, separator, ending, newline):
    text = "T,alloy,n\n300.5,steel,1\n310.0,brass,2\n".replace(",", separator).replace("\n", newline)
    same(read_table(save(tmp_path, "t" + ending, text)))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1"])
def test_encodings(tmp_path, encoding):
    text = "Größe ±,T in °C\n1.5,20\n2.5,30\n"
    frame = read_table(save(tmp_path, "t.csv", text, encoding))
    assert list(frame) == ["Größe ±", "T in °C"]
    assert frame.iloc[1].tolist() == [2.5, 30]


def test_windows_text_with_bytes_that_latin_1_lacks(tmp_path):
    assert list(read_table(save(tmp_path, "t.csv", "price €\n1\n", "cp1252"))) == ["price €"]
    assert list(read_table(save(tmp_path, "t.csv", b"a\x81\xb5\n1\n"))) == ["a\x81µ"]


def test_a_late_byte_that_is_not_utf8(tmp_path):
    text = "name\n" + "a\n" * 100_000 + "Öl\n"
    assert read_table(save(tmp_path, "t.csv", text, "latin-1"))["name"].iloc[-1] == "Öl"


def test_white_space_around_headers_and_cells_after_the_separator(tmp_path):
    same(read_table(save(tmp_path, "t.csv", ' T , "alloy" ,\tn\n 300.5, steel, 1\n310.0, "brass", 2\n')))


def test_quoted_separators_and_line_breaks(tmp_path):
    frame = read_table(save(tmp_path, "t.csv", '"a, b",c\n"x, y",1\n"two\nlines",2\n'))
    assert frame["a, b"].tolist() == ["x, y", "two\nlines"]
    assert frame["c"].tolist() == [1, 2]


def test_blank_lines_and_missing_cells(tmp_path):
    frame = read_table(save(tmp_path, "t.csv", "\n\na,b\n\n1,\n   \n,2\n\n"))
    assert frame["a"].isna().tolist() == [False, True]
    assert frame["b"].isna().tolist() == [True, False]


def test_decimal_commas_of_a_semicolon_file(tmp_path):
    same(read_table(save(tmp_path, "t.csv", "T;alloy;n\n300,5;steel;1\n310,0;brass;2\n")))


def test_a_semicolon_file_with_commas_in_its_header(tmp_path):
    frame = read_table(save(tmp_path, "t.csv", "T, K;p, bar\n300,5;1,25\n310,0;2,5\n"))
    assert list(frame) == ["T, K", "p, bar"]
    assert frame.to_numpy().tolist() == [[300.5, 1.25], [310.0, 2.5]]


def test_commas_that_may_be_thousands_are_refused(tmp_path):
    with pytest.raises(DataError, match="decimals or thousands, as in '1,234'"):
        read_table(save(tmp_path, "t.csv", "a;b\n1,234;5\n2,500;6\n"))
    assert read_table(save(tmp_path, "t.csv", "a;b\n1,234;5\n0,500;6\n"))["a"].tolist() == [1.234, 0.5]


def test_one_column(tmp_path):
    assert read_table(save(tmp_path, "t.csv", "a\n1\n2\n"))["a"].tolist() == [1, 2]


def test_nameless_first_column_holds_row_labels(tmp_path):
    frame = read_table(save(tmp_path, "t.csv", ",a,b\nr1,1,2\nr2,3,4\n"))
    assert list(frame) == ["a", "b"] and frame.index.tolist() == ["r1", "r2"]


def test_nameless_empty_columns_are_left_out(tmp_path):
    same(read_table(save(tmp_path, "t.csv", "a,b,,\n1,2,,\n3,4,,\n")), pd.DataFrame({"a": [1, 3], "b": [2, 4]}))


# --------------------------------------------------------------------------------- refusing, with words


@pytest.mark.parametrize("content", ["", "\n\n  \n", b"\xef\xbb\xbf", b"\xff\xfe"])
def test_empty_file_is_refused(tmp_path, content):
    with pytest.raises(DataError, match="is empty"):
        read_table(save(tmp_path, "t.csv", content))


def test_header_only_is_refused(tmp_path):
    with pytest.raises(DataError, match="no rows"):
        read_table(save(tmp_path, "t.csv", "a,b\n"))


def test_all_header_problems_come_together(tmp_path):
    with pytest.raises(DataError) as caught:
        read_table(save(tmp_path, "t.csv", "a,b, a,,b\n1,2,3,4,5\n"))
    message = str(caught.value)
    assert "columns 1, 3 are all named 'a'" in message
    assert "columns 2, 5 are all named 'b'" in message
    assert "column 4" in message


def test_ragged_rows_are_named_by_line(tmp_path):
    with pytest.raises(DataError) as caught:
        read_table(save(tmp_path, "t.csv", 'a,b,c\n1,2,3\n\n"4\n4",5\n6,7,8\n9,10,11,12\n'))
    message = str(caught.value)
    assert "3 cells" in message and "comma" in message
    assert "line 4 has 2" in message, "the record that spans lines 4 and 5 is named by its first line"
    assert "line 7 has 4" in message


def test_a_first_row_that_is_too_long_does_not_become_row_labels(tmp_path):
    with pytest.raises(DataError, match="line 2 has 3"):
        read_table(save(tmp_path, "t.csv", "a,b\n1,2,3\n4,5,6\n"))


def test_many_ragged_rows_are_counted(tmp_path):
    with pytest.raises(DataError, match="and 25 more lines"):
        read_table(save(tmp_path, "t.csv", "a,b\n" + "1,2\n" * 40 + "1\n" * 30))


def test_open_quotation_mark_is_named_by_line(tmp_path):
    with pytest.raises(DataError, match=r"line 3.*quotation mark"):
        read_table(save(tmp_path, "t.csv", 'a,b\n1,2\n"3,4\n5,6\n'))
    with pytest.raises(DataError, match=r"line 3.*quotation mark"):
        read_table(save(tmp_path, "t.csv", 'a,b\n1,2\n3,"4\n5,6'))


def test_space_separated_text_is_refused(tmp_path):
    with pytest.raises(DataError, match="separated by spaces"):
        read_table(save(tmp_path, "t.txt", "a b c\n1.0 2.0 3.0\n"))


@pytest.mark.parametrize(("name", "hint"), [("t.docx", "'.docx'"), ("t", "no ending"), ("t.csv.gz", "'.gz'")])
def test_unknown_ending_is_refused(tmp_path, name, hint):
    with pytest.raises(DataError, match=hint):
        read_table(save(tmp_path, name, "a\n1\n"))


def test_missing_file_suggests_its_neighbour(tmp_path):
    save(tmp_path, "steels.csv", "a\n1\n")
    with pytest.raises(DataError, match=r"did you mean 'steels\.csv'\?"):
        read_table(tmp_path / "steel.csv")
    with pytest.raises(DataError, match="there is no file"):
        read_table(tmp_path / "nowhere" / "steel.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(DataError, match="is a folder"):
        read_table(tmp_path / "folder.csv")


def test_a_binary_file_with_a_text_ending_is_recognised(tmp_path):
    EXPECTED.to_parquet(tmp_path / "p.csv")
    with pytest.raises(DataError, match="looks like a Parquet file"):
        read_table(tmp_path / "p.csv")
    with pytest.raises(DataError, match="not a text file"):
        read_table(save(tmp_path, "b.csv", b"\x01\x02\x00\x07" * 50 + b"\x00\x00"))
    with pytest.raises(DataError, match="damaged UTF-16"):
        read_table(save(tmp_path, "u.csv", b"\xff\xfea\x00,\x00b"))


# ---------------------------------------------------------------------------------- Excel and Parquet


def test_excel(tmp_path):
    pytest.importorskip("openpyxl")
    EXPECTED.rename(columns={"T": " T "}).to_excel(tmp_path / "t.xlsx", index=False)
    same(read_table(tmp_path / "t.xlsx"))
    EXPECTED.set_axis(["r1", "r2"], axis=0).to_excel(tmp_path / "labels.xlsx")
    assert read_table(tmp_path / "labels.xlsx").index.tolist() == ["r1", "r2"]


def test_excel_problems(tmp_path):
    pytest.importorskip("openpyxl")
    pd.DataFrame([[1, 2]], columns=["a", "a"]).to_excel(tmp_path / "twice.xlsx", index=False)
    with pytest.raises(DataError, match="columns 1, 2 are all named 'a'"):
        read_table(tmp_path / "twice.xlsx")
    pd.DataFrame(columns=["a", "b"]).to_excel(tmp_path / "header.xlsx", index=False)
    with pytest.raises(DataError, match="no rows"):
        read_table(tmp_path / "header.xlsx")
    pd.DataFrame().to_excel(tmp_path / "empty.xlsx", index=False)
    with pytest.raises(DataError, match="is empty"):
        read_table(tmp_path / "empty.xlsx")
    with pytest.raises(DataError, match="cannot be read as an Excel book"):
        read_table(save(tmp_path, "broken.xlsx", "a,b\n1,2\n"))


@pytest.mark.parametrize(("ending", "package"), [(".xlsx", "openpyxl"), (".xls", "xlrd")])
def test_missing_excel_package_names_the_install_command(tmp_path, monkeypatch, ending, package):
    real_import = builtins.__import__

    def import_without(name, *args, **kwargs):
        if name.split(".")[0] == package:
            raise ImportError(f"No module named {package!r}")
        return real_import(name, *args, **kwargs)

    for name in [name for name in sys.modules if name.split(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", import_without)
    with pytest.raises(MissingExtraError, match=r"pip install taylor-sensus\[excel\]"):
        read_table(save(tmp_path, "t" + ending, b"PK\x03\x04"))


def test_parquet(tmp_path):
    EXPECTED.to_parquet(tmp_path / "t.parquet")
    same(read_table(tmp_path / "t.parquet"))
    with pytest.raises(DataError, match="cannot be read as Parquet"):
        read_table(save(tmp_path, "broken.parquet", "a,b\n1,2\n"))
    EXPECTED.iloc[:0].to_parquet(tmp_path / "none.parquet")
    with pytest.raises(DataError, match="no rows"):
        read_table(tmp_path / "none.parquet")


# ------------------------------------------------------------------------------------------- writing


@pytest.mark.parametrize("column_index", [{}, 3, {"name": 1, "pandas_type": []}])
def test_broken_notes_of_pandas_in_a_parquet_file_are_refused_or_passed_over(tmp_path, column_index):
    table = pa.Table.from_pandas(EXPECTED)
    notes = {**table.schema.pandas_metadata, "column_indexes": [column_index]}
    pq.write_table(table.replace_schema_metadata({"pandas": json.dumps(notes)}), tmp_path / "t.parquet")
    try:
        assert len(read_table(tmp_path / "t.parquet")) == len(EXPECTED)
    except DataError as error:
        assert "cannot be read as Parquet" in str(error)
    else:
        assert column_index != {}, "nothing says what the columns are called"


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.parquet", "T.CSV"])
def test_what_is_written_is_read_again(tmp_path, name):
    write_table(EXPECTED, tmp_path / name)
    same(read_table(tmp_path / name))
    assert [file.name for file in tmp_path.iterdir()] == [name], "no temporary file is left"


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_row_labels_are_kept_even_when_repeated(tmp_path, name):
    frame = EXPECTED.set_axis(["=r", "=r"], axis=0)
    write_table(frame, tmp_path / name)
    again = read_table(tmp_path / name)
    assert list(again) == list(EXPECTED) and len(again) == 2
    if name == "t.csv":
        assert (tmp_path / name).read_text().splitlines()[1].startswith("'=r,")


def test_floats_keep_every_digit(tmp_path):
    frame = pd.DataFrame({"a": np.random.default_rng(0).standard_normal(200) * 10.0 ** np.arange(-100, 100)})
    write_table(frame, tmp_path / "t.csv")
    np.testing.assert_allclose(read_table(tmp_path / "t.csv")["a"], frame["a"], rtol=1e-15)


def test_formulas_are_neutralised_and_numbers_untouched(tmp_path):
    frame = pd.DataFrame(
        {
            "=cmd": ["=1+1", "@SUM(A1)", "+x", "-x", "\t=1", "plain"],
            "number": [-1.5, 2, -3, 4, 5, 6],
            "text": ["-1.5", "+2e3", "-", "a=b", None, "'quoted"],
            "-kind": pd.Categorical(["=k", "l", "=k", "l", "l", "l"]),
        }
    )
    write_table(frame, tmp_path / "t.csv")
    raw = pd.read_csv(tmp_path / "t.csv", dtype=str, keep_default_na=False)
    assert list(raw) == ["'=cmd", "number", "text", "'-kind"]
    assert raw["'=cmd"].tolist() == ["'=1+1", "'@SUM(A1)", "'+x", "'-x", "'\t=1", "plain"]
    assert raw["number"].tolist() == ["-1.5", "2.0", "-3.0", "4.0", "5.0", "6.0"]
    assert raw["text"].tolist() == ["-1.5", "+2e3", "'-", "a=b", "", "'quoted"]
    assert raw["'-kind"].tolist() == ["'=k", "l", "'=k", "l", "l", "l"]
    again = read_table(tmp_path / "t.csv")
    assert list(again) == list(frame), "our own apostrophes are taken off again"
    assert again["=cmd"].tolist() == frame["=cmd"].tolist()
    assert again["text"].iloc[5] == "'quoted"
    assert frame["=cmd"].iloc[0] == "=1+1", "the caller's table is left alone"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cells=st.lists(st.text(alphabet="=+-@'\",;\t ax1.\n", min_size=1), min_size=1, max_size=5))
def test_no_text_cell_of_a_written_file_starts_a_formula(tmp_path, cells):
    write_table(pd.DataFrame({"name": cells, "n": 1}), tmp_path / "t.csv")
    for cell in pd.read_csv(tmp_path / "t.csv", dtype=str, keep_default_na=False)["name"]:
        if cell.lstrip()[:1] in ("=", "+", "-", "@"):
            float(cell)


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = save(tmp_path, "t.csv", "old")

    def fail(self, path, **_):
        path.write_text("half")
        raise OSError("disk full")

    monkeypatch.setattr(pd.DataFrame, "to_csv", fail)
    with pytest.raises(OSError, match="disk full"):
        write_table(EXPECTED, path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name == "nt", reason="POSIX permissions and links")
def test_permissions_are_ordinary_and_links_are_followed(tmp_path):
    write_table(EXPECTED, tmp_path / "t.csv")
    plain = save(tmp_path, "plain", "x")
    assert stat.S_IMODE((tmp_path / "t.csv").stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)
    (tmp_path / "link.csv").symlink_to(tmp_path / "t.csv")
    write_table(EXPECTED[["T"]], tmp_path / "link.csv")
    assert (tmp_path / "link.csv").is_symlink()
    assert list(read_table(tmp_path / "t.csv")) == ["T"]


def test_what_cannot_be_written_is_said(tmp_path):
    with pytest.raises(DataError, match=r"'\.xls'; tables can be written as \.csv, \.tsv, \.xlsx, \.parquet"):
        write_table(EXPECTED, tmp_path / "t.xls")
    with pytest.raises(DataError, match="several columns are named 'a'"):
        write_table(pd.DataFrame([[1, 2]], columns=["a", "a"]), tmp_path / "t.csv")
    with pytest.raises(DataError, match="no folder"):
        write_table(EXPECTED, tmp_path / "nowhere" / "t.csv")
    with pytest.raises(DataError, match="mixes kinds"):
        write_table(pd.DataFrame({"a": [1, "x"]}, dtype=object), tmp_path / "t.parquet")
    assert list(tmp_path.iterdir()) == []


def test_import_is_light():
    code = "import sys, taylor_sensus.tables.files; assert not {'openpyxl', 'xlrd'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert not hasattr(files, "openpyxl")


@pytest.mark.parametrize("decimal", [None, "."])
def test_a_text_file_is_opened_once(tmp_path, decimal):
    path, opened = save(tmp_path, "once.csv", "a;b\n1,5;x\n2,5;y\n"), []
    sys.addaudithook(
        lambda event, given: opened.append(given[0]) if event == "open" and str(given[0]) == str(path) else None
    )
    read_table(path, decimal=decimal)
    assert len(opened) == 1


@pytest.mark.parametrize("ending", [".csv", ".tsv"])
def test_a_file_of_blanks_is_empty(tmp_path, ending):
    with pytest.raises(DataError, match="is empty"):
        read_table(save(tmp_path, f"t{ending}", "\t\n\t\n"))


def test_a_parquet_file_that_claims_billions_of_cells_is_refused_before_it_is_read(tmp_path, monkeypatch):
    """A megabyte of equal cells once took gigabytes."""
    path = tmp_path / "bomb.parquet"
    pd.DataFrame({name: np.zeros(1_000) for name in "abcde"}).to_parquet(path)
    assert len(read_table(path)) == 1_000
    monkeypatch.setattr(files, "MOST_CELLS", 4_999)
    monkeypatch.setattr(pd, "read_parquet", lambda *_, **__: pytest.fail("it was read"))
    with pytest.raises(DataError, match=r"bomb.parquet holds 5,000 cells; at most 4,999"):
        read_table(path)


def test_an_excel_book_that_unpacks_to_gigabytes_is_refused(tmp_path, monkeypatch):
    pd.DataFrame({"a": [1.0, 2.0]}).to_excel(tmp_path / "book.xlsx", index=False)
    assert len(read_table(tmp_path / "book.xlsx")) == 2
    monkeypatch.setattr(excel, "MOST_UNPACKED", 100)
    with pytest.raises(DataError, match=r"book.xlsx unpacks to [\d,]+ bytes; at most 100"):
        read_table(tmp_path / "book.xlsx")


def test_a_damaged_book_is_refused_in_words(tmp_path):
    """Found by fuzzing: a version of the packing that Python does not know."""
    path = tmp_path / "book.xlsx"
    pd.DataFrame({"a": [1.0, 2.0]}).to_excel(path, index=False)
    content = path.read_bytes()
    path.write_bytes(content.replace(b"PK\x01\x02\x14\x03\x14\x00", b"PK\x01\x02\x14\x03\xff\x00"))
    assert path.read_bytes() != content
    with pytest.raises(DataError, match="cannot be read as an Excel book"):
        read_table(path)
