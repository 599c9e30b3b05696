"""From a user's file to what a model takes: values, declared errors, targets; and notes on what was found there.

The one way for command line, app and forms: `open_table` reads the file, once; `table_to_fit` and `table_for_model`
say what its columns are.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from taylor_sensus.errors import DataError, quoted
from taylor_sensus.tables.alignment import align, check_there, headers_of, learned_names, pick_columns, split_target
from taylor_sensus.tables.assignments import ColumnErrors
from taylor_sensus.tables.columns import FEW_CATEGORIES, is_time
from taylor_sensus.tables.companions import Pairing, base_of_errors, find_pairings, header_of
from taylor_sensus.tables.files import read_file
from taylor_sensus.tables.limit_flags import limit_headers
from taylor_sensus.tables.measurements import Measurements, read_measurements
from taylor_sensus.tables.refusals import looks_meant_as_number
from taylor_sensus.tables.row_names import FILE_ROW
from taylor_sensus.tables.wanted import KnownColumns, Reading, declared_errors, id_column

if TYPE_CHECKING:
    from taylor_sensus.tables.error_size import ErrorSize


class OpenedTable(NamedTuple):
    """A file as it was written; its columns have names that are texts, its rows those of a column or their places."""

    name: str
    frame: pd.DataFrame
    notes: Sequence[str] = ()
    """What the user should know of how it was found, a sentence each."""
    other_sheets: Sequence[str] = ()
    """Sheets that might have been meant, where the user named none."""
    sheets: Sequence[str] = ()
    """All sheets of a book, the one that was read first."""


class ReadTable(NamedTuple):
    """A table as it was written, and as a model takes it."""

    written: pd.DataFrame
    X: pd.DataFrame
    X_err: Any
    """Declared errors of inputs, one number a cell; 0 if all are exact; None if none is declared."""
    y: Any
    """A Series if there is one target, a table if there are several, None if none was named."""
    y_err: Any
    used: list[str]
    """Columns of the table that found a use, as they were written."""
    details: dict[str, Any]
    """Which columns held errors, and how many cells of each column have a declared error."""
    notes: list[str]
    """What the user should know of how it was read, a sentence each."""

    @property
    def columns(self) -> KnownColumns:
        """The columns of this table, for another one that is to be read in the same way."""
        words = {str(n): not (is_numeric_dtype(self.X[n]) or is_bool_dtype(self.X[n])) for n in self.X}
        return KnownColumns(words, [self.y.name] if self.y.ndim == 1 else list(self.y))

    def ignored(self, kept: Sequence[str] = ()) -> list[str]:
        """Columns of the file that nothing uses; those in `kept` are used elsewhere."""
        return [name for name in self.written if name not in (*self.used, *kept)]


class UsedHeaders(NamedTuple):
    """Which columns of a table a model's inputs come from."""

    features: list[str]
    numbers: list[str]
    """Features and errors that are numbers."""
    pairings: list[Pairing]
    """Which column holds the errors of which."""
    flags: list[str]
    """Columns that may mark limits."""

    @property
    def all(self) -> list[str]:
        """All that must be read."""
        return list(dict.fromkeys([*self.features, *self.numbers, *self.flags]))


def open_table(path: str | os.PathLike, reading: Reading | None = None) -> OpenedTable:
    """Read the file; where the decimal sign is declared, cells of text files stay as they are written."""
    reading = reading or Reading()
    read = read_file(path, decimal=reading.decimal, sheet=reading.sheet)
    frame = read.frame
    if frame.index.equals(pd.RangeIndex(len(frame))):
        frame = frame.set_axis(pd.Index(read.rows, name=FILE_ROW), axis=0)
    others = read.sheets[1:] if reading.sheet is None else []
    return with_names(OpenedTable(Path(path).name, frame, read.notes, others, read.sheets), reading.id)


