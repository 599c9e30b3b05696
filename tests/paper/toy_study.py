"""A study of cheap arithmetic, to test the machinery. `python -m toy_study run toy` is its command line.

What a task does is told by its dataset: `calm` computes, `slow` sleeps first, `failing` raises for seed 1, `deadly`
kills its own process for seed 1, `nan` has no number for seed 1, `threads` tells how many threads it may use.
"""

from __future__ import annotations

import os
import signal
import time

import numpy as np

from paper.studies import STUDIES
from paper.study import Inputs, Result, Study, Task, every

PAUSE = 0.15


def run(task: Task, n_jobs: int | None) -> Result:
    numbers = np.random.default_rng(task.seed).standard_normal(5) * len(task.method)
    mean, word = float(numbers.sum()), f"{task.method}, or not"
    if task.dataset == "slow":
        time.sleep(PAUSE)
    if task.dataset == "failing" and task.seed == 1:
        raise RuntimeError("seed 1 is\nunlucky")
    if task.dataset == "deadly" and task.seed == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    if task.dataset == "nan" and task.seed == 1:
        mean = float("nan")
    if task.dataset == "threads":
        from threadpoolctl import threadpool_info

        mean, word = max(pool["num_threads"] for pool in threadpool_info()), os.environ.get("XLA_FLAGS", "")
    values = {"mean": mean, "word": word, "work_seconds": time.perf_counter()}
    return Result(values, {"y": numbers.astype(np.float32)})


def inputs(task: Task) -> Inputs:
    return Inputs(os.environ.get("TOY_SHA256", "abc"), {"width": int(os.environ.get("TOY_WIDTH", "3"))})


TOY = Study(
    name="toy",
    about="cheap arithmetic",
    tasks=lambda wanted: every(TOY, wanted, ("calm",), seeds=range(4)),
    place="toy_study",
    methods=("sum", "product"),
    datasets=("calm", "slow", "failing", "deadly", "nan", "threads"),
    parameters={"quick": False, "noise": 0.0},
)
STUDIES["toy"] = TOY


def _write_slowly() -> None:
    """For a test that kills in the middle of writing: the disk takes its time."""
    sync = os.fsync

    def slow_sync(handle: int) -> None:
        time.sleep(5)
        sync(handle)

    os.fsync = slow_sync


if __name__ == "__main__":
    from paper.commands import main

    if os.environ.get("TOY_SLOW_DISK"):
        _write_slowly()
    main()
