"""Study `uci`: the standard benchmark of error bars.

The splits are those of the literature: see `standard_split`. The seed of a task is the split, and the method's own
seed too. No validation rows are given: TSNet holds out folds inside; a rival holds out a fifth of its training rows
for early stopping and the size of its error bars. Afterwards trees and processes learn once more from all training
rows with what was chosen (CatBoost and HistGradientBoosting the mean alone); the two networks do not, because the
held-out rows end their training.

Costs are seconds of CPU, all threads together, with one thread for each operation; those of networks include what
has to be compiled for the first task of a process.
"""

from __future__ import annotations

import time

from paper.data.catalogue import cut, data_sha256, load
from paper.engine.study import Inputs, Result, Task
from paper.engine.trials import judge, settings_of
from paper.uci.methods import UCI_METHODS
from taylor_sensus.baselines.face import Baseline
from taylor_sensus.datasets.splits import standard_split


def run(task: Task, n_jobs: int | None) -> Result:
    """Fit, predict the test rows, score; on one core, so that seconds of CPU can be compared."""
    kind = UCI_METHODS[task.method]
    X, y, _ = load(task.dataset)
    parts = cut(X, y, standard_split(len(y), task.seed))
    model = kind.make(random_state=task.seed, n_jobs=1, quick=task.quick)
    started = time.process_time()
    model.fit(parts.X_train, parts.y_train, **({"refit": True} if isinstance(model, Baseline) else {}))
    fitted = time.process_time()
    judged = judge(model, parts, gives_std=kind.gives_std)
    costs = {"fit_cpu_seconds": fitted - started, "predict_cpu_seconds": time.process_time() - fitted}
    return Result({"train_rows": len(parts.y_train), "rows": len(parts.y_test), **judged.scores, **costs})


def inputs(task: Task) -> Inputs:
    """The data's hash and the method's settings."""
    return Inputs(data_sha256(task.dataset), settings_of(UCI_METHODS[task.method], task.quick))
