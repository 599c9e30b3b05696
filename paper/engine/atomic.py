"""A file is written whole or not at all, so that a run can be killed at any moment."""

from __future__ import annotations

import errno
from pathlib import Path

from taylor_sensus.errors import TaylorSensusError
from taylor_sensus.storage.atomic import write_atomically


class StorageError(TaylorSensusError, OSError):
    """Results cannot be written; the message says what to do."""


def write_whole(path: Path, data: bytes) -> None:
    """Put `data` at `path`; whoever reads at the same time sees the old content or the new, never a mixture."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, data)
    except OSError as error:
        raise StorageError(_explanation(error, path)) from error


def _explanation(error: OSError, path: Path) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return (
            f"the disk is full: {path} could not be written. Free some space and give the same command again; "
            "finished tasks are kept."
        )
    return f"{path} could not be written: {error.strerror or error}"
