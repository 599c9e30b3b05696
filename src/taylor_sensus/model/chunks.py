"""Rows in chunks of one fixed size, side by side on the machine's cores: the one chunked call.

A chunk that is not full is padded: a row's answer must not depend on how many others stand beside it. (Its place among
them is seen in the last digits of products in single precision, with the linear algebra of some processors.)
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache, wraps
from typing import Any, TypeVar, cast

import numpy as np
from threadpoolctl import ThreadpoolController

from taylor_sensus.model.shapes import Shaped

Function = TypeVar("Function", bound=Callable[..., Any])

CHUNK, LARGE_CHUNKS = 256, (2048, 512)
"""Rows that are asked at once: few, because a single row costs as much as all of them; and more of very many, because
threads wait for each other between two operations (on two cores, 100,000 rows take a sixth less time in chunks of 2,048
than of 512)."""

_thread = threading.local()
"""In a job's thread, `_thread.stop` is the event that ends it; every call has its own."""


M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
"""Names of the C library's options."""
KEPT_BYTES = 1 << 26
"""Arrays up to this size are made of memory that was used before."""


@cache
def keep_memory() -> None:
    """Let arrays be made of memory that was just freed, once in a process.

    Linux's allocator fetches every array of a few hundred kilobytes from the system, page by page, and gives it back: a
    third of the time of a process' evidence went there.
    """
    if sys.platform == "linux" and hasattr(libc := ctypes.CDLL(None), "mallopt"):  # not every Linux has it
        libc.mallopt(M_MMAP_THRESHOLD, KEPT_BYTES // 2)
        libc.mallopt(M_TRIM_THRESHOLD, KEPT_BYTES)


def give_memory_back() -> None:
    """Hand memory that was freed back to the system, which `keep_memory` does not."""
    if sys.platform == "linux" and hasattr(libc := ctypes.CDLL(None), "malloc_trim"):
        libc.malloc_trim(0)


def cores(n_jobs: int | None) -> int:
    """Number of threads for scikit-learn's `n_jobs`: None and -1 mean all cores."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if n_jobs is None:
        return count
    return max(1, n_jobs if n_jobs > 0 else count + 1 + n_jobs)


def run_all(jobs: Sequence[Callable[[], Any]], n_jobs: int | None) -> list[Any]:
    """The jobs' results in order, several at a time. An interrupt ends all of them at their next look at `stopped`."""
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


class _OneThread:
    """The limit of all linear algebra in this process, which ends with the last of those who asked for it."""

    def __init__(self) -> None:
        self.renew()
        if hasattr(os, "register_at_fork"):  # a lock that another thread held would stay locked in a forked child
            os.register_at_fork(after_in_child=self.renew)

    def renew(self) -> None:
        self.lock, self.asked = threading.Lock(), 0
        self.limit: Any = None
        self.libraries: ThreadpoolController | None = None

    def begin(self) -> None:
        keep_memory()
        with self.lock:
            if not self.asked:
                libraries = self.libraries = self.libraries or ThreadpoolController()
                self.limit = libraries.limit(limits=1, user_api="blas")
            self.asked += 1

    def end(self) -> None:
        with self.lock:
            self.asked -= 1
            if not self.asked and self.limit is not None:
                self.limit.restore_original_limits()


_one_thread = _OneThread()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """A context in which matrix products use one thread: several would gain little beside `run_all`, and the order of
    their sums would change last digits."""
    _one_thread.begin()
    try:
        yield
    finally:
        _one_thread.end()


def on_one_blas_thread(function: Function) -> Function:
    """A function whose matrix products use one thread: idle ones would wait in a loop, at the price of a core."""

    @wraps(function)
    def alone(*args: Any, **kwargs: Any) -> Any:
        with one_blas_thread():
            return function(*args, **kwargs)

    return cast("Function", alone)


def in_chunks(
    function: Callable[..., Any],
    arrays: Sequence[Shaped[np.ndarray, "rows ..."]],
    n_jobs: int | None,
    size: int | None = None,
) -> Any:
    """`function` of all rows of the arrays: a record of arrays whose first axis are the rows, or one such array."""
    count, pieces, begin = len(arrays[0]), [], 0
    for large in LARGE_CHUNKS if size is None else ():
        end = begin + (count - begin) // large * large
        pieces += [(start, large) for start in range(begin, end, large)]
        begin = end
    pieces += [(start, size or CHUNK) for start in range(begin, count, size or CHUNK)]

    def job(start: int, size: int) -> Any:
        there = min(size, count - start)
        found = function(*[padded(array[start : start + size], size) for array in arrays])
        return found[:there] if isinstance(found, np.ndarray) else type(found)(*[part[:there] for part in found])

    with one_blas_thread():
        parts = run_all([lambda piece=piece: job(*piece) for piece in pieces], n_jobs)
    if isinstance(parts[0], np.ndarray):
        return np.concatenate(parts)
    return type(parts[0])(*[np.concatenate(same) for same in zip(*parts, strict=True)])


def padded(array: Shaped[np.ndarray, " rows *rest"], size: int) -> Shaped[np.ndarray, " {size} *rest"]:
    """The array with zero rows added up to `size`, row after row in memory: sums over rows that stand in another order
    differ in their last digits. The array itself if it is so already."""
    if len(array) == size:
        return np.ascontiguousarray(array)
    found = np.zeros((size, *array.shape[1:]), array.dtype)  # `np.pad` takes five times as long
    found[: len(array)] = array
    return found
