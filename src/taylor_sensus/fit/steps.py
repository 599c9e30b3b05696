"""Steps of a training run: which rows each one takes, and what every way of taking them can do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, runtime_checkable

import numpy as np

from taylor_sensus.fit.padding import RowSplit
from taylor_sensus.model.shapes import Int

WINDOW = 32
"""Steps that are taken at once at most: the batches of so many are passed in together."""


@runtime_checkable
class Steps(Protocol):
    """How the weights of one network are improved: written out (`backprop`), or compiled (`loop`)."""

    columns: int | None
    """Columns that batches must have; None: those of the table."""

    def start(self) -> tuple[Any, Any]:
        """Weights and Adam's moments before the first step."""
        ...

    def gathered(self, rows: Any, picks: Int[np.ndarray, "steps batch"]) -> Any:
        """The rows that `picks` names, as batches."""
        ...

    def run(self, weights: Any, moments: Any, window: Any, count: int, first: int) -> tuple[Any, Any, float]:
        """`count` steps from `first` on, each on a batch of `window`; and the sum of their losses."""
        ...

    def network(self, weights: Any) -> Any:
        """The network with these weights."""
        ...


def batches(split: RowSplit, batch_size: int, rng: np.random.Generator) -> Iterator[Int[np.ndarray, " batch"]]:
    """Rows of one step after another: the fit rows in a new random order each time they have all been seen."""
    rows, left = split.fit[: int(split.fit_count)], np.empty(0, np.int32)
    while True:
        while len(left) < batch_size:
            left = np.concatenate([left, rng.permutation(rows)])
        yield left[:batch_size]
        left = left[batch_size:]
