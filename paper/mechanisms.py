"""Study `mechanisms`: does each of four mechanisms on trial earn its place in the default?

Nineteen tables beside the paper's six and the standard UCI set (R's datasets and textbook functions), exact duplicate
rows dropped, three splits of 80 and 20 %, no validation rows: what users do. Each variant is the default with one
mechanism left out, and the last one leaves out all four.

    python -m paper.mechanisms run      # goes on where it stopped
    python -m paper.mechanisms table    # every variant against the default

Two of the switches existed only in the version that was measured; its commit stands in the results.
"""

from __future__ import annotations

import csv
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from paper.study_data import load
from taylor_sensus import TSNetRegressor
from taylor_sensus._version import __version__
from taylor_sensus.scores import evaluate

RESULTS = Path(__file__).parent / "results" / "mechanisms.csv"
TABLES = (
    *("auto", "cpus", "yield", "biomass", "meats", "cars", "sacramento", "carseats", "college", "hitters", "diamonds"),
    *("deliveries", "credit", "wave", "friedman1", "borehole", "piston", "robot_arm", "otl_circuit"),
)
MOST_ROWS = 1000
SPLITS = (0, 1, 2)
VARIANTS: dict[str, dict[str, Any]] = {
    "default": {},
    "no_repeats": {"details": {"repeats": False}},
    "no_contrast": {"contrast": "off"},
    "no_process_factor": {"details": {"process_factor": False}},
    "no_stopping_bias": {"details": {"stopping_bias": False}},
    "none_of_four": {
        "contrast": "off", "details": {"repeats": False, "process_factor": False, "stopping_bias": False}
    },
}  # fmt: skip
COLUMNS: tuple[str, ...] = (
    "table",
    "split",
    "variant",
    "rows",
    "mse",
    "nll",
    "crps",
    "coverage_90",
    "cpu_seconds",
    "version",
    "commit",
)


def one(table: str, split: int, variant: str) -> dict[str, Any]:
    """One fit, judged on rows that it has not seen."""
    found = load(table)
    distinct = ~pd.concat([found.X, found.y], axis=1).duplicated().to_numpy()
    X, y = found.X[distinct], found.y[distinct]
    order = np.random.default_rng(split).permutation(len(y))[:MOST_ROWS]
    train, test = np.split(order, [round(0.8 * len(order))])
    model = TSNetRegressor(random_state=split, n_jobs=1, **VARIANTS[variant])
    started = time.process_time()
    model.fit(X.iloc[train], y.iloc[train])
    seconds = time.process_time() - started
    prediction, truth = model.predict_distribution(X.iloc[test]), y.iloc[test].to_numpy(float)
    scores = evaluate(truth, prediction)
    mse = float(np.mean((truth - prediction.mean) ** 2))
    return {
        "table": table, "split": split, "variant": variant, "rows": len(order), "mse": mse,
        **{name: float(scores[name]) for name in ("nll", "crps", "coverage_90")},
        "cpu_seconds": round(seconds, 2), "version": __version__, "commit": _commit(),
    }  # fmt: skip


def _commit() -> str:
    folder = Path(__file__).parent
    found = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=folder, capture_output=True, text=True)
    return found.stdout.strip()


def run() -> None:
    """All fits that are not in the results yet, a line each, written at once."""
    done = set()
    if RESULTS.exists():
        with RESULTS.open(newline="") as file:
            done = {(line["table"], int(line["split"]), line["variant"]) for line in csv.DictReader(file)}
    todo = [(t, s, v) for s in SPLITS for t in TABLES for v in VARIANTS if (t, s, v) not in done]
    for number, task in enumerate(todo, 1):
        line = one(*task)
        new = not RESULTS.exists()
        with RESULTS.open("a", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            if new:
                writer.writeheader()
            writer.writerow(line)
        sys.stderr.write(f"\r{number} of {len(todo)}: {' '.join(map(str, task))}          ")


def summary(results: pd.DataFrame) -> pd.DataFrame:
    """Each variant against the default: ratio of MSE and difference of NLL, means over tables with 95 % intervals."""
    frame = results.assign(log_mse=np.log(results["mse"]))
    wide = frame.pivot_table(index=["table", "split"], columns="variant", values=["log_mse", "nll", "cpu_seconds"])
    lines = {}
    for variant in VARIANTS:
        if variant == "default" or variant not in wide["nll"]:
            continue
        line = {}
        for score in ("log_mse", "nll"):
            by_table = (wide[score][variant] - wide[score]["default"]).dropna().groupby("table").mean()
            mean, half = by_table.mean(), 1.96 * by_table.std(ddof=1) / np.sqrt(len(by_table))
            values = np.array([mean, mean - half, mean + half])
            line |= dict(zip(_names(score), np.exp(values) if score == "log_mse" else values, strict=True))
        line["tables"] = len(by_table)
        line["cpu_ratio"] = float(np.exp(np.log(wide["cpu_seconds"][variant] / wide["cpu_seconds"]["default"]).mean()))
        lines[variant] = line
    return pd.DataFrame(lines).T


def _names(score: str) -> tuple[str, str, str]:
    name = "mse_ratio" if score == "log_mse" else "nll_difference"
    return name, f"{name}_low", f"{name}_high"


if __name__ == "__main__":
    if sys.argv[1:] == ["run"]:
        run()
    elif sys.argv[1:] == ["table"]:
        sys.stdout.write(summary(pd.read_csv(RESULTS)).round(4).to_string() + "\n")
    else:
        sys.exit(__doc__)
