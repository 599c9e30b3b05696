"""Shares of trees as predictions deserve them, and more boosted trees where unseen rows gain, beside what was before.

Before, shares were those of unseen rows as they are, where one network and trees of three quarters of the rows answer,
and there were always 300 boosted trees. One fit for both: networks and process are the same, so the difference is that
of the trees alone. Tables of the study `mechanisms` and functions that step: corners (`stairs`), corners beside a
smooth function with little noise (`mixed`), columns of few values with hardly any noise (`levels`), trees of four
levels (`tree`). At most 1,000 rows, a fifth of them unseen. And two large rough functions (`rough`): 400 cells, each
with a height of its own, in four of eight inputs. Seconds are of CPU, of the trees alone and of the fit.

Run as `python -m bench.step_shares`; lines are kept in `bench/results/step_shares.csv` as they are measured, and those
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
from scipy.spatial import cKDTree

from paper.data.catalogue import load
from paper.mechanisms.run import MOST_ROWS, PART, STAIRS, TABLES, stairs
from taylor_sensus import TSNetRegressor
from taylor_sensus._version import __version__
from taylor_sensus.fit import boosting, share, trees
from taylor_sensus.fit.context import FitContext, NoiseTable
from taylor_sensus.fit.step_share import UnseenMean

RESULTS = Path(__file__).parent / "results" / "step_shares.csv"
OWN = (*STAIRS, "mixed_0", "mixed_1", "levels_0", "levels_1", "tree_0", "tree_1")
SPLITS, ROWS = (0, 1), 800
ROUGH, ROUGH_ROWS = ("rough_0", "rough_1"), 30_000
"""One split each."""
COLUMNS = (
    "table", "split", "rows", "forest_before", "boosting_before", "forest", "boosting", "boosted_trees",
    "mse_before", "mse", "seconds_before", "seconds", "fit_seconds", "version",
)  # fmt: skip


def steps(name: str, rows: int) -> tuple[pd.DataFrame, pd.Series]:
    """A function that steps, with noise."""
    kind, rng = name.split("_")[0], np.random.default_rng(1000 + int(name[-1]))
    if kind == "rough":
        X, centers, heights = rng.uniform(size=(rows, 8)), rng.uniform(size=(400, 4)), rng.normal(size=400)
        cell = cKDTree(centers).query(X[:, :4])[1]
        return pd.DataFrame(X).add_prefix("x"), pd.Series(heights[cell] + rng.normal(0, 0.3, rows))
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


def as_before(context: FitContext, noise_table: NoiseTable, smooth: UnseenMean) -> Any:
    """Shares as unseen rows show them, with a fixed number of boosted trees."""

    def shown(*given: Any) -> UnseenMean:
        return without_savings(held_out(*given))

    held_out = trees._held_out_means
    with (
        patch.object(boosting, "MOST_TIMES", 1),
        patch.object(boosting, "saved_by_rows", lambda context, *_: np.zeros(context.table.y.shape[1])),
        patch.object(trees, "_held_out_means", shown),
    ):
        return share.with_steps(context, noise_table, without_savings(smooth))


def without_savings(answer: UnseenMean) -> UnseenMean:
    """The same, as if predictions were no better."""
    return answer._replace(saved=np.zeros_like(answer.saved))


def measured(name: str, split: int, rows: int = MOST_ROWS, **settings: Any) -> dict[str, str | float]:
    """One line."""
    rows = ROUGH_ROWS if name in ROUGH else rows
    X, y = steps(name, rows if name in ROUGH else ROWS) if name in (*OWN, *ROUGH) else load(name.removesuffix(PART))[:2]
    distinct = ~pd.concat([X, y], axis=1).duplicated().to_numpy()
    X, y = X[distinct], y[distinct]
    order = np.random.default_rng(split).permutation(len(y))[:rows]
    train, test = np.split(order, [round(0.8 * len(order))])
    found, with_steps = [], share.with_steps

    def both(*given: Any) -> Any:
        for steps_of in (as_before, with_steps):
            started = time.process_time()
            with patch.object(share, "with_steps", with_steps):
                grown = steps_of(*given)
            found.append((*grown[:2], time.process_time() - started))
        return grown

    started = time.process_time()
    with patch.object(share, "with_steps", both):
        model = TSNetRegressor(random_state=split, n_jobs=1, **settings).fit(X.iloc[train], y.iloc[train])
    seconds = [found[0][2], found[1][2], time.process_time() - started - found[0][2]]
    mse, shares = [], []
    for forest, sums, _ in found:
        boosted = None if sums is None else sums.boosted
        shares += [0.0 if part is None else round(float(part.share[0]), 4) for part in (forest, boosted)]
        ensemble = replace(model.fitted_.ensemble, trees=forest, boosted=boosted)
        model.fitted_ = replace(model.fitted_, ensemble=ensemble)
        mse.append(float(np.mean((model.predict(X.iloc[test]) - y.iloc[test].to_numpy(float)) ** 2)))
    count = 0 if boosted is None else len(boosted.roots)
    times = [round(each, 3) for each in seconds]
    return dict(zip(COLUMNS, (name, split, len(train), *shares, count, *mse, *times, __version__), strict=True))


def summary(lines: pd.DataFrame) -> pd.DataFrame:
    """Geometric means over tables of error and seconds over those before; 95 % of bootstrap samples of tables
    lie in the interval."""
    names = ("rough functions", "functions that step")
    kind = np.select([lines["table"].isin(ROUGH), lines["table"].isin(OWN)], names, "tables of the study")
    before = lines["fit_seconds"] - lines["seconds"] + lines["seconds_before"]
    each = {"mse": np.log(lines["mse"] / lines["mse_before"]), "fit": np.log(lines["fit_seconds"] / before)}
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
    for task in [*((name, split) for split in SPLITS for name in (*OWN, *TABLES)), *((name, 0) for name in ROUGH)]:
        if task in done:
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
