"""Study `timing`: seconds to fit and to predict, measured alone on the machine.

Each task has a process of its own with all cores, and compiled programs are not taken from disk: the first fit
includes compilation, the second, on the same rows, does not. Making the estimator (and so importing its library)
is not counted.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from paper.comparison.run import inputs
from paper.engine.study import Result, Task
from paper.engine.trials import fit
from taylor_sensus.baselines.registry import method
from taylor_sensus.datasets.catalogue import load_dataset, split_dataset

__all__ = ["inputs", "run"]

PREDICTIONS = 3
"""The best of so many counts: a prediction takes milliseconds, and anything else on the machine disturbs it."""


def run(task: Task, n_jobs: int | None) -> Result:
    """Fit twice, predict three times."""
    parts = split_dataset(load_dataset(task.dataset), task.seed)
    models = [method(task.method).make(random_state=task.seed, n_jobs=n_jobs, quick=task.quick) for _ in range(2)]
    fits = [fit(model, parts).seconds for model in models]
    predictions = [_seconds(models[1].predict_distribution, parts.X_test) for _ in range(PREDICTIONS)]
    return Result(
        {
            "train_rows": len(parts.y_train),
            "rows": len(parts.y_test),
            "first_fit_seconds": fits[0],
            "fit_seconds": fits[1],
            "predict_seconds": min(predictions),
        }
    )


def _seconds(function: Callable[..., Any], *arguments: Any, **named: Any) -> float:
    started = time.perf_counter()
    function(*arguments, **named)
    return time.perf_counter() - started
