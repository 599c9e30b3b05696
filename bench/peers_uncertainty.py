"""Error bars on real tables: how wide are the 90 % intervals, and how many new rows do they hold?

One rule for all: everybody gets the training and validation rows of a split, 80 % of the table, and does with them what
it likes; the other 20 % are for scoring. NGBoost and CatBoost hold out a fifth of their rows to know when to stop.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
import pandas as pd

from bench.peers_gaussian_process import gaussian_process
from bench.peers_records import Peer, Task
from paper.data.catalogue import split
from taylor_sensus.baselines.registry import method
from taylor_sensus.scores import nll, rmse

COVERAGE = 0.9
TREES, FOLDS = 500, 10
"""Of the random forest in MAPIE, and of its cross-validation."""
IN_REGISTRY = {"tsnet": "tsnet", "tsnet_conformal": "tsnet", "ngboost": "ngboost", "catboost": "catboost"}


class Answer(NamedTuple):
    """What is said of new rows."""

    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray
    std: np.ndarray | None = None


def answer(peer: str, X: pd.DataFrame, y: pd.Series, new: pd.DataFrame, seed: int, quick: bool) -> Answer:
    """Learn from a table, and predict new rows with 90 % intervals."""
    if peer == "mapie":
        return conformal_forest(X, y, new, seed, quick)
    if peer == "gpytorch":
        mean, std = gaussian_process(X.to_numpy(float), y.to_numpy(float), new.to_numpy(float), seed, quick)
        return Answer(mean, mean - 1.6449 * std, mean + 1.6449 * std, std)
    model = method(IN_REGISTRY[peer]).make(random_state=seed, n_jobs=1, quick=quick).fit(X, y)
    said = model.predict_distribution(new)
    low, high = model.predict_interval(new, COVERAGE) if peer == "tsnet_conformal" else said.interval(COVERAGE)
    return Answer(said.mean, low, high, said.std)


def conformal_forest(X: pd.DataFrame, y: pd.Series, new: pd.DataFrame, seed: int, quick: bool) -> Answer:
    """MAPIE around a random forest: CV+, whose intervals have a guarantee; no standard deviation."""
    from mapie.regression import CrossConformalRegressor
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.model_selection import KFold

    forest = RandomForestRegressor(20 if quick else TREES, max_features=0.5, random_state=seed, n_jobs=1)
    folds = KFold(FOLDS, shuffle=True, random_state=seed)
    wrapped = CrossConformalRegressor(forest, confidence_level=COVERAGE, method="plus", cv=folds)
    mean, bounds = wrapped.fit_conformalize(X.to_numpy(), y.to_numpy()).predict_interval(new.to_numpy())
    return Answer(mean, bounds[:, 0, 0], bounds[:, 1, 0])


def run(case: str, peer: str, seed: int, quick: bool) -> list[dict[str, float]]:
    """Error, coverage and width of the intervals, likelihood where there is one; seconds to learn and predict."""
    parts = split(case, seed)
    X, y = pd.concat([parts.X_train, parts.X_val]), pd.concat([parts.y_train, parts.y_val])
    started = time.process_time()
    said = answer(peer, X, y, parts.X_test, seed, quick)
    seconds = time.process_time() - started
    truth = np.asarray(parts.y_test, float)
    scores = {
        "rmse": rmse(truth, said.mean),
        "coverage_90": float(np.mean((truth >= said.low) & (truth <= said.high))),
        "width_90": float(np.mean(said.high - said.low)),
        "nll": np.nan if said.std is None else nll(truth, said.mean, said.std),
    }
    return [{**scores, "seconds": seconds}]


UNCERTAINTY = Task(
    name="uncertainty",
    cases=("concrete", "diabetes", "matbench_steels"),
    peers=(
        Peer("tsnet", "Taylor-Sensus"),
        Peer("tsnet_conformal", "Taylor-Sensus, `predict_interval`"),
        Peer("catboost", "CatBoost", ("catboost",)),
        Peer("ngboost", "NGBoost", ("ngboost",)),
        Peer("mapie", "MAPIE, CV+ around a random forest", ("mapie",)),
        Peer("gpytorch", "GPyTorch, Matérn 5/2", ("torch", "gpytorch")),
    ),
    run=run,
)
