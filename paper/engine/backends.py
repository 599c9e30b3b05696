"""Who does the tasks: this process, worker processes of this machine (joblib), or a Dask cluster.

All give back what was done as soon as it is done, in any order, and a worker that dies costs its task, not the run.
"""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import signal
import threading
import time
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from paper.engine.versions import SOURCE, changes, installed
from paper.engine.work import Done, Failure, Job, do, do_in_child, limit_threads
from taylor_sensus.errors import MissingExtraError, TaylorSensusError

LOST = "the process that did this task ended without an answer (killed, or out of memory?)"
PATIENCE = 60.0
"""Seconds to wait for a new Dask worker when all are gone."""
ANSWER = 20.0
"""Seconds to wait for a Dask scheduler to answer at all."""
GLANCE = 1.0
"""Seconds between two looks at a Dask cluster that has nothing to say."""


class ClusterError(TaylorSensusError):
    """A Dask cluster that cannot be used; the message says why and what to do."""


def here(jobs: Sequence[Job]) -> Iterator[Done]:
    """One after the other, in this process."""
    return map(do, jobs)


def apart(jobs: Sequence[Job]) -> Iterator[Done]:
    """One after the other, each in a new process."""
    context = multiprocessing.get_context("spawn")
    for job in jobs:
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(target=_answer, args=(job, sender))
        process.start()
        sender.close()
        try:
            yield receiver.recv()
        except EOFError:
            yield _lost(job)
        finally:
            process.kill()
            process.join()
            receiver.close()


def joblib_workers(jobs: Sequence[Job], count: int) -> Iterator[Done]:
    """In `count` processes of this machine.

    When one of them dies, joblib gives up all and does not say which task was at fault. So the few tasks that
    were under way are tried again, each in a process of its own, before the others go on.
    """
    from joblib import Parallel, delayed
    from joblib.externals.loky.process_executor import BrokenProcessPool

    limit_threads()  # workers inherit this before they import anything
    warnings.filterwarnings("ignore", ".*adjusting the input task", module="joblib")  # said after an interrupt
    waiting, under_way = list(jobs), {}

    def hand_out() -> Iterator[Any]:
        while waiting:
            job = waiting.pop(0)
            under_way[job.task.key] = job
            yield delayed(do_in_child)(job)

    while waiting:
        pool = Parallel(n_jobs=count, backend="loky", return_as="generator_unordered", pre_dispatch=count, batch_size=1)
        try:
            results: Any = pool(hand_out())
            for done in results:
                del under_way[done.task.key]
                yield done
        except BrokenProcessPool:
            suspects = list(under_way.values())
            under_way.clear()
            yield from apart(suspects)


def dask_workers(jobs: Sequence[Job], count: int, scheduler: str | None) -> Iterator[Done]:
    """On a running cluster if `scheduler` gives its address, else on a new one with `count` worker processes."""
    try:
        import distributed
    except ImportError:
        raise MissingExtraError("--backend dask needs the package distributed: pip install distributed") from None
    limit_threads()
    if scheduler is None:
        with _interrupts_ignored():
            cluster = distributed.LocalCluster(
                n_workers=count, threads_per_worker=1, dashboard_address=":0", silence_logs=logging.CRITICAL
            )
        with cluster, distributed.Client(cluster) as client:
            yield from _on_cluster(client, jobs)
        return
    try:
        client = distributed.Client(scheduler, timeout=ANSWER)
    except (OSError, ValueError, ImportError) as error:
        raise ClusterError(f"no Dask scheduler answers at {scheduler} ({type(error).__name__})") from None
    with client:
        _check_workers(client)
        yield from _on_cluster(client, jobs)


def _on_cluster(client: Any, jobs: Sequence[Job]) -> Iterator[Done]:
    """Results as they come, with no more tasks handed out than there are threads.

    Dask gives a lost worker's tasks to another, and gives up a task that was there when several workers died. With
    one task a thread this is the task at fault, and not one that happened to wait in the same place.
    """
    from distributed import wait

    waiting, under_way = list(jobs), {}
    alive = time.monotonic()
    while waiting or under_way:
        threads = sum(worker["nthreads"] for worker in _workers(client).values())
        while waiting and len(under_way) < threads:
            job = waiting.pop(0)
            name = f"{job.task.study}/{job.task.key}/{client.id}"
            under_way[client.submit(do, job, pure=False, retries=0, key=name)] = job
        ready = ()
        if under_way:
            with contextlib.suppress(TimeoutError):
                answer: Any = wait(list(under_way), timeout=GLANCE, return_when="FIRST_COMPLETED")
                ready = answer.done
        else:
            time.sleep(GLANCE)
        for future in ready:
            yield _outcome(future, under_way.pop(future))
            future.release()
        alive = time.monotonic() if ready or threads else alive
        if time.monotonic() - alive > PATIENCE:
            lost = [*under_way.values(), *waiting]
            yield from (_lost(job, "the Dask cluster has no workers any more") for job in lost)
            return


def _outcome(future: Any, job: Job) -> Done:
    try:
        return future.result(timeout=PATIENCE)
    except Exception as error:  # not the task's own failure, which `do` gives back as a result
        return _lost(job, f"{LOST}: {type(error).__name__}")


def _workers(client: Any) -> dict[str, Any]:
    if client.status != "running":
        return {}
    try:
        return client.scheduler_info(n_workers=-1)["workers"]
    except (OSError, RuntimeError):
        return {}


def _check_workers(client: Any) -> None:
    """Every worker must be able to import this package, and have the same versions, before it is given work."""
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        raise ClusterError("the Dask scheduler has no workers; start some in the repository's folder") from None
    try:
        found = client.run(installed, on_error="return")
    except Exception as error:
        found = {"a worker": error}
    for worker, versions in found.items():
        if not isinstance(versions, dict):
            raise ClusterError(
                f"the Dask worker {worker} cannot import the studies ({type(versions).__name__}: {versions}); "
                "start it in the repository's folder with PYTHONPATH=. and the package installed"
            )
        differing = changes(versions, installed())
        if versions.get(SOURCE) != installed()[SOURCE]:
            differing.append("other code of taylor-sensus")
        if differing:
            raise ClusterError(f"the Dask worker {worker} has other versions than this process: {', '.join(differing)}")


@contextlib.contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Processes started in here ignore Ctrl-C: the main process ends them, without a traceback from each."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _answer(job: Job, sender: Any) -> None:
    sender.send(do_in_child(job))


def _lost(job: Job, why: str = LOST) -> Done:
    return Done(job.task, None, Failure("LostWorker", why))
