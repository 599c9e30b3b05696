"""Between the files and the model: columns that are left aside, and outputs refused before the work, not after it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from taylor_sensus.cli.screen import quoted
from taylor_sensus.errors import DataError

if TYPE_CHECKING:
    import pandas as pd


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


def ignored_columns(frame: pd.DataFrame, used: Sequence[str]) -> list[str]:
    """Columns of the table that nothing uses."""
    return [str(name) for name in frame.columns if str(name) not in used]


def ignored_note(names: Sequence[str], *, file: Path) -> str:
    """Which columns were left aside, in one sentence."""
    return f"columns of {file.name} that the model does not use: {quoted(names)}"
