"""Rows that share their input: what they tell of the noise (pure error).

Model files before version 0.2 may also remember the answers at such inputs (`Repeats`); new models do not learn them,
because no gain of it shows outside tables with copied rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taylor_sensus.model.shapes import Float, Int, Shaped
from taylor_sensus.rows import byte_order

FEWEST = 5
"""Unseen rows with a duplicate that it takes to learn anything from them."""


class Repeats(NamedTuple):
    """Distinct inputs with their mean target, in scaled units, and what a repeat is worth."""

    keys: Float[np.ndarray, "inputs features"]
    """GatheredInputs in single precision, sorted by their bytes."""
    mean: Float[np.ndarray, "inputs targets"]
    gain: Float[np.ndarray, " targets"]
    """Share of the residual at an input that comes again there, one number a target."""
    left: Float[np.ndarray, " targets"]
    """Variance at a repeated input as a share of what it would be at a new one."""

    def __call__(
        self, x: Float[np.ndarray, "rows features"], mean: Float[np.ndarray, "rows targets"]
    ) -> tuple[Float[np.ndarray, "rows targets"], Float[np.ndarray, "rows targets"]]:
        """Means moved towards what was measured at the same inputs, and the share of the variance that is left."""
        place = find(self.keys, x)
        known = (place >= 0)[:, None]
        moved = mean + self.gain * (self.mean[place] - mean)
        return np.where(known, moved, mean), np.where(known, self.left, 1.0)


class GatheredInputs(NamedTuple):
    """Training rows gathered by input."""

    first: Int[np.ndarray, " inputs"]
    """Where each input first stands, in the order of the inputs' bytes."""
    place: Int[np.ndarray, " rows"]
    """Which input each row has, of all rows; -1 where no training row has it."""
    weight: Float[np.ndarray, " inputs"]
    total: Float[np.ndarray, "inputs targets"]
    """Sum of weighted targets at each input."""


def gather(
    x: Float[np.ndarray, "rows features"],
    y: Float[np.ndarray, "rows targets"],
    weight: Float[np.ndarray, " rows"],
    train: int,
) -> GatheredInputs:
    """Rows by input; the first `train` rows are for training."""
    found = byte_order((x[:, column].astype(np.float32) for column in range(x.shape[1])), len(x))
    group, first = found.group, found.order[found.new]
    known = first < train  # equal rows are in the order of the table
    place = np.where(known, np.cumsum(known) - 1, -1)[group]
    total = np.zeros((known.sum(), y.shape[1]))
    np.add.at(total, place[:train], weight[:train, None] * y[:train])
    return GatheredInputs(first[known], place, np.bincount(place[:train], weights=weight[:train]), total)


def find(keys: Float[np.ndarray, "inputs features"], x: Float[np.ndarray, "rows features"]) -> Int[np.ndarray, " rows"]:
    """For each row the place of its input among `keys`, or -1."""
    rows, sorted_keys = _bytes(_rounded(x)), _bytes(keys)
    place = np.minimum(np.searchsorted(sorted_keys, rows), len(sorted_keys) - 1)
    return np.where(sorted_keys[place] == rows, place, -1)


class PureError(NamedTuple):
    """What rows that share their input tell of the noise, whatever the model."""

    variance: Float[np.ndarray, " targets"]
    """Of each target around its mean at an input, pooled over the inputs."""
    freedom: float
    """Degrees of freedom behind it."""
    inputs: int
    """That were measured more than once."""


def pure_error(
    x: Float[np.ndarray, "rows features"], y: Float[np.ndarray, "rows targets"], weight: Float[np.ndarray, " rows"]
) -> PureError | None:
    """From repeated inputs; None if there are not enough. A row of weight 2 counts as two rows."""
    inputs = gather(x, y, weight, len(x))
    mean = inputs.total / inputs.weight[:, None]
    squares = np.zeros_like(mean)
    np.add.at(squares, inputs.place, weight[:, None] * (y - mean[inputs.place]) ** 2)
    repeated = np.bincount(inputs.place, minlength=len(mean)) > 1  # rows that only repeat a whole row tell nothing
    freedom = float((inputs.weight - 1)[repeated].sum())
    if freedom < FEWEST:
        return None
    return PureError(squares[repeated].sum(axis=0) / freedom, freedom, int(repeated.sum()))


def _rounded(x: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, "rows features"]:
    return np.ascontiguousarray(x, np.float32) + np.float32(0)  # adding 0 turns -0 into 0


def _bytes(rows: Float[np.ndarray, "rows features"]) -> Shaped[np.ndarray, " rows"]:
    return np.ascontiguousarray(rows).view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
