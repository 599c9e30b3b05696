"""One pass through a data set: exact statistics of its columns, and a random sample of its rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from taylor_sensus.errors import DataError
from taylor_sensus.out_of_core.source import Source
from taylor_sensus.rows import BLOCK
from taylor_sensus.tables.columns import LARGEST

MOST_WORDS = 1_000
"""Different texts of a column that are counted: columns with so many hold no categories."""


class NumberStatistics(NamedTuple):
    """Exact moments of a column of numbers, and its limits."""

    count: int = 0
    missing: int = 0
    mean: float = 0.0
    squares: float = 0.0
    """Sum of squared distances from the mean."""
    low: float = np.inf
    high: float = -np.inf

    @property
    def std(self) -> float:
        """Standard deviation."""
        return float(np.sqrt(self.squares / max(self.count, 1)))

    def with_cells(self, cells: np.ndarray) -> NumberStatistics:
        """The same with more cells, by the rule of Chan, Golub and LeVeque for joined samples."""
        present = cells[~np.isnan(cells)]
        missing = self.missing + len(cells) - len(present)
        if not len(present):
            return self._replace(missing=missing)
        mean, count = float(present.mean()), self.count + len(present)
        apart = mean - self.mean
        squares = self.squares + float(((present - mean) ** 2).sum()) + apart**2 * self.count * len(present) / count
        centre = self.mean + apart * len(present) / count
        low, high = min(self.low, float(present.min())), max(self.high, float(present.max()))
        return NumberStatistics(count, missing, centre, squares, low, high)


class Surveyed(NamedTuple):
    """What one pass finds in a data set."""

    rows: int
    numbers: dict[str, NumberStatistics]
    missing_cells: int
    sample: pd.DataFrame
    """Random rows, and one with each text that a column of words holds."""
    places: np.ndarray
    """Where the rows of the sample stand in the data set."""


def survey(source: Source, columns: Sequence[str], targets: Sequence[str], most: int, seed: int) -> Surveyed:
    """Go through all rows once; `most` of them, or all if there are no more, are kept."""
    rows = source.size
    rng = np.random.default_rng([3, seed])
    drawn = np.arange(rows) if rows <= most else np.sort(rng.choice(rows, most, replace=False, shuffle=False))
    wanted = [*columns, *targets]
    fields = {field.name: field.type for field in source.schema}
    are_numbers = [name for name in wanted if _is_number(fields[name])]
    numbers = {name: NumberStatistics() for name in are_numbers}
    words: dict[str, set[str]] = {name: set() for name in wanted if name not in numbers}
    empty, done, kept, places = 0, 0, [], []
    for part in source.parts:
        for batch in source.batches(part, wanted, are_numbers, BLOCK):
            for name in numbers:
                numbers[name] = numbers[name].with_cells(_cells(batch.column(name)))
            here = drawn[np.searchsorted(drawn, done) : np.searchsorted(drawn, done + len(batch))] - done
            for name, known in words.items():
                empty += batch.column(name).null_count
                here = np.union1d(here, _first_of_new(batch.column(name), known))
            if len(here):
                kept.append(batch.take(pa.array(here)).to_pandas())
                places.append(here + done)
            done += len(batch)
    _refuse(numbers, targets, source.name)
    missing = empty + sum(numbers[name].missing for name in numbers)
    return Surveyed(done, numbers, missing, pd.concat(kept, ignore_index=True), np.concatenate(places))


def _is_number(kind: pa.DataType) -> bool:
    types = pa.types
    return types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or types.is_decimal(kind)


def _cells(column: pa.Array) -> np.ndarray:
    if not pa.types.is_floating(column.type):
        column = column.cast(pa.float64(), safe=False)
    return column.to_numpy(zero_copy_only=False).astype(np.float64)


def _first_of_new(column: pa.Array, known: set[str]) -> np.ndarray:
    """Places of the first cell with each text that was not known before."""
    if len(known) >= MOST_WORDS:
        return np.empty(0, np.int64)
    texts = pd.Series(column.to_pandas()).dropna().map(str)
    first = texts[~texts.isin(list(known))].drop_duplicates()
    known.update(first)
    return first.index.to_numpy(np.int64)


def _refuse(numbers: dict[str, NumberStatistics], targets: Sequence[str], where: str) -> None:
    problems = []
    for name, found in numbers.items():
        if max(abs(found.low), abs(found.high)) > LARGEST and found.count:
            problems.append(f"column {name!r} holds infinite values or numbers beyond ±{LARGEST:g}")
        if name in targets and found.missing:
            problems.append(f"the target {name!r} has {found.missing:,} cells without a number")
    problems += [f"the target {name!r} holds no numbers" for name in targets if name not in numbers]
    if problems:
        raise DataError(f"{where}: {'; '.join(problems)}. Drop, fill or correct these cells first.")
