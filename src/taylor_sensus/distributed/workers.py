"""Parts of one fit on the workers of a Dask cluster: a `taylor_sensus.fit.tasks.Workers`."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import metadata
from typing import Any

from taylor_sensus._version import __version__
from taylor_sensus.errors import MissingExtraError, SettingError, TaylorSensusError
from taylor_sensus.model.chunks import one_blas_thread

ATTEMPTS = 5
"""How often what workers share is sent again, after all workers that had it died."""
SAME = ("numpy", "scipy", "jax", "jaxlib", "equinox", "optax")
"""Packages that make the numbers, which workers must have in the same version."""


def dask_workers(client: Any) -> DaskWorkers | None:
    """Those of a client, after asking each for its versions; None without a client."""
    if client is None:
        return None
    try:
        from distributed import Client
    except ImportError as error:
        raise MissingExtraError("client= needs Dask: pip install 'taylor-sensus[distributed]'") from error
    if not isinstance(client, Client):
        raise SettingError(f"client must be a dask.distributed.Client, not {type(client).__name__}")
    own = versions()
    theirs: Any = client.run(versions)
    for worker, found in theirs.items():
        other = [f"{name} {found.get(name)} (here {own[name]})" for name in own if found.get(name) != own[name]]
        if other:
            raise TaylorSensusError(
                f"the Dask worker {worker} has other versions, which may give another model: {', '.join(other)}"
            )
    return DaskWorkers(client)


def versions() -> dict[str, str]:
    """Of what makes the numbers, in the process that is called."""
    return {"taylor-sensus": __version__, **{name: metadata.version(name) for name in SAME}}


class DaskWorkers:
    """Sends tasks to a cluster. What tasks share travels once to each worker; a worker that dies is survived."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.sent: dict[int, tuple[Any, Any]] = {}
        """What is on the workers already, by the object's id: the object, and its future."""

    def run(
        self, function: Callable[..., Any], shared: Sequence[Any], jobs: Sequence[tuple], done: Callable[[Any], None]
    ) -> list[Any]:
        """`function(*shared, *job)` of each job, in their order; `done` is called with each result as it comes."""
        results: dict[int, Any] = {}
        for number, result in self.results(function, shared, enumerate(jobs), most=len(jobs)):
            results[number] = result
            done(result)
        return [results[number] for number in range(len(jobs))]

    def results(
        self, function: Callable[..., Any], shared: Sequence[Any], jobs: Iterable[tuple[int, tuple]], most: int
    ) -> Iterator[tuple[int, Any]]:
        """Number and result of each job as it is done; a job is taken when fewer than `most` are under way.

        Dask gives the tasks of a worker that died to another, a few times. What they share may have died with it: then
        it is sent again.
        """
        from distributed import wait

        waiting, under_way, lost = iter(jobs), {}, 0
        try:
            while True:
                for number, job in itertools.islice(waiting, most - len(under_way)):
                    under_way[self._submit(function, shared, job)] = number, job
                if not under_way:
                    return
                ended: Any = wait(list(under_way), return_when="FIRST_COMPLETED")
                for future in ended.done:
                    number, job = under_way.pop(future)
                    if future.status == "finished":
                        yield number, future.result()
                    elif future.status in ("cancelled", "lost") and lost < ATTEMPTS:
                        lost += 1
                        self.sent.clear()
                        under_way[self._submit(function, shared, job)] = number, job
                    else:
                        raise _why(future)
        finally:
            self.client.cancel(list(under_way))  # an error or Ctrl-C; nothing is under way after the last job

    def threads(self) -> int:
        """Tasks that the cluster can do at the same time."""
        return max(1, sum(self.client.nthreads().values()))

    def _submit(self, function: Callable[..., Any], shared: Sequence[Any], job: tuple) -> Any:
        there = [self._sent(part) for part in shared]
        return self.client.submit(run_on_worker, function, *there, *job, pure=False)

    def _sent(self, part: Any) -> Any:
        if id(part) not in self.sent:
            self.sent[id(part)] = part, self.client.scatter([part], broadcast=True, hash=False)[0]
        return self.sent[id(part)][1]


def run_on_worker(function: Callable[..., Any], *arguments: Any) -> Any:
    """What is sent to workers: linear algebra in one thread, so that sums have one order wherever they are made."""
    from taylor_sensus.storage.compilation import ready_to_compile

    ready_to_compile()
    with one_blas_thread():
        return function(*arguments)


def _why(future: Any) -> BaseException:
    from distributed import KilledWorker

    error = future.exception() if future.status == "error" else None
    if isinstance(error, KilledWorker):
        return TaylorSensusError(f"workers died again and again at the same task (out of memory?): {error}")
    return error or TaylorSensusError("the cluster lost what was sent to it again and again; are its workers stable?")
