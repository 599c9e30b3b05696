"""How a part is read and written: batches by their cells, and no dictionary of numbers that are all different."""

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from taylor_sensus import predict_dataset
from taylor_sensus.out_of_core.part import ROW_GROUP, PredictionPlan
from taylor_sensus.rows import BLOCK
from tests.tiny import measurements, tiny

INPUTS = ["temp [degC]", "time [s]", "alloy"]


@pytest.mark.parametrize(("columns", "rows"), [(3, ROW_GROUP), (20, ROW_GROUP), (64, 2 * BLOCK), (500, BLOCK)])
def test_wide_tables_are_read_in_smaller_batches(monkeypatch, columns, rows):
    monkeypatch.setattr(PredictionPlan, "columns", [f"x{place}" for place in range(columns)])
    assert plan().batch_rows == rows


def plan() -> PredictionPlan:
    empty = dict.fromkeys(PredictionPlan._fields)
    return PredictionPlan(**empty)  # pyright: ignore


def test_only_kept_columns_have_dictionaries(tmp_path):
    table = measurements(60)
    model = tiny().fit(table[INPUTS], table["strength [MPa]"])
    table.assign(id=np.arange(60)).to_parquet(tmp_path / "new.parquet")
    predict_dataset(model, tmp_path / "new.parquet", tmp_path / "out", keep=["id", "alloy"])
    (path,) = (tmp_path / "out").glob("*.parquet")
    group = pq.ParquetFile(path).metadata.row_group(0)
    columns = [group.column(place) for place in range(group.num_columns)]
    assert {c.path_in_schema for c in columns if c.has_dictionary_page} == {"id", "alloy"}
    assert pd.read_parquet(path)["alloy"].tolist() == table["alloy"].tolist()
