"""Boosted trees alone: our symmetric ones beside trees that grow leaf by leaf, and CatBoost, by number of rows.

What serves in the default must be good with few rows. Squared errors on at most 4,000 rows that no method has seen, of
R's tables and of functions that step, words as columns of 0 and 1. Leaf by leaf: scikit-learn's histogram boosting with
a leaf for each 64 rows (8 to 31), as the default had it before; CatBoost: 1,000 trees of depth 6 at a rate of 0.05.

Run as `python -m bench.boosted`; lines are kept in `bench/results/boosted.csv` as they are measured, and those that are
there already are not measured again. `--quick` shows in miniature that everything runs.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from paper.data.catalogue import load
from paper.data.real_tables import LARGE_TABLES
from paper.mechanisms.run import stairs
from taylor_sensus._version import __version__
from taylor_sensus.fit.boosting import Sums
from taylor_sensus.fit.symmetric_trees import Growing
from taylor_sensus.settings import DEFAULTS

RESULTS = Path(__file__).parent / "results" / "boosted.csv"
SMALL = ("auto", "biomass", "carseats", "college", "credit", "sacramento", "cars", "diamonds", "deliveries")
STAIRS = ("stairs_0", "stairs_1", "stairs_2", "stairs_3")
SIZES, SPLITS, MOST_TESTED = (400, 1000, 4000, 16_000), (0, 1), 4000
COLUMNS = ("table", "rows", "split", "method", "mse", "cpu_seconds", "version")

Predict = Callable[[np.ndarray, np.ndarray, np.ndarray, int], np.ndarray]
"""From inputs and targets, unseen inputs and a seed to predictions."""


def symmetric(x: np.ndarray, y: np.ndarray, unseen: np.ndarray, seed: int) -> np.ndarray:
    """As the default grows them."""
    sums = Sums([Growing(x, y, np.ones(len(y)), seed)])
    return sums.grown(DEFAULTS.boosting).means(unseen)[:, 0]


def leaf_by_leaf(x: np.ndarray, y: np.ndarray, unseen: np.ndarray, seed: int) -> np.ndarray:
    """As the default grew them before."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    leaves = int(np.clip(len(x) // 64, 8, 31))
    model = HistGradientBoostingRegressor(
        learning_rate=0.08 * np.sqrt(31 / leaves), min_samples_leaf=5, max_leaf_nodes=leaves, early_stopping=False,
        max_iter=DEFAULTS.boosting, random_state=seed,
    )  # fmt: skip
    return model.fit(x, y).predict(unseen)


def catboost(x: np.ndarray, y: np.ndarray, unseen: np.ndarray, seed: int) -> np.ndarray:
    """The library itself."""
    from catboost import CatBoostRegressor

    settings = {"iterations": 1000, "learning_rate": 0.05, "depth": 6, "random_seed": seed}
    model = CatBoostRegressor(**settings, verbose=False, thread_count=1, allow_writing_files=False)
    return np.asarray(model.fit(x, y).predict(unseen))


METHODS: dict[str, Predict] = {"symmetric": symmetric, "leaf by leaf": leaf_by_leaf, "catboost": catboost}


def table_of(name: str, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Inputs and target, as plain numbers."""
    X, y = stairs(int(name[-1]), size + MOST_TESTED) if name in STAIRS else load(name)[:2]
    return pd.get_dummies(pd.DataFrame(X)).to_numpy(np.float32), np.asarray(y, float)


def measured(name: str, size: int, split: int, method: str) -> dict[str, str | float] | None:
    """One line; None where a table is too small."""
    x, y = table_of(name, size)
    if len(y) < 1.2 * size and (size > min(SIZES) or len(y) < 0.8 * size):
        return None
    order = np.random.default_rng(split).permutation(len(y))
    count = min(size, round(0.8 * len(y)))
    train, test = order[:count], order[count : count + MOST_TESTED]
    center, scale = y[train].mean(), y[train].std()
    started = time.process_time()
    with threadpool_limits(1):
        found = METHODS[method](x[train], (y[train] - center) / scale, x[test], split)
    seconds = time.process_time() - started
    mse = float(np.mean((center + scale * found - y[test]) ** 2))
    return dict(zip(COLUMNS, (name, count, split, method, mse, round(seconds, 2), __version__), strict=True))


def ratios(lines: pd.DataFrame) -> pd.DataFrame:
    """By size of the table, geometric means of errors and seconds over those leaf by leaf, and the tables."""
    size = pd.cut(lines["rows"], [0, *SIZES], labels=[str(size) for size in SIZES])
    by = [size.rename("size"), lines["table"], lines["split"]]
    found = {}
    for score in ("mse", "cpu_seconds"):
        wide = np.log(lines[score].clip(lower=1e-12)).groupby([*by, lines["method"]], observed=True).first().unstack()
        apart = wide.sub(wide["leaf by leaf"], axis=0)
        found |= {f"{score}, {method}": np.exp(apart[method].groupby("size", observed=True).mean()) for method in apart}
    counts = lines["table"].groupby(by[0], observed=True).nunique()
    return pd.DataFrame(found | {"tables": counts}).round(3)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what is missing, and tell the ratios."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one small table, to try that everything runs")
    asked = parser.parse_args(arguments)
    if asked.quick:
        lines = pd.DataFrame([measured("stairs_0", 60, 0, method) for method in METHODS])
        sys.stdout.write(ratios(lines).T.to_string() + "\n")
        return
    done = set()
    if RESULTS.exists():
        kept = pd.read_csv(RESULTS)
        done = set(zip(kept["table"], kept["size"], kept["split"], kept["method"], strict=True))
    for size in SIZES:
        for name in (*(SMALL if size <= 1000 else ()), *(STAIRS if size <= 1000 else ()), *LARGE_TABLES):
            for split, method in ((s, m) for s in SPLITS for m in METHODS):
                if (name, size, split, method) in done or (line := measured(name, size, split, method)) is None:
                    continue
                new = not RESULTS.exists()
                with RESULTS.open("a", newline="") as file:
                    writer = csv.DictWriter(file, ("size", *COLUMNS), lineterminator="\n")
                    if new:
                        writer.writeheader()
                    writer.writerow({"size": size, **line})
    sys.stdout.write(ratios(pd.read_csv(RESULTS)).T.to_string() + "\n")


if __name__ == "__main__":
    main()
