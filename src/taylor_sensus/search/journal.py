"""The journal of a search: one JSON line for each evaluated fold, so that a search that was stopped can go on.

The first line says which search the file belongs to. A later line that was cut short (a killed process, a full disk)
is passed over when the file is read, and the next line never continues it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from taylor_sensus.errors import SettingError
from taylor_sensus.search.space import Choice
from taylor_sensus.storage.atomic import write_atomically

KIND = "taylor-sensus search"


class FoldScore(NamedTuple):
    """How settings did on one fold; the score is infinite if the predictions were not finite."""

    score: float
    seconds: float


class Journal:
    """Scores so far; kept in a file if there is a `path`."""

    def __init__(self, path: str | PathLike[str] | None, fingerprint: Mapping[str, Any]) -> None:
        """Start a new journal, or go on with the one at `path` if it belongs to the same search."""
        self.path = None if path is None else Path(path)
        self.scores: dict[tuple[Choice, int], FoldScore] = {}
        if self.path is None:
            return
        header = _as_line({"kind": KIND, **fingerprint})
        found = _header(self.path)
        if found is None:
            _begin(self.path, header)
            return
        differences = _differences(found, json.loads(header))
        if differences:
            raise SettingError(
                f"journal {str(self.path)!r} belongs to another search; different: {', '.join(differences)}. "
                "Give this search a journal of its own, or delete the file if it is not needed any more."
            )
        for record in filter(None, map(_parsed, _lines(self.path)[1:])):
            score = np.inf if record["score"] is None else record["score"]
            self.scores[tuple(record["choice"]), record["fold"]] = FoldScore(score, record["seconds"])

    def add(self, choice: Choice, fold: int, fold_score: FoldScore, **notes: Any) -> None:
        """Remember the score of a fold; when this returns it is on the disk. `notes` are for human readers."""
        self.scores[choice, fold] = fold_score
        if self.path is not None:
            score = fold_score.score if np.isfinite(fold_score.score) else None
            line = {**notes, "choice": choice, "fold": fold, "score": score, "seconds": fold_score.seconds}
            _append(self.path, _as_line(line))


def stored_seed(path: str | PathLike[str] | None) -> int | None:
    """The seed of the search that a journal belongs to, if there is a journal already."""
    found = None if path is None else _header(Path(path))
    return None if found is None else found["seed"]


def _as_line(record: Mapping[str, Any]) -> bytes:
    return json.dumps(record, default=_plain).encode() + b"\n"


def _plain(value: Any) -> Any:
    """What JSON cannot hold as it is; functions are identified by their name and code."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    return _function_name(value) if callable(value) else repr(value)


def _function_name(function: Any) -> str:
    name = f"{function.__module__}.{getattr(function, '__qualname__', type(function).__qualname__)}"
    code = getattr(function, "__code__", None)
    if code is None:
        return name
    constants = [c for c in code.co_consts if not hasattr(c, "co_code")]
    digest = hashlib.sha256(code.co_code + repr((constants, code.co_names)).encode())
    return f"{name} {digest.hexdigest()[:12]}"


def _begin(path: Path, header: bytes) -> None:
    if not path.parent.is_dir():
        raise SettingError(f"journal {str(path)!r}: there is no folder {str(path.parent)!r}; make it first")
    write_atomically(path, header)


def _append(path: Path, line: bytes) -> None:
    """Add a line; one that was cut short before (a full disk in this very process, too) is never continued."""
    with path.open("a+b") as file:
        file.seek(-1, os.SEEK_END)  # there is a first line
        file.write(line if file.read(1) == b"\n" else b"\n" + line)
        file.flush()
        os.fsync(file.fileno())


def _lines(path: Path) -> list[bytes]:
    return path.read_bytes().split(b"\n")


def _header(path: Path) -> dict[str, Any] | None:
    """The first line of a journal; None if the file is missing, empty, or was cut within that line."""
    if not path.exists() or (path.is_file() and _is_cut(path)):
        return None
    first = _parsed(_lines(path)[0]) if path.is_file() else None
    if first is None or first.get("kind") != KIND:
        raise SettingError(f"journal {str(path)!r} exists and is not the journal of a search; give another path")
    return first


def _is_cut(path: Path) -> bool:
    """Whether a writer was killed within the first line: nothing was evaluated yet, and nothing is lost."""
    lines = _lines(path)
    start = _as_line({"kind": KIND})[:-2]
    return len(lines) == 1 and lines[0][: len(start)] == start[: len(lines[0])]


def _parsed(line: bytes) -> dict[str, Any] | None:
    """None for a line that was cut short: that fold is evaluated again."""
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None


def _differences(there: Mapping[str, Any], here: Mapping[str, Any]) -> list[str]:
    """What differs between two fingerprints, by name; short values are shown."""
    different = []
    for name in [*here, *(set(there) - set(here))]:
        a, b = there.get(name), here.get(name)
        if a == b:
            continue
        if isinstance(a, dict) and isinstance(b, dict):
            different.append(f"{name} ({', '.join(_differences(a, b))})")
        elif name == "data":
            different.append("data (X, y or sample_weight)")
        else:
            different.append(f"{name} ({a!r} there, {b!r} here)")
    return different
