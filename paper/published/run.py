"""Study `published`: the splits of others, so that our figures can stand beside theirs.

matbench_steels: the five folds of Matbench, which cuts the whole table in the order of its file by scikit-learn's
`KFold(n_splits=5, shuffle=True, random_state=18012019)`; the seed of a task is the fold. Features are the weight
percents that the dataset has. That our file has the rows in Matbench's order is taken for granted, because Matbench
made its table from this file; it was not compared with Matbench's own list of folds.

concrete: random splits, 90 % for training, as in the usual benchmarks of error bars: the first 90 % of
`RandomState(seed).permutation`. The published figures are of 20 such splits, but not of the same ones.

No validation rows are given: TSNet holds out folds inside, a rival holds out a fifth of the training rows by itself.
"""

from __future__ import annotations

import numpy as np

from paper.data.catalogue import data_sha256, load, without_validation
from paper.engine.study import Inputs, Result, Task
from paper.engine.trials import fit_and_judge, settings_of
from taylor_sensus.baselines.registry import method
from taylor_sensus.errors import SettingError

FOLDS = 5
FOLD_SEED = 18012019
"""Matbench's."""
TRAINING_SHARE = 0.9


def run(task: Task, n_jobs: int | None) -> Result:
    """Fit, predict the test rows, score."""
    X, y, _ = load(task.dataset)
    train, test = rows(task.dataset, len(y), task.seed)
    parts = without_validation(X, y, train, test)
    return Result(fit_and_judge(method(task.method), task.seed, parts, n_jobs, task.quick))


def inputs(task: Task) -> Inputs:
    """The data's hash and the method's settings."""
    return Inputs(data_sha256(task.dataset), settings_of(method(task.method), task.quick))


def rows(dataset: str, count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Training and test rows of a fold or split."""
    if dataset == "matbench_steels":
        return _fold(count, seed)
    shuffled = np.random.RandomState(seed).permutation(count)
    train, test = np.split(shuffled, [round(TRAINING_SHARE * count)])
    return train, test


def _fold(count: int, fold: int) -> tuple[np.ndarray, np.ndarray]:
    from sklearn.model_selection import KFold

    if fold >= FOLDS:
        raise SettingError(f"Matbench has {FOLDS} folds, 0 to {FOLDS - 1}; there is no fold {fold}")
    return list(KFold(n_splits=FOLDS, shuffle=True, random_state=FOLD_SEED).split(np.zeros(count)))[fold]
