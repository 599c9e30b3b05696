"""The fits of the study `mechanisms`: one line each, written as soon as it is known."""

from __future__ import annotations

import csv
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd

from paper import FOLDER
from paper.data.catalogue import load
from paper.data.real_tables import LARGE_TABLES
from taylor_sensus import TSNetRegressor
from taylor_sensus._version import __version__
from taylor_sensus.fit import share
from taylor_sensus.model import coordinates
from taylor_sensus.scores import evaluate

RESULTS = FOLDER / "results" / "mechanisms.csv"
TABLES = (
    *("auto", "cpus", "yield", "biomass", "meats", "cars", "sacramento", "carseats", "college", "hitters", "diamonds"),
    *("deliveries", "credit", "wave", "friedman1", "borehole", "piston", "robot_arm", "otl_circuit"),
    *("computers_part", "chicago_part", "hotel_rates_part", "check_times_part", "weather_part"),
)
"""The last five are 1,000 rows of large tables."""
PART = "_part"
STAIRS = ("stairs_0", "stairs_1", "stairs_2", "stairs_3")
"""Functions that step, for what is there for steps; no part of the average."""
STAIRS_VARIANTS = ("default", "no_boosting", "no_forests")
MOST_ROWS = 1000
SPLITS = (0, 1, 2)
LARGE_VARIANTS: dict[str, dict[str, Any]] = {
    "present_default": {},
    "no_boosting": {"details": {"boosting": 0}},
    "first_8000_rows": {},
    "no_process": {"kernel": False},
}
"""On large tables with one split, of the present default: boosting is for them, more rows must not be worse, and the
process works with some of the rows only."""
MOST_OF_LARGE = 20_000
VARIANTS: dict[str, dict[str, Any]] = {
    "default": {},
    "no_boosting": {"details": {"boosting": 0}},
    "no_forests": {"details": {"trees": 0}},
    "no_process": {"kernel": False},
    "no_robust_weights": {"details": {"robust": False}},
    "no_taylor_term": {"details": {"taylor": False}},
    "no_whole_share": {},
    "no_process_factor": {},
    "no_principal_axes": {},
    "one_frequency": {"details": {"frequency_multiples": (1.0,)}},
    "width_96": {"width": 96},
}
"""The default without one of the things that it does, or with wider networks."""
CORE = ("no_process", "no_taylor_term", "no_process_factor", "no_principal_axes")
"""Beyond the first split these come last: what they bring is seen soon."""
CONSTANTS: dict[str, tuple[Any, str, Any]] = {
    "no_whole_share": (share, "WHOLE_SHARE", np.inf),
    "no_process_factor": (share, "FACTORS", (1.0,)),
    "no_principal_axes": (coordinates, "TOGETHER", -np.inf),
}
"""Variants of numbers that are no settings: where each stands, and the value that switches it off."""
COLUMNS: tuple[str, ...] = (
    "table", "split", "variant", "rows", "mse", "nll", "crps", "coverage_90", "cpu_seconds", "version", "commit",
)  # fmt: skip


def stairs(seed: int, rows: int = 800) -> tuple[pd.DataFrame, pd.Series]:
    """Twelve corners, each of two of six inputs, with a height of its own; noise of a tenth of the spread."""
    rng = np.random.default_rng(seed)
    X, y = rng.uniform(size=(rows, 6)), np.zeros(rows)
    for _ in range(12):
        first, second = rng.choice(6, 2, replace=False)
        at = rng.uniform(0.2, 0.8, 2)
        y += rng.normal() * (X[:, first] > at[0]) * (X[:, second] > at[1])
    return pd.DataFrame(X, columns=list("abcdef")), pd.Series(y + rng.normal(0, 0.1 * y.std(), rows))


def one(table: str, split: int, variant: str) -> dict[str, Any]:
    """One fit, judged on rows that it has not seen."""
    X, y = stairs(int(table[-1])) if table in STAIRS else load(table.removesuffix(PART))[:2]
    distinct = ~pd.concat([X, y], axis=1).duplicated().to_numpy()
    X, y = X[distinct], y[distinct]
    most = MOST_OF_LARGE if table in LARGE_TABLES else MOST_ROWS
    order = np.random.default_rng(split).permutation(len(y))[:most]
    train, test = np.split(order, [round(0.8 * len(order))])
    if variant == "first_8000_rows":
        train = train[:8000]
    model = TSNetRegressor(
        random_state=split, n_jobs=1, **(LARGE_VARIANTS if table in LARGE_TABLES else VARIANTS)[variant]
    )
    started = time.process_time()
    with _changed(variant):
        model.fit(X.iloc[train], y.iloc[train])
    seconds = time.process_time() - started
    prediction, truth = model.predict_distribution(X.iloc[test]), y.iloc[test].to_numpy(float)
    scores = evaluate(truth, prediction)
    mse = float(np.mean((truth - prediction.mean) ** 2))
    return {
        "table": table, "split": split, "variant": variant, "rows": len(train) + len(test), "mse": mse,
        **{name: float(scores[name]) for name in ("nll", "crps", "coverage_90")},
        "cpu_seconds": round(seconds, 2), "version": __version__, "commit": _commit(),
    }  # fmt: skip


@contextmanager
def _changed(variant: str) -> Iterator[None]:
    """While a variant is fitted that no setting makes."""
    if variant not in CONSTANTS:
        yield
        return
    module, name, value = CONSTANTS[variant]
    before = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, before)


def _commit() -> str:
    found = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=FOLDER, capture_output=True, text=True)
    return found.stdout.strip()


def run() -> None:
    """All fits that are not in the results yet, a line each, written at once."""
    done = set()
    if RESULTS.exists():
        with RESULTS.open(newline="") as file:
            done = {(line["table"], int(line["split"]), line["variant"]) for line in csv.DictReader(file)}
    tasks = [(t, s, v) for s in SPLITS for t in TABLES for v in VARIANTS]
    tasks.sort(key=lambda task: task[1] > 0 and task[2] in CORE)
    tasks = [(t, 0, v) for t in STAIRS for v in STAIRS_VARIANTS] + tasks
    small = ("computers", "chicago")  # which have fewer rows than that
    tasks += [(t, 0, v) for v in LARGE_VARIANTS for t in LARGE_TABLES if v != "first_8000_rows" or t not in small]
    todo = [task for task in tasks if task not in done]
    for number, task in enumerate(todo, 1):
        line = one(*task)
        new = not RESULTS.exists()
        with RESULTS.open("a", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            if new:
                writer.writeheader()
            writer.writerow(line)
        sys.stderr.write(f"\r{number} of {len(todo)}: {' '.join(map(str, task))}          ")
