"""Study `toy_ablation`: the paper's ablation on its toys, and simple models to hold it against.

The paper's eight rows are two bases, a mean network with a variance network beside it and the Deep Taylor Block, each
by itself, with contrast, with density, and with both. All are the method as printed with settings changed.
"""

from __future__ import annotations

from paper.engine.study import Inputs, Result, Task
from paper.toy_ablation.variants import VARIANTS
from paper.toys.problems import rows_sha256, settings
from paper.toys.run import judged


def run(task: Task, n_jobs: int | None) -> Result:
    """Fit and judge as in the study `toys`."""
    return judged(VARIANTS[task.method], task, n_jobs, keep=False)


def inputs(task: Task) -> Inputs:
    """A hash of the training rows and the variant's settings."""
    return Inputs(rows_sha256(task.dataset, task.seed), settings(VARIANTS[task.method], task.quick))
