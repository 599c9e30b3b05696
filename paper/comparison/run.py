"""Study `comparison`: a method on a split of a dataset, judged on test rows that it never saw.

Validation rows are given to every method for early stopping, selection and calibration.

A search tries each combination of a method's small grid and keeps the one that is best on validation rows: by mean
negative log-likelihood where the method gives error bars, else by squared error. So each method is chosen by what it
claims: one that gives error bars is judged by both, and a choice by squared error alone would leave its error bars
to chance. The price is that its squared error may be a little worse than a choice by squared error would make it,
which favours the methods without error bars in that one column. The kept model is not fitted again, because it has
seen what a refit would see.
"""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from paper.data.catalogue import data_sha256
from paper.engine.ledger import plain
from paper.engine.study import Inputs, Result, Task
from paper.engine.trials import fit, judge, row_errors, settings_of
from taylor_sensus.baselines.registry import METHODS, Method, method
from taylor_sensus.datasets.catalogue import SplitDataset, load_dataset, split_dataset
from taylor_sensus.scores import mse, nll


class Chosen(NamedTuple):
    """A fitted model, and what a search changed."""

    model: Any
    changes: Mapping[str, Any]
    seconds: float


def run(task: Task, n_jobs: int | None) -> Result:
    """Fit, predict the test rows, score."""
    kind = method(task.method)
    parts = split_dataset(load_dataset(task.dataset), task.seed)
    started = time.perf_counter()
    grid = kind.grid if task.parameters.get("search") else {}
    fitted = _best(kind, task, parts, n_jobs, grid)
    search_seconds = time.perf_counter() - started
    judged = judge(fitted.model, parts, gives_std=kind.gives_std)
    values = {
        "rows": len(parts.y_test),
        **judged.scores,
        "searched": json.dumps(plain(fitted.changes), sort_keys=True) if grid else None,
        "fit_seconds": fitted.seconds,
        "predict_seconds": judged.seconds,
        "search_seconds": search_seconds if grid else None,
    }
    return Result(values, {**row_errors(parts, judged.prediction), "std": judged.prediction.std.astype(np.float32)})


def inputs(task: Task) -> Inputs:
    """The data's hash and the method's settings."""
    quick, search = task.quick, bool(task.parameters.get("search"))
    settings = dict(_settings(task.method, quick))
    if search:
        settings["grid"] = plain(METHODS[task.method].grid)
    return Inputs(data_sha256(task.dataset), settings)


@cache
def _settings(name: str, quick: bool) -> dict[str, Any]:
    return settings_of(method(name), quick)


def _best(
    kind: Method, task: Task, parts: SplitDataset, n_jobs: int | None, grid: Mapping[str, tuple[Any, ...]]
) -> Chosen:
    """The combination that is best on validation rows; of equals, the first. Without a grid, the one there is."""
    best, best_score = None, np.inf
    for values in itertools.product(*grid.values()):
        changes = dict(zip(grid, values, strict=True))
        model = kind.make(random_state=task.seed, n_jobs=n_jobs, quick=task.quick, **changes)
        fitted = Chosen(model, changes, fit(model, parts).seconds)
        score = _validation_score(model, parts, kind.gives_std) if grid else 0.0
        if best is None or score < best_score:
            best, best_score = fitted, score
    assert best is not None, "an empty product has one element"
    return best


def _validation_score(model: Any, parts: SplitDataset, gives_std: bool) -> float:
    prediction = model.predict_distribution(parts.X_val)
    y = np.asarray(parts.y_val, np.float64)
    return nll(y, prediction.mean, prediction.std) if gives_std else mse(y, prediction.mean)
