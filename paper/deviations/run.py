"""Study `deviations`: what the model makes of noise that it does not assume.

The 1-D toy's function and training inputs, 300 rows, with noise of each kind of `noise.py` in place of its
own. Judged inside the bounding box of the training inputs, against the function, the noise and new measurements.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from paper.data.catalogue import content_sha256
from paper.deviations.noise import KINDS
from paper.deviations.study import METHODS
from paper.engine.study import Inputs, Result, Task
from paper.toys.problems import answer, kept, noise_recovery, settings
from paper.toys.run import DRAWN_SEED
from taylor_sensus.datasets.synthetic import ToyProblem, toy_1d
from taylor_sensus.prediction import Prediction
from taylor_sensus.scores import interval_coverage, mse, nll

DRAWS = 40
"""New measurements at each evaluation point."""
TRAINING, TESTING = 0, 1
"""Streams of random numbers."""


def deviating(kind: str, seed: int) -> ToyProblem:
    """The 1-D toy with other noise in its training targets; what it says of its own noise no longer holds."""
    toy = toy_1d(seed)
    rng = np.random.default_rng([seed, TRAINING])
    return replace(toy, y=KINDS[kind].draw(toy.truth(toy.X), toy.system_noise_std(toy.X), rng))


def run(task: Task, n_jobs: int | None) -> Result:
    """Fit, judge, and keep what the figure needs."""
    toy, quick = deviating(task.dataset, task.seed), task.quick
    found = answer(
        METHODS[task.method], toy.X, toy.y, toy.X_eval, raw=False, seed=task.seed, n_jobs=n_jobs, quick=quick
    )
    values = {**scores(task.dataset, toy, found.prediction, task.seed), **found.seconds}
    return Result(values, kept(found.prediction) if task.seed == DRAWN_SEED else {})


def scores(kind: str, toy: ToyProblem, prediction: Prediction, seed: int) -> dict[str, Any]:
    """Mean and error bars inside the bounding box, beside those that know the exact mean and standard deviation."""
    noise, inside = KINDS[kind], toy.inside
    value, size = toy.y_eval[inside], toy.system_noise_std(toy.X_eval[inside])
    mean, std = prediction.mean[inside], prediction.std[inside]
    true_mean, true_std = noise.mean(value, size), noise.std(value, size)
    rng = np.random.default_rng([seed, TESTING])
    y = np.stack([noise.draw(value, size, rng) for _ in range(DRAWS)])
    low, high = prediction.interval(0.9)
    many, many_std, many_true, many_true_std = (np.tile(a, (DRAWS, 1)) for a in (mean, std, true_mean, true_std))
    return {
        "bias": float(np.mean(mean - value)),
        "mse_truth": mse(value, mean),
        "mse_mean": mse(true_mean, mean),
        "coverage_90": interval_coverage(y, many, many_std, 0.9),
        "missed_below": float(np.mean(y < low[inside])),
        "missed_above": float(np.mean(y > high[inside])),
        "nll": nll(y, many, many_std),
        "coverage_90_ideal": interval_coverage(y, many_true, many_true_std, 0.9),
        "nll_ideal": nll(y, many_true, many_true_std),
        **noise_recovery(prediction.aleatoric[inside], true_std),
    }


def inputs(task: Task) -> Inputs:
    """A hash of the training rows and the method's settings."""
    toy = deviating(task.dataset, task.seed)
    rows = content_sha256(pd.DataFrame(toy.X, columns=["x"]), pd.Series(toy.y))
    return Inputs(rows, settings(METHODS[task.method], task.quick))
