"""Fits from files: which columns are learned from, and pools of rows for the means, drawn from row groups at random."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from taylor_sensus.errors import DataError
from taylor_sensus.fit.padding import LARGE
from taylor_sensus.fit.stream import Pool
from taylor_sensus.fitted import FittedModel
from taylor_sensus.model.scaling import Scaler
from taylor_sensus.out_of_core.source import Part, Source, open_source
from taylor_sensus.out_of_core.survey import NumberStatistics, Surveyed, survey
from taylor_sensus.records import Names
from taylor_sensus.rows import BLOCK
from taylor_sensus.tables.alignment import check_to_fit, headers_of
from taylor_sensus.tables.columns import Column, check_finite, encode, without_dust

SAMPLE = LARGE
"""Rows that process, noise and calibration look at; tables of up to so many are fitted in memory."""
SHARDS = 8
"""Parts into which row groups are dealt at least, so that neighbours in a file are not neighbours in training. Up to
so many processes get the same batches as one; more processes have as many shards as the next power of two."""
POOL = SHARDS * LARGE
"""Rows that a member has in memory at a time, of all shards; of each shard its part."""


class FitFiles(NamedTuple):
    """A data set to learn from, after one pass."""

    source: Source
    features: list[str]
    targets: list[str]
    surveyed: Surveyed

    @property
    def sample_is_all(self) -> bool:
        """Whether the sample holds every row."""
        return len(self.surveyed.sample) >= self.surveyed.rows

    def table(self, one_target: bool) -> tuple[pd.DataFrame, Any]:
        """Features and targets of the sample, as `fit` takes them."""
        sample = self.surveyed.sample
        return sample[self.features], sample[self.targets[0]] if one_target else sample[self.targets]

    def rows(self, names: Names, *, pool: int | None = None, processes: int = 1) -> FileRows:
        """The rows from which the means learn, for so many processes."""
        numbers = self.surveyed.numbers
        return FileRows(
            rows=self.surveyed.rows,
            source=self.source,
            columns=names.columns,
            targets=tuple(self.targets),
            numbers=tuple(numbers),
            statistics=tuple(numbers.get(column.name) for column in names.columns),
            target_statistics=tuple(numbers[name] for name in self.targets),
            pool=POOL if pool is None else pool,
            shard_count=max(SHARDS, 1 << (processes - 1).bit_length()),
        )

    def in_the_data_set(self, fitted: FittedModel) -> FittedModel:
        """A model of the sample, with counts and places of rows as they are in the data set; it keeps no rows."""
        rows, places = self.surveyed.rows, self.surveyed.places
        summary = fitted.fit_summary
        counts = {"rows": rows, "distinct_rows": rows, "missing_cells": self.surveyed.missing_cells}
        outliers = tuple(int(places[place]) for place in summary.outliers or ())
        held_out = fitted.held_out._replace(rows=places[fitted.held_out.rows])
        return replace(fitted, rows=None, held_out=held_out, fit_summary=replace(summary, **counts, outliers=outliers))


def open_files_to_fit(source: Any, target: str | Sequence[str], drop: Sequence[str] | str, seed: int) -> FitFiles:
    """Find the files, say which columns are features, and go through all rows once."""
    found = open_source(source, part_rows=1)
    if found.kind != "parquet":
        raise DataError(f"{found.name} holds text files; write them as Parquet first, for example with pyarrow.dataset")
    headers = found.schema.names
    targets, dropped = headers_of(target, headers), headers_of(drop, headers)
    features = check_to_fit(headers, targets, dropped)
    return FitFiles(found, features, targets, survey(found, features, targets, SAMPLE, seed))


@dataclass(frozen=True)
class FileRows:
    """Rows of Parquet files, of which some at a time are in memory: a `taylor_sensus.fit.stream.RowSource`."""

    rows: int
    source: Source
    columns: tuple[Column, ...]
    targets: tuple[str, ...]
    numbers: tuple[str, ...]
    """Columns of numbers."""
    statistics: tuple[NumberStatistics | None, ...]
    """Of each column of numbers among the features."""
    target_statistics: tuple[NumberStatistics, ...]
    pool: int
    shard_count: int

    @property
    def shards(self) -> tuple[int, ...]:
        """Rows of each shard."""
        return tuple(sum(part.size for part in self._parts(shard)) for shard in range(self.shard_count))

    def _parts(self, shard: int) -> Sequence[Part]:
        return self.source.parts[shard :: self.shard_count]

    def pool_rows(self, shard: int) -> int:
        """Rows that are drawn at once from a shard, about."""
        return min(self.shards[shard], -(-self.pool // SHARDS))

    @property
    def is_whole(self) -> bool:
        """Whether a pool holds all rows."""
        return self.rows <= self.pool

    def scaler(self, sample: Scaler) -> Scaler:
        """Targets by their exact mean and spread; a column that changes only outside the sample is not left out."""
        scale, place = sample.scale.copy(), 0
        center = sample.center
        for column, found in zip(self.columns, self.statistics, strict=True):
            if found is not None and column.categories is None:
                span, size = found.high - found.low, max(abs(found.high), abs(found.low), 1e-300)
                if scale[place] == 0 and span > 1e-12 * size:
                    scale[place] = span / 2
            place += len(column.parts)
        mean = np.array([found.mean for found in self.target_statistics])
        std = np.array([found.std for found in self.target_statistics])
        constant = std <= 1e-12 * np.maximum(np.abs(mean), 1e-300)
        return Scaler(center, scale, mean, np.where(constant, np.maximum(np.abs(mean) * 1e-6, 1e-12), std))

    def draw(self, shard: int, rng: np.random.Generator) -> Pool:
        """Rows of some row groups of a shard in random order, from each the same share."""
        parts = self._parts(shard)
        if self.is_whole:
            return self._read(parts, 1.0, rng)
        wanted, chosen, found = self.pool_rows(shard), [], 0
        for place in rng.permutation(len(parts)):
            if found >= wanted:
                break
            chosen.append(parts[place])
            found += parts[place].size
        return self._read(chosen, min(1.0, wanted / max(found, 1)), rng)

    def _read(self, parts: Sequence[Part], share: float, rng: np.random.Generator) -> Pool:
        wanted = [*(column.name for column in self.columns), *self.targets]
        x, y = [], []
        for part in parts:
            for batch in self.source.batches(part, wanted, self.numbers, BLOCK):
                if share < 1:
                    batch = batch.take(pa.array(np.flatnonzero(rng.random(len(batch)) < share)))
                if not len(batch):
                    continue
                frame = batch.to_pandas()
                x.append(without_dust(encode(frame, self.columns, new_categories=True, warn_unseen=False)))
                check_finite(x[-1], [p for c in self.columns for p in c.parts], part.file, gaps=True)
                y.append(without_dust(encode(frame[list(self.targets)], [Column(name, None) for name in self.targets])))
        if not x:
            return Pool(np.empty((0, sum(len(c.parts) for c in self.columns))), np.empty((0, len(self.targets))))
        return Pool(np.concatenate(x), np.concatenate(y))
