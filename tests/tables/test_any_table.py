"""Any bytes, any cells: the readers give a table of sound columns or refuse it in words (hypothesis)."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from taylor_sensus import read_measurements
from taylor_sensus.errors import TaylorSensusError
from taylor_sensus.tables.files import read_table, write_table

QUICK = settings(
    max_examples=30, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
CELL = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8),
    st.from_regex(r"-?[0-9]{1,4}([.,][0-9]{1,3})?( ?± ?[0-9.]{1,4}|\\([0-9]{1,2}\\)| ?%)?", fullmatch=True),
)


def read_or_refused(read):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return read()
        except TaylorSensusError as problem:
            assert str(problem)
            return None


@QUICK
@given(st.binary(max_size=300), st.sampled_from(["csv", "tsv", "txt", "parquet", "xlsx"]))
def test_any_bytes(tmp_path, content, ending):
    path = tmp_path / f"table.{ending}"
    path.write_bytes(content)
    found = read_or_refused(lambda: read_table(path))
    assert found is None or (len(found) and found.columns.is_unique)


@QUICK
@given(st.lists(st.lists(CELL, min_size=3, max_size=3), min_size=1, max_size=8), st.sampled_from(",;\t"))
def test_any_cells(tmp_path, rows, separator):
    path = tmp_path / "table.csv"
    path.write_text("\n".join(separator.join(row) for row in [["a", "b [mm]", "c"], *rows]), encoding="utf-8")
    found = read_or_refused(lambda: read_measurements(path))
    if found is not None:
        assert len(found.errors) == len(found.values)
        assert not (found.errors.to_numpy(float, na_value=np.nan) < 0).any()


@QUICK
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False, width=64), min_size=1, max_size=20))
def test_numbers_come_back_as_they_were_written(tmp_path, numbers):
    frame = pd.DataFrame({"a": numbers, "b": range(len(numbers))})
    write_table(frame, tmp_path / "table.csv")
    np.testing.assert_array_equal(read_table(tmp_path / "table.csv")["a"].astype(float), frame["a"])


@pytest.mark.parametrize("cell", ["14.2(3)", "14.2 ± 0.3", "14.2±0.3"])
def test_the_notation_of_the_cells_above_is_meant(tmp_path, cell):
    """The strategy makes cells that the reader knows, not only ones that it refuses."""
    (tmp_path / "t.csv").write_text(f"a,b\n{cell},1\n{cell},2\n")
    assert read_measurements(tmp_path / "t.csv").errors["a"].tolist() == pytest.approx([0.3, 0.3])
