"""Parts of data sets: every row once, in order, whatever the files are."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from taylor_sensus.errors import DataError
from taylor_sensus.out_of_core.source import open_source

ROWS = 57


def table(rows=ROWS):
    numbers = np.arange(rows)
    return pd.DataFrame(
        {"id": [f"{n:03d}" for n in numbers], "x": numbers / 7, "word": ["a", "b,c", "d e"] * (rows // 3)}
    )


def read(source, columns=("id", "x", "word"), numbers=("x",), size=10):
    """The rows of all parts, one after the other."""
    batches = [b for part in source.parts for b in source.batches(part, columns, numbers, size)]
    assert all(len(batch) <= size for batch in batches)
    return pa.Table.from_batches(batches).to_pandas()


@pytest.mark.parametrize("part_rows", [1, 8, 20, 1000])
def test_row_groups(tmp_path, part_rows):
    table()[:30].to_parquet(tmp_path / "a.parquet", row_group_size=7)
    table()[30:].to_parquet(tmp_path / "b.parquet", row_group_size=100)
    (tmp_path / "_SUCCESS.parquet").touch()
    source = open_source(tmp_path, part_rows)
    assert sum(part.size for part in source.parts) == ROWS
    assert all(part.size <= max(part_rows, 27) for part in source.parts)
    assert [part.first for part in source.parts if part.file.endswith("b.parquet")] == [0]
    pd.testing.assert_frame_equal(read(source), table())


@pytest.mark.parametrize("part_rows", [1, 3, 20, 1000])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("last", [True, False])
def test_byte_ranges(tmp_path, part_rows, ends, last):
    text = table().to_csv(index=False, lineterminator=ends)
    path = tmp_path / "a.csv"
    path.write_bytes(b"\xef\xbb\xbf" + (text if last else text.rstrip()).encode())
    source = open_source(path, part_rows)
    assert len(source.parts) == pytest.approx(ROWS / part_rows, rel=0.3, abs=1)
    pd.testing.assert_frame_equal(read(source), table())


def test_a_line_longer_than_a_part_is_read_once(tmp_path):
    long = pd.DataFrame({"id": ["short", "x" * 5000, "end", "more"], "x": [1.0, 2, 3, 4]})
    short = pd.DataFrame({"id": ["s"] * 500, "x": 0.0})
    pd.concat([short, long]).to_csv(tmp_path / "a.csv", index=False)
    found = read(open_source(tmp_path / "a.csv", 3), ["id", "x"])
    assert list(found["id"]) == [*short["id"], *long["id"]]


def test_text_as_people_write_it(tmp_path):
    (tmp_path / "a.csv").write_text("id;x;yes\n007;1,5;true\nNA;n.d.;false\n\n9;-2,25;true\n", "utf-8")
    found = read(open_source(tmp_path, 1), ["id", "x", "yes"])
    assert list(found["id"]) == ["007", "NA", "9"]  # as written
    np.testing.assert_array_equal(found["x"], [1.5, np.nan, -2.25])
    assert found["yes"].dtype == bool and list(found["yes"]) == [True, False, True]


def test_cells_that_say_more_than_a_number_stay_texts(tmp_path):
    (tmp_path / "a.csv").write_text("id,x\n1,14.2(3)\n2,15\n", "utf-8")
    assert list(read(open_source(tmp_path, 10), ["x"])["x"]) == ["14.2(3)", "15"]


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_folders_tell_columns(tmp_path, ending):
    for year in (2024, 2023):
        folder = tmp_path / f"year={year}" / "site=north"
        folder.mkdir(parents=True)
        part = table().assign(x=float(year))
        part.to_parquet(folder / "a.parquet") if ending == "parquet" else part.to_csv(folder / "a.csv", index=False)
    source = open_source(tmp_path, 1000)
    assert source.partitioned_by == ("year", "site")
    found = read(source, ["site", "x", "year"], size=1000)
    assert (found["year"] == found["x"]).all() and (found["site"].astype(str) == "north").all()
    assert list(found["year"].unique()) == [2023, 2024]


def test_kinds_that_differ_between_files_are_joined(tmp_path):
    pd.DataFrame({"x": [1, 2]}).to_parquet(tmp_path / "a.parquet")
    pd.DataFrame({"x": [2.5], "new": ["a"]}).to_parquet(tmp_path / "b.parquet")
    found = read(open_source(tmp_path, 10), ["x", "new"])
    assert list(found["x"]) == [1, 2, 2.5] and list(found["new"].isna()) == [True, True, False]


def test_what_cannot_be_a_table_is_refused(tmp_path):
    with pytest.raises(DataError, match="no file or folder"):
        open_source(tmp_path / "none", 10)
    with pytest.raises(DataError, match="holds no table"):
        open_source(tmp_path, 10)
    (tmp_path / "bad.parquet").write_bytes(b"no parquet")
    with pytest.raises(DataError, match=r"bad\.parquet"):
        open_source(tmp_path, 10)
    table().to_csv(tmp_path / "a.csv")
    with pytest.raises(DataError, match="Parquet files and text files"):
        open_source(tmp_path, 10)
    (tmp_path / "bad.parquet").unlink()
    (tmp_path / "a.csv").write_text("id,x\n1,2\n3\n4,5\n")
    with pytest.raises(DataError, match=r"a\.csv, bytes 5 to 15: .*Expected 2 columns"):
        read(open_source(tmp_path, 10), ["id", "x"])
    (tmp_path / "a.csv").write_text("id,x\n" + 9 * '1,"2\n3"\n')
    with pytest.raises(DataError, match=r"a\.csv, bytes .*line end"):
        read(open_source(tmp_path, 1), ["id", "x"])
    (tmp_path / "a.csv").write_text("id,x\n")
    with pytest.raises(DataError, match="no rows"):
        open_source(tmp_path, 10)
