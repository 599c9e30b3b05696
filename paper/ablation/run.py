"""Study `ablation`: what each ingredient of the default estimator brings.

Each variant of `variants.py` is the default with one thing changed. All see the same training, validation and test
rows (60, 20 and 20 % as in the comparison) and are judged on test rows.
"""

from __future__ import annotations

from paper.ablation.variants import VARIANTS
from paper.data.catalogue import data_sha256, split
from paper.engine.study import Inputs, Result, Task
from paper.engine.trials import fit_and_judge, settings_of


def run(task: Task, n_jobs: int | None) -> Result:
    """Fit, predict the test rows, score."""
    parts = split(task.dataset, task.seed)
    return Result(fit_and_judge(VARIANTS[task.method], task.seed, parts, n_jobs, task.quick))


def inputs(task: Task) -> Inputs:
    """The data's hash and the variant's settings."""
    return Inputs(data_sha256(task.dataset), settings_of(VARIANTS[task.method], task.quick))
