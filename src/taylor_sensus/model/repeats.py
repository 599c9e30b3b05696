"""Inputs that were measured before: what a new row with exactly the same input should be told.

What a model leaves over at an input is partly a matter of that input, and comes again when it is measured again, and
partly scatter, which does not. Rows that share their input show how much is which; without such rows nothing is done.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taylor_sensus.rows import byte_order

FEWEST = 5
"""Unseen rows with a twin that it takes to learn anything from them."""


class Repeats(NamedTuple):
    """Distinct inputs with their mean target, in scaled units, and what a repeat is worth."""

    keys: np.ndarray
    """Inputs in single precision, sorted by their bytes, `(inputs, features)`."""
    mean: np.ndarray
    """(inputs, targets)"""
    gain: np.ndarray
    """Share of the residual at an input that comes again there, one number a target."""
    left: np.ndarray
    """Variance at a repeated input as a share of what it would be at a new one."""

    def __call__(self, x: np.ndarray, mean: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Means moved towards what was measured at the same inputs, and the share of the variance that is left."""
        place = find(self.keys, x)
        known = (place >= 0)[:, None]
        moved = mean + self.gain * (self.mean[place] - mean)
        return np.where(known, moved, mean), np.where(known, self.left, 1.0)


class Inputs(NamedTuple):
    """Training rows gathered by input."""

    first: np.ndarray
    """Where each input first stands, in the order of the inputs' bytes."""
    place: np.ndarray
    """Which input each row has, of all rows; -1 where no training row has it."""
    weight: np.ndarray
    total: np.ndarray
    """Sum of weighted targets at each input."""


def gather(x: np.ndarray, y: np.ndarray, weight: np.ndarray, train: int) -> Inputs:
    """Rows by input; the first `train` rows are for training."""
    found = byte_order((x[:, column].astype(np.float32) for column in range(x.shape[1])), len(x))
    group, first = found.group, found.order[found.new]
    known = first < train  # equal rows are in the order of the table
    place = np.where(known, np.cumsum(known) - 1, -1)[group]
    total = np.zeros((known.sum(), y.shape[1]))
    np.add.at(total, place[:train], weight[:train, None] * y[:train])
    return Inputs(first[known], place, np.bincount(place[:train], weights=weight[:train]), total)


def find(keys: np.ndarray, x: np.ndarray) -> np.ndarray:
    """For each row the place of its input among `keys`, or -1."""
    rows, sorted_keys = _bytes(_rounded(x)), _bytes(keys)
    place = np.minimum(np.searchsorted(sorted_keys, rows), len(sorted_keys) - 1)
    return np.where(sorted_keys[place] == rows, place, -1)


class PureError(NamedTuple):
    """What rows that share their input tell of the noise, whatever the model."""

    variance: np.ndarray
    """Of each target around its mean at an input, pooled over the inputs."""
    freedom: float
    """Degrees of freedom behind it."""
    inputs: int
    """That were measured more than once."""


def pure_error(x: np.ndarray, y: np.ndarray, weight: np.ndarray) -> PureError | None:
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


def learn_repeats(
    x: np.ndarray, y: np.ndarray, weight: np.ndarray, train: int, mean: np.ndarray, variance: np.ndarray,
    asked: np.ndarray | None = None,
) -> Repeats | None:  # fmt: skip
    """How far answers come again, from rows that stand at the input of a training row.

    `mean` and `variance` are predictions for the rows `asked` (all by default), made without the row itself. The
    estimate counts one more row at which nothing came again, so that a few lucky twins do not make certain.
    """
    asked = np.arange(len(x)) if asked is None else asked
    inputs = gather(x, y, weight, train)
    place, y, weight = inputs.place[asked], y[asked], weight[asked]
    own = np.where(asked < train, weight, 0.0)
    others = inputs.weight[place] - own
    judged = np.flatnonzero((place >= 0) & (others > 1e-9))
    if len(judged) < FEWEST:
        return None
    twin = (inputs.total[place] - own[:, None] * y)[judged] / others[judged, None]
    before, shift = (y - mean)[judged], twin - mean[judged]
    v, w = variance[judged], weight[judged, None]
    gain = np.clip((w * before * shift / v).sum(axis=0) / ((w * shift**2 / v).sum(axis=0) + 1), 0, 1)
    after = (w * (before - gain * shift) ** 2 / v).sum(axis=0)
    left = np.minimum((after + 1) / (w.sum() + 1), 1.0)
    if not (gain > 0).any():
        return None
    keys = _rounded(x[inputs.first])
    return Repeats(keys, inputs.total / inputs.weight[:, None], gain, np.where(gain > 0, left, 1.0))


def _rounded(x: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(x, np.float32) + np.float32(0)  # adding 0 turns -0 into 0


def _bytes(rows: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(rows).view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
