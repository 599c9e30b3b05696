"""Which experiment next: 60 concrete mixes are known, and five times 20 more may be tested, chosen from the others.

Two questions: who finds strong mixes first, and who learns most? A choice is judged by the strongest mixes known so
far and by the error on test rows of models fitted to the known mixes: ours, and a random forest, which none of the
choosers uses. Mixes that occur twice count once. Validation rows are not used.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestRegressor

from bench.peers_records import Peer, Task
from paper.data.catalogue import split
from taylor_sensus.baselines.registry import method
from taylor_sensus.scores import rmse

START, ROUNDS, BATCH = 60, 5, 20
QUICK_ROUNDS = 1
INTEGRATION_POINTS = 50
"""Candidates at which BayBE's integrated variance is looked at: all of them took minutes for a single round."""
TARGET = "strength"

Chooser = Callable[[Any, pd.DataFrame, np.ndarray, pd.DataFrame, int], np.ndarray]
"""Positions in the pool of what to measure next, by our model, known rows with their targets, the pool and a seed."""


def suggested(goal: str) -> Chooser:
    """What our model suggests."""

    def choose(model: Any, known: pd.DataFrame, y: np.ndarray, pool: pd.DataFrame, seed: int) -> np.ndarray:
        return np.asarray(model.suggest(pool, n=BATCH, goal=goal, random_state=seed).positions)

    return choose


def recommended(learn: bool) -> Chooser:
    """What BayBE recommends, by its default for a maximum, or by the integrated variance, to learn."""

    def choose(model: Any, known: pd.DataFrame, y: np.ndarray, pool: pd.DataFrame, seed: int) -> np.ndarray:
        import torch
        from baybe import Campaign, Settings
        from baybe.acquisition import qNegIntegratedPosteriorVariance
        from baybe.recommenders import BotorchRecommender
        from baybe.searchspace import SearchSpace
        from baybe.searchspace.discrete import SubspaceDiscrete
        from baybe.targets import NumericalTarget

        torch.set_num_threads(1)
        Settings(random_seed=seed).activate()
        every = pd.concat([known, pool], ignore_index=True)
        function = {"acquisition_function": qNegIntegratedPosteriorVariance(sampling_n_points=INTEGRATION_POINTS)}
        campaign = Campaign(
            SearchSpace(discrete=SubspaceDiscrete.from_dataframe(every)),
            NumericalTarget(name=TARGET).to_objective(),
            BotorchRecommender(**function if learn else {}),
            allow_recommending_already_measured=False,
        )
        campaign.add_measurements(every[: len(known)].assign(**{TARGET: y}))
        return campaign.recommend(batch_size=BATCH).index.to_numpy() - len(known)

    return choose


def at_random(model: Any, known: pd.DataFrame, y: np.ndarray, pool: pd.DataFrame, seed: int) -> np.ndarray:
    """The first rows of the pool: the split has shuffled them."""
    return np.arange(BATCH)


CHOOSERS: dict[str, Chooser] = {
    "tsnet_max": suggested("max"),
    "baybe_max": recommended(learn=False),
    "tsnet_learn": suggested("learn"),
    "baybe_learn": recommended(learn=True),
    "random": at_random,
}
NEEDS_OUR_MODEL = ("tsnet_max", "tsnet_learn")


def run(case: str, peer: str, seed: int, quick: bool) -> list[dict[str, float]]:
    """One line a round: what is known by then, both errors, and the seconds of the choice that led there."""
    parts = split(case, seed)
    once = ~parts.X_train.duplicated()
    X, y = parts.X_train[once].astype(float), parts.y_train[once].to_numpy(float)
    truth = parts.y_test.to_numpy(float)
    rows, pool = np.split(np.arange(len(y)), [START])
    lines, choice_seconds = [], 0.0
    rounds = QUICK_ROUNDS if quick else ROUNDS
    for number in range(rounds + 1):
        started = time.process_time()
        model = method("tsnet").make(random_state=seed, n_jobs=1, quick=quick).fit(X.iloc[rows], y[rows])
        fit_seconds = time.process_time() - started
        forest = RandomForestRegressor(500, max_features=0.5, random_state=seed, n_jobs=1).fit(X.iloc[rows], y[rows])
        lines.append(
            {
                "round": number,
                "rows": len(rows),
                "best": float(y[rows].max()),
                "ten_best": float(np.sort(y[rows])[-10:].mean()),
                "ten_best_of_all": float(np.sort(y)[-10:].mean()),
                "rmse": rmse(truth, model.predict(parts.X_test)),
                "rmse_forest": rmse(truth, forest.predict(parts.X_test)),
                "seconds": choice_seconds,
            }
        )
        if number < rounds:
            started = time.process_time()
            chosen = CHOOSERS[peer](model, X.iloc[rows], y[rows], X.iloc[pool], seed)
            choice_seconds = time.process_time() - started + (fit_seconds if peer in NEEDS_OUR_MODEL else 0)
            rows, pool = np.concatenate([rows, pool[chosen]]), np.delete(pool, chosen)
    return lines


EXPERIMENTS = Task(
    name="experiments",
    cases=("concrete",),
    peers=(
        Peer("tsnet_max", 'Taylor-Sensus, goal "max"'),
        Peer("baybe_max", "BayBE, maximum", ("torch", "baybe")),
        Peer("tsnet_learn", 'Taylor-Sensus, goal "learn"'),
        Peer("baybe_learn", "BayBE, integrated variance", ("torch", "baybe")),
        Peer("random", "random mixes"),
    ),
    run=run,
)
