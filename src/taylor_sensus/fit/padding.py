"""Padded tables, folds and row indices: similar tables get the same shapes, so they share a compiled program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from taylor_sensus.model.chunks import padded as pad
from taylor_sensus.model.declared_errors import InputErrors
from taylor_sensus.model.shapes import AnyArray, Bool, Float, Int, Shaped
from taylor_sensus.rows import spread

LARGE = 32_768
"""Rows above which a table is large: it is not padded, and what only evaluates a model looks at so many of its rows."""
FEW_ROWS = 200
"""Up to so many, rows that stop a member are not those that judge it."""
MOST_SCORED = 8192
"""Held-out rows that score a run at most: it is scored dozens of times."""


def padded_columns(array: Shaped[AnyArray, "... features"], columns: int) -> Shaped[np.ndarray, "... {columns}"]:
    """With zeros added along the last axis up to `columns`."""
    missing = columns - array.shape[-1]
    if not missing:
        return array
    found = np.zeros((*array.shape[:-1], columns), array.dtype)  # `np.pad` takes five times as long
    found[..., : array.shape[-1]] = array
    return found


class TrainingRows(NamedTuple):
    """Training rows in scaled units."""

    x: Float[np.ndarray, "rows features"]
    y: Float[np.ndarray, "rows targets"]
    weight: Float[np.ndarray, " rows"]
    prior_mean: Float[np.ndarray, "rows targets"]
    prior_variance: Float[np.ndarray, "rows targets"]
    errors: InputErrors | None = None
    """Errors of features that are known, if any."""
    target_error: Float[np.ndarray, "rows targets"] | None = None
    """Variance of each target's declared error."""

    @property
    def features(self) -> int:
        """Columns of the table."""
        return self.x.shape[-1]

    def widened(self, columns: int) -> TrainingRows:
        """With columns of zeros up to so many."""
        return self._replace(x=padded_columns(self.x, columns))


class RowSplit(NamedTuple):
    """Which rows a member is trained on and which score it, as padded indices into `TrainingRows`."""

    fit: Int[np.ndarray, " fit"]
    fit_count: np.int32
    held: Int[np.ndarray, " held"]
    held_weight: Float[np.ndarray, " held"]


