"""What a training run needs to go on where it was stopped: weights, moments, the best so far, and its history.

Batches need no state: they follow from the seed and the step.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from taylor_sensus.model.module import leaves, refilled
from taylor_sensus.model.shapes import Float, Shaped

if TYPE_CHECKING:
    from taylor_sensus.fit.processes import Processes


@runtime_checkable
class Checkpoints(Protocol):
    """Where runs are kept, each under a name."""

    def read(self, name: str) -> dict[str, Shaped[np.ndarray, " ..."]] | None:
        """What was written last under the name, None if nothing was."""
        ...

    def write(self, name: str, arrays: dict[str, Shaped[np.ndarray, " ..."]], *, at_once: bool) -> None:
        """Keep the arrays in place of those before; if not `at_once`, only when enough time has passed."""
        ...


class RunState(NamedTuple):
    """A run between two looks at the held-out rows."""

    trained: Any
    moments: Any
    best: Any
    log: Float[np.ndarray, "checks 2"]
    """Loss and score of each look, not a number where it is still to come."""
    best_score: float
    best_step: int
    step: int
    check: int
    """Looks so far."""
    is_over: bool


class RunKeeper:
    """Keeps the state of one run, and finds it again."""

    def __init__(
        self, kept: Checkpoints | None, start: RunState, seed: int | np.integer, options: Any,
        processes: Processes | None,
    ) -> None:  # fmt: skip
        """`start` is the state before the first step: of other weights, seed or options, it is another run."""
        self.kept, self.start, self.processes = kept, start, processes
        if kept is None:
            return
        digest = hashlib.sha256(repr((int(seed), options)).encode())
        for leaf in leaves(start.trained):
            digest.update(np.asarray(leaf).tobytes())
        self.name = digest.hexdigest()[:24]

    def find(self) -> RunState:
        """The state to begin with: that of the last checkpoint, if there is one."""
        if self.kept is None:
            return self.start
        arrays = [np.asarray(leaf) for leaf in leaves(self.start)]
        first = self.processes is None or self.processes.rank == 0
        found = self.kept.read(self.name) if first else None
        known = np.array([found is not None])
        if found is not None:
            arrays = [found[f"{number:04d}"].astype(old.dtype).reshape(old.shape) for number, old in enumerate(arrays)]
        if self.processes is not None:
            (known,) = self.processes.of_first([known])
            arrays = self.processes.of_first(arrays) if known[0] else arrays
        if not known[0]:
            return self.start
        state = refilled(self.start, iter(arrays))
        numbers = {"best_score": float, "best_step": int, "step": int, "check": int, "is_over": bool}
        return state._replace(**{name: kind(getattr(state, name)) for name, kind in numbers.items()})

    def keep(self, state: RunState) -> None:
        """Write it down, the end of a run at once."""
        if self.kept is not None and (self.processes is None or self.processes.rank == 0):
            arrays = {f"{number:04d}": np.asarray(leaf) for number, leaf in enumerate(leaves(state))}
            self.kept.write(self.name, arrays, at_once=state.is_over)
