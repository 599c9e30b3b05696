"""Study `active`: does a method learn faster when it chooses its next training rows by its own error bars?

Rows are split as in the comparison. A tenth of the training rows is the start set, the same for every method; the
others are a pool whose targets are not known yet. In each cycle the method is fitted, its error on the test rows is
measured, and a tenth of what is left of the pool joins the training rows: the rows with the largest predicted standard
deviation, with the largest part of it that more data would remove, those that the model suggests as a batch, or random
ones, which are the same for every method. Validation rows are the same in all cycles; nothing is ever chosen from them
or from the test rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from paper.active.study import CYCLES, EPISTEMIC, QUICK_CYCLES, RANDOM, SUGGEST, TOTAL
from paper.data.catalogue import data_sha256, split
from paper.engine.study import Inputs, Result, Task
from paper.engine.trials import Fitted, fit, judge, settings_of
from taylor_sensus.baselines.registry import method
from taylor_sensus.datasets.catalogue import SplitDataset
from taylor_sensus.prediction import Prediction
from taylor_sensus.suggest import suggest

# DIFF(active learning): the paper does not say how many rows there are at the start; ours is the share of a cycle.
SHARE = 0.1
"""Of the training rows that are there at the start, and of what is left of the pool that a cycle adds."""
CRITERIA: dict[str, Callable[[Prediction], np.ndarray]] = {
    TOTAL: lambda prediction: prediction.std,
    EPISTEMIC: lambda prediction: prediction.epistemic,
    RANDOM: lambda prediction: np.zeros(len(prediction)),  # equal rows keep their order, and the split shuffled them
}
"""What an arm that looks at each row by itself wants most of."""


class Cycle(NamedTuple):
    """What a method is fitted to, and what came of it."""

    rows: np.ndarray
    """Positions among the training rows of the split, in the order in which they were chosen."""
    fitted: Fitted


def run(task: Task, n_jobs: int | None) -> Result:
    """All cycles of one arm of one method: number of training rows and error on test rows in each."""
    kind, quick = method(task.method), task.quick
    parts = split(task.dataset, task.seed)
    count = len(parts.y_train)
    values: dict[str, float | None] = {"pool_rows": count - a_tenth(count)}
    seconds = 0.0
    arm = task.parameters.get("arm", TOTAL)
    new = partial(kind.make, random_state=task.seed, n_jobs=n_jobs, quick=quick)
    for number, cycle in enumerate(cycles(new, parts, arm, QUICK_CYCLES if quick else CYCLES)):
        scores = judge(cycle.fitted.model, parts, gives_std=kind.gives_std).scores
        values |= {f"train_rows_{number}": len(cycle.rows), f"mse_{number}": scores["mse"]}
        seconds += cycle.fitted.seconds
    return Result({**values, "fit_seconds": seconds})


def inputs(task: Task) -> Inputs:
    """The data's hash, the method's settings and the plan of the cycles."""
    settings = settings_of(method(task.method), task.quick)
    return Inputs(data_sha256(task.dataset), {**settings, "cycles": CYCLES, "share": SHARE})


def cycles(new: Callable[[], Any], parts: SplitDataset, arm: str, count: int) -> Iterator[Cycle]:
    """The start set, then `count` times more rows; a new model each time."""
    rows, pool = np.split(np.arange(len(parts.y_train)), [a_tenth(len(parts.y_train))])
    for left in reversed(range(count + 1)):
        known = replace(parts, X_train=parts.X_train.iloc[rows], y_train=parts.y_train.iloc[rows])
        fitted = fit(new(), known)
        yield Cycle(rows, fitted)
        if left:
            chosen = wanted(arm, fitted.model, parts.X_train.iloc[pool], a_tenth(len(pool)))
            rows, pool = np.concatenate([rows, pool[chosen]]), np.delete(pool, chosen)


def wanted(arm: str, model: Any, pool: pd.DataFrame, count: int) -> np.ndarray:
    """Positions of the rows of the pool that are measured next."""
    if arm == SUGGEST:
        return np.asarray(suggest(model, pool, n=count, goal="learn", random_state=0).positions)
    return largest(CRITERIA[arm](model.predict_distribution(pool)), count)


def a_tenth(count: int) -> int:
    """Of so many rows, at least one."""
    return max(1, round(SHARE * count))


def largest(values: np.ndarray, count: int) -> np.ndarray:
    """Positions of the `count` largest; of equals the first."""
    return np.argsort(-values, kind="stable")[:count]
