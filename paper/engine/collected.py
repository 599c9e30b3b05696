"""The committed files of a study: one line a task, the same bytes for the same results.

    STUDY.csv               dataset, method, seed, the study's parameters, then every value except measured costs
    STUDY_seconds.csv       the same tasks with their seconds and megabytes, which no two runs have in common
    STUDY_predictions.npz   arrays KEY/row, KEY/error, ... of every task; absent if the study keeps none
    STUDY.json              how each line was made: data, settings, versions, command

A fresh clone has only these, so they are read as well as written: what they hold need not be run again.
"""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from paper.engine.atomic import StorageError, write_whole
from paper.engine.ledger import FORMAT, Record
from paper.engine.packing import packed, unpacked
from paper.engine.study import Inputs, Study, Task

SECONDS = "_seconds"
COSTS = (SECONDS, "_megabytes")
"""Endings of the values that differ from run to run."""
KEY_COLUMNS = ("dataset", "method", "seed")
SHARED = ("commands", "data", "settings", "versions")
"""What many tasks have in common is written once, and a task gives the places in these lists."""


class Files(NamedTuple):
    """Where a study's results are."""

    scores: Path
    seconds: Path
    predictions: Path
    origin: Path


def files(results: Path, study: str) -> Files:
    """The four files of a study."""
    names = (f"{study}.csv", f"{study}{SECONDS}.csv", f"{study}_predictions.npz", f"{study}.json")
    return Files(*(results / name for name in names))


def write_collected(results: Path, study: Study, records: Iterable[Record]) -> None:
    """Write the four files; a file that would not change is not touched."""
    ordered = sorted(records, key=lambda r: (r.task.dataset, r.task.method, r.task.seed, r.task.key))
    places = files(results, study.name)
    if not ordered and not places.origin.exists():
        return
    arrays = {f"{r.task.key}/{name}": array for r in ordered for name, array in r.arrays.items()}
    if arrays or places.predictions.exists():
        _renew(places.predictions, packed(arrays))
    _renew(places.seconds, _table(study, ordered, seconds=True))
    _renew(places.scores, _table(study, ordered, seconds=False))
    _renew(places.origin, _origin(study, ordered))


def read_collected(results: Path, study: Study) -> dict[str, Record]:
    """The committed records by key; a task counts only if all four files know it."""
    places = files(results, study.name)
    if not places.origin.exists():
        return {}
    try:
        origin = json.loads(places.origin.read_text(encoding="utf-8"))
        if origin["format"] != FORMAT:
            raise ValueError(f"format {origin['format']}, this version reads {FORMAT}")
        scores, seconds = _lines(places.scores, study), _lines(places.seconds, study)
        arrays: dict[str, dict[str, Any]] = {}
        expected = any(made["arrays"] for made in origin["tasks"].values())
        for name, array in unpacked(places.predictions).items() if expected else ():
            key, _, inner = name.rpartition("/")
            arrays.setdefault(key, {})[inner] = array
        found = {}
        for key, (task, values) in scores.items():
            made = origin["tasks"].get(key)
            if made is None or key not in seconds or sorted(arrays.get(key, {})) != made["arrays"]:
                continue
            command, data, settings, versions = (origin[name][made[name]] for name in SHARED)
            values |= seconds[key][1]
            found[key] = Record(task, values, arrays.get(key, {}), Inputs(data, settings), versions, command)
    except FileNotFoundError as error:
        raise StorageError(f"{error.filename} is missing beside {places.origin}; {REMEDY}") from error
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        problem = f"{type(error).__name__}: {error}"
        raise StorageError(f"{places.origin} and its neighbours are damaged ({problem}); {REMEDY}") from None
    return found


REMEDY = "restore the study's four files together from version control, or delete them to run it again"


# ------------------------------------------------------------------------------------------- tables


def _table(study: Study, records: list[Record], *, seconds: bool) -> bytes:
    columns = dict.fromkeys(name for r in records for name in r.values if name.endswith(COSTS) == seconds)
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([*KEY_COLUMNS, *study.parameters, *columns])
    for record in records:
        task = record.task
        parameters = [task.parameters.get(name, default) for name, default in study.parameters.items()]
        values = [record.values.get(name) for name in columns]
        writer.writerow([_cell(value) for value in (task.dataset, task.method, task.seed, *parameters, *values)])
    return stream.getvalue().encode()


def _lines(path: Path, study: Study) -> dict[str, tuple[Task, dict[str, Any]]]:
    with path.open(encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream, strict=True)
        found = {}
        for line in reader:
            dataset, method, seed = line.pop("dataset"), line.pop("method"), int(line.pop("seed"))
            parameters = {name: _value(line.pop(name)) for name in study.parameters if name in line}
            task = study.task(dataset, method, seed, **{n: v for n, v in parameters.items() if v is not None})
            found[task.key] = task, {name: _value(text) for name, text in line.items()}
        return found


def _cell(value: Any) -> str:
    """Floats with all their digits, so that nothing is lost by reading and writing."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, allow_nan=False)


def _value(text: str) -> Any:
    if text == "":
        return None
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return text if isinstance(value, (dict, list, str)) else value


# ------------------------------------------------------------------------------------------- origin


def _origin(study: Study, records: list[Record]) -> bytes:
    """JSON with a line for each task, so that a change of one task is a change of one line."""
    shared: dict[str, dict[str, Any]] = {name: {} for name in SHARED}
    for record in records:
        for name, value in _made(record).items():
            shared[name][json.dumps(value, sort_keys=True)] = value
    order = {name: sorted(values) for name, values in shared.items()}
    lists = {name: [shared[name][text] for text in texts] for name, texts in order.items()}
    head: dict[str, Any] = {
        "format": FORMAT,
        "study": study.name,
        "machine": {"cpus": os.cpu_count()},
        "seeds": sorted({r.task.seed for r in records}),
        "datasets": {r.task.dataset: r.inputs.dataset_sha256 for r in records},
        **{name: lists[name] for name in ("commands", "versions", "data")},
    }
    lines = [f'"{name}": {json.dumps(value, sort_keys=True)}' for name, value in head.items()]
    lines.append(f'"settings": {_block("[]", [json.dumps(each, sort_keys=True) for each in lists["settings"]])}')
    tasks = []
    for record in records:
        entry: dict[str, Any] = {
            name: order[name].index(json.dumps(value, sort_keys=True)) for name, value in _made(record).items()
        }
        entry["arrays"] = sorted(record.arrays)
        tasks.append(f"{json.dumps(record.task.key)}: {json.dumps(entry, sort_keys=True)}")
    lines.append(f'"tasks": {_block("{}", tasks)}')
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _made(record: Record) -> Mapping[str, Any]:
    return {
        "commands": record.command,
        "data": record.inputs.dataset_sha256,
        "settings": dict(record.inputs.settings),
        "versions": dict(record.versions),
    }


def _block(brackets: str, lines: list[str]) -> str:
    return brackets[0] + "\n" + ",\n".join(lines) + "\n" + brackets[1]


def _renew(path: Path, data: bytes) -> None:
    try:
        if path.read_bytes() == data:
            return
    except OSError:
        pass
    write_whole(path, data)
