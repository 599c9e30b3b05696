"""Parts of text files: ranges of bytes; a row belongs to the part in which its line begins.

So no part has to be read for another one to be found. The price is that a part must not end inside a quoted cell: a
table with line ends in cells may be refused.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.csv
import pyarrow.fs

from taylor_sensus.errors import DataError
from taylor_sensus.tables.delimited import FirstLook, boolean_columns, first_look
from taylor_sensus.tables.file_header import column_names, favourite_separator
from taylor_sensus.tables.notation import MISSING

SAMPLE = 1 << 20
"""Bytes that are looked at to find separator, decimal sign and length of a line."""
LINE = 1 << 16
"""Bytes that are read at a time to find where a line ends."""
NULLS = sorted({form for word in MISSING for form in (word, word.upper(), word.capitalize())} | {"NaN", "<NA>"})
EMPTY_WORDS = frozenset((*pyarrow.csv.ConvertOptions().null_values, "None", "<NA>"))
"""Cells of a column of words that are taken as missing, as everywhere else that text files are read."""


class Dialect(NamedTuple):
    """How the text of a file becomes cells."""

    separator: str
    decimal: str
    names: tuple[str, ...]
    booleans: frozenset[str]
    """Columns of nothing but true and false."""
    header_ends: int
    """Where the first row begins, in bytes."""


class ByteRange(NamedTuple):
    """Lines that begin in a range of one file."""

    file: str
    first: int
    size: int
    partition: Any
    folders: str
    dialect: Dialect


def find_byte_ranges(
    file: str, partition: Any, folder: str, filesystem: pa.fs.FileSystem, part_rows: int, decimal: str | None
) -> list[ByteRange]:
    """The parts of one file: so many bytes as `part_rows` lines like its first ones have."""
    with filesystem.open_input_file(file) as stream:
        whole = stream.size()
        sample = stream.read(min(whole, SAMPLE))
    if len(sample) < whole:
        sample = sample[: sample.rfind(b"\n") + 1]
    look = first_look(
        PurePosixPath(file).name, sample, favourite_separator(PurePosixPath(file).suffix.lower()), decimal
    )
    if look.file.encoding not in ("utf-8-sig", "utf-8"):
        raise DataError(f"{look.file.name} is written in {look.file.encoding}; large text files must be in UTF-8")
    dialect = _dialect(look, sample)
    lines = sample.count(b"\n", dialect.header_ends) + (not sample.endswith(b"\n"))
    size = max(1, part_rows * (len(sample) - dialect.header_ends) // max(lines, 1))
    starts = range(dialect.header_ends, whole, size)
    return [ByteRange(file, start, min(size, whole - start), partition, folder, dialect) for start in starts]


def _dialect(look: FirstLook, sample: bytes) -> Dialect:
    names = column_names(look.header)
    if "" in names or len(set(names)) < len(names):
        raise DataError(f"{look.file.name}: every column needs a name of its own in the header; it has {names}")
    mark = len(sample) - len(sample.removeprefix(b"\xef\xbb\xbf"))
    begin = len(sample) - len(sample[mark:].lstrip(b"\r\n"))
    if look.file.skipped:
        begin = len(b"".join(sample.splitlines(keepends=True)[: look.file.skipped]))
    header_ends = sample.find(b"\n", begin) + 1 or len(sample)
    booleans = frozenset(names[place] for place in boolean_columns(look.rows, len(names)))
    return Dialect(look.separator, look.decimal, tuple(names), booleans, header_ends)


def read_byte_range(
    part: ByteRange, filesystem: pa.fs.FileSystem, numbers: Collection[str], columns: Sequence[str], size: int
) -> Iterator[pa.RecordBatch]:
    """The rows of a part, in order; columns in `numbers` as numbers, unless some cell says more than a number."""
    text = _lines(part, filesystem)
    if not text.strip():
        return
    where = f"{part.file}, bytes {part.first:,} to {part.first + part.size:,}"
    if text.count(b'"') % 2:
        raise DataError(f"{where}: a quoted cell goes on over a line end, or is left open; take line ends out of cells")
    columns = [name for name in columns if name in part.dialect.names]
    kinds = dict.fromkeys(columns, pa.string())
    kinds |= dict.fromkeys(part.dialect.booleans & set(columns), pa.bool_())
    quick = kinds | {name: pa.float64() for name in columns if name in numbers and name not in part.dialect.booleans}
    try:
        try:
            table = _parsed(text, part.dialect, quick)
        except pa.ArrowInvalid:
            table = _parsed(text, part.dialect, kinds)
    except pa.ArrowInvalid as problem:
        raise DataError(f"{where}: {problem}") from problem
    yield from table.to_batches(max_chunksize=size)


def _parsed(text: bytes, dialect: Dialect, kinds: dict[str, pa.DataType]) -> pa.Table:
    csv = pyarrow.csv
    return csv.read_csv(
        pa.BufferReader(text),
        read_options=csv.ReadOptions(column_names=list(dialect.names), use_threads=False),
        parse_options=csv.ParseOptions(delimiter=dialect.separator),
        convert_options=csv.ConvertOptions(
            column_types=kinds, include_columns=list(kinds), decimal_point=dialect.decimal, null_values=NULLS,
            strings_can_be_null=False, true_values=["True", "TRUE", "true"], false_values=["False", "FALSE", "false"],
        ),
    )  # fmt: skip


def _lines(part: ByteRange, filesystem: pa.fs.FileSystem) -> bytes:
    """All lines that begin in the range, whole."""
    with filesystem.open_input_file(part.file) as stream:
        begin = part.first
        if begin > part.dialect.header_ends:  # a line that began before belongs to the part before
            begin = _next_line(stream, begin - 1)
        end = _next_line(stream, part.first + part.size - 1)
        return stream.read_at(end - begin, begin) if end > begin else b""


def _next_line(stream: Any, place: int) -> int:
    """Where the line after the one at `place` begins."""
    size = stream.size()
    while place < size:
        block = stream.read_at(LINE, place)
        found = block.find(b"\n")
        if found >= 0:
            return place + found + 1
        place += len(block)
    return size
