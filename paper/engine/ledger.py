"""What is recorded of each task as soon as it is done: one file a task, in a folder that is not committed.

`STUDY/tasks/KEY.json` says what came out, from which data, settings and versions; `KEY.npz` holds the predictions.
The arrays are written first and the JSON file names their hash, so that a JSON file that can be read is a whole
record. Only the main process writes.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paper.engine.atomic import write_whole
from paper.engine.packing import packed, unpacked
from paper.engine.study import Inputs, Task
from paper.engine.versions import changes
from paper.engine.work import Done, Failure
from taylor_sensus.storage.atomic import sweep

if TYPE_CHECKING:
    import numpy as np

FORMAT = 1


@dataclass(frozen=True, eq=False)
class Record:
    """What is known of a task that was tried."""

    task: Task
    values: Mapping[str, Any]
    arrays: Mapping[str, np.ndarray]
    inputs: Inputs
    versions: Mapping[str, str]
    command: str
    failure: Failure | None = None
    notes: Mapping[str, Any] = field(default_factory=dict)
    """Of interest only while the file lasts: warnings, process, seconds in all."""

    def outdated(self, inputs: Inputs, versions: Mapping[str, str] | None) -> list[str]:
        """Why this result no longer counts, in words; empty if it does. Without versions any will do."""
        reasons = []
        if self.inputs.dataset_sha256 != inputs.dataset_sha256:
            reasons.append(f"the data of {self.task.dataset} changed")
        if plain(self.inputs.settings) != plain(inputs.settings):
            names = _differing(plain(self.inputs.settings), plain(inputs.settings))
            reasons.append(f"the settings of {self.task.method} changed ({', '.join(names)})")
        if versions is not None:
            reasons += changes(self.versions, versions)
        return reasons


def record_of(done: Done, inputs: Inputs, versions: Mapping[str, str], command: str) -> Record:
    """What to write down of a task that has just been tried."""
    values = {} if done.result is None else plain(done.result.values)
    arrays = {} if done.result is None else dict(done.result.arrays)
    notes = {"seconds": done.seconds, "process": done.process, "warnings": list(done.warnings)}
    return Record(done.task, values, arrays, inputs, versions, command, done.failure, notes)


class Ledger:
    """The records of one study in the making."""

    def __init__(self, results: Path, study: str) -> None:
        self.study = study
        self.folder = results / study / "tasks"
        self.damaged: list[Path] = []
        """Files that were found unusable by the last `read`."""

    def write(self, record: Record) -> None:
        """Make a record last."""
        key = record.task.key
        content: dict[str, Any] = {
            "format": FORMAT,
            "state": "failed" if record.failure else "done",
            "task": asdict(record.task),
            "result": dict(record.values),
            "failure": asdict(record.failure) if record.failure else None,
            "predictions_sha256": None,
            "dataset_sha256": record.inputs.dataset_sha256,
            "settings": plain(record.inputs.settings),
            "versions": dict(record.versions),
            "command": record.command,
            "notes": plain(record.notes),
        }
        if record.arrays:
            data = packed(record.arrays)
            write_whole(self.folder / f"{key}.npz", data)
            content["predictions_sha256"] = hashlib.sha256(data).hexdigest()
        content["checksum"] = _checksum(content)
        write_whole(self.folder / f"{key}.json", (json.dumps(content, indent=1) + "\n").encode())

    def read(self) -> dict[str, Record]:
        """All whole records by key, successes and failures; what is damaged counts as not done."""
        self.damaged = []
        sweep(self.folder)
        found = {}
        for path in sorted(self.folder.glob("*.json")):
            try:
                record = self._read(path)
            except (OSError, ValueError, KeyError, TypeError, AttributeError):
                self.damaged.append(path)
            else:
                found[record.task.key] = record
        return found

    def forget(self, keys: Iterable[str]) -> None:
        """Remove the records of these tasks."""
        for key in keys:
            for ending in ("json", "npz"):
                (self.folder / f"{key}.{ending}").unlink(missing_ok=True)

    def _read(self, path: Path) -> Record:
        content = json.loads(path.read_bytes())
        if content.pop("checksum") != _checksum(content) or content["format"] != FORMAT:
            raise ValueError("checksum")
        task = Task(**content["task"])
        if task.study != self.study or path.stem != task.key:
            raise ValueError("another task's file")
        arrays: dict[str, np.ndarray] = {}
        if content["predictions_sha256"]:
            data = path.with_suffix(".npz").read_bytes()
            if hashlib.sha256(data).hexdigest() != content["predictions_sha256"]:
                raise ValueError("checksum")
            arrays = unpacked(data)
        return Record(
            task,
            content["result"],
            arrays,
            Inputs(content["dataset_sha256"], content["settings"]),
            content["versions"],
            content["command"],
            Failure(**content["failure"]) if content["failure"] else None,
            content["notes"],
        )


def plain(value: Any) -> Any:
    """The same as JSON values: tuples are lists, NaN and infinities are nothing, functions are their names."""
    if isinstance(value, Mapping):
        return {str(name): plain(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    if hasattr(value, "tolist"):  # a NumPy number or array
        return plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (str, int)):
        return value
    return getattr(value, "__qualname__", None) or f"a {type(value).__qualname__}"


def _checksum(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _differing(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    missing = object()
    return sorted(n for n in before.keys() | now.keys() if before.get(n, missing) != now.get(n, missing))
