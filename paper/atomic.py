"""A file is written whole or not at all, so that a run can be killed at any moment."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import time
from pathlib import Path

from taylor_sensus.errors import TaylorSensusError

ENDING = ".part"
HOUR = 3600


class StorageError(TaylorSensusError, OSError):
    """Results cannot be written; the message says what to do."""


def write_whole(path: Path, data: bytes) -> None:
    """Put `data` at `path`; whoever reads at the same time sees the old content or the new, never a mixture."""
    part = path.parent / f".{secrets.token_hex(8)}{ENDING}"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("xb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(part, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise StorageError(_explanation(error, path)) from error
        raise


def sweep(folder: Path) -> None:
    """Remove what killed runs left behind; young parts may belong to a run that is alive."""
    for part in folder.glob(f".*{ENDING}"):
        with contextlib.suppress(OSError):
            if time.time() - part.stat().st_mtime > HOUR:
                part.unlink()


def _explanation(error: OSError, path: Path) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return (
            f"the disk is full: {path} could not be written. Free some space and give the same command again; "
            "finished tasks are kept."
        )
    return f"{path} could not be written: {error.strerror or error}"
