"""Uploaded files: each under a name of its own, so that none is ever written over one that is in use."""

from __future__ import annotations

import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from taylor_sensus.errors import TaylorSensusError
from taylor_sensus.storage.atomic import replacing, sweep

PATTERN = "*-upload.*"
DAY = 86_400.0
"""Uploads that are older belong to an app that was killed."""


class Uploads:
    """What was sent to the app, in its folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        sweep(folder)
        self.clear(DAY)

    @contextmanager
    def kept(self, file: BinaryIO, name: str, use: str) -> Iterator[Path]:
        """A file under a name of ours that nothing else has; what is refused inside is removed.

        It keeps the ending that the user's name had: no path comes from outside.
        """
        ending = Path(name.replace("\\", "/")).suffix.lower()
        if not ending[1:].isalnum() or len(ending) > 10:
            ending = ".none"
        path = self.folder / f"{use}-{secrets.token_hex(8)}-upload{ending}"
        try:
            with replacing(path) as temporary, temporary.open("wb") as kept:
                shutil.copyfileobj(file, kept, 1 << 20)
            with named(path, name):
                yield path
        except BaseException:
            path.unlink(missing_ok=True)
            raise

    def clear(self, older: float = 0.0) -> None:
        """Remove all that is older than so many seconds."""
        for path in self.folder.glob(PATTERN):
            if not older or time.time() - path.stat().st_mtime > older:
                path.unlink(missing_ok=True)


@contextmanager
def named(path: Path, name: str) -> Iterator[None]:
    """Failures name the file by the user's name for it, and of no folder of ours."""
    try:
        yield
    except TaylorSensusError as problem:
        words = str(problem).replace(str(path), name).replace(path.name, name)
        raise type(problem)(words) from problem
