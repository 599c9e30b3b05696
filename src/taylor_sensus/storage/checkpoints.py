"""A folder of checkpoints of one fit: a file a training run, each replaced as a whole."""

from __future__ import annotations

import hashlib
import io
import json
import time
import zipfile
from dataclasses import asdict
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from taylor_sensus._version import __version__
from taylor_sensus.errors import DataError
from taylor_sensus.records import EncodedTable, Names
from taylor_sensus.settings import Settings
from taylor_sensus.storage.atomic import sweep, write_atomically

EVERY = 10.0
"""Seconds between two checkpoints of a run at least."""


def fingerprint(settings: Settings, seed: int) -> dict[str, Any]:
    """What makes a fit besides its data."""
    return {"version": __version__, "seed": seed, "settings": asdict(settings)}


def digest(names: Names, *tables: EncodedTable | None) -> str:
    """A number that stands for tables in memory."""
    found = hashlib.sha256(repr(names).encode())
    for part in (part for table in tables for part in table or (None,)):
        found.update(b"-" if part is None else repr(part.shape).encode() + np.ascontiguousarray(part).tobytes())
    return found.hexdigest()


class CheckpointFolder:
    """Checkpoints on disk; a `taylor_sensus.fit.checkpoint.Checkpoints`.

    There are as many files as the fit has runs at most: a later checkpoint takes the place of an earlier one.
    """

    def __init__(self, folder: str | PathLike[str], every: float | None = None) -> None:
        self.folder, self.every = Path(folder), EVERY if every is None else every
        self.written: dict[str, float] = {}

    def open(self, fingerprint: dict[str, Any]) -> None:
        """Make the folder, or make sure that it holds checkpoints of the same fit."""
        self.folder.mkdir(parents=True, exist_ok=True)
        sweep(self.folder)
        known, given = self.fingerprint(), json.loads(json.dumps(fingerprint, default=repr))
        if known is None:
            write_atomically(self.folder / "fit.json", json.dumps(given, indent=1).encode())
        elif known != given:
            other = ", ".join(sorted(name for name in {*known, *given} if known.get(name) != given.get(name)))
            raise DataError(
                f"{self.folder} holds checkpoints of another fit (other {other}); give another folder, or repeat the "
                "call with which they were made"
            )

    def fingerprint(self) -> dict[str, Any] | None:
        """Of the fit whose checkpoints are there; None if there are none."""
        try:
            return json.loads((self.folder / "fit.json").read_text("utf-8"))
        except FileNotFoundError:
            return None
        except ValueError as problem:
            raise DataError(f"{self.folder / 'fit.json'} is damaged ({problem}); delete the folder") from problem

    def read(self, name: str) -> dict[str, np.ndarray] | None:
        """The arrays of a run; None if there are none, or if the file is damaged."""
        try:
            with np.load(self._path(name), allow_pickle=False) as arrays:
                return dict(arrays)
        except (FileNotFoundError, ValueError, EOFError, zipfile.BadZipFile):
            return None

    def write(self, name: str, arrays: dict[str, np.ndarray], *, at_once: bool) -> None:
        """Keep the arrays of a run; if not `at_once`, only if the last time is long enough ago."""
        now = time.monotonic()
        if not at_once and now - self.written.setdefault(name, now) < self.every:
            return
        content = io.BytesIO()
        np.savez(content, **arrays)  # pyright: ignore[reportArgumentType]
        write_atomically(self._path(name), content.getvalue())
        self.written[name] = now

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.npz"