def with_names(table: OpenedTable, wanted: str | None) -> OpenedTable:
    """The table with its rows named by a column, which is no input then; an empty cell is named by its place."""
    with _other_sheets_named(table):
        column = id_column(list(table.frame), wanted, table.name)
    if column is None:
        return table
    places = table.frame.index if table.frame.index.name == FILE_ROW else range(2, len(table.frame) + 2)
    names = [f"row {place}" if pd.isna(name) else name for place, name in zip(places, table.frame[column], strict=True)]
    frame = table.frame.drop(columns=column).set_axis(pd.Index(names, name=column), axis=0)
    return table._replace(frame=frame)


def naming_columns(frame: pd.DataFrame) -> list[str]:
    """Columns of words in which every cell is another one: they may name the rows, and carry no information."""
    words = [name for name in frame if not is_numeric_dtype(frame[name]) and not is_bool_dtype(frame[name])]
    unique = [name for name in words if len(frame) > 1 and frame[name].notna().all() and frame[name].is_unique]
    return [name for name in unique if not is_time(frame[name]) and not _reads_as_numbers(frame[name])]


def _reads_as_numbers(column: pd.Series) -> bool:
    """Whether the first cell is a number with an error, or the like."""
    return looks_meant_as_number(str(column.iloc[0]))


@contextmanager
def _other_sheets_named(table: OpenedTable) -> Iterator[None]:
    """A refusal of a table that is the first of several sheets names which others there are."""
    try:
        yield
    except DataError as problem:
        if not table.other_sheets:
            raise
        hint = f"this is the first sheet of {table.name}; if another is meant, --sheet names it"
        raise DataError(f"{problem}; {hint}: {quoted(table.other_sheets)}") from None


def table_to_fit(table: OpenedTable, reading: Reading, *, target: Sequence[str], drop: Sequence[str]) -> ReadTable:
    """A table to learn from; all columns that are neither targets, dropped nor errors are features."""
    headers = list(table.frame)
    with _other_sheets_named(table):
        targets, dropped = headers_of(target, headers), headers_of(drop, headers)
        features = list(split_target(table.frame, targets, dropped).features)
    read = _read(table.frame.drop(columns=dropped), reading, features, targets)
    X, y, X_err, y_err = read.split(targets[0] if len(targets) == 1 else targets)
    notes = [*table.notes, *_notes(read)]
    if len(X) <= FEW_CATEGORIES:  # in larger tables such columns are refused
        notes += [
            f"column {name!r} has another word in every row; if it names the rows: --id {shlex.quote(name)}"
            for name in naming_columns(X)
        ]
    return ReadTable(table.frame, X, X_err, y, y_err, headers, _details(read), notes)


def table_for_model(
    table: OpenedTable, reading: Reading, known: KnownColumns, *, with_targets: bool = False
) -> ReadTable:
    """A table with the columns of a model, by the model's names and in its order; others are not looked at."""
    features, targets = list(known.features), list(known.targets) if with_targets else []
    with _other_sheets_named(table):
        frame = align(table.frame, [*features, *targets])
        pick_columns(frame, features, where=table.name)
        if targets:
            split_target(frame, targets)
    words = [name for name, holds_words in known.features.items() if holds_words]
    read = _read(frame, reading, features, targets, known_words=words)
    X, X_err = read.inputs(features)
    y = y_err = None
    if targets:
        _, y, _, y_err = read.split(targets[0] if len(targets) == 1 else targets)
    errors = [pairing.errors for pairing in read.pairings]
    places = [place for place, name in enumerate(frame) if name in (*features, *targets, *errors)]
    notes = [*table.notes, *_notes(read)]
    if reading.exact and X_err is not None:
        notes.append(f"--exact leaves aside the errors that the table declares for {quoted(X_err)}")
    used = [list(table.frame)[place] for place in places]
    return ReadTable(table.frame, X, 0 if reading.exact else X_err, y, y_err, used, _details(read), notes)


def used_headers(headers: Sequence[str], reading: Reading, known: KnownColumns, *, where: str) -> UsedHeaders:
    """The headers of a table from which a model's inputs and their errors would be read, as they are written."""
    features = list(known.features)
    renamed = learned_names(headers, features)
    names = [renamed.get(name, name) for name in headers]
    check_there(names, features, where=where)
    declared = declared_errors(reading, features, [], names).x.columns
    errors = [*_error_headers(names, features, declared.values()), *declared.values()]
    numbers = [name for name, holds_words in known.features.items() if not holds_words]
    pairings = find_pairings([*numbers, *errors], ordinary=[*features, *(reading.ordinary or ())], declared=declared)
    written = dict(zip(names, headers, strict=True))
    return UsedHeaders(
        [written[name] for name in features],
        [written[name] for name in dict.fromkeys([*numbers, *errors])],
        pairings,
        [written[name] for name in _limit_headers(names, features)],
    )


