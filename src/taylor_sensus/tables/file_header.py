"""What a table's file shows before it is read: its kind, whether it is there, and its header line. Loads no pandas."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from taylor_sensus.errors import DataError, did_you_mean
from taylor_sensus.tables.delimited import read_header

READABLE = (".csv", ".tsv", ".txt", ".xlsx", ".xls", ".parquet")
WRITABLE = (".csv", ".tsv", ".xlsx", ".parquet")
BOOKS = (".xlsx", ".xls")
"""Files that may hold several tables, one a sheet."""

NEUTRALISED = re.compile(r"'(?=\s*[=+\-@])")
"""The apostrophe before what a spreadsheet would run as a formula."""


def check_ending(path: Path, known: Sequence[str], verb: str) -> str:
    """The ending of a file's name, if tables can be read or written (`verb`) with it."""
    ending = path.suffix.lower()
    if ending not in known:
        came = f"the ending {path.suffix!r}" if path.suffix else "no ending"
        raise DataError(f"{path.name} has {came}; tables can be {verb} as {', '.join(known)}")
    return ending


def check_readable(path: str | os.PathLike) -> str:
    """The ending of a table's file, after refusing one that is of another kind, not there, or empty."""
    path = Path(path)
    ending = check_ending(path, READABLE, "read")
    if not path.is_file():
        raise DataError(_missing_file(path))
    if path.stat().st_size == 0:
        raise DataError(f"{path.name} is empty; expected a header line and at least one row")
    return ending


def column_names(header: Sequence[str]) -> list[str]:
    """Names of columns from the cells of a text file's header."""
    return [NEUTRALISED.sub("", name, count=1).strip() for name in header]


def favourite_separator(ending: str) -> str:
    """The separator of a text file with one column."""
    return "," if ending == ".csv" else "\t"


def names_at_once(path: str | os.PathLike) -> list[str] | None:
    """Names of the columns of a text file; None where only reading the whole file gives them."""
    ending = check_readable(path)
    if ending in (".parquet", *BOOKS):
        return None
    names = column_names(read_header(Path(path), favourite=favourite_separator(ending)))
    named = [name for name in names if name]
    return named if len(set(named)) == len(named) else None  # reading says what is wrong with names that stand twice


def _missing_file(path: Path) -> str:
    """There is no such file; name one with nearly the same name."""
    if path.is_dir():
        return f"{path} is a folder; expected a file ({', '.join(READABLE)})"
    neighbours = [file.name for file in path.parent.iterdir()] if path.parent.is_dir() else []
    return f"there is no file {path}{did_you_mean(path.name, neighbours)}"
