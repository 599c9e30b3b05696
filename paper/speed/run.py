"""Study `speed`: what accuracy costs in seconds of CPU.

Nine tenths of the rows for training, one tenth for testing, one thread for each operation. Small tables are fitted
twice and the second fit counts: what is compiled or loaded once for a process is not in it (`python -m bench.speed`
measures that). Large tables are fitted once, where it hardly matters.
"""

from __future__ import annotations

import time
from typing import Any

from paper.data.catalogue import cut, data_sha256, load
from paper.engine.study import Inputs, Result, Task
from paper.engine.trials import judge, settings_of
from paper.speed.variants import VARIANTS
from taylor_sensus.baselines.face import Baseline
from taylor_sensus.datasets.catalogue import SplitDataset
from taylor_sensus.datasets.splits import standard_split

LARGE = 6000
"""Rows from which a table is fitted once."""


def run(task: Task, n_jobs: int | None) -> Result:
    """Fit, predict the test rows, score; on one core, so that seconds of CPU can be compared."""
    kind = VARIANTS[task.method]
    X, y, _ = load(task.dataset)
    parts = cut(X, y, standard_split(len(y), task.seed))
    models = [kind.make(random_state=task.seed, n_jobs=1, quick=task.quick) for _ in range(2)]
    if len(y) < LARGE and not task.quick:
        _fit(models[0], parts)
    seconds = _fit(models[1], parts)
    fitted = time.process_time()
    judged = judge(models[1], parts, gives_std=kind.gives_std)
    costs = {"fit_cpu_seconds": seconds, "predict_cpu_seconds": time.process_time() - fitted}
    return Result({"train_rows": len(parts.y_train), "rows": len(parts.y_test), **judged.scores, **costs})


def _fit(model: Any, parts: SplitDataset) -> float:
    """Seconds of CPU."""
    started = time.process_time()
    model.fit(parts.X_train, parts.y_train, **({"refit": True} if isinstance(model, Baseline) else {}))
    return time.process_time() - started


def inputs(task: Task) -> Inputs:
    """The data's hash and the method's settings."""
    return Inputs(data_sha256(task.dataset), settings_of(VARIANTS[task.method], task.quick))
