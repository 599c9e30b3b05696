"""Parts of Parquet files: runs of row groups, which can be read without what stands before them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.fs

from taylor_sensus.errors import DataError


class RowGroups(NamedTuple):
    """Neighbouring row groups of one file."""

    file: str
    groups: tuple[int, ...]
    first: int
    """Place of their first row in the file."""
    size: int
    """Rows."""
    partition: Any
    """What the folders say of all rows, as an expression of pyarrow; None where they say nothing."""
    folders: str
    """The folders that say it, such as ``year=2024/month=3``."""


class ParquetFiles(NamedTuple):
    """Columns and parts of Parquet files that are one table."""

    schema: pa.Schema
    parts: tuple[RowGroups, ...]


def find_row_groups(
    files: Sequence[tuple[str, Any, str]], filesystem: pa.fs.FileSystem, by_folders: pa.Schema, part_rows: int
) -> ParquetFiles:
    """The parts of all files in their order; only the ends of the files are read.

    `files` holds each file's name, what its folders say of its rows, and these folders.
    """
    parts: list[RowGroups] = []
    schemas: list[pa.Schema] = []
    for file, partition, folder in files:
        try:
            fragment = ds.ParquetFileFormat().make_fragment(file, filesystem)
            schemas.append(fragment.physical_schema)
            groups = fragment.row_groups
        except (pa.ArrowException, OSError) as problem:
            raise DataError(f"{file} cannot be read as Parquet ({problem})") from problem
        first, run, rows = 0, [], 0
        for group in groups:
            if run and rows + group.num_rows > part_rows:
                parts.append(RowGroups(file, tuple(run), first, rows, partition, folder))
                first, run, rows = first + rows, [], 0
            run, rows = [*run, group.id], rows + group.num_rows
        if rows:
            parts.append(RowGroups(file, tuple(run), first, rows, partition, folder))
    try:
        schema = pa.unify_schemas([*schemas, by_folders], promote_options="permissive")
    except pa.ArrowException as problem:
        raise DataError(f"the files have columns of one name and different kinds ({problem})") from problem
    return ParquetFiles(schema.remove_metadata(), tuple(parts))


def read_row_groups(
    part: RowGroups, filesystem: pa.fs.FileSystem, schema: pa.Schema, columns: Sequence[str], size: int
) -> Iterator[pa.RecordBatch]:
    """The rows of a part, in order, `size` at a time: columns of a row group are read as they are needed."""
    slowly = ds.ParquetFragmentScanOptions(pre_buffer=False, use_buffered_stream=True)
    fragment = ds.ParquetFileFormat(default_fragment_scan_options=slowly).make_fragment(
        part.file, filesystem, partition_expression=part.partition, row_groups=list(part.groups)
    )
    try:
        yield from fragment.to_batches(
            schema=schema, columns=list(columns), batch_size=size, batch_readahead=1, use_threads=False
        )
    except (pa.ArrowException, OSError) as problem:
        raise DataError(f"{part.file} cannot be read ({problem})") from problem
