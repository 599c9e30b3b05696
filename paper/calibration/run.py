"""Study `calibration`: are the error bars honest, and is the learned noise the true one?

Functions with noise of known size, so that both can be told. A method is fitted to 60, 200 or 1,000 rows without
validation rows (TSNet holds out folds inside, a rival holds out a fifth of the rows by itself) and judged on 2,000
fresh rows. The ideal is the exact mean and noise: no method can have a better likelihood in the long run.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd

from paper.calibration.study import ROWS
from paper.data.catalogue import content_sha256, without_validation
from paper.engine.study import Inputs, Result, Task
from paper.engine.trials import fit, judge, settings_of
from taylor_sensus.baselines.registry import method
from taylor_sensus.datasets.functions import draw_function
from taylor_sensus.datasets.synthetic import toy_1d
from taylor_sensus.prediction import Prediction
from taylor_sensus.scores import crps, interval_coverage, interval_width, nll

TEST_ROWS = 2000
NOISE_SHARE = 0.3
"""Standard deviation of the noise over that of the function: enough to be learned from 200 rows."""
EVEN, UNEVEN = "_even", "_uneven"
"""Endings of the problems' names: the same noise in all rows, or noise that grows with the first input."""
THIRDS = ("low", "mid", "high")
TRAINING, TESTING = 0, 1
"""Streams of random numbers."""


class Rows(NamedTuple):
    """Drawn rows and what is known of them."""

    X: pd.DataFrame
    y: pd.Series
    mean: np.ndarray
    noise_std: np.ndarray


def draw(problem: str, n: int, seed: int, stream: int) -> Rows:
    """`n` rows of a problem."""
    random_state = [seed, stream, n]
    if problem == "toy_1d":
        toy = toy_1d(np.random.default_rng(random_state), n)
        return Rows(pd.DataFrame(toy.X, columns=["x"]), pd.Series(toy.y), toy.noisy_mean(toy.X), toy.noise_std(toy.X))
    uneven = problem.endswith(UNEVEN)
    name = problem.removesuffix(UNEVEN).removesuffix(EVEN)
    table = draw_function(name, n, noise_share=NOISE_SHARE, uneven=uneven, random_state=random_state)
    return Rows(table.X, table.y, table.truth, table.noise_std)


def run(task: Task, n_jobs: int | None) -> Result:
    """Fit to few or many rows, judge on fresh ones."""
    kind, quick = method(task.method), task.quick
    train = draw(task.dataset, training_rows(task), task.seed, TRAINING)
    fresh = draw(task.dataset, TEST_ROWS, task.seed, TESTING)
    both = [pd.concat(pair, ignore_index=True) for pair in ((train.X, fresh.X), (train.y, fresh.y))]
    count = len(train.y)
    parts = without_validation(both[0], both[1], np.arange(count), np.arange(count, count + TEST_ROWS))
    fitted = fit(kind.make(random_state=task.seed, n_jobs=n_jobs, quick=quick), parts)
    judged = judge(fitted.model, parts, gives_std=kind.gives_std)
    return Result(
        {
            "test_rows": TEST_ROWS,
            **judged.scores,
            **by_third(fresh.y.to_numpy(), judged.prediction),
            **noise_scores(judged.prediction.aleatoric, fresh.noise_std),
            **ideal(fresh),
            "fit_seconds": fitted.seconds,
            "predict_seconds": judged.seconds,
        }
    )


def inputs(task: Task) -> Inputs:
    """A hash of the rows and the method's settings."""
    settings = settings_of(method(task.method), task.quick)
    return Inputs(_rows_sha256(task.dataset, training_rows(task), task.seed), settings)


def training_rows(task: Task) -> int:
    """How many rows the method is fitted to."""
    return int(task.parameters.get("train_rows", ROWS))


@cache
def _rows_sha256(problem: str, n: int, seed: int) -> str:
    rows = draw(problem, n, seed, TRAINING)
    return content_sha256(rows.X, rows.y)


def by_third(y: np.ndarray, prediction: Prediction) -> dict[str, float]:
    """Scores in each third of the rows, ordered by predicted standard deviation."""
    found = {}
    for third, rows in zip(THIRDS, np.array_split(np.argsort(prediction.std, kind="stable"), 3), strict=True):
        truth, mean, std = y[rows], prediction.mean[rows], prediction.std[rows]
        found |= {f"nll_{third}": nll(truth, mean, std), f"crps_{third}": crps(truth, mean, std)}
        found |= {f"width_90_{third}": interval_width(std, 0.9)}
        found |= {f"coverage_{p}_{third}": interval_coverage(truth, mean, std, p / 100) for p in (50, 80, 95)}
    return found


def noise_scores(learned: np.ndarray, true: np.ndarray) -> dict[str, float]:
    """The learned noise against the true one: overall, and row by row."""
    return {
        "noise_ratio": float(np.mean(learned) / np.mean(true)),
        "noise_log_error": float(np.median(np.abs(np.log(learned / true)))),
    }


def ideal(rows: Rows) -> dict[str, float]:
    """What the exact mean and noise would score on these rows."""
    y = rows.y.to_numpy()
    return {
        "nll_ideal": nll(y, rows.mean, rows.noise_std),
        "crps_ideal": crps(y, rows.mean, rows.noise_std),
        "width_90_ideal": interval_width(rows.noise_std, 0.9),
    }
