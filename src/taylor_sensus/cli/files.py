"""The files of a command: tables are read with notes on what was found; outputs are refused before the work.

A table may come from standard input and go to standard output: both are written as `-`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypeVar

import typer

from taylor_sensus.cli.screen import note, wrote
from taylor_sensus.errors import DataError, SettingError

if TYPE_CHECKING:
    import pandas as pd

    from taylor_sensus.storage.opening import OpenedModel
    from taylor_sensus.tables.reading import OpenedTable, ReadTable
    from taylor_sensus.tables.wanted import Reading

    Noted = TypeVar("Noted", OpenedTable, ReadTable)


STANDARD = Path("-")
"""Standard input or output."""
MARKS = {b"PK": ".xlsx", b"PAR1": ".parquet"}
"""How files that are no text begin."""


def check_output(
    path: Path, inputs: Sequence[Path], endings: Sequence[str] = (), *, force: bool = True, as_json: bool = False
) -> None:
    """Refuse an output that cannot be written, or would replace an input or, without `force`, any file."""
    if path == STANDARD:
        if as_json:
            raise SettingError("--json and the table cannot both go to standard output; write the table to a file")
        if ".csv" not in endings:
            raise SettingError("only tables can be written to standard output; give the name of a file")
        return
    if path.exists() and any(given.exists() and path.samefile(given) for given in inputs):
        raise DataError(f"{path} is an input of this command; choose another name for the output")
    if path.is_dir():
        raise DataError(f"{path} is a folder; give the name of a file to write")
    if path.exists() and not force:
        raise DataError(f"{path} exists already; --force replaces it, or choose another name")
    if not path.parent.is_dir():
        raise DataError(f"cannot write {path}: there is no folder {path.parent}; create it first")
    if not os.access(path.parent, os.W_OK):
        raise DataError(f"cannot write {path}: no permission to write into the folder {path.parent}")
    if endings and path.suffix.lower() not in endings:
        raise DataError(f"cannot write {path.name}: the name must end in {' or '.join(endings)}")


def write_output(ctx: typer.Context, frame: pd.DataFrame, path: Path) -> None:
    """Write a table to a file, or as CSV to standard output."""
    from taylor_sensus.tables.files import write_table

    if path != STANDARD:
        write_table(frame, path)
        wrote(ctx, path)
        return
    with TemporaryDirectory() as folder:
        write_table(frame, Path(folder) / "stdout.csv")
        typer.echo((Path(folder) / "stdout.csv").read_bytes(), nl=False)


def from_standard_input(ctx: typer.Context) -> Path:
    """What comes from standard input, as a file that is gone when the command ends."""
    folder = TemporaryDirectory()
    ctx.call_on_close(folder.cleanup)
    content = typer.get_binary_stream("stdin").read()
    ending = next((ending for mark, ending in MARKS.items() if content.startswith(mark)), ".csv")
    path = Path(folder.name) / f"stdin{ending}"
    path.write_bytes(content)
    return path


def read_rows(
    table: Path | OpenedTable,
    reading: Reading,
    model: OpenedModel,
    *,
    with_targets: bool = False,
    also: Sequence[str] = (),
) -> ReadTable:
    """A table with the columns of a model, and those in `also`; what was found there is noted.

    What is wrong with its header is reported before pandas is loaded.
    """
    from taylor_sensus.tables.wanted import check_header_for_model, columns_known

    known = columns_known(model.columns, model.targets)
    if isinstance(table, Path):
        check_header_for_model(table, reading, known, with_targets=with_targets, also=also)

    from taylor_sensus.tables.reading import open_table, table_for_model

    opened = open_table(table, reading) if isinstance(table, Path) else table
    return noted(table_for_model(opened, reading, known, with_targets=with_targets))


def noted(table: Noted) -> Noted:
    """The same table, after its notes have been shown."""
    for text in table.notes:
        note(text)
    return table
