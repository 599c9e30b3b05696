"""Study `scaling`: what a fit costs in time and memory, and what it gains, as rows and parameters grow.

Each task has a process of its own with all cores. Compiled programs are not taken from disk, so the seconds of a fit
include compilation; those of a prediction do not (the second one counts). Memory is the whole process, as Linux counts
it: Python and its libraries, the table, and all that the fit makes of it. Densities are learned from a few of many
rows; a second kind of task measures how well their neighbour search agrees with one among all rows.
"""

from __future__ import annotations

import time
from typing import Any

import jax
import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from paper.engine.study import Inputs, Result, Task
from paper.engine.trials import fit, judge, settings_of
from paper.scaling.data import year_parts, year_sha256
from paper.scaling.memory import MEGABYTE, watched
from paper.scaling.study import FITTED, QUICK_TEST_ROWS, SCALING, SEARCHES, TEST_ROWS
from taylor_sensus.datasets.catalogue import SplitDataset
from taylor_sensus.model.density import Search, density_targets, neighbour_log_density
from taylor_sensus.model.networks import trainable
from taylor_sensus.model.scaling import learn_scaling
from taylor_sensus.model.squash import squash
from taylor_sensus.regressor import TSNetRegressor
from taylor_sensus.rows import blocks
from taylor_sensus.settings import DEFAULTS

COMPARED_ROWS = 512
"""Rows at which a search is compared with the exact one, and twice as many noisy copies of them."""


def run(task: Task, n_jobs: int | None) -> Result:
    """Fit and predict, or search."""
    parts = year_parts(task.dataset, _train_rows(task), task.seed, _test_rows(task))
    return Result(_search(task, parts) if task.method in SEARCHES else _fit(task, parts, n_jobs))


def inputs(task: Task) -> Inputs:
    """The data's hash, and the network's settings or the number of rows that are searched."""
    if task.method in SEARCHES:
        settings: dict[str, Any] = {"rows": _searched(task), "neighbours": DEFAULTS.neighbours}
    else:
        settings = {**settings_of(FITTED[task.method], task.quick), "test_rows": _test_rows(task)}
    return Inputs(year_sha256(task.dataset), settings)


def _fit(task: Task, parts: SplitDataset, n_jobs: int | None) -> dict[str, Any]:
    model = FITTED[task.method].make(random_state=task.seed, n_jobs=n_jobs, quick=task.quick)
    fitting = watched(lambda: fit(model, parts))
    predicting = watched(lambda: judge(model, parts, gives_std=True))
    again = judge(model, parts, gives_std=True)
    return {
        "rows": len(parts.y_test),
        "parameters": parameters(model) if isinstance(model, TSNetRegressor) else None,
        **again.scores,
        "fit_seconds": fitting.answer.seconds,
        "predict_seconds": again.seconds,
        "data_megabytes": sum(map(megabytes, (parts.X_train, parts.y_train, parts.X_test, parts.y_test))),
        "before_megabytes": fitting.before,
        "fit_megabytes": fitting.peak,
        "predict_megabytes": predicting.peak,
    }


def parameters(model: TSNetRegressor) -> int:
    """Trained numbers of the three networks and of the attention that perceives density."""
    trained, _ = trainable((model.fitted_.ensemble.blocks, model.fitted_.ensemble.densities))
    return sum(np.size(leaf) for leaf in jax.tree.leaves(trained))


def megabytes(table: pd.DataFrame | pd.Series) -> float:
    """Of a table's cells and labels."""
    return float(np.sum(table.memory_usage(index=True))) / MEGABYTE


def _search(task: Task, parts: SplitDataset) -> dict[str, Any]:
    """Seconds of a fit's search among so many rows, and its log-densities against those among all rows."""
    rows = near_rows(parts)
    order = np.random.default_rng(task.seed).permutation(len(rows))
    some = rows[order[: _searched(task)]]
    started = time.perf_counter()
    density_targets(some, DEFAULTS.neighbours, np.random.default_rng(task.seed))
    seconds = time.perf_counter() - started
    common = rows[order[: min(SEARCHES.values())]]  # reference rows of every search
    points = density_targets(common, DEFAULTS.neighbours, np.random.default_rng(task.seed), limit=COMPARED_ROWS).x
    found, exact = log_densities(points, some), log_densities(points, rows)
    return {
        "searched_rows": len(some),
        "log_density_shift": float(np.mean(found - exact)),
        "log_density_error": float(np.std(found - exact)),
        "log_density_spread": float(np.std(exact)),
        "rank_correlation": float(spearmanr(found, exact).statistic),
        "search_seconds": seconds,
    }


def near_rows(parts: SplitDataset) -> np.ndarray:
    """Training rows in the coordinates in which distances are taken."""
    x, y = parts.X_train.to_numpy(), parts.y_train.to_numpy()[:, None]
    scaler = learn_scaling(x, y, np.ones(len(y)))
    near = np.empty(x.shape, np.float32)
    for rows in blocks(len(x)):
        near[rows] = squash(scaler.features(x[rows]), tail="root")
    return near


def log_densities(points: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """At the first `COMPARED_ROWS` points, which are reference rows, and at the others, which are not."""
    search, k = Search(reference), DEFAULTS.neighbours
    own, moved = np.split(points, [COMPARED_ROWS])
    return np.concatenate(
        [neighbour_log_density(own, search, k, own=True), neighbour_log_density(moved, search, k, own=False)]
    )


def _train_rows(task: Task) -> int:
    return int(task.parameters.get("train_rows", SCALING.parameters["train_rows"]))


def _test_rows(task: Task) -> int:
    return QUICK_TEST_ROWS if task.quick else TEST_ROWS


def _searched(task: Task) -> int:
    return min(SEARCHES[task.method], _train_rows(task))