def _error_headers(headers: Sequence[str], wanted: Sequence[str], declared: Iterable[str]) -> list[str]:
    """Headers that name the errors of a wanted column."""
    names, others = {header_of(name).name for name in wanted}, {*wanted, *declared}
    bases = {header: base_of_errors(header) for header in headers if header not in others}
    return [header for header, of in bases.items() if of is not None and of.name in names]


def _limit_headers(headers: Sequence[str], wanted: Sequence[str]) -> list[str]:
    """Headers that may mark limits of a wanted column."""
    return [header for header, base in limit_headers(headers).items() if base in wanted and header not in wanted]


def declared_sizes(read: Measurements, declared: ColumnErrors, among: Sequence[str]) -> dict[str, ErrorSize]:
    """The size of the error for each column that has one; what counts for all fills cells without an error."""
    size = declared.everywhere
    if size is None:
        return declared.sizes
    columns = [name for name in among if name in read.values and name not in declared.sizes]
    lacking = [n for n in columns if n in read.errors and (read.errors[n].isna() & read.values[n].notna()).any()]
    words = [name for name in columns if name not in read.errors and size.size == 0]
    return declared.sizes | dict.fromkeys([*lacking, *words], size)


def _read(
    frame: pd.DataFrame,
    reading: Reading,
    features: list[str],
    targets: list[str],
    known_words: list[str] | None = None,
) -> Measurements:
    """The table's cells and errors. Where it is known which features hold words, only what has a use is read."""
    headers = list(frame)
    x, y = declared_errors(reading, features, targets, headers)
    error_columns = x.columns | y.columns
    text, ordinary = headers_of(reading.text or (), headers), headers_of(reading.ordinary or (), headers)
    numbers = []
    if known_words is not None:
        wanted = [*features, *targets]
        errors = _error_headers(headers, wanted, error_columns.values())
        flags = _limit_headers(headers, wanted)
        used = {*wanted, *errors, *flags, *error_columns.values()}
        frame = frame[[header for header in headers if header in used]]
        ordinary = [*wanted, *(name for name in ordinary if name in (*errors, *flags))]
        text = list(dict.fromkeys([*(name for name in text if name in wanted), *known_words]))
        numbers = [name for name in wanted if name not in text and not is_bool_dtype(frame[name])]
    read = read_measurements(
        frame,
        decimal=reading.decimal,
        censored=reading.censored,
        text=text,
        numbers=numbers,
        ordinary=ordinary,
        error_columns=error_columns,
    )
    return read.declare(declared_sizes(read, x, features) | declared_sizes(read, y, targets))


def _notes(read: Measurements) -> list[str]:
    """Which columns were taken for errors and how to undo it; missing words; which errors are declared."""
    notes = [f"{pairing}; if it does not: --ordinary {shlex.quote(pairing.errors)}" for pairing in read.pairings]
    for name in read.values:
        empty = 0 if is_numeric_dtype(read.values[name]) else int(read.values[name].isna().sum())
        if empty:
            notes.append(
                f"column {name!r} holds words; {empty} of its cells are missing (empty, or NA, n.d., - and the like); "
                "if that is a category of its own, write another word there"
            )
    declared = _details(read)["declared_errors"]
    if declared:
        listed_columns = ", ".join(
            f"{name!r} (in {count} of {len(read.values)} rows)" for name, count in declared.items()
        )
        notes.append(f"errors are declared for {listed_columns}")
    return notes


def _details(read: Measurements) -> dict[str, Any]:
    declared = read.errors.notna().sum()
    return {
        "error_columns": {pairing.column: pairing.errors for pairing in read.pairings},
        "declared_errors": {name: int(count) for name, count in declared.items() if count},
    }
