"""More boosted trees where unseen rows go on gaining, beside a fixed number of them.

One fit for both: networks, process and forests are the same, and only the boosted trees differ, so the difference is
theirs alone. Tables of the study `mechanisms` and functions that step: corners (`stairs`), corners beside a smooth
function with little noise (`mixed`), columns of few values with hardly any noise (`levels`), trees of four levels
(`tree`). At most 1,000 rows, a fifth of them unseen. Seconds are of CPU, of the boosted trees alone and of the fit.

Run as `python -m bench.more_trees`; lines are kept in `bench/results/more_trees.csv` as they are measured, and those
that are there already are not measured again. `--quick` shows in miniature that everything runs.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd

from paper.data.catalogue import load
from paper.mechanisms.run import MOST_ROWS, PART, STAIRS, TABLES, stairs
from taylor_sensus import TSNetRegressor
from taylor_sensus._version import __version__
from taylor_sensus.fit import boosting, share

RESULTS = Path(__file__).parent / "results" / "more_trees.csv"
OWN = (*STAIRS, "mixed_0", "mixed_1", "levels_0", "levels_1", "tree_0", "tree_1")
SPLITS, ROWS = (0, 1), 800
TOO_SMALL = ("cpus", "yield", "meats", "hitters")
"""For boosted trees, which begin with 300 rows to learn from."""
COLUMNS = (
    "table", "split", "rows", "share", "trees", "mse_300", "mse", "boosting_seconds_300", "boosting_seconds",
    "fit_seconds", "version",
)  # fmt: skip


def steps(name: str, rows: int) -> tuple[pd.DataFrame, pd.Series]:
    """A function that steps, with noise."""
    kind, rng = name.split("_")[0], np.random.default_rng(1000 + int(name[-1]))
    if kind == "stairs":
        return stairs(int(name[-1]), rows)
    if kind == "levels":
        X = np.stack([rng.choice(rng.uniform(size=count), rows) for count in (12, 6, 4, 3, 5, 2)], axis=1)
        y = np.sin(5 * X[:, 0]) + X[:, 1] * X[:, 4]
        for _ in range(6):
            a, b = rng.choice(6, 2, replace=False)
            y += rng.normal() * (X[:, a] > np.quantile(X[:, a], rng.uniform(0.2, 0.8))) * (1 + X[:, b])
        noise = 0.03
    elif kind == "mixed":
        X = rng.uniform(size=(rows, 6))
        y = np.sin(4 * X[:, 0]) + X[:, 1] ** 2 + X[:, 2] * X[:, 3]
        for _ in range(4):
            (a, b), at = rng.choice(6, 2, replace=False), rng.uniform(0.2, 0.8, 2)
            y += 0.7 * rng.normal() * (X[:, a] > at[0]) * (X[:, b] > at[1])
        noise = 0.05
    else:
        X, y, noise = rng.uniform(size=(rows, 8)), np.zeros(rows), 0.1
        _part(X, y, np.arange(rows), np.zeros(8), np.ones(8), 4, rng)
    names = [f"x{number}" for number in range(X.shape[1])]
    return pd.DataFrame(X, columns=names), pd.Series(y + rng.normal(0, noise * y.std(), rows))


def _part(
    X: np.ndarray,
    y: np.ndarray,
    own: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    left: int,
    rng: np.random.Generator,
) -> None:
    """Cut a box of rows in two, again and again, and give each last box a height."""
    if not left:
        y[own] += rng.normal()
        return
    feature = rng.integers(5)
    cut = low[feature] + (high[feature] - low[feature]) * rng.uniform(0.3, 0.7)
    above, at = X[own, feature] > cut, np.arange(len(low)) == feature
    _part(X, y, own[~above], low, np.where(at, cut, high), left - 1, rng)
    _part(X, y, own[above], np.where(at, cut, low), high, left - 1, rng)


def measured(name: str, split: int, rows: int = MOST_ROWS, **settings: Any) -> dict[str, str | float]:
    """One line."""
    X, y = steps(name, ROWS) if name in OWN else load(name.removesuffix(PART))[:2]
    distinct = ~pd.concat([X, y], axis=1).duplicated().to_numpy()
    X, y = X[distinct], y[distinct]
    order = np.random.default_rng(split).permutation(len(y))[:rows]
    train, test = np.split(order, [round(0.8 * len(order))])
    found: dict[int, Any] = {}
    grow = share.grow_boosting

    def both(*given: Any) -> Any:
        for times in (1, boosting.MOST_TIMES):
            started = time.process_time()
            with patch.object(boosting, "MOST_TIMES", times):
                grown = grow(*given)
            found[times] = grown, time.process_time() - started
        return found[boosting.MOST_TIMES][0]

    started = time.process_time()
    with patch.object(share, "grow_boosting", both):
        model = TSNetRegressor(random_state=split, n_jobs=1, **settings).fit(X.iloc[train], y.iloc[train])
    (fixed, fixed_seconds), (grown, seconds) = found[1], found[boosting.MOST_TIMES]
    fit_seconds = time.process_time() - started - fixed_seconds
    mse = []
    for trees in (fixed, grown):
        ensemble = replace(model.fitted_.ensemble, boosted=None if trees is None else trees.boosted)
        model.fitted_ = replace(model.fitted_, ensemble=ensemble)
        mse.append(float(np.mean((model.predict(X.iloc[test]) - y.iloc[test].to_numpy(float)) ** 2)))
    kept = (0.0, 0) if grown is None else (round(float(grown.boosted.share[0]), 4), len(grown.boosted.roots))
    times = [round(each, 3) for each in (fixed_seconds, seconds, fit_seconds)]
    return dict(zip(COLUMNS, (name, split, len(train), *kept, *mse, *times, __version__), strict=True))


def summary(lines: pd.DataFrame) -> pd.DataFrame:
    """Geometric means over tables of error and seconds with more trees over those with a fixed number; 95 % of
    bootstrap samples of tables lie in the interval."""
    kind = np.where(lines["table"].isin(OWN), "functions that step", "tables of the study")
    before = lines["fit_seconds"] - lines["boosting_seconds"] + lines["boosting_seconds_300"]
    each = {"mse": np.log(lines["mse"] / lines["mse_300"]), "fit": np.log(lines["fit_seconds"] / before)}
    ratios = pd.DataFrame(each).groupby([kind, lines["table"]]).mean()
    found = {}
    for name, own in ratios.groupby(level=0):
        drawn = np.random.default_rng(0).integers(0, len(own), (4000, len(own)))
        low, high = np.exp(np.quantile(own["mse"].to_numpy()[drawn].mean(axis=1), [0.025, 0.975]))
        middle, seconds = np.exp(own[["mse", "fit"]].mean())
        found[name] = {"mse": middle, "low": low, "high": high, "fit seconds": seconds, "tables": len(own)}
    return pd.DataFrame(found).T.round(4)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what is missing, and tell the ratios."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one small table, to try that everything runs")
    if parser.parse_args(arguments).quick:
        lines = [measured("tree_0", 0, 450, members=2, epochs=2, details={"boosting": 20})]
        sys.stdout.write(pd.DataFrame(lines).T.to_string() + "\n")
        return
    done = set()
    if RESULTS.exists():
        kept = pd.read_csv(RESULTS)
        done = set(zip(kept["table"], kept["split"], strict=True))
    for task in [(name, split) for split in SPLITS for name in (*OWN, *TABLES)]:
        if task in done or task[0] in TOO_SMALL:
            continue
        new, line = not RESULTS.exists(), measured(*task)
        with RESULTS.open("a", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            if new:
                writer.writeheader()
            writer.writerow(line)
    sys.stdout.write(summary(pd.read_csv(RESULTS)).to_string() + "\n")


if __name__ == "__main__":
    main()
