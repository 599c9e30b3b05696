"""The committed results of a study as tables, for everything that is rebuilt from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd

from paper.engine.atomic import StorageError
from paper.engine.collected import read_collected
from paper.studies import STUDIES

Key = tuple[Any, ...]
"""Dataset, method, seed, and then the study's own parameters if it has any."""


@dataclass(frozen=True, eq=False)
class Results:
    """A study's scores, a line a task, and what each method said of each test row."""

    study: str
    scores: pd.DataFrame
    predictions: dict[Key, pd.DataFrame] = field(default_factory=dict)
    """Columns row, error (target minus mean) and, where the study keeps it, std."""

    @property
    def datasets(self) -> list[str]:
        """In the order of the study."""
        return list(dict.fromkeys(self.scores.dataset))


def find_results(results: Path, study: str, *, searched: bool = False, quick: bool = False) -> Results | None:
    """The tasks of one kind: with or without a search, with whole or tiny budgets. None if there are none."""
    kind = STUDIES[study]
    own = {name: default for name, default in kind.parameters.items() if name not in ("search", "quick")}
    lines, predictions = [], {}
    for record in read_collected(results, kind).values():
        task = record.task
        if (bool(task.parameters.get("search")), task.quick) != (searched, quick):
            continue
        given = {name: task.parameters.get(name, default) for name, default in own.items()}
        lines.append({"dataset": task.dataset, "method": task.method, "seed": task.seed, **given, **record.values})
        if record.arrays:
            key = task.dataset, task.method, task.seed, *given.values()
            predictions[key] = pd.DataFrame(dict(record.arrays))
    if not lines:
        return None
    scores = pd.DataFrame(lines)
    texts = {"dataset", "method", "searched", *(name for name, default in own.items() if isinstance(default, str))}
    numbers = [c for c in scores.columns if c not in texts]
    scores[numbers] = scores[numbers].astype(float)
    return Results(study, scores, predictions)


def read_results(results: Path, study: str, *, searched: bool = False, quick: bool = False) -> Results:
    """The same, where there must be some."""
    found = find_results(results, study, searched=searched, quick=quick)
    if found is None:
        raise StorageError(f"{results} has no results of the study {study}; run: python -m paper run {study}")
    return found


def whatever_there_is(results: Path, module: str, *, quick: bool = False) -> dict[str, Results]:
    """The results of those studies that have any, and a module of that name to show them; that none has is an error."""
    showing = [name for name, study in STUDIES.items() if find_spec(f"{study.place}.{module}")]
    found = {study: find_results(results, study, quick=quick) for study in showing}
    there = {study: own for study, own in found.items() if own is not None}
    if not there:
        read_results(results, next(iter(found)), quick=quick)
    return there
