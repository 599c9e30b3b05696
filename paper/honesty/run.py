"""Study `honesty`: cases that are ordinary in a laboratory, with a known truth or few rows.

A method sees the rows of one repeat and no validation rows: TSNet holds out folds inside; CatBoost and NGBoost hold
out a fifth, and then learn once more from all rows; the process and ridge need none. Ours is told what a user knows:
the batches of a table with batches, and that counts cannot be negative.
"""

from __future__ import annotations

import time
from typing import Any

import pandas as pd

from paper.data.catalogue import content_sha256
from paper.engine.study import Inputs, Result, Task
from paper.engine.trials import settings_of
from paper.honesty.cases import CASES, Case
from paper.honesty.draw import draw
from paper.honesty.judges import judge
from paper.honesty.methods import HONESTY_METHODS, Compared
from taylor_sensus.baselines.face import Baseline


def run(task: Task, n_jobs: int | None) -> Result:
    """Fit to the rows of a repeat, judge."""
    case, method = CASES[task.dataset], HONESTY_METHODS[task.method]
    drawn = draw(case, task.seed)
    model = method.make(random_state=task.seed, n_jobs=n_jobs, quick=task.quick, **_known(case, method))
    told: dict[str, Any] = {"refit": True} if isinstance(model, Baseline) else {}
    if _takes_groups(task):
        told = {"groups": drawn.groups}
    started = time.process_time()
    model.fit(drawn.X, drawn.y, **told)
    seconds = time.process_time() - started
    scores = judge(case, drawn, model, method, task.seed)
    return Result({"train_rows": len(drawn.y), **scores, "fit_cpu_seconds": seconds})


def inputs(task: Task) -> Inputs:
    """A hash of all rows of the repeat, and the method's settings with what it is told."""
    case, method = CASES[task.dataset], HONESTY_METHODS[task.method]
    drawn = draw(case, task.seed)
    y = pd.concat([pd.Series(drawn.y), pd.Series(drawn.y_new)], ignore_index=True).rename("y")
    X = pd.concat([drawn.X, drawn.X_new], ignore_index=True)
    told = _known(case, method) | ({"groups": "batch"} if _takes_groups(task) else {})
    return Inputs(content_sha256(X, y), settings_of(method, task.quick) | told)


def _known(case: Case, method: Compared) -> dict[str, Any]:
    """Settings that the user of such a table would choose."""
    return {"positive": True} if case.kind == "counts" and method.origin == "ours" else {}


def _takes_groups(task: Task) -> bool:
    return CASES[task.dataset].kind == "batches" and task.method == "tsnet"
