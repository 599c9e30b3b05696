"""Parts of one fit that need nothing of each other: on this machine's cores, or on workers elsewhere.

A task is a function of a module and its arguments, so that it can travel. What all tasks of a call need, such as the
context, is passed apart from what only one needs: it travels once to each worker.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from taylor_sensus.model.chunks import one_blas_thread, run_all

if TYPE_CHECKING:
    from taylor_sensus.fit.context import FitContext


@runtime_checkable
class Workers(Protocol):
    """Processes elsewhere that do tasks."""

    def run(
        self, function: Callable[..., Any], shared: Sequence[Any], jobs: Sequence[tuple], done: Callable[[Any], None]
    ) -> list[Any]:
        """`function(*shared, *job)` of each job, in their order; `done` is called with each result as it comes."""
        ...


def run_tasks(
    context: FitContext, function: Callable[..., Any], jobs: Sequence[tuple], shared: Sequence[Any] = ()
) -> list[Any]:
    """`function(context, *shared, *job)` of each job, in their order, wherever the context says."""
    shared = (context, *shared)
    if context.workers is not None:
        return context.workers.run(function, shared, jobs, lambda result: _report(context, result))
    n_jobs = context.n_jobs if context.processes is None else 1  # all processes must be at the same run
    with one_blas_thread():
        return run_all([lambda job=job: function(*shared, *job) for job in jobs], n_jobs)


def _report(context: FitContext, result: Any) -> None:
    """Progress of a run that was made elsewhere: all of it at once."""
    run = getattr(result, "trained", result)
    if context.progress is None or not hasattr(run, "history"):
        return
    last = run.history.iloc[-1]
    context.progress(stage=last["stage"], member=int(last["member"]), share=1.0, loss=last["loss"], score=run.score)
