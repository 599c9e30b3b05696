"""From results of single tasks to what a table shows: averages, ranks, paired differences."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from paper.engine.printed import OURS
from taylor_sensus.baselines.registry import METHODS
from taylor_sensus.scores import paired_bootstrap

RANKED = ("mse", "mae", "nll_paper")
"""The scores that the paper's main table prints; each with a dataset is a cell."""


def averages(scores: pd.DataFrame, columns: tuple[str, ...] | list[str]) -> pd.DataFrame:
    """Mean and standard deviation over seeds of each score: index dataset, method; columns (score, mean | std)."""
    grouped = scores.groupby(["dataset", "method"], sort=False)[list(columns)]
    found = grouped.agg(["mean", "std"])
    return found.reindex(sorted(found.index, key=reading_order))


def reading_order(pair: tuple[str, str]) -> tuple[str, int]:
    """Datasets by name, methods as the registry has them."""
    dataset, method = pair
    return dataset, list(METHODS).index(method)


def ranks(scores: pd.DataFrame, methods: list[str] | None = None) -> pd.DataFrame:
    """Mean rank of each method by score and over all cells, with the number of cells won; 1 is the best.

    A cell is a dataset and a score. A method without a standard deviation is not ranked by likelihood, and the ranks
    of the others in such a cell run from 1 to their number.
    """
    chosen = scores if methods is None else scores[scores.method.isin(methods)]
    cells = averages(chosen, list(RANKED)).xs("mean", axis=1, level=1)
    ranked = cells.groupby(level="dataset").rank(method="min")
    by_score = ranked.groupby(level="method").mean()
    by_score.insert(0, "all", ranked.stack().groupby(level="method").mean())
    by_score["cells won"] = (ranked == 1).sum(axis=1).groupby(level="method").sum()
    by_score["cells"] = ranked.notna().sum(axis=1).groupby(level="method").sum()
    return by_score.sort_values("all", kind="stable")


def row_scores(error: np.ndarray, std: np.ndarray) -> dict[str, np.ndarray]:
    """Squared error and negative log-likelihood (printed form) of each row; the second is NaN without a std."""
    error, std = error.astype(float), std.astype(float)
    return {"mse": error**2, "nll_paper": np.log(std) + error**2 / (2 * std**2)}


def differences(predictions: Mapping[tuple[str, str, int], pd.DataFrame], score: str) -> pd.DataFrame:
    """For each dataset and rival, its score minus that of TSNet with a 95 % bootstrap interval.

    A row of a dataset that was a test row in several splits is one unit: its differences are averaged first. The
    interval says what other rows of the same kind would give, not what other training sets would.
    Each frame has the columns row, error and, for a likelihood, std.
    """
    lines = []
    for dataset in sorted({key[0] for key in predictions}):
        table = {
            method: _by_row({k: f for k, f in predictions.items() if k[:2] == (dataset, method)}, score)
            for method in METHODS
            if any(k[:2] == (dataset, method) for k in predictions)
        }
        if OURS not in table:
            continue
        for method, values in table.items():
            both = pd.concat([values, table[OURS]], axis=1, join="inner").dropna()
            if method == OURS or len(both) < 2:
                continue
            per_row = both.groupby(level="row").mean().to_numpy()
            found = paired_bootstrap(per_row[:, 0], per_row[:, 1], random_state=0)
            lines.append(
                {
                    "dataset": dataset, "method": method, "difference": found.difference,
                    "lower": found.lower, "upper": found.upper, "tsnet": per_row[:, 1].mean(), "rows": len(per_row),
                }
            )  # fmt: skip
    return pd.DataFrame(lines)


def _by_row(frames: Mapping[tuple[str, str, int], pd.DataFrame], score: str) -> pd.Series:
    """One score for each seed and row."""
    parts = {
        seed: pd.Series(row_scores(f.error.to_numpy(), _std(f))[score], index=f.row)
        for (_, _, seed), f in frames.items()
    }
    return pd.concat(parts, names=["seed", "row"])


def _std(frame: pd.DataFrame) -> np.ndarray:
    """NaN where the study kept none."""
    return frame["std"].to_numpy() if "std" in frame else np.full(len(frame), np.nan)
