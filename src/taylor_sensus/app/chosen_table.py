"""A table that was chosen: its cells, and what each column seems to be. Nothing is decided here, only proposed."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from taylor_sensus.errors import DataError, TaylorSensusWarning
from taylor_sensus.model.exact import few_levels
from taylor_sensus.tables.columns import is_time
from taylor_sensus.tables.companions import Pairing, find_pairings
from taylor_sensus.tables.measurements import Measurements, read_measurements
from taylor_sensus.tables.reading import open_table
from taylor_sensus.tables.wanted import Reading

LOOKED_AT = 200
"""Rows by which the kind of a column is inferred."""
NUMBERS, WORDS, NAMES, COUNTER, DATES, CONSTANT, EMPTY = (
    "number",
    "word",
    "name",
    "counter",
    "date",
    "constant",
    "empty",
)
UNINFORMATIVE = {
    NAMES: "another word in every row",
    COUNTER: "numbers the rows",
    DATES: "dates or times",
    CONSTANT: "the same in every row",
    EMPTY: "no cell is filled",
}
"""Kinds of columns from which nothing can be learned as they are, and why."""

_NAMES_OF_COUNTERS = re.compile(
    r"(#|id|idx|index|no|nr|num|number|row|line|run|sample|specimen|experiment|exp|entry|record|unnamed: \d+)"
    r"([ _.-]?(#|id|idx|index|no|nr|num|number|code))?\.?",
    re.IGNORECASE,
)


class ColumnProfile(NamedTuple):
    """What a column seems to be."""

    kind: str = NUMBERS
    missing: int = 0
    """Empty cells, and words such as n.d."""
    declared: int = 0
    """Cells that declare their own error, as 14.2(3) does; among the first rows only."""
    looked_at: int = 0
    exact: str | None = None
    """Why its values are probably exact, if they are."""


class ChosenTable(NamedTuple):
    """A table that was chosen: where it is kept, what the user calls it, and its cells."""

    path: Path
    name: str
    frame: pd.DataFrame
    pairings: list[Pairing]
    """Columns that seem to hold the errors of others."""
    profiles: list[ColumnProfile]
    """Of each column."""
    notes: list[str]
    """What the user should know of how it was found, a sentence each."""
    sheets: Sequence[str] = ()
    """Sheets of the book, the one that was read first."""
    sheet: str | None = None
    """Which sheet was chosen."""

    @property
    def headers(self) -> list[str]:
        """The names of its columns."""
        return [str(name) for name in self.frame.columns]


def look_at(path: Path, name: str, sheet: str | None = None) -> ChosenTable:
    """Read a file that the user calls `name`, and say what its columns seem to be."""
    opened = open_table(path, Reading(sheet=sheet))
    headers = [str(column) for column in opened.frame.columns]
    try:
        pairings = find_pairings(headers)
    except DataError:  # names that can be read in two ways are the user's to choose in the form
        pairings = []
    notes = [note.replace(path.name, name).replace(" (--sheet)", "") for note in opened.notes]
    profiles = column_profiles(opened.frame)
    return ChosenTable(path, name, opened.frame, pairings, profiles, notes, opened.sheets, sheet)


def column_profiles(frame: pd.DataFrame) -> list[ColumnProfile]:
    """What the columns seem to be. Whether they hold words or errors is decided by their first rows."""
    whole = frame.set_axis([str(name) for name in frame.columns], axis=1)
    first = _read(whole.head(LOOKED_AT))
    return [_profile(name, whole[name], first) for name in whole]


def _profile(name: str, cells: pd.Series, first: Measurements | None) -> ColumnProfile:
    filled = cells.dropna()
    declared, gaps, words = 0, int(cells.isna().sum()), not is_numeric_dtype(cells)
    if first is not None and name in first.values:
        declared = int(first.errors[name].notna().sum()) if name in first.errors else 0
        words = not is_numeric_dtype(first.values[name])
        if first.values[name].isna().all():
            filled = filled.iloc[len(first.values) :]
        if len(cells) == len(first.values):
            gaps = int(first.values[name].isna().sum())
    looked_at = min(len(cells), LOOKED_AT)
    if not len(filled):
        return ColumnProfile(EMPTY, len(cells))
    if is_time(cells):
        return ColumnProfile(DATES, gaps)
    if len(filled) == len(cells) > 1 and filled.nunique() == 1:
        return ColumnProfile(CONSTANT, declared=declared, looked_at=looked_at)
    if words and not is_bool_dtype(cells):
        return ColumnProfile(NAMES if len(cells) > 1 and cells.is_unique else WORDS, gaps)
    if is_numeric_dtype(cells) and not is_bool_dtype(cells):
        numbers = cells.to_numpy(dtype=float)
        if _NAMES_OF_COUNTERS.fullmatch(name.strip()) and cells.is_unique and np.array_equal(numbers, np.rint(numbers)):
            return ColumnProfile(COUNTER, gaps)
        return ColumnProfile(NUMBERS, gaps, exact=few_levels(numbers))
    return ColumnProfile(NUMBERS, gaps, declared, looked_at)


def _read(first: pd.DataFrame) -> Measurements | None:
    """The first rows as they will be read; None if they can't be, which is reported once the columns are chosen."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TaylorSensusWarning)
            return read_measurements(first, ordinary=list(first))
    except DataError:
        return None
