"""Study `speed`: what accuracy costs in seconds, for members and the ready-made settings, beside CatBoost.

Measured as in the study `timing`: each task alone in a process of its own with all cores; the first fit includes
compilation, the second, on the same rows, does not. The scores are those of the second fit on test rows.
"""

from __future__ import annotations

from paper.data.catalogue import data_sha256, split
from paper.engine.study import Inputs, Result, Task
from paper.engine.trials import fit, judge, settings_of
from paper.speed.variants import VARIANTS
from paper.timing.run import PREDICTIONS


def run(task: Task, n_jobs: int | None) -> Result:
    """Fit twice, predict three times, score."""
    parts, kind = split(task.dataset, task.seed), VARIANTS[task.method]
    models = [kind.make(random_state=task.seed, n_jobs=n_jobs, quick=task.quick) for _ in range(2)]
    fits = [fit(model, parts) for model in models]
    judged = [judge(models[1], parts, gives_std=kind.gives_std) for _ in range(PREDICTIONS)]
    return Result(
        {
            "train_rows": len(parts.y_train),
            "rows": len(parts.y_test),
            **judged[0].scores,
            "first_fit_seconds": fits[0].seconds,
            "fit_seconds": fits[1].seconds,
            "predict_seconds": min(each.seconds for each in judged),
        }
    )


def inputs(task: Task) -> Inputs:
    """The data's hash and the variant's settings."""
    return Inputs(data_sha256(task.dataset), settings_of(VARIANTS[task.method], task.quick))
