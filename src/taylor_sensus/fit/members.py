"""The members of an ensemble, side by side on the machine's cores, each a call of the same compiled program.

Measured on 2 CPU cores: a thread a member beats `vmap` over members (batched small matrix products are slow) and
`lax.map` (one core idles); `make bench` prints the ratios. Each member's result is the same whatever `n_jobs`.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, Protocol

import equinox as eqx
import jax
import numpy as np
import pandas as pd

from taylor_sensus.fit.history import history_lines
from taylor_sensus.fit.loop import advance, start
from taylor_sensus.fit.objectives import Knobs, Stage
from taylor_sensus.fit.padding import LARGE, Split
from taylor_sensus.model.networks import trainable

SLICES = 8
"""A run is advanced in so many calls: between them it reports, and can be interrupted."""

_compiling = threading.Lock()
"""Threads that need the same program at the same time would each compile it."""


class Progress(Protocol):
    """Told of each slice of work that is done."""

    def __call__(self, *, stage: str, member: int, share: float, loss: float, score: float) -> None: ...


class Trained(NamedTuple):
    """A finished run: the network with its best weights, and what happened."""

    network: Any
    history: pd.DataFrame
    score: float
    """On its held-out rows."""


class Interrupted(Exception):
    """Raised in a member's thread when the main thread was interrupted."""


_thread = threading.local()
"""In a member's thread, `_thread.stop` is the event that ends it; every fit has its own."""


def cores(n_jobs: int | None) -> int:
    """Number of threads for scikit-learn's `n_jobs`: None and -1 mean all cores."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if n_jobs is None:
        return count
    return max(1, n_jobs if n_jobs > 0 else count + 1 + n_jobs)


def run_all(jobs: Sequence[Callable[[], Any]], n_jobs: int | None) -> list[Any]:
    """The jobs' results in order, several at a time. An interrupt ends all of them at their next slice."""
    threads = min(cores(n_jobs), len(jobs))
    if threads <= 1:
        return [job() for job in jobs]
    stop = threading.Event()
    with ThreadPoolExecutor(threads, initializer=lambda: setattr(_thread, "stop", stop)) as pool:
        futures = [pool.submit(job) for job in jobs]
        try:
            return [future.result() for future in futures]
        except BaseException:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def stopped() -> bool:
    """Whether the jobs that this thread belongs to were interrupted."""
    return hasattr(_thread, "stop") and _thread.stop.is_set()


def give_memory_back() -> None:
    """Hand memory that was freed back to the system.

    Linux's allocator keeps it for later; after each run on a large table a little more stayed, hundreds of megabytes
    in the end.
    """
    if sys.platform == "linux" and hasattr(libc := ctypes.CDLL(None), "malloc_trim"):  # not every Linux has it
        libc.malloc_trim(0)


def train(
    network: Any, rows: Any, points: Any, split: Split, knobs: Knobs, seed: int,
    *, stage: Stage, batch_size: int, checks: int, member: int = 0, progress: Progress | None = None,
) -> Trained:  # fmt: skip
    """One run from start to end."""

    def advance_to(run, stop_at: int):
        return advance(run, network, rows, points, split, knobs, np.int32(stop_at), stage=stage, batch_size=batch_size)

    with _compiling:
        run = start(network, split, np.uint32(seed), checks=checks)
        run = advance_to(run, 0)
    for part in range(SLICES):
        if stopped():
            raise Interrupted
        run = advance_to(run, int(np.ceil(knobs.steps * (part + 1) / SLICES)))
        if progress is not None:
            made = np.asarray(run.log)
            loss, score = made[~np.isnan(made[:, 0])][-1]
            progress(stage=stage.name, member=member, share=1 / SLICES, loss=float(loss), score=float(score))
    if len(split.fit) >= LARGE:
        give_memory_back()
    _, fixed = trainable(network)
    history = history_lines(stage.name, member, knobs.steps_per_check, knobs.steps, np.asarray(run.log))
    return Trained(eqx.combine(jax.device_get(run.best), fixed), history, float(run.best_score))
