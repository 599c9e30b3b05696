"""Tables in files: reading and writing, by the ending of the name; ``excel`` knows the books."""

from __future__ import annotations

import os
import re
import warnings
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from pandas.api.types import is_bool_dtype, is_datetime64_any_dtype, is_numeric_dtype

from taylor_sensus.errors import DataError, SettingError, TaylorSensusWarning, listed, quoted
from taylor_sensus.storage.atomic import replacing
from taylor_sensus.tables.delimited import read_delimited
from taylor_sensus.tables.excel import read_sheet, write_sheet
from taylor_sensus.tables.file_header import (
    BOOKS,
    NEUTRALISED,
    WRITABLE,
    check_ending,
    check_readable,
    column_names,
    favourite_separator,
)
from taylor_sensus.tables.row_names import only_counts

_FORMULA = re.compile(r"\s*[=+\-@]")


# ------------------------------------------------------------------------------------------- reading


class TableFile(NamedTuple):
    """A table as it stands in its file, and what there is to know of how it was found there."""

    frame: pd.DataFrame
    rows: list[int]
    """Where each row stands in the file, as a spreadsheet counts: the first line is row 1."""
    sheets: list[str]
    """Sheets of a book, the one that was read first; empty for other files."""
    notes: list[str]
    """What was left out and what was chosen, a sentence each."""


def read_table(path: str | os.PathLike, *, decimal: str | None = None, sheet: str | None = None) -> pd.DataFrame:
    """Read a table with one header line; the ending of the file name says how.

    Text files may use comma, semicolon or tab, a decimal comma, and UTF-8, UTF-16 or Latin-1. Where the decimal sign
    is declared, their cells stay texts, to be read by ``read_measurements`` and not by guess. Of an Excel
    book the first sheet is read, or the one that is named. Lines above the header are left out, with a warning. A
    first column without a name holds row labels and becomes the index; other nameless columns must be empty, and are
    left out.
    """
    read = read_file(path, decimal=decimal, sheet=sheet)
    for text in read.notes:
        warnings.warn(text, TaylorSensusWarning, stacklevel=2)
    return read.frame


def read_file(path: str | os.PathLike, *, decimal: str | None = None, sheet: str | None = None) -> TableFile:
    """The same, with where its rows stand and notes on what was found."""
    path = Path(path)
    ending = check_readable(path)
    if sheet is not None and ending not in BOOKS:
        raise SettingError(f"{path.name} has no sheets; a sheet can be chosen of {' and '.join(BOOKS)} only")
    if ending == ".parquet":
        frame = _read_parquet(path)
        frame = _finish(path, [str(name) for name in frame.columns], frame)
        return TableFile(frame, list(range(2, len(frame) + 2)), [], [])
    if ending in BOOKS:
        book = read_sheet(path, sheet)
        notes, header, body = [], book.header, without_apostrophes(book.body)
        if len(book.sheets) > 1 and sheet is None:
            others = quoted(book.sheets[1:])
            notes.append(f"{path.name} has several sheets; {book.sheets[0]!r} was read, not {others} (--sheet)")
        titles, above, rows, sheets = book.titles, book.skipped, book.rows, book.sheets
    else:
        text = read_delimited(path, favourite=favourite_separator(ending), as_written=decimal is not None)
        notes, header, body = [], column_names(text.header), without_apostrophes(text.body)
        titles, above, rows, sheets = text.titles, text.skipped, text.rows, []
    if titles:
        notes.append(_left_out(path.name, titles, above))
    if len(rows) != len(body):  # what pandas takes for blank may differ in strange files; then rows just count
        rows = list(range(above + 2, above + 2 + len(body)))
    return TableFile(_finish(path, header, body), rows, sheets, notes)


def _left_out(name: str, titles: list[str], above: int) -> str:
    shown = quoted([title if len(title) <= 40 else title[:37] + "..." for title in titles[:3]])
    more = f" and {len(titles) - 3} more" if len(titles) > 3 else ""
    return f"the header of {name} was found in line {above + 1}; left out above it: {shown}{more}"


def _finish(path: Path, header: list[str], body: pd.DataFrame) -> pd.DataFrame:
    """Give the body its names, after refusing what no model could use."""
    header = [name.strip() for name in header]
    body = body.set_axis(range(len(header)), axis=1)
    problems = []
    places_of: dict[str, list[int]] = {}
    for at, name in enumerate(header):
        places_of.setdefault(name, []).append(at + 1)
    for name, places in places_of.items():
        if name and len(places) > 1:
            problems.append(f"columns {listed(places)} are all named {name!r}; give each its own name")
    if body.empty:
        problems.append("there is a header, but no rows; expected at least one")
    else:
        filled = body.count().to_list()
        empty = [at for at, name in enumerate(header) if not name and not filled[at]]
        body = body.drop(columns=empty)
        if 0 in body and not header[0] and body.shape[1] > 1:
            body = body.set_index(0).rename_axis(None)
        nameless = [at + 1 for at in body.columns if not header[at]]
        if nameless:
            problems.append(f"column {listed(nameless)} has no name; write one in the header")
    if problems:
        raise DataError(f"{path.name}: " + "; ".join(problems))
    return body.set_axis([header[at] for at in body.columns], axis=1)


