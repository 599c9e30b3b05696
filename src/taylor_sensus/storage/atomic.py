"""Atomic writes: a file appears whole or not at all, whatever happens meanwhile.

The bytes go to a temporary file next to the target, which takes the target's place only once the disk has them. A full
disk, a crash or Ctrl-C leaves an older file as it was, and who reads at the same time sees the old file or the new one.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

ENDING = ".part"
HOUR = 3600.0
LONGEST_PREFIX = 40
"""Letters of the target's name in that of the temporary file: a name of the longest kind has no room for more."""


def write_atomically(path: str | os.PathLike[str], *pieces: bytes) -> None:
    """Write the pieces, one after the other, to one file."""
    with replacing(path) as temporary, temporary.open("xb") as stream:
        for piece in pieces:
            stream.write(piece)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """The path of a temporary file to write; it takes the place of ``path`` when all went well, and vanishes if not.

    A link at ``path`` stays one: the file that it points to is replaced. Permissions are those of the file that was
    there, else those of any new file. Temporary files that killed writers of this file left behind are removed.
    """
    target = writable_target(path)
    temporary = target.with_name(f".{target.name[:LONGEST_PREFIX]}.{secrets.token_hex(8)}{ENDING}")
    try:
        yield temporary
        _sync(temporary)
        if target.exists():
            with suppress(OSError):  # some file systems have no permissions to keep
                temporary.chmod(stat.S_IMODE(target.stat().st_mode))
        os.replace(temporary, target)
    except BaseException:  # Ctrl-C too must not leave half a file behind
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)
    sweep(target.parent, target.name)


def writable_target(path: str | os.PathLike[str]) -> Path:
    """The file that a write to ``path`` would replace, links followed; a clear error where none can be."""
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise FileNotFoundError(f"cannot write {path}: there is no folder {target.parent}; create it first")
    if target.is_dir():
        raise IsADirectoryError(f"cannot write {path}: it is a folder; give the path of a file")
    if target.exists() and not target.is_file():
        raise OSError(f"cannot write {path}: it is a device or a pipe; give the path of a file")
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(
            f"cannot write {path}: it is write-protected; choose another name or remove the protection"
        )
    return target


def sweep(folder: Path, name: str | None = None) -> None:
    """Remove what killed writers of the file ``name``, or of all files, left in a folder.

    No system call says everywhere whether a writer is alive, so that an hour must have passed since its last byte.
    """
    ours = r".+" if name is None else re.escape(name[:LONGEST_PREFIX])
    pattern = re.compile(rf"\.{ours}\.[0-9a-f]{{16}}{re.escape(ENDING)}", re.DOTALL)
    with suppress(OSError):
        left = [folder / entry for entry in os.listdir(folder) if pattern.fullmatch(entry)]
        for part in left:
            if time.time() - part.stat().st_mtime > HOUR:
                part.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    """Wait until the disk has the content."""
    with path.open("r+b") as stream:
        os.fsync(stream.fileno())


def _sync_folder(folder: Path) -> None:
    """Make the new name survive a power cut, where the system can (Windows cannot open folders)."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
