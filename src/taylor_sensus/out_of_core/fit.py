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
POOL = 8 * LARGE
"""Rows that a member has in memory at a time."""
GROUPS = 8
"""Row groups that a pool is drawn from at least, so that neighbours in a file are not neighbours in training."""


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

    def rows(self, names: Names, *, pool: int | None = None) -> FileRows:
        """The rows from which the means learn."""
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

    def draw(self, rng: np.random.Generator) -> Pool:
        """Rows of some row groups in random order, from each the same share."""
        if self.is_whole:
            return self._read(self.source.parts, 1.0, rng)
        parts = [self.source.parts[place] for place in rng.permutation(len(self.source.parts))]
        chosen, found = [], 0
        for part in parts:
            if len(chosen) >= GROUPS and found >= self.pool:
                break
            chosen.append(part)
            found += part.size
        return self._read(chosen, min(1.0, self.pool / found), rng)

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
                x.append(without_dust(encode(frame, self.columns, new_categories=True, told=False)))
                check_finite(x[-1], [p for c in self.columns for p in c.parts], part.file, gaps=True)
                y.append(without_dust(encode(frame[list(self.targets)], [Column(name, None) for name in self.targets])))
        return Pool(np.concatenate(x), np.concatenate(y))
