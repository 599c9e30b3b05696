"""From the results of the study `uci` to what its tables and figure show.

Two methods are compared on the splits that both have, so that a study under way compares like with like; a method
without a result on a dataset is not ranked there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from paper.uci.methods import RIVALS, UCI_METHODS
from paper.uci.study import DISTINCT, NINE, SPLITS

OURS = "tsnet"
RANKED = (OURS, *RIVALS)
"""The ready-made settings are ours too, and are not ranked."""
CELLS = ("rmse", "nll")
TREES = ("catboost", "extra_trees")
DRAWS = 2000
WITHOUT_COPIES = tuple(DISTINCT if name == "wine_quality" else name for name in NINE)
"""The nine tables with every wine once: no test row stands among the training rows."""


class Scores(NamedTuple):
    """Scores of one dataset: methods, splits, scores; NaN where a split is missing."""

    methods: list[str]
    values: np.ndarray


def scores_of(scores: pd.DataFrame, dataset: str, methods: tuple[str, ...]) -> Scores:
    """What there is of a dataset."""
    own = scores[(scores.dataset == dataset) & scores.method.isin(methods)]
    names = [name for name in UCI_METHODS if name in set(own.method)]
    values = np.full((len(names), SPLITS[dataset], len(CELLS)), np.nan)
    for name, split, *found in own[["method", "seed", *CELLS]].itertuples(index=False):
        values[names.index(name), int(split)] = found
    return Scores(names, values)


def mean_ranks(scores: pd.DataFrame, datasets: tuple[str, ...] = NINE) -> pd.DataFrame:
    """By method over these datasets: mean rank, its 95 % interval, mean rank by score, cells won and cells; best first.

    The interval is a bootstrap over the splits of each dataset, the same splits drawn for all methods. `behind` is the
    mean rank minus ours over the cells that both have, with its interval; NaN while ours is missing.
    """
    names = [name for name in RANKED if name in set(scores.method)]
    points, draws = [], []
    for number, dataset in enumerate(datasets):
        here = scores_of(scores, dataset, RANKED)
        if len(here.methods) < 2:
            continue
        rows = [names.index(name) for name in here.methods]
        count = SPLITS[dataset]
        points.append(_spread(ranks(here.values, np.ones((1, count))), rows, len(names)))
        weight = np.random.default_rng(number).multinomial(count, np.full(count, 1 / count), size=DRAWS)
        draws.append(_spread(ranks(here.values, weight), rows, len(names)))
    if not points:
        return pd.DataFrame()
    point, drawn = (np.stack(parts, axis=-1) for parts in (points, draws))  # draws, methods, scores, datasets
    lines = []
    for place, name in enumerate(names):
        own, own_draws = point[0, place], drawn[:, place]
        if np.isnan(own).all():
            continue
        low, high = np.quantile(np.nanmean(own_draws, axis=(1, 2)), (0.025, 0.975))
        if scores[scores.method == name].groupby("dataset").size().max() < 2:
            low = high = np.nan  # one split says nothing of others
        line = {"method": name, "all": np.nanmean(own), "lower": low, "upper": high}
        line |= {score: np.nanmean(own[k]) for k, score in enumerate(CELLS)}
        line |= {"won": int(np.nansum(own == 1)), "cells": int(np.isfinite(own).sum())}
        lines.append(line | _behind(point, drawn, names, place))
    return pd.DataFrame(lines).set_index("method").sort_values("all", kind="stable")


def ranks(values: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Ranks of methods `(draws, methods, scores)` from their scores, with weights of the splits `(draws, splits)`.

    A rank is 1 and the number of methods that are better on the splits that both have. Where a draw has none of
    these, all of them count alike.
    """
    there = np.isfinite(values[:, :, 0]).astype(float)
    filled = np.nan_to_num(values)
    both = there[:, None] * there
    total = np.einsum("ds,abs->dab", weight, both)
    weights = weight[:, None, None, :] * both + (total == 0)[..., None] * both
    apart = np.einsum("dabs,asc->dabc", weights, filled) - np.einsum("dabs,bsc->dabc", weights, filled)
    return 1 + (apart > 0).sum(axis=2)


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


def _spread(ranks: np.ndarray, rows: list[int], count: int) -> np.ndarray:
    """With NaN for methods that were not there."""
    out = np.full((len(ranks), count, ranks.shape[2]), np.nan)
    out[:, rows] = ranks
    return out


def against_peers(scores: pd.DataFrame, dataset: str) -> dict[str, float | str | int]:
    """Ours on a dataset beside the better of two tree methods' errors, and the best likelihood of all others.

    Each is compared on the splits that both have. Empty while ours or the trees are missing.
    """
    names, values = scores_of(scores, dataset, RANKED)
    if OURS not in names or not any(name in names for name in TREES):
        return {}
    ours = values[names.index(OURS)]
    pairs = {name: (ours, values[place]) for place, name in enumerate(names) if name != OURS}
    shared = {name: np.isfinite(a[:, 0]) & np.isfinite(b[:, 0]) for name, (a, b) in pairs.items()}

    def best(candidates: list[str], score: int) -> tuple[str, float, float]:
        found = {name: [part[shared[name], score].mean() for part in pairs[name]] for name in candidates}
        name = min(found, key=lambda name: found[name][1] - found[name][0])
        return name, *found[name]

    compared = [name for name in pairs if shared[name].any()]
    trees = [name for name in TREES if name in compared]
    if not trees:
        return {}
    better, rmse, theirs = best(trees, 0)
    peer, nll, peers = best(compared, 1)
    return {
        "splits": int(shared[better].sum()), "rmse": rmse, "better": better, "trees": theirs, "ratio": rmse / theirs,
        "nll": nll, "best": peer, "peers": peers,
    }  # fmt: skip
