"""Which files are one table: a file, a folder, a data set partitioned by folders such as ``year=2024``."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.fs

from taylor_sensus.errors import DataError
from taylor_sensus.out_of_core.byte_ranges import ByteRange, find_byte_ranges, read_byte_range
from taylor_sensus.out_of_core.row_groups import RowGroups, find_row_groups, read_row_groups

PARQUET, TEXT = (".parquet", ".pq"), (".csv", ".tsv", ".txt")
Part = RowGroups | ByteRange


@dataclass(frozen=True)
class Source:
    """Files of one kind that are one table; their order is that of their names."""

    name: str
    """As the user wrote it."""
    kind: str
    """"parquet" or "csv"."""
    filesystem: pa.fs.FileSystem
    files: tuple[tuple[str, int, int], ...]
    """Name below the folder, bytes and time of the last change of each file."""
    schema: pa.Schema
    """All columns, partition columns included; columns of text files are all texts."""
    partitioned_by: tuple[str, ...]
    """Partition columns, named by folders."""
    parts: tuple[Part, ...]

    @property
    def size(self) -> int:
        """Rows, or bytes of text."""
        return sum(part.size for part in self.parts)

    def batches(
        self, part: Part, columns: Sequence[str], numbers: Collection[str], size: int
    ) -> Iterator[pa.RecordBatch]:
        """Rows of a part, `size` at a time, with these columns; those in `numbers` are wanted as numbers."""
        schema = pa.schema([_plain_number(field) if field.name in numbers else field for field in self.schema])
        if isinstance(part, RowGroups):
            yield from read_row_groups(part, self.filesystem, schema, columns, size)
            return
        keys = {} if part.partition is None else ds.get_partition_keys(part.partition)
        for batch in read_byte_range(part, self.filesystem, numbers, columns, size):
            for name in columns:
                if name in keys:
                    field = self.schema.field(name)
                    batch = batch.append_column(field, pa.repeat(pa.scalar(keys[name], field.type), len(batch)))
            yield batch.select(list(columns))


def open_source(source: Any, part_rows: int, decimal: str | None = None) -> Source:
    """Find the files and their parts; nothing but their ends, or beginnings, is read."""
    name = os.fspath(source)
    try:
        filesystem, root = pa.fs.FileSystem.from_uri(name) if "://" in name else (pa.fs.LocalFileSystem(), name)
        found = filesystem.get_file_info(root)
    except (pa.ArrowException, OSError) as problem:
        raise DataError(f"cannot open {name}: {problem}") from problem
    if found.type == pa.fs.FileType.NotFound:
        raise DataError(f"there is no file or folder {name}")
    infos = [found] if found.is_file else _files_below(filesystem, root)
    root = PurePosixPath(root).parent if found.is_file else PurePosixPath(root)
    paths = [info.path for info in infos]
    kinds = {"parquet" if path.lower().endswith(PARQUET) else "csv" for path in paths}
    endings = ", ".join((*PARQUET, *TEXT))
    if not paths or (found.is_file and not paths[0].lower().endswith((*PARQUET, *TEXT))):
        raise DataError(f"{name} is or holds no table; expected files that end in {endings}")
    if len(kinds) > 1:
        raise DataError(f"{name} holds Parquet files and text files; put the one or the other into a folder of its own")
    kind = kinds.pop()
    below = [PurePosixPath(path).relative_to(root) for path in paths]
    folders = ["/".join(folder for folder in path.parts[:-1] if "=" in folder) for path in below]
    by_folders = _partitioning(folders)
    expressions = [by_folders.parse(f"{folder}/") if folder else None for folder in folders]
    found_below = list(zip(paths, expressions, folders, strict=True))
    if kind == "parquet":
        schema, parts = find_row_groups(found_below, filesystem, by_folders.schema, part_rows)
    else:
        parts = [part for one in found_below for part in find_byte_ranges(*one, filesystem, part_rows, decimal)]
        names = list(dict.fromkeys(name for part in parts for name in part.dialect.names))
        schema = pa.schema([*(pa.field(name, pa.string()) for name in names), *by_folders.schema])
    if not parts:
        raise DataError(f"{name} has no rows; expected at least one")
    files = tuple((str(path), info.size, info.mtime_ns or 0) for path, info in zip(below, infos, strict=True))
    return Source(name, kind, filesystem, files, schema, tuple(by_folders.schema.names), tuple(parts))


def _files_below(filesystem: pa.fs.FileSystem, root: str) -> list[pa.fs.FileInfo]:
    """Tables in a folder and below it, by name; what begins with a dot or underscore is bookkeeping of some program."""
    found = filesystem.get_file_info(pa.fs.FileSelector(root, recursive=True))

    def hidden(path: str) -> bool:
        return any(part.startswith((".", "_")) for part in PurePosixPath(path).relative_to(root).parts)

    tables = [info for info in found if info.is_file and info.path.lower().endswith((*PARQUET, *TEXT))]
    return sorted((info for info in tables if not hidden(info.path)), key=lambda info: info.path)


def _partitioning(folders: Sequence[str]) -> ds.HivePartitioning:
    """The partition columns, which folders name: whole numbers where all values are, else texts."""
    values: dict[str, list[str]] = {}
    for folder in set(folders):
        for part in folder.split("/") if folder else ():
            name, value = part.split("=", 1)
            values.setdefault(name, []).append(value)
    kinds = {name: pa.int64() if all(map(_is_whole, texts)) else pa.string() for name, texts in values.items()}
    order = [part.split("=", 1)[0] for folder in folders[:1] for part in folder.split("/") if folder]
    return ds.HivePartitioning(pa.schema([(name, kinds[name]) for name in dict.fromkeys([*order, *kinds])]))


def _is_whole(text: str) -> bool:
    return text.lstrip("-").isdecimal() and len(text) < 18


def _plain_number(field: pa.Field) -> pa.Field:
    """Decimal fractions as ordinary numbers."""
    return field.with_type(pa.float64()) if pa.types.is_decimal(field.type) else field