MOST_CELLS = 250_000_000
"""Of a Parquet file: 2 GB of numbers. A few bytes can claim any number of equal cells."""


def _read_parquet(path: Path) -> pd.DataFrame:
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            cells = file.metadata.num_rows * max(file.metadata.num_columns, 1)
        if cells > MOST_CELLS:
            raise DataError(
                f"{path.name} holds {cells:,} cells; at most {MOST_CELLS:,} are read at once. Leave out columns or "
                "rows that are not needed."
            )
        return pd.read_parquet(path, engine="pyarrow")
    except DataError:
        raise
    except MemoryError as error:
        raise DataError(f"{path.name} needs more memory than there is; leave out columns or rows") from error
    except (ValueError, OSError, LookupError, TypeError, AttributeError) as error:  # also of broken notes of pandas
        problem = f"{path.name} cannot be read as Parquet ({error}); write it again, or as CSV"
        raise DataError(problem) from error


# ------------------------------------------------------------------------------------------- writing


def write_table(frame: pd.DataFrame, path: str | os.PathLike) -> None:
    """Write a table; the file appears whole or not at all. Row labels are kept, unless they only count.

    In text files and books, cells and names that a spreadsheet would run as a formula (beginning with = + - @) get a
    leading apostrophe, which ``read_table`` takes off again. Numbers are left as they are.
    """
    path = Path(path)
    ending = check_ending(path, WRITABLE, "written")
    if isinstance(frame.index, pd.MultiIndex):
        frame = frame.reset_index()
    names = pd.Index([str(name) for name in frame.columns])
    if names.has_duplicates:
        repeated = listed(list(names[names.duplicated()].unique()))
        raise DataError(f"cannot write {path.name}: several columns are named {repeated}; rename them")
    if not path.parent.is_dir():
        raise DataError(f"cannot write {path}: there is no folder {path.parent}; create it first")
    frame = frame.set_axis(names, axis=1)
    with replacing(path) as temporary:
        keep_labels = not only_counts(frame.index)
        if ending == ".parquet":
            _write_parquet(frame, temporary, path)
        elif ending == ".xlsx":
            write_sheet(harmless(frame), temporary, path.name, keep_labels=keep_labels)
        else:
            separator = "," if ending == ".csv" else "\t"
            harmless(frame).to_csv(temporary, sep=separator, index=keep_labels, encoding="utf-8", lineterminator="\n")


def with_predictions(kept: pd.DataFrame, predicted: pd.DataFrame) -> pd.DataFrame:
    """Columns of the user's table, then those of a prediction."""
    shared = [name for name in map(str, kept.columns) if name in predicted.columns]
    if shared:
        raise DataError(
            f"the kept column(s) {quoted(shared)} have the name of a column of the prediction; "
            "rename them, or name the others with --keep"
        )
    return pd.concat([kept, predicted], axis=1)


def _write_parquet(frame: pd.DataFrame, temporary: Path, path: Path) -> None:
    try:
        frame.to_parquet(temporary, engine="pyarrow")
    except (ValueError, TypeError) as error:
        raise DataError(
            f"cannot write {path.name}: {error}; a column mixes kinds of value, so make it text or write .csv"
        ) from error


def harmless(frame: pd.DataFrame) -> pd.DataFrame:
    """The same table, safe to open in a spreadsheet."""
    labels = _text_mapped(frame.index.to_series(), _neutral)
    body = frame.reset_index(drop=True)
    body = pd.DataFrame({_neutral(name): _text_mapped(column, _neutral) for name, column in body.items()})
    return body.set_axis(pd.Index(labels, name=_neutral(frame.index.name)), axis=0)


def without_apostrophes(body: pd.DataFrame) -> pd.DataFrame:
    """Undo ``harmless`` in the cells of a table just read."""

    def bare(cell):
        return NEUTRALISED.sub("", cell, count=1) if isinstance(cell, str) and cell[:1] == "'" else cell

    return pd.DataFrame({name: _text_mapped(column, bare) for name, column in body.items()})


def _neutral(cell):
    """A text that would run as a formula gets a leading apostrophe; anything else is returned as it came."""
    if not isinstance(cell, str) or not _FORMULA.match(cell):
        return cell
    try:
        float(cell)
    except ValueError:
        return "'" + cell
    return cell


def _text_mapped(column: pd.Series, change) -> pd.Series:
    """Change the cells of a column that can hold text; leave numbers and dates alone."""
    if is_numeric_dtype(column) or is_bool_dtype(column) or is_datetime64_any_dtype(column):
        return column
    before = list(column)
    after = [change(cell) for cell in before]
    if all(new is old for new, old in zip(after, before, strict=True)):
        return column
    dtype = object if isinstance(column.dtype, pd.CategoricalDtype) else column.dtype
    return pd.Series(after, index=column.index, name=column.name, dtype=dtype)
