"""Excel books: one sheet read as a table, wherever its header stands, and one sheet written."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from taylor_sensus.errors import DataError, MissingExtraError, did_you_mean, quoted
from taylor_sensus.tables.titles import title_lines

SAMPLE_ROWS = 200
"""Rows that are looked at to find the header."""
MOST_ROWS, MOST_COLUMNS = 1_048_575, 16_384
"""What a sheet can hold below its header."""


MOST_UNPACKED = 1_000_000_000
"""Bytes of a book once it is unpacked."""


class Sheet(NamedTuple):
    """A sheet: the header as written, and the body with columns numbered 0, 1, 2 ..."""

    header: list[str]
    body: pd.DataFrame
    titles: list[str]
    """What stands above the header."""
    skipped: int
    """Rows above the header."""
    rows: list[int]
    """Where each row of the body stands; the first row of the sheet is 1."""
    sheets: list[str]
    """All sheets of the book, this one first."""


def read_sheet(path: Path, sheet: str | None) -> Sheet:
    """A sheet by its name or number (from 1), or the first."""
    engine = "openpyxl" if path.suffix.lower() == ".xlsx" else "xlrd"
    _refuse_bombs(path)
    try:
        with pd.ExcelFile(path, engine=engine) as book:
            names = [str(name) for name in book.sheet_names]
            chosen = _chosen(path.name, names, sheet)
            top = pd.read_excel(book, sheet_name=chosen, header=None, nrows=SAMPLE_ROWS, dtype=object)
            records = [["" if pd.isna(cell) else str(cell) for cell in row] for row in top.itertuples(index=False)]
            above = title_lines(records)
            body = pd.read_excel(book, sheet_name=chosen, header=0, skiprows=above)
    except ImportError as error:
        if engine == "openpyxl":
            remedy = "pip install taylor-sensus[excel]"
        else:
            remedy = "pip install xlrd, or save the table as .xlsx (pip install taylor-sensus[excel]) or .csv"
        raise MissingExtraError(f"reading {path.name} needs the package {engine}: {remedy}") from error
    except DataError:
        raise
    except Exception as error:  # a damaged book fails in many ways, each with its own library's exception
        raise DataError(f"{path.name} cannot be read as an Excel book ({error}); save it again, or as CSV") from error
    if not records:
        raise DataError(f"{path.name} is empty; {_where(names, chosen)} needs a header line and a row")
    header = (records[above] + [""] * body.shape[1])[: body.shape[1]]
    titles = [" ".join(filter(None, map(str.strip, record))) for record in records[:above]]
    blank = body.isna().all(axis=1).to_numpy()
    rows = [above + 2 + place for place in range(len(body)) if not blank[place]]
    body = body[~blank].reset_index(drop=True)
    others = [name for at, name in enumerate(names) if at != chosen]
    return Sheet(header, body, [title for title in titles if title], above, rows, [names[chosen], *others])


def _refuse_bombs(path: Path) -> None:
    """A book is packed, and a few bytes can claim to become gigabytes."""
    try:
        with zipfile.ZipFile(path) as packed:
            size = sum(part.file_size for part in packed.infolist())
    except (zipfile.BadZipFile, NotImplementedError, struct.error, ValueError, OSError):
        return  # an older book, or a damaged one, which is reported when it is read
    if size > MOST_UNPACKED:
        limit = f"at most {MOST_UNPACKED:,} are read"
        raise DataError(f"{path.name} unpacks to {size:,} bytes; {limit}. Save the table as CSV.")


def _chosen(file: str, names: list[str], sheet: str | None) -> int:
    if sheet is None:
        return 0
    if sheet in names:
        return names.index(sheet)
    if sheet.isdecimal() and 1 <= int(sheet) <= len(names):
        return int(sheet) - 1
    raise DataError(f"{file} has no sheet {sheet!r}{did_you_mean(sheet, names)}; its sheets are {quoted(names)}")


def _where(names: list[str], chosen: int) -> str:
    return "the first sheet" if chosen == 0 else f"sheet {names[chosen]!r}"


def write_sheet(frame: pd.DataFrame, temporary: Path, name: str, *, keep_labels: bool) -> None:
    """Write a book with one sheet; texts must be harmless already, because a leading = is a formula there."""
    if len(frame) > MOST_ROWS or frame.shape[1] + keep_labels > MOST_COLUMNS:
        raise DataError(
            f"cannot write {name}: a sheet holds {MOST_ROWS:,} rows and {MOST_COLUMNS:,} columns, the table has "
            f"{len(frame):,} and {frame.shape[1]:,}; write .csv or .parquet"
        )
    options: Any = {"engine": "openpyxl"}
    try:
        with temporary.open("wb") as file, pd.ExcelWriter(file, **options) as book:
            frame.to_excel(book, sheet_name="table", index=keep_labels, freeze_panes=(1, 0), inf_rep="inf")
    except ImportError as error:
        raise MissingExtraError(
            f"writing {name} needs the package openpyxl: pip install taylor-sensus[excel]"
        ) from error
    except Exception as error:  # signs that no sheet can hold, times with a time zone; the library has its own kinds
        raise DataError(f"cannot write {name}: {error}; write .csv or .parquet") from error
