"""From the results of the study `antinoise` to what its tables and figures show."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

from paper.antinoise.study import RIVALS
from paper.comparison.summary import differences
from paper.data.names import SIX
from paper.engine.printed import OURS
from paper.engine.reading import Results

CLEAN = 0
"""The level without noise."""


def whole_seeds(scores: pd.DataFrame) -> pd.DataFrame:
    """Mean squared errors, columns (method, level), index dataset and seed: only seeds that have all of them."""
    found = scores.pivot_table(index=["dataset", "seed"], columns=["method", "level"], values="mse", sort=False)
    order = [dataset for dataset in SIX if dataset in found.index.get_level_values("dataset")]
    return found.dropna().reindex(order, level="dataset")


def errors(scores: pd.DataFrame) -> pd.DataFrame:
    """Mean over seeds of the mean squared error: index dataset and method, columns levels."""
    found = whole_seeds(scores).groupby(level="dataset", sort=False).mean()
    return found.stack("method", future_stack=True).sort_index(axis="columns")


def relative(means: pd.DataFrame) -> pd.DataFrame:
    """The paper's relative performance index: each error over that of the same method without noise."""
    return means.div(means[CLEAN], axis="index")


def field_of(method: str) -> list[str]:
    """Whom a method is ranked among: the paper's ten rivals and one of ours, itself or the default."""
    return [*RIVALS, OURS if method in RIVALS else method]


def cells_won(values: pd.DataFrame, method: str) -> int:
    """In how many cells, a dataset and a level each, a method has the smallest value of its field; ties count."""
    here = values[values.index.get_level_values("method").isin(field_of(method))]
    smallest = here.groupby(level="dataset", sort=False).min()
    own = here.xs(method, level="method")
    return int((own <= smallest.reindex(own.index)).to_numpy().sum())


class Duel(NamedTuple):
    """The best rival of a cell against TSNet on the same test rows, in percent of TSNet's error."""

    rival: str
    difference: float
    """Of the mean squared errors over splits; above zero TSNet is better."""
    lower: float
    upper: float
    """A 95 % bootstrap interval over test rows."""


def duels(results: Results) -> dict[tuple[str, float], Duel]:
    """By dataset and level: TSNet against the best of the paper's rivals there."""
    means = errors(results.scores)
    methods = means.index.get_level_values("method")
    seeds = set(whole_seeds(results.scores).index)
    found = {}
    for (dataset, level), own in means[methods == OURS].droplevel("method").stack().items():
        rivals = means[methods.isin(RIVALS)].loc[dataset, level]
        best = str(rivals.idxmin())
        frames = {
            (key[0], key[1], key[2]): frame
            for key, frame in results.predictions.items()
            if key[0] == dataset and key[1] in (best, OURS) and key[3] == level and (dataset, key[2]) in seeds
        }
        line = differences(frames, "mse").iloc[0]
        bounds = (100 * line[name] / line.tsnet for name in ("lower", "upper"))
        found[dataset, level] = Duel(best, float(100 * (rivals[best] / own - 1)), *bounds)
    return found
