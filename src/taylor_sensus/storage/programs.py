"""Compiled programs as files: a cache that heals, for several processes at once.

A file appears whole or not at all, and begins with the SHA-256 of its program. What does not agree with it (cut short
by a full disk, overwritten, empty) is removed when it is met, compiled again and written again. The folder has a
largest size; programs that were not used for the longest time go first. Whatever the disk does, no fit fails from it.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path

from taylor_sensus.storage.atomic import sweep, write_atomically

ENDING = ".program"
OLDER_ENDING = "-cache"
"""Of what version 0.1 left in the folder: never read, and among the first to go."""
MOST_BYTES = 256 * 1024**2
"""A fit compiles some ten programs of about 100 kB: room for all kinds of tables that somebody fits in a year."""
_DIGEST_BYTES = hashlib.sha256().digest_size


class ProgramFiles:
    """A persistent cache, as JAX wants it: `get` and `put` by key."""

    def __init__(self, folder: Path, most_bytes: int = MOST_BYTES) -> None:
        self._path = folder  # the name by which JAX asks for it
        self._most_bytes = most_bytes
        sweep(folder)

    def get(self, key: str) -> bytes | None:
        """The program, or None if there is no whole one."""
        path = self._file(key)
        try:
            content = path.read_bytes()
        except OSError:
            return None
        program = content[_DIGEST_BYTES:]
        if hashlib.sha256(program).digest() != content[:_DIGEST_BYTES]:
            with suppress(OSError):
                path.unlink()
            return None
        with suppress(OSError):
            os.utime(path)  # used now, so it is not the next to go
        return program

    def put(self, key: str, value: bytes) -> None:
        """Keep a program, if it can be kept."""
        with suppress(OSError):
            if self._make_room(_DIGEST_BYTES + len(value)):
                write_atomically(self._file(key), hashlib.sha256(value).digest(), value)

    def _file(self, key: str) -> Path:
        return self._path / f"{key}{ENDING}"

    def _make_room(self, wanted: int) -> bool:
        """Remove what was not used for the longest time until so many bytes fit; False if they never will."""
        if wanted > self._most_bytes:
            return False
        files = []
        for path in self._path.iterdir():
            with suppress(OSError):  # another process may remove it now
                if path.name.endswith((ENDING, OLDER_ENDING)):
                    status = path.stat()
                    files.append((status.st_mtime_ns, status.st_size, path))
        total = wanted + sum(size for _, size, _ in files)
        for _, size, path in sorted(files):
            if total <= self._most_bytes:
                break
            path.unlink(missing_ok=True)
            total -= size
        return True
