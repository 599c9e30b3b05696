"""Text tables as people save them: encoding, separator and decimal sign are found, ragged rows are named."""

from __future__ import annotations

import csv
import itertools
import re
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from taylor_sensus.errors import DataError

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab"}
SAMPLE_ROWS = 200
"""Rows that are looked at to find the separator and the decimal sign."""
LISTED_LINES = 5
"""Ragged lines that an error lists one by one."""

_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?")
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")
_MAYBE_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_END = "<end of the table>"
_BYTE_ORDER_MARKS = {
    b"\xff\xfe\x00\x00": "utf-32",
    b"\x00\x00\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
_OTHER_FORMATS = {b"PK": "an Excel file (.xlsx)", b"PAR1": "a Parquet file (.parquet)"}


@dataclass(frozen=True)
class Delimited:
    """A text table: the header as written, and the body with columns numbered 0, 1, 2 ..."""

    header: list[str]
    body: pd.DataFrame


def read_delimited(path: Path, *, favourite: str = ",") -> Delimited:
    """Read a text table; ``favourite`` is the separator taken when the file has one column only."""
    encoding = _find_encoding(path)
    sample = _sample(path, encoding, favourite)
    if not sample:
        raise DataError(f"{path.name} is empty; expected a header line and at least one row")
    separator = _find_separator(path, encoding, favourite)
    sample = _sample(path, encoding, separator)
    header, rows = sample[0], sample[1:]
    _refuse_spaces(path, rows)
    decimal = _find_decimal_sign(path, separator, rows)
    _refuse_ragged_rows(path, encoding, separator, width=len(header))
    with path.open(encoding=encoding, newline="") as handle:
        body = pd.read_csv(
            handle,
            sep=separator,
            decimal=decimal,
            header=0,
            names=list(range(len(header))),
            index_col=False,
            skipinitialspace=True,
            low_memory=False,
        )
    return Delimited(header, body)


def _find_encoding(path: Path) -> str:
    """The first encoding that reads the whole file; Latin-1 reads anything, so it comes last."""
    with path.open("rb") as handle:
        start = handle.read(4096)
    for mark, encoding in _BYTE_ORDER_MARKS.items():
        if start.startswith(mark):
            if _reads(path, encoding):
                return encoding
            raise DataError(f"{path.name} is damaged {encoding.upper()} text; save it again as UTF-8")
    if b"\x00" in start:
        for encoding in ("utf-16-le", "utf-16-be"):
            text = start.decode(encoding, errors="replace")
            if all(sign.isprintable() or sign.isspace() for sign in text) and _reads(path, encoding):
                return encoding
        raise DataError(f"{path.name} is not a text file; {_guess_format(start)}")
    if start.startswith(tuple(_OTHER_FORMATS)) and not _reads(path, "utf-8"):
        raise DataError(f"{path.name} is not a text file; {_guess_format(start)}")
    return next((encoding for encoding in ("utf-8-sig", "cp1252") if _reads(path, encoding)), "latin-1")


def _guess_format(start: bytes) -> str:
    for mark, name in _OTHER_FORMATS.items():
        if start.startswith(mark):
            return f"it looks like {name}, so give it that ending"
    return "save the table as CSV (UTF-8)"


def _reads(path: Path, encoding: str) -> bool:
    try:
        with path.open(encoding=encoding, newline="") as handle:
            while handle.read(1 << 20):
                pass
    except UnicodeError:
        return False
    return True


def _sample(path: Path, encoding: str, separator: str) -> list[list[str]]:
    """The first records that are not blank."""
    with path.open(encoding=encoding, newline="") as handle:
        reader = csv.reader(handle, delimiter=separator, skipinitialspace=True)
        try:
            return list(itertools.islice((row for row in reader if not _is_blank(row)), SAMPLE_ROWS))
        except csv.Error as error:
            raise DataError(_open_quote(path, reader.line_num, str(error))) from None


def _open_quote(path: Path, line: int, problem: str) -> str:
    return f"{path.name}, line {line}: {problem}; is a quotation mark left open in this line?"


def _is_blank(record: list[str]) -> bool:
    return len(record) <= 1 and not "".join(record).strip()


def _find_separator(path: Path, encoding: str, favourite: str) -> str:
    """The separator that cuts most rows as it cuts the header, and leaves most cells numbers."""

    def score(separator: str) -> tuple:
        header, *rows = _sample(path, encoding, separator)
        agreeing = sum(len(row) == len(header) for row in rows) / max(len(rows), 1)
        cells = [cell.strip() for row in rows for cell in row]
        numbers = sum(bool(_NUMBER.fullmatch(cell)) for cell in cells) / max(len(cells), 1)
        return len(header) > 1, agreeing, numbers, len(header), separator == favourite

    return max(SEPARATORS, key=score)


def _find_decimal_sign(path: Path, separator: str, rows: list[list[str]]) -> str:
    """A comma where the cells say so, as in tables saved under a German or French locale."""
    if separator == ",":
        return "."
    cells = [cell.strip() for row in rows for cell in row]
    with_comma = [cell for cell in cells if _DECIMAL_COMMA.fullmatch(cell)]
    if not with_comma or any("." in cell and _NUMBER.fullmatch(cell) for cell in cells):
        return "."
    if all(_MAYBE_THOUSANDS.fullmatch(cell) for cell in with_comma):
        raise DataError(
            f"{path.name}: a comma could mark decimals or thousands, as in {with_comma[0]!r}; "
            "write numbers with a decimal point and without thousands marks"
        )
    return ","


def _refuse_spaces(path: Path, rows: list[list[str]]) -> None:
    """A table cut by spaces would pass as one column of text."""
    if rows and len(rows[0]) == 1:
        words = rows[0][0].split()
        if len(words) > 1 and all(_NUMBER.fullmatch(word) for word in words):
            raise DataError(
                f"{path.name} seems to be separated by spaces ({rows[0][0]!r}); "
                f"expected {', '.join(SEPARATORS.values())}: save it as CSV"
            )


def _refuse_ragged_rows(path: Path, encoding: str, separator: str, *, width: int) -> None:
    """Every row must be as long as the header; short rows would be filled and long ones cut in silence."""
    ragged: list[tuple[int, int]] = []
    first_line, record = 1, []
    with path.open(encoding=encoding, newline="") as handle:
        lines = itertools.chain(handle, [_END])  # an open quotation mark would swallow the added last line
        reader = csv.reader(lines, delimiter=separator, skipinitialspace=True)
        try:
            for record in reader:
                if len(record) != width and not _is_blank(record) and record != [_END]:
                    ragged.append((first_line, len(record)))
                last_line, first_line = first_line, reader.line_num + 1
        except csv.Error as error:
            raise DataError(_open_quote(path, first_line, str(error))) from None
    if record != [_END]:
        raise DataError(_open_quote(path, last_line, "the file ends inside a quoted cell"))
    if ragged:
        listed = [f"line {line} has {cells}" for line, cells in ragged[:LISTED_LINES]]
        if len(ragged) > LISTED_LINES:
            listed.append(f"and {len(ragged) - LISTED_LINES} more lines")
        raise DataError(
            f"{path.name}: every row must have {width} cells, as the header has (separator: "
            f"{SEPARATORS[separator]}), but {', '.join(listed)}; fill or quote the cells of these lines"
        )
