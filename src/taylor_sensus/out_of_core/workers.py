"""Parts side by side in processes of their own, which get the model once; they are spawned, since JAX survives no fork.

A process that dies ends the work with a clear error; what is finished stays.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, NamedTuple

from taylor_sensus.errors import TaylorSensusError
from taylor_sensus.out_of_core.part import PredictionPlan, predict_part
from taylor_sensus.out_of_core.source import Part


class OpenPart(NamedTuple):
    """A part that is still to be predicted, and where to."""

    part: Part
    path: Path


class DonePart(NamedTuple):
    """A part that is predicted, and how many rows it had."""

    part: Part
    rows: int


class _Worker:
    """What a process keeps between parts."""

    model: Any = None
    plan: Any = None


def predict_in_processes(
    model: Path | bytes, plan: PredictionPlan, parts: Sequence[OpenPart], processes: int
) -> Iterator[DonePart]:
    """Predict the parts in so many processes; each is yielded when done. `model`: its file, by path or content."""
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(processes, mp_context=context, initializer=_begin, initargs=(model, plan))
    try:
        left = {pool.submit(_one, part, path): part for part, path in parts}
        while left:
            for future in wait(left, return_when=FIRST_COMPLETED).done:
                yield DonePart(left.pop(future), future.result())
    except BrokenProcessPool as problem:
        raise TaylorSensusError(
            "a process that predicted was killed, perhaps because memory ran out; finished parts are kept: "
            "run the same again to go on, with fewer jobs if it happens again"
        ) from problem
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _begin(model: Path | bytes, plan: PredictionPlan) -> None:
    from taylor_sensus.storage.model_io import load_model
    from taylor_sensus.storage.travel import model_from_bytes

    _Worker.model = load_model(model) if isinstance(model, Path) else model_from_bytes(model)
    _Worker.model.n_jobs = 1  # the processes have the cores
    _Worker.plan = plan


def _one(part: Part, path: Path) -> int:
    return predict_part(_Worker.model, _Worker.plan, part, path, lambda rows: None)