def bucket(count: int) -> int:
    """The padded size for `count` rows: powers of two from 16, then multiples of 4,096; large tables are as they are,
    because a padded copy of one would cost more than a program of its own."""
    if count > LARGE:
        return count
    if count > 4096:
        return -(-count // 4096) * 4096
    return max(16, 1 << (max(count, 1) - 1).bit_length())


def batch_rows(batch_size: int, padded: int) -> int:
    """Rows in a step: `batch_size`, but at most half the padded table."""
    return max(1, min(batch_size, padded // 2))


def assign_folds(
    group: Int[np.ndarray, " rows"], folds: int | np.integer, members: int | np.integer, rng: np.random.Generator
) -> list[Int[np.ndarray, " _"]]:
    """For each member the rows that it does not see. The folds are dealt again when there are more members.

    Rows of a group are never on both sides. Every row is held out by some member as long as there are as many members
    as folds.
    """
    count = int(group.max()) + 1
    if count == 1:  # nothing can be held out but single rows
        group, count = np.arange(len(group)), len(group)
    folds, fold = min(folds, count), np.empty(count, int)
    held: list[np.ndarray] = []
    while len(held) < members:
        fold[rng.permutation(count)] = np.arange(count) % folds
        held += [np.flatnonzero(fold[group] == k) for k in range(folds)]
    return held[:members]


def split_rows(
    fit: Int[np.ndarray, " fit"],
    held: Int[np.ndarray, " held"],
    weight: Float[np.ndarray, " rows"],
    padded: int,
    held_padded: int,
) -> RowSplit:
    """Padded indices; padding repeats row 0 with weight 0 in the held part, and is never drawn in the fit part."""
    return RowSplit(
        pad(fit.astype(np.int32), padded),
        np.int32(len(fit)),
        pad(held.astype(np.int32), held_padded),
        pad(weight[held].astype(np.float32), held_padded),
    )


def unseen_mask(held: Sequence[Int[np.ndarray, " _"]], train: int, rows: int) -> Bool[np.ndarray, "members {rows}"]:
    """True where a member has not seen a row; rows from `train` on are seen by none."""
    unseen = np.zeros((len(held), rows), bool)
    for member, its_rows in enumerate(held):
        unseen[member, its_rows] = True
    unseen[:, train:] = True
    return unseen


class MemberSplits:
    """Each member's rows among some rows of a table, as positions there: those to fit and those that score it.

    Validation rows score all members if there are any, and the rows held out from a member otherwise. With few rows,
    these are the next member's, which this one does not see either: choosing among states of a network by a handful of
    rows makes it look better there than it is, and its own held-out rows are to judge it. A split is made when it is
    asked for: those of all members would take as much memory as a part of the table.
    """

    def __init__(
        self,
        unseen: Bool[np.ndarray, "members rows"],
        train: int,
        weight: Float[np.ndarray, " rows"],
        most_scored: int = MOST_SCORED,
    ) -> None:
        """`unseen` as from `unseen_mask`, for these rows; those from `train` on are for validation."""
        self.unseen, self.train, self.weight, self.most_scored = unseen, train, weight, most_scored
        self.padded = bucket(unseen.shape[1])
        self.own_stop = train == unseen.shape[1] and train <= FEW_ROWS and len(unseen) > 2
        scored = unseen[:, train:] if train < unseen.shape[1] else unseen
        self.held_padded = bucket(min(most_scored, int(scored.sum(axis=1).max())))

    def __getitem__(self, member: int) -> RowSplit:
        unseen, first = self.unseen[member], self.train if self.train < len(self.weight) else 0
        stops = self.unseen[(member + 1) % len(self.unseen)] if self.own_stop else unseen
        if (unseen | stops)[: self.train].all():  # of two folds, nothing would be left to fit
            stops = unseen
        fit = np.flatnonzero(~(unseen | stops)[: self.train])
        scored = first + spread(np.flatnonzero(stops[first:]), self.most_scored)
        return split_rows(fit, scored, self.weight, self.padded, self.held_padded)


def evaluation_rows(
    unseen: Bool[np.ndarray, "members rows"], train: int, most: int = LARGE
) -> Int[np.ndarray, " chosen"]:
    """All rows, or of a large table `most` that some member has not seen: validation rows for at most one half."""
    if unseen.shape[1] <= most:
        return np.arange(unseen.shape[1])
    held_out = np.flatnonzero(unseen[:, :train].any(axis=0))
    training = held_out if len(held_out) else np.arange(train)
    validation = spread(np.arange(train, unseen.shape[1]), most // 2)
    return np.concatenate([spread(training, most - len(validation)), validation])


def room_for(shape: tuple[int, int]) -> Float[np.ndarray, "rows columns"]:
    """An empty single-precision table that JAX can use where it lies, without a copy: it begins at a multiple of 64."""
    size = 4 * shape[0] * shape[1]
    memory = np.empty(size + 64, np.uint8)
    start = -memory.ctypes.data % 64
    return memory[start : start + size].view(np.float32).reshape(shape)


def fold_numbers(held: Sequence[Int[np.ndarray, " _"]], train: int) -> Int[np.ndarray, " {train}"]:
    """For each training row the first member that does not see it; rows that all see share a last number."""
    fold = np.full(train, len(held))
    for member in reversed(range(len(held))):
        fold[held[member]] = member
    return fold


def held_out_average(
    values: Float[np.ndarray, "members rows targets"], unseen: Bool[np.ndarray, "members rows"]
) -> Float[np.ndarray, "rows targets"]:
    """Average over the members that have not seen a row; over all where each has seen it."""
    weight = np.where(unseen.sum(axis=0) > 0, unseen, 1.0)
    return np.einsum("mr,mrt->rt", weight, values) / weight.sum(axis=0)[:, None]
