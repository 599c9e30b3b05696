"""How one task is done, the same in every process: few threads, failures caught, warnings kept.

Every process that does tasks uses one thread for each operation, whether it is alone or has neighbours. Sums of
many threads are added up in another order, so this makes results the same whatever the number of jobs; and with a
task for each core it is also the fastest way.
"""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import threading
import time
import traceback
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING

from paper.engine.study import Task, function

if TYPE_CHECKING:
    from paper.engine.study import Result

ONE_THREAD: dict[str, str] = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
XLA_ONE_THREAD = "--xla_cpu_multi_thread_eigen=false"
MAX_WARNINGS = 5


@dataclass(frozen=True)
class Job:
    """A task with what a worker needs to do it."""

    task: Task
    place: str
    n_jobs: int | None
    """Threads that the method itself may start; None means all cores."""
    one_thread: bool = True
    """Whether each operation is held to one thread."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables that the task needs, set before anything heavy is imported."""


@dataclass(frozen=True)
class Failure:
    """Why a task has no result."""

    kind: str
    message: str
    trace: str = ""

    def __str__(self) -> str:
        return " ".join(f"{self.kind}: {self.message}".split())


@dataclass(frozen=True, eq=False)
class Done:
    """What came of a job: a result or a failure."""

    task: Task
    result: Result | None
    failure: Failure | None
    seconds: float = 0.0
    process: int = 0
    warnings: tuple[str, ...] = ()


def limit_threads() -> None:
    """Hold NumPy's and JAX's operations to one thread; works fully only before the two are imported."""
    os.environ.update(ONE_THREAD)
    flags = os.environ.get("XLA_FLAGS", "")
    if XLA_ONE_THREAD not in flags:
        os.environ["XLA_FLAGS"] = f"{flags} {XLA_ONE_THREAD}".strip()


def do(job: Job) -> Done:
    """Do a job. Never raises, except on an interrupt."""
    os.environ.update(job.environment)
    started = time.perf_counter()
    result, failure, noticed = None, None, []
    try:
        with warnings.catch_warnings(record=True) as noticed:
            warnings.simplefilter("default")
            with _thread_limit(job.one_thread):
                result = function(job.place, "run", "run")(job.task, job.n_jobs)
    except Exception as error:
        failure = Failure(type(error).__name__, str(error), traceback.format_exc())
    texts = dict.fromkeys(f"{note.category.__name__}: {note.message}" for note in noticed)
    seconds = time.perf_counter() - started
    return Done(job.task, result, failure, seconds, os.getpid(), tuple(texts)[:MAX_WARNINGS])


def do_in_child(job: Job) -> Done:
    """Do a job in a process that this run started: Ctrl-C is the main process's business, and so is its death."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with_parent()
    return do(job)


@functools.cache
def _end_with_parent() -> None:
    """Watch for the main process to be killed, so that no work goes on that nobody will record."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextlib.contextmanager
def _thread_limit(wanted: bool):
    """Limits that also hold where NumPy came before us, as on a Dask worker."""
    if not wanted:
        yield
        return
    limit_threads()
    for name in ("numpy", "scipy.linalg"):  # their libraries must be loaded, or there is nothing to limit
        import_module(name)
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        yield
