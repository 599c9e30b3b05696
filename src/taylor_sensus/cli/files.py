"""The files of a command: tables are read with notes on what was found; outputs are refused before the work."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from taylor_sensus.cli.screen import note
from taylor_sensus.errors import DataError

if TYPE_CHECKING:
    from taylor_sensus.storage.opening import OpenedModel
    from taylor_sensus.tables.reading import OpenedTable, ReadTable
    from taylor_sensus.tables.wanted import Reading

    Noted = TypeVar("Noted", OpenedTable, ReadTable)


def check_output(path: Path, inputs: Sequence[Path], endings: Sequence[str] = ()) -> None:
    """Refuse an output that cannot be written, or that would replace one of the inputs."""
    if path.exists() and any(given.exists() and path.samefile(given) for given in inputs):
        raise DataError(f"{path} is an input of this command; choose another name for the output")
    if path.is_dir():
        raise DataError(f"{path} is a folder; give the name of a file to write")
    if not path.parent.is_dir():
        raise DataError(f"cannot write {path}: there is no folder {path.parent}; create it first")
    if not os.access(path.parent, os.W_OK):
        raise DataError(f"cannot write {path}: no permission to write into the folder {path.parent}")
    if endings and path.suffix.lower() not in endings:
        raise DataError(f"cannot write {path.name}: the name must end in {' or '.join(endings)}")


def read_rows(
    table: Path | OpenedTable,
    reading: Reading,
    model: OpenedModel,
    *,
    with_targets: bool = False,
    also: Sequence[str] = (),
) -> ReadTable:
    """A table with the columns of a model, and those in `also`; what was found there is noted.

    What is wrong with its header is told before pandas is loaded.
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
