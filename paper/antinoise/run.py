"""Study `antinoise`: noise on a part of the entries that a method learns from, errors on test rows without it.

An entry is a cell of the table. The split is that of the comparison, and with noise on 0 % of the entries so is
everything else. At 20, 40, 80 and 100 % so many cells of the features get Gaussian noise of 0.4 standard deviations of
their column, and so many targets noise of 0.8 of theirs; columns are standardised by the training rows. A cell that is
noisy at one level has the same noise at every higher one, and all methods see the same noisy rows.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from paper.data.catalogue import data_sha256, split
from paper.engine.study import Inputs, Result, Task
from paper.engine.trials import fit, judge, row_errors, settings_of, values_of
from taylor_sensus.baselines.registry import method
from taylor_sensus.datasets.catalogue import SplitDataset

FEATURE_NOISE, TARGET_NOISE = 0.4, 0.8
"""Standard deviations of the paper's "feature noise" and "system noise", in those of a column."""
STREAM = 1
"""Apart from the split, which is drawn from the seed alone."""


def run(task: Task, n_jobs: int | None) -> Result:
    """Fit to noisy rows, judge on clean ones."""
    parts = with_noise(split(task.dataset, task.seed), task.parameters.get("level", 0), task.seed)
    kind, quick = method(task.method), task.quick
    fitted = fit(kind.make(random_state=task.seed, n_jobs=n_jobs, quick=quick), parts)
    judged = judge(fitted.model, parts, gives_std=kind.gives_std)
    return Result(values_of(fitted, judged), row_errors(parts, judged.prediction))


def inputs(task: Task) -> Inputs:
    """The data's hash, the method's settings and the size of the noise."""
    settings = settings_of(method(task.method), task.quick)
    return Inputs(data_sha256(task.dataset), {**settings, "added_noise": [FEATURE_NOISE, TARGET_NOISE]})


def with_noise(parts: SplitDataset, level: int, seed: int) -> SplitDataset:
    """The same rows with noise on `level` percent of the cells of training and validation rows."""
    rng = np.random.default_rng([seed, STREAM])
    # DIFF(anti-noise): the paper names training and testing sets only, and says that the testing set is unchanged;
    # validation rows get noise too, because noisy measurements leave no clean rows to choose a model by.
    scales = FEATURE_NOISE * parts.X_train.std(ddof=0).to_numpy(), TARGET_NOISE * float(parts.y_train.std(ddof=0))
    X_train, X_val = (_features(X, scales[0], level, rng) for X in (parts.X_train, parts.X_val))
    y_train, y_val = (_target(y, scales[1], level, rng) for y in (parts.y_train, parts.y_val))
    return replace(parts, X_train=X_train, y_train=y_train, X_val=X_val, y_val=y_val)


def _features(X: pd.DataFrame, scale: np.ndarray, level: int, rng: np.random.Generator) -> pd.DataFrame:
    return X + scale * _noise(X.shape, level, rng)


def _target(y: pd.Series, scale: float, level: int, rng: np.random.Generator) -> pd.Series:
    return y + scale * _noise(y.shape, level, rng)


def _noise(shape: tuple[int, ...], level: int, rng: np.random.Generator) -> np.ndarray:
    """Standard normal in `level` percent of the cells, 0 in the others; a higher level only adds cells."""
    noise, order = rng.standard_normal(shape), rng.permutation(np.prod(shape))
    return np.where(order.reshape(shape) < round(level / 100 * order.size), noise, 0.0)
