"""From the results of the study `uci` to what its tables and figure show.

Methods are compared on the splits that all of them have, dataset by dataset, so that a study under way compares
like with like; a method without a result on a dataset is not ranked there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from paper.uci.methods import RIVALS, UCI_METHODS
from paper.uci.study import NINE

OURS = "tsnet"
RANKED = (OURS, *RIVALS)
"""The ready-made settings are ours too, and are not ranked."""
CELLS = ("rmse", "nll")
TREES = ("catboost", "extra_trees")
DRAWS = 2000


class Shared(NamedTuple):
    """Scores of one dataset on the splits that its methods share."""

    methods: list[str]
    splits: list[int]
    values: np.ndarray
    """Methods, splits, scores."""


def shared(scores: pd.DataFrame, dataset: str, methods: tuple[str, ...]) -> Shared:
    """What can be compared on a dataset."""
    own = scores[(scores.dataset == dataset) & scores.method.isin(methods)]
    names = [name for name in UCI_METHODS if name in set(own.method)]
    found = [set(own[own.method == name].seed.astype(int)) for name in names]
    splits = sorted(set.intersection(*found)) if found else []
    table = own.set_index(["method", "seed"])[list(CELLS)]
    values = [[table.loc[(name, split)].to_numpy(float) for split in splits] for name in names]
    return Shared(names, splits, np.asarray(values).reshape(len(names), len(splits), len(CELLS)))


def mean_ranks(scores: pd.DataFrame) -> pd.DataFrame:
    """By method: mean rank, its 95 % interval, mean rank by score, cells won and cells; best first.

    The interval is a bootstrap over the splits of each dataset, the same splits drawn for all methods. `behind` is the
    mean rank minus ours over the cells that both have, with its interval; NaN while ours is missing.
    """
    names = [name for name in RANKED if name in set(scores.method)]
    points, draws = [], []
    for number, dataset in enumerate(NINE):
        here = shared(scores, dataset, RANKED)
        if len(here.methods) < 2 or not here.splits:
            continue
        rows = [names.index(name) for name in here.methods]
        points.append(_spread(_ranks(here.values.mean(axis=1)[None]), rows, len(names)))
        chosen = np.random.default_rng(number).integers(len(here.splits), size=(DRAWS, len(here.splits)))
        means = here.values[:, chosen].mean(axis=2).transpose(1, 0, 2)
        draws.append(_spread(_ranks(means), rows, len(names)))
    if not points:
        return pd.DataFrame()
    point, drawn = (np.stack(parts, axis=-1) for parts in (points, draws))  # draws, methods, scores, datasets
    lines = []
    for place, name in enumerate(names):
        own, own_draws = point[0, place], drawn[:, place]
        if np.isnan(own).all():
            continue
        low, high = np.quantile(np.nanmean(own_draws, axis=(1, 2)), (0.025, 0.975))
        line = {"method": name, "all": np.nanmean(own), "lower": low, "upper": high}
        line |= {score: np.nanmean(own[k]) for k, score in enumerate(CELLS)}
        line |= {"won": int(np.nansum(own == 1)), "cells": int(np.isfinite(own).sum())}
        lines.append(line | _behind(point, drawn, names, place))
    return pd.DataFrame(lines).set_index("method").sort_values("all", kind="stable")


def _behind(point: np.ndarray, drawn: np.ndarray, names: list[str], place: int) -> dict[str, float]:
    if OURS not in names or names[place] == OURS:
        return dict.fromkeys(("behind", "behind_lower", "behind_upper"), np.nan)
    ours = names.index(OURS)
    if not np.isfinite(point[0, place] - point[0, ours]).any():
        return dict.fromkeys(("behind", "behind_lower", "behind_upper"), np.nan)
    found = np.nanmean(drawn[:, place] - drawn[:, ours], axis=(1, 2))
    low, high = np.quantile(found, (0.025, 0.975))
    mean = np.nanmean(point[0, place] - point[0, ours])
    return {"behind": mean, "behind_lower": low, "behind_upper": high}


def _ranks(means: np.ndarray) -> np.ndarray:
    """Ranks of methods from averages, `(draws, methods, scores)`; 1 is the best, equals share the better one."""
    return 1 + (means[:, None] < means[:, :, None]).sum(axis=2)


def _spread(ranks: np.ndarray, rows: list[int], count: int) -> np.ndarray:
    """With NaN for methods that were not there."""
    out = np.full((len(ranks), count, ranks.shape[2]), np.nan)
    out[:, rows] = ranks
    return out


def against_peers(scores: pd.DataFrame, dataset: str) -> dict[str, float | str | int]:
    """Ours on a dataset beside the better of two forests' errors, and the best likelihood of all others.

    Empty while ours or the forests are missing.
    """
    trees = shared(scores, dataset, (OURS, *TREES))
    if OURS not in trees.methods or len(trees.methods) < 2 or not trees.splits:
        return {}
    rmse = dict(zip(trees.methods, trees.values[:, :, 0].mean(axis=1), strict=True))
    better = min((name for name in TREES if name in rmse), key=rmse.__getitem__)
    every = shared(scores, dataset, RANKED)
    nll = dict(zip(every.methods, every.values[:, :, 1].mean(axis=1), strict=True)) if every.splits else {}
    best = min((name for name in nll if name != OURS), key=nll.__getitem__, default="")
    return {
        "splits": len(trees.splits), "rmse": rmse[OURS], "better": better, "trees": rmse[better],
        "ratio": rmse[OURS] / rmse[better], "nll": nll.get(OURS, np.nan), "best": best, "peers": nll.get(best, np.nan),
    }  # fmt: skip
