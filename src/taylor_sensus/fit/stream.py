"""Stage means on a table larger than memory: every batch comes from a pool of rows that is drawn from its files.

All other stages look at some rows of a large table anyway; here these are a random sample. Folds go by a hash of the
inputs, so that a row of the sample that a member must not see never reaches it from the files, nor do its copies.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from taylor_sensus.fit.loop import gathered
from taylor_sensus.fit.padding import TrainingRows
from taylor_sensus.model.imputation import Imputer
from taylor_sensus.model.scaling import Scaler
from taylor_sensus.rows import blocks, take

Feed = Callable[[int, int | None], Any]
"""Gives the batches of so many steps, padded to the columns of the program."""


class Pool(NamedTuple):
    """Encoded rows in the user's units."""

    x: np.ndarray
    y: np.ndarray


class RowSource(Protocol):
    """A table of which some rows at a time are in memory."""

    @property
    def rows(self) -> int:
        """How many there are."""
        ...

    @property
    def is_whole(self) -> bool:
        """Whether they are so few that all are drawn at once."""
        ...

    def scaler(self, sample: Scaler) -> Scaler:
        """The scales of a sample, with what is known exactly of the whole table."""
        ...

    def draw(self, rng: np.random.Generator) -> Pool:
        """Some random rows; all of them if they are few."""
        ...


@dataclass(frozen=True)
class StreamedRows:
    """The rows that means are trained on, scaled, and dealt into folds."""

    source: RowSource
    scaler: Scaler
    imputer: Imputer
    folds: int
    salt: int

    @property
    def fit_rows(self) -> int:
        """Rows that a member sees, about."""
        return max(1, self.source.rows - self.source.rows // self.folds)

    def held(self, x: np.ndarray, members: int) -> list[np.ndarray]:
        """For each member the places of the rows that it does not see."""
        return [np.flatnonzero(self._is_held(x, member)) for member in range(members)]

    def _is_held(self, x: np.ndarray, member: int) -> np.ndarray:
        deal, fold = divmod(member, self.folds)
        return hashed(x, self.salt + deal) % self.folds == fold

    def feed(self, member: int, seed: int, batch_size: int) -> Feed:
        """The batches of one run."""
        rng = np.random.default_rng([7, seed])
        pool, order = None, np.empty(0, np.int64)

        def window(count: int, columns: int | None) -> Any:
            nonlocal pool, order
            needed = count * batch_size
            if len(order) < needed:
                if pool is None or not self.source.is_whole:
                    pool = self._pool(member, rng)
                order = np.concatenate([rng.permutation(len(pool.x)) for _ in range(-(-needed // len(pool.x)))])
            picks, order = order[:needed].reshape(count, batch_size), order[needed:]
            return gathered(pool, picks, columns)

        return window

    def _pool(self, member: int, rng: np.random.Generator) -> TrainingRows:
        """Rows that the member may see, scaled and without gaps."""
        raw = self.source.draw(rng)
        seen = np.flatnonzero(~self._is_held(raw.x, member))
        x = np.empty((len(seen), raw.x.shape[1]), np.float32)
        for block in blocks(len(seen)):
            x[block] = self.imputer(self.scaler.features(take(raw.x, seen[block])))[0]
        y = self.scaler.targets(raw.y[seen]).astype(np.float32)
        return TrainingRows(x, y, np.ones(len(seen), np.float32), np.zeros_like(y), np.ones_like(y))


def hashed(x: np.ndarray, salt: int) -> np.ndarray:
    """A random number for each different row of inputs, the same wherever the row stands."""
    factors = np.random.default_rng([11, salt]).integers(0, 2**63, x.shape[1], np.uint64) * np.uint64(2) + np.uint64(1)
    total = np.zeros(len(x), np.uint64)
    for column, factor in enumerate(factors):
        cells = np.nan_to_num(x[:, column].astype(np.float32).astype(np.float64) + 0.0, nan=np.pi)
        total = (total ^ (cells.view(np.uint64) * factor)) * np.uint64(0x9E3779B97F4A7C15)
        total ^= total >> np.uint64(29)
    return total >> np.uint64(17)
