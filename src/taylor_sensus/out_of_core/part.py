"""One part of a data set: its rows are read, predicted and written a block at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from taylor_sensus.errors import DataError
from taylor_sensus.out_of_core.byte_ranges import EMPTY_WORDS
from taylor_sensus.out_of_core.row_groups import RowGroups
from taylor_sensus.out_of_core.source import Part, Source
from taylor_sensus.prediction import Prediction
from taylor_sensus.rows import BLOCK
from taylor_sensus.storage.atomic import replacing
from taylor_sensus.tables.files import harmless, with_predictions, without_apostrophes
from taylor_sensus.tables.reading import OpenedTable, UsedHeaders, table_for_model
from taylor_sensus.tables.wanted import KnownColumns, Reading

ROW_GROUP = 4 * BLOCK
BATCH_CELLS = 1 << 21
"""Cells that are read at once where these are more than a block of rows: every batch costs the same before its first
row."""
OnRows = Callable[[int], None]
"""Called with the number of rows done."""


class PredictionPlan(NamedTuple):
    """What all parts have in common."""

    source: Source
    used: UsedHeaders
    keep: tuple[str, ...]
    """Columns to copy."""
    known: KnownColumns
    """The columns of the model."""
    reading: Reading
    coverage: float
    interval: str
    """Where the bounds come from, "conformal" or "gaussian"."""
    file_format: str
    """"parquet" or "csv"."""

    @property
    def columns(self) -> list[str]:
        """All that is read."""
        return list(dict.fromkeys([*self.used.all, *self.keep]))

    @property
    def batch_rows(self) -> int:
        """Rows that are read at once."""
        return min(max(BLOCK, BATCH_CELLS // max(1, len(self.columns))), ROW_GROUP)


class RowsWriter(Protocol):
    """Takes the rows of a part, a block at a time."""

    def write(self, kept: pa.RecordBatch, predicted: pd.DataFrame) -> None:
        """Add rows: copied columns, and predictions."""


def predict_part(model: Any, plan: PredictionPlan, part: Part, path: Path, on_rows: OnRows) -> int:
    """Predict the rows of a part into one file, which appears whole or not at all; gives their number."""
    rows = 0
    with replacing(path) as temporary, _writer(plan, temporary) as writer:
        for batch in plan.source.batches(part, plan.columns, plan.used.numbers, plan.batch_rows):
            if len(batch):
                writer.write(batch.select(list(plan.keep)), predict_batch(model, plan, part, batch, rows))
                rows += len(batch)
                on_rows(len(batch))
        if not rows:
            names = prediction_columns(plan, model.fitted_.target_names, model.fitted_.one_dimensional)
            writer.write(_no_rows(plan), pd.DataFrame({name: np.zeros(0) for name in names}))
    return rows


def predict_batch(model: Any, plan: PredictionPlan, part: Part, batch: pa.RecordBatch, before: int) -> pd.DataFrame:
    """The predictions of some rows of a part, of which `before` others were predicted."""
    frame = batch.select(plan.used.all).to_pandas()
    if isinstance(part, RowGroups):
        frame.index = pd.RangeIndex(part.first + before, part.first + before + len(frame))
        where = part.file
    else:
        frame = without_apostrophes(frame)
        words = [name for name in plan.used.features if name not in plan.used.numbers]
        frame[words] = frame[words].mask(frame[words].isin(EMPTY_WORDS))
        where = f"{part.file}, from byte {part.first:,} on"
    try:
        table = table_for_model(OpenedTable(part.file, frame), plan.reading, plan.known)
        prediction = model.predict_distribution(table.X, X_err=table.X_err)
    except DataError as problem:
        raise DataError(f"{where}: {problem}") from problem
    conformal = plan.interval == "conformal"
    bounds = prediction.conformal_interval(plan.coverage) if conformal else prediction.interval(plan.coverage)
    return prediction.to_frame(plan.coverage, bounds).reset_index(drop=True)


def prediction_columns(plan: PredictionPlan, targets: Sequence[str], one_dimensional: bool) -> list[str]:
    """The columns that a prediction adds."""
    nothing = np.zeros(0 if one_dimensional else (0, len(targets)))
    empty = Prediction(nothing, nothing, nothing, nothing, np.zeros(0), target_names=tuple(targets))
    return list(empty.to_frame(plan.coverage).columns)


def _no_rows(plan: PredictionPlan) -> pa.RecordBatch:
    schema = pa.schema([plan.source.schema.field(name) for name in plan.keep])
    return pa.RecordBatch.from_pylist([], schema=schema)


@contextmanager
def _writer(plan: PredictionPlan, path: Path) -> Iterator[RowsWriter]:
    writer = _ParquetRows(path) if plan.file_format == "parquet" else _TextRows(path)
    try:
        yield writer
    finally:
        writer.close()


class _ParquetRows:
    """A Parquet file; blocks are gathered into row groups of a size that readers like."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.kept: list[str] = []
        self.waiting: list[pa.RecordBatch] = []
        self.writer: pq.ParquetWriter | None = None

    def write(self, kept: pa.RecordBatch, predicted: pd.DataFrame) -> None:
        """Add rows."""
        found = pa.RecordBatch.from_pandas(predicted, preserve_index=False)
        self.kept = kept.schema.names
        names = [*self.kept, *found.schema.names]
        self.waiting.append(pa.RecordBatch.from_arrays([*kept.columns, *found.columns], names=names))
        if sum(map(len, self.waiting)) >= ROW_GROUP:
            self._write_out()

    def _write_out(self) -> None:
        table = pa.Table.from_batches(self.waiting)
        # A dictionary of predictions, which are all different, would cost time and space.
        writer = self.writer = self.writer or pq.ParquetWriter(self.path, table.schema, use_dictionary=self.kept)
        writer.write_table(table, row_group_size=max(1, len(table)))
        self.waiting = []

    def close(self) -> None:
        """End the file."""
        if self.waiting:
            self._write_out()
        if self.writer is not None:
            self.writer.close()


class _TextRows:
    """A CSV file."""

    def __init__(self, path: Path) -> None:
        self.stream = path.open("x", encoding="utf-8", newline="")

    def write(self, kept: pa.RecordBatch, predicted: pd.DataFrame) -> None:
        """Add rows."""
        frame = harmless(with_predictions(kept.to_pandas(), predicted))
        frame.to_csv(self.stream, header=self.stream.tell() == 0, index=False, lineterminator="\n")

    def close(self) -> None:
        """End the file."""
        self.stream.close()
