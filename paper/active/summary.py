"""From the results of the study `active` to what its tables and figure show."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import t

from paper.active.study import DATASETS, RANDOM, TOTAL
from paper.engine.printed import OURS
from taylor_sensus.baselines.registry import METHODS

RUN = ["dataset", "method", "arm", "seed"]
COVERAGE = 0.95


class Ratio(NamedTuple):
    """A geometric mean over seeds with its interval; the bounds are NaN where there is only one seed."""

    mean: float
    lower: float
    upper: float


def by_cycle(scores: pd.DataFrame) -> pd.DataFrame:
    """Columns train_rows, mse, improvement and pool_rows; index dataset, method, arm, seed, cycle.

    `improvement` is the paper's ratio: how much of the error at the start is gone. Only seeds are kept that every
    method and arm of a dataset has.
    """
    runs = _whole_seeds(scores).set_index(RUN)
    numbers = sorted(int(name.removeprefix("mse_")) for name in runs.columns if name.startswith("mse_"))
    found = {
        number: pd.DataFrame(
            {
                "train_rows": runs[f"train_rows_{number}"],
                "mse": runs[f"mse_{number}"],
                "improvement": 1 - runs[f"mse_{number}"] / runs.mse_0,
                "pool_rows": runs.pool_rows,
            }
        )
        for number in numbers
    }
    return pd.concat(found, names=["cycle"]).reorder_levels([*RUN, "cycle"]).sort_index()


def _whole_seeds(scores: pd.DataFrame) -> pd.DataFrame:
    runs = scores.groupby(["dataset", "seed"]).size()
    most = scores.drop_duplicates(["dataset", "method", "arm"]).groupby("dataset").size()
    whole = runs.index[runs.to_numpy() == most.reindex(runs.index.get_level_values("dataset")).to_numpy()]
    return scores[pd.MultiIndex.from_frame(scores[["dataset", "seed"]]).isin(whole)]


def curves(cycles: pd.DataFrame) -> pd.DataFrame:
    """Means over seeds: index dataset, method, arm, cycle."""
    return cycles.groupby(level=["dataset", "method", "arm", "cycle"]).mean()


def datasets(cycles: pd.DataFrame) -> list[str]:
    """In the order of the study."""
    return [name for name in DATASETS if name in cycles.index.unique("dataset")]


def half(cycles: pd.DataFrame, dataset: str) -> int:
    """The first cycle that knows half of the pool, which is all training rows but the first; the last if none does."""
    known = cycles.xs(dataset, level="dataset").groupby(level="cycle")[["train_rows", "pool_rows"]].mean()
    reached = known.index[known.train_rows - known.train_rows[0] >= known.pool_rows / 2]
    return int(reached[0] if len(reached) else known.index[-1])


def over_random(cycles: pd.DataFrame, dataset: str, method: str, arm: str, cycle: int) -> Ratio:
    """The error over that of the same method with random rows, seed by seed, with Student's interval of logarithms."""
    own, random = (cycles.mse.loc[dataset, method, name, :, cycle] for name in (arm, RANDOM))
    logs = np.log((own / random).dropna().to_numpy())
    half_width = np.nan
    if len(logs) > 1:
        half_width = t.ppf((1 + COVERAGE) / 2, len(logs) - 1) * logs.std(ddof=1) / np.sqrt(len(logs))
    return Ratio(*np.exp([logs.mean(), logs.mean() - half_width, logs.mean() + half_width]))


def cycles_led(means: pd.DataFrame, dataset: str, arm: str, *, column: str) -> list[int]:
    """The cycles in which TSNet with this arm has the lowest error, or the largest improvement, of the paper's methods.

    Its rivals choose by their own error bars.
    """
    wide = means[column].loc[dataset].unstack("cycle")
    rivals = [(name, TOTAL) for name in wide.index.unique("method") if METHODS[name].origin == "paper"]
    own, others = wide.loc[(OURS, arm)], wide.reindex(rivals)
    led = own < others.min() if column == "mse" else own > others.max()
    return [int(cycle) for cycle in wide.columns[led]]
