"""Several processes that train one network together, each on its part of every batch (`jax.distributed`).

The batch is one array that lies in parts on all processes, and the compiled program is the same everywhere: XLA adds up
the gradients (gloo on CPU, NCCL on GPU). Scores and choices are added up or taken from the first process, so that all
processes go the same way at every fork, and none waits for another that has stopped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from typing import Any

import jax
import numpy as np
from jax.errors import JaxRuntimeError
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from taylor_sensus.errors import TaylorSensusError
from taylor_sensus.fit.loop import run_steps
from taylor_sensus.model.shapes import Shaped


class LostProcessError(TaylorSensusError):
    """Another process of a data-parallel fit has died or cannot be reached."""


class Processes:
    """All processes that `jax.distributed` knows, which all run the same fit."""

    def __init__(self) -> None:
        self.rank, self.count = jax.process_index(), jax.process_count()

    @classmethod
    def found(cls) -> Processes | None:
        """None where this process is alone."""
        return cls() if jax.process_count() > 1 else None

    @cached_property
    def _mesh(self) -> Mesh:
        return Mesh(np.array(jax.devices()), ("rows",))

    @cached_property
    def _program(self) -> Any:
        everywhere = NamedSharding(self._mesh, PartitionSpec())
        steps: Any = run_steps
        return jax.jit(steps.__wrapped__, static_argnames=("stage",), out_shardings=everywhere)

    def run_steps(self, trained: Any, moments: Any, network: Any, window: Any, *given: Any, **options: Any) -> Any:
        """As `taylor_sensus.fit.loop.run_steps`, with this process' part of each batch."""
        parts = NamedSharding(self._mesh, PartitionSpec(None, "rows"))
        with self._lost_process_error():
            window = jax.tree.map(partial(jax.make_array_from_process_local_data, parts), window)
            result = jax.block_until_ready(self._program(trained, moments, network, window, *given, **options))
            return jax.device_get(result)

    def share(self, rows: Shaped[np.ndarray, "rows ..."]) -> Shaped[np.ndarray, "own ..."]:
        """Which of the rows this process looks at."""
        return rows[self.rank :: self.count]

    def average(self, value: float, weight: float) -> float:
        """The weighted mean of every process' value."""
        found = self.gathered(np.array([value * weight if weight else 0.0, weight]))
        total, weights = found.sum(axis=0)
        return float(total / weights)

    def of_first(self, arrays: Sequence[Shaped[np.ndarray, " ..."]]) -> list[Shaped[np.ndarray, " ..."]]:
        """What the first process has; the others have arrays of the same shapes and kinds."""
        sent = np.frombuffer(b"".join(np.ascontiguousarray(array).tobytes() for array in arrays), np.uint8)
        content, found, done = self.gathered(sent)[0].tobytes(), [], 0
        for array in arrays:
            found.append(np.frombuffer(content[done : done + array.nbytes], array.dtype).reshape(array.shape).copy())
            done += array.nbytes
        return found

    def gathered(self, array: Shaped[np.ndarray, "*shape"]) -> Shaped[np.ndarray, " processes *shape"]:
        """That array of each process, one after the other along a new first axis, to the last bit."""
        content = np.frombuffer(array.tobytes() + b"\0" * (-array.nbytes % 4), np.uint32)
        with self._lost_process_error():
            found = np.asarray(multihost_utils.process_allgather(content, tiled=False)).reshape(self.count, -1)
        every = [np.frombuffer(one.tobytes()[: array.nbytes], array.dtype).reshape(array.shape) for one in found]
        return np.stack(every)

    @contextmanager
    def _lost_process_error(self) -> Iterator[None]:
        try:
            yield
        except (JaxRuntimeError, ValueError) as error:
            if isinstance(error, ValueError) and "loo" not in str(error):
                raise
            raise LostProcessError(
                f"process {self.rank} of {self.count}: another process of this fit was lost ({str(error)[:200]}). Look "
                "at its own output for the reason, then start all processes again; with the same resume= the fit goes "
                "on from its last checkpoint."
            ) from error
