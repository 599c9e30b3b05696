"""Text tables as people save them: encoding, separator, decimal sign and header are found, ragged rows are named.

The file is read once; all questions about it are answered from its bytes.
"""

from __future__ import annotations

import csv
import itertools
import re
from codecs import getincrementaldecoder
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from taylor_sensus.errors import DataError
from taylor_sensus.tables.titles import title_lines

if TYPE_CHECKING:
    import pandas as pd

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab"}
SAMPLE_ROWS = 200
"""Rows that are looked at to find the separator and the decimal sign."""
BLOCK = 1 << 20
"""Bytes that are decoded at a time, to see whether an encoding fits."""
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


_BOOLEAN = {"True": True, "TRUE": True, "true": True, "False": False, "FALSE": False, "false": False}


@dataclass(frozen=True)
class Delimited:
    """A text table: the header as written, and the body with columns numbered 0, 1, 2 ..."""

    header: list[str]
    body: pd.DataFrame
    titles: list[str]
    """What stands above the header."""
    skipped: int
    """Lines above the header."""
    rows: list[int]
    """Where each row of the body stands, as a spreadsheet counts; the first line of the file is row 1."""


class TextFile(NamedTuple):
    """A file that was read once, and how its bytes become text."""

    name: str
    content: bytes
    encoding: str
    skipped: int = 0
    """Lines above the header."""

    def lines(self) -> TextIOWrapper:
        """The text from its header on, with line ends as they are written."""
        text = TextIOWrapper(BytesIO(self.content), encoding=self.encoding, newline="")
        for _ in range(self.skipped):
            text.readline()
        return text


class FirstLook(NamedTuple):
    """What the first rows of a file show."""

    file: TextFile
    separator: str
    decimal: str
    header: list[str]
    rows: list[list[str]]
    titles: list[str]
    """Lines above the header."""


class Sample(NamedTuple):
    """The first records of a file, cut by one separator."""

    records: list[list[str]]
    """From the header on."""
    skipped: int
    """Lines above the header, blank ones among them."""
    titles: list[str]
    """What stands in them."""


def read_delimited(path: Path, *, favourite: str = ",", as_written: bool = False) -> Delimited:
    """Read a text table; ``favourite`` is the separator taken when the file has one column only.

    ``as_written`` leaves cells as texts, for tables whose decimal sign is declared and not inferred; only columns of
    nothing but true and false are booleans.
    """
    import pandas as pd

    look = first_look(path.name, path.read_bytes(), favourite, "." if as_written else None)
    file, separator, header = look.file, look.separator, look.header
    how: dict[str, Any] = {"dtype": str} if as_written else {"decimal": look.decimal, "low_memory": False}
    places = _places_of_rows(file, separator, width=len(header))
    names = list(range(len(header)))
    try:
        body = pd.read_csv(
            file.lines(), sep=separator, header=0, names=names, index_col=False, skipinitialspace=True, **how
        )
    except ValueError as problem:  # pandas' parser is stricter than Python's, by which the rows were looked at
        raise DataError(f"{file.name}: {problem}; is a quotation mark left open?") from problem
    if as_written:
        for name, column in body.items():
            if len(column) and column.isin(list(_BOOLEAN)).all():
                body[name] = column.map(_BOOLEAN).astype(bool)
    return Delimited(header, body, look.titles, file.skipped, places)


def read_header(path: Path, *, favourite: str = ",") -> list[str]:
    """The header of a text table as written; pandas is not needed for that."""
    return first_look(path.name, path.read_bytes(), favourite, ".").header


def boolean_columns(rows: list[list[str]], width: int) -> list[int]:
    """Places of the columns that hold nothing but true and false in these rows."""
    columns = [[row[place].strip() for row in rows if place < len(row)] for place in range(width)]
    return [place for place, cells in enumerate(columns) if cells and all(cell in _BOOLEAN for cell in cells)]


def first_look(name: str, content: bytes, favourite: str, decimal: str | None = None) -> FirstLook:
    """What the beginning of a text table shows; ``decimal`` is the decimal sign where it is declared."""
    file = TextFile(name, content, _find_encoding(name, content))
    samples = {separator: _sample(file, separator) for separator in SEPARATORS}
    if not all(sample.records for sample in samples.values()):
        raise DataError(f"{file.name} is empty; expected a header line and at least one row")
    separator = _find_separator({separator: sample.records for separator, sample in samples.items()}, favourite)
    header, *rows = samples[separator].records
    _refuse_spaces(file.name, rows)
    found = decimal or _find_decimal_sign(file.name, separator, rows)
    file = file._replace(skipped=samples[separator].skipped)
    return FirstLook(file, separator, found, header, rows, samples[separator].titles)


def _find_encoding(name: str, content: bytes) -> str:
    """The first encoding that reads the whole file; Latin-1 reads anything, so it comes last."""
    start = content[:4096]
    for mark, encoding in _BYTE_ORDER_MARKS.items():
        if start.startswith(mark):
            if _reads(content, encoding):
                return encoding
            raise DataError(f"{name} is damaged {encoding.upper()} text; save it again as UTF-8")
    if b"\x00" in start:
        for encoding in ("utf-16-le", "utf-16-be"):
            text = start.decode(encoding, errors="replace")
            if all(sign.isprintable() or sign.isspace() for sign in text) and _reads(content, encoding):
                return encoding
        raise DataError(f"{name} is not a text file; {_guess_format(start)}")
    if start.startswith(tuple(_OTHER_FORMATS)) and not _reads(content, "utf-8"):
        raise DataError(f"{name} is not a text file; {_guess_format(start)}")
    return next((encoding for encoding in ("utf-8-sig", "cp1252") if _reads(content, encoding)), "latin-1")


