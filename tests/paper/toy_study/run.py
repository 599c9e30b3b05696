"""How a task of the toy study is done."""

from __future__ import annotations

import os
import signal
import time

import numpy as np

from paper.engine.study import Inputs, Result, Task

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
