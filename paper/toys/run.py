"""Study `toys`: every method on the paper's two toys, whose truth and noise are known.

A method sees 300 noisy rows and no validation rows. It is judged on the paper's evaluation grid: squared error against
the noise-free truth, likelihood and coverage against new noisy measurements there, and its noise against the true
one inside the bounding box of the training rows.
"""

from __future__ import annotations

from paper.engine.study import Inputs, Result, Task
from paper.toys.methods import TOY_METHODS, ToyMethod
from paper.toys.problems import answer, kept, problem, rows_sha256, scores, settings
from paper.toys.study import RAW, TOY_DATASETS

DRAWN_SEED = 0
"""The seed that figures show."""


def run(task: Task, n_jobs: int | None) -> Result:
    """Fit, judge, and keep what the figures need."""
    return judged(TOY_METHODS[task.method], task, n_jobs, keep=task.seed == DRAWN_SEED and task.dataset in TOY_DATASETS)


def judged(method: ToyMethod, task: Task, n_jobs: int | None, *, keep: bool) -> Result:
    """A method on the task's toy."""
    toy, quick = problem(task.dataset, task.seed), task.quick
    raw = task.dataset.endswith(RAW)
    found = answer(method, toy.X, toy.y, toy.X_eval, raw=raw, seed=task.seed, n_jobs=n_jobs, quick=quick)
    values = {"rows": len(toy.X_eval), **scores(toy, found.prediction, task.seed), **found.seconds}
    return Result(values, kept(found.prediction) if keep else {})


def inputs(task: Task) -> Inputs:
    """A hash of the training rows and the method's settings."""
    return Inputs(rows_sha256(task.dataset, task.seed), settings(TOY_METHODS[task.method], task.quick))