def _guess_format(start: bytes) -> str:
    for mark, name in _OTHER_FORMATS.items():
        if start.startswith(mark):
            return f"it looks like {name}, so give it that ending"
    return "save the table as CSV (UTF-8)"


def _reads(content: bytes, encoding: str) -> bool:
    decoder = getincrementaldecoder(encoding)()
    try:
        for begin in range(0, len(content), BLOCK):
            decoder.decode(content[begin : begin + BLOCK])
        decoder.decode(b"", final=True)
    except UnicodeError:
        return False
    return True


def _sample(file: TextFile, separator: str) -> Sample:
    """The first records that are not blank, without the titles above the header."""
    reader = csv.reader(file.lines(), delimiter=separator, skipinitialspace=True)
    records: list[list[str]] = []
    lines_before: list[int] = []
    line = 0
    try:
        for record in reader:
            if not _is_blank(record):
                records.append(record)
                lines_before.append(line)
            line = reader.line_num
            if len(records) == SAMPLE_ROWS:
                break
    except csv.Error as error:
        raise DataError(_open_quote(file.name, reader.line_num, str(error))) from None
    above = title_lines(records)
    titles = [" ".join(filter(None, map(str.strip, record))) for record in records[:above]]
    return Sample(records[above:], lines_before[above] if above else 0, [title for title in titles if title])


def _open_quote(name: str, line: int, problem: str) -> str:
    return f"{name}, line {line}: {problem}; is a quotation mark left open in this line?"


def _is_blank(record: list[str]) -> bool:
    return len(record) <= 1 and not "".join(record).strip()


def _find_separator(samples: Mapping[str, list[list[str]]], favourite: str) -> str:
    """The separator that cuts most rows as it cuts the header, and leaves most cells numbers."""

    def score(separator: str) -> tuple:
        header, *rows = samples[separator]
        agreeing = sum(len(row) == len(header) for row in rows) / max(len(rows), 1)
        cells = [cell.strip() for row in rows for cell in row]
        numbers = sum(bool(_NUMBER.fullmatch(cell)) for cell in cells) / max(len(cells), 1)
        return len(header) > 1, agreeing, numbers, len(header), separator == favourite

    return max(SEPARATORS, key=score)


def _find_decimal_sign(name: str, separator: str, rows: list[list[str]]) -> str:
    """A comma where the cells say so, as in tables saved under a German or French locale."""
    if separator == ",":
        return "."
    cells = [cell.strip() for row in rows for cell in row]
    with_comma = [cell for cell in cells if _DECIMAL_COMMA.fullmatch(cell)]
    if not with_comma or any("." in cell and _NUMBER.fullmatch(cell) for cell in cells):
        return "."
    if all(_MAYBE_THOUSANDS.fullmatch(cell) for cell in with_comma):
        raise DataError(
            f"{name}: a comma could mark decimals or thousands, as in {with_comma[0]!r}; "
            "write numbers with a decimal point and without thousands marks"
        )
    return ","


def _refuse_spaces(name: str, rows: list[list[str]]) -> None:
    """A table cut by spaces would pass as one column of text."""
    if rows and len(rows[0]) == 1:
        words = rows[0][0].split()
        if len(words) > 1 and all(_NUMBER.fullmatch(word) for word in words):
            raise DataError(
                f"{name} seems to be separated by spaces ({rows[0][0]!r}); "
                f"expected {', '.join(SEPARATORS.values())}: save it as CSV"
            )


def _places_of_rows(file: TextFile, separator: str, *, width: int) -> list[int]:
    """Where the rows stand. Each must be as long as the header: pandas would fill short ones and cut long ones."""
    ragged: list[tuple[int, int]] = []
    places: list[int] = []
    first_line, last_line, record = file.skipped + 1, file.skipped + 1, []
    lines = itertools.chain(file.lines(), [_END])  # an open quotation mark would swallow the added last line
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True)
    try:
        for place, record in enumerate(reader, file.skipped + 1):
            if record == [_END] or _is_blank(record):
                pass
            elif len(record) == width:
                places.append(place)
            else:
                ragged.append((first_line, len(record)))
            last_line, first_line = first_line, file.skipped + reader.line_num + 1
    except csv.Error as error:
        raise DataError(_open_quote(file.name, first_line, str(error))) from None
    if record != [_END]:
        raise DataError(_open_quote(file.name, last_line, "the file ends inside a quoted cell"))
    if ragged:
        listed = [f"line {line} has {cells}" for line, cells in ragged[:LISTED_LINES]]
        if len(ragged) > LISTED_LINES:
            listed.append(f"and {len(ragged) - LISTED_LINES} more lines")
        raise DataError(
            f"{file.name}: every row must have {width} cells, as the header has (separator: "
            f"{SEPARATORS[separator]}), but {', '.join(listed)}; fill or quote the cells of these lines"
        )
    return places[1:]
