"""Stage means on a table larger than memory: every batch comes from a pool of rows that is drawn from its files.

All other stages look at some rows of a large table anyway; here these are a random sample. Folds go by a hash of the
inputs, so that a row of the sample that a member must not see never reaches it from the files, nor do its copies.
The files are dealt into shards, each with a pool of its own: several processes can train together, each on its shards,
and the batches are the same however many they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from taylor_sensus.fit.padding import TrainingRows
from taylor_sensus.fit.steps import WINDOW
from taylor_sensus.model.imputation import Imputer
from taylor_sensus.model.scaling import Scaler
from taylor_sensus.model.shapes import Bool, Float, Int, Num, UInt
from taylor_sensus.rows import blocks, take

if TYPE_CHECKING:
    from taylor_sensus.fit.processes import Processes


class Pool(NamedTuple):
    """Encoded rows, in the user's units or scaled."""

    x: Num[np.ndarray, "rows features"]
    y: Float[np.ndarray, "rows targets"]


@runtime_checkable
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

    @property
    def shards(self) -> Sequence[int]:
        """Rows of each shard; 0 where it has none."""
        ...

    def pool_rows(self, shard: int) -> int:
        """Rows that are drawn at once from a shard, about."""
        ...

    def draw(self, shard: int, rng: np.random.Generator) -> Pool:
        """Some random rows of a shard; all of them if the table is small."""
        ...


@dataclass(frozen=True)
class StreamedRows:
    """The rows that means are trained on, scaled, and dealt into folds."""

    source: RowSource
    scaler: Scaler
    imputer: Imputer
    folds: int
    salt: int
    processes: Processes | None = None
    """Who trains together; None: this process alone."""

    @property
    def fit_rows(self) -> int:
        """Rows that a member sees, about."""
        return max(1, self.source.rows - self.source.rows // self.folds)

    def held(self, x: Num[np.ndarray, "rows features"], members: int) -> list[Int[np.ndarray, " _"]]:
        """For each member the places of the rows that it does not see."""
        return [np.flatnonzero(self._is_held(x, member)) for member in range(members)]

    def _is_held(self, x: Num[np.ndarray, "rows features"], member: int) -> Bool[np.ndarray, " rows"]:
        deal, fold = divmod(member, self.folds)
        return hashed(x, self.salt + deal) % self.folds == fold

    def feed(self, member: int, seed: int, batch_size: int, steps: int) -> StreamedFeed:
        """The batches of one run."""
        return StreamedFeed(self, member, seed, dealt(self.source.shards, batch_size, steps))

    def pool(self, shard: int, member: int, rng: np.random.Generator) -> Pool:
        """Rows that the member may see, scaled and without gaps."""
        raw = self.source.draw(shard, rng)
        seen = np.flatnonzero(~self._is_held(raw.x, member))
        x = np.empty((len(seen), raw.x.shape[1]), np.float32)
        for block in blocks(len(seen)):
            x[block] = self.imputer(self.scaler.features(take(raw.x, seen[block])))[0]
        return Pool(x, self.scaler.targets(raw.y[seen]).astype(np.float32))


class StreamedFeed:
    """The batches of one run, or this process' part of them: any window of steps can be asked for.

    A batch has rows of every shard, so that it is the same whoever reads which shard. Rows of weight zero fill up what
    a process has less than another.
    """

    def __init__(self, stream: StreamedRows, member: int, seed: int, counts: Int[np.ndarray, "steps shards"]) -> None:
        """`counts` are the rows that each step takes of each shard."""
        self.processes = stream.processes
        rank, size = (0, 1) if self.processes is None else (self.processes.rank, self.processes.count)
        shards = range(rank, counts.shape[1], size)
        self.counts = counts[:, shards]
        self.room = max(1, max(int(counts[:, first::size].sum(axis=1).max()) for first in range(size)))
        """Rows of a step in each process, padding included."""
        self.before = np.concatenate([np.zeros_like(self.counts[:1]), np.cumsum(self.counts, axis=0)])
        self.shards = [ShardRows(stream, shard, member, seed) for shard in shards]
        self.shape = len(stream.scaler.center), len(stream.scaler.target_center)

    def __call__(self, first: int, count: int, columns: int | None) -> TrainingRows:
        """The batches of `count` steps from `first` on, padded to `WINDOW` steps and to the columns of the program."""
        features, targets = self.shape
        x, y = np.zeros((WINDOW * self.room, features), np.float32), np.zeros((WINDOW * self.room, targets), np.float32)
        weight = np.zeros(WINDOW * self.room, np.float32)
        counts = self.counts[first : first + count]
        starts = np.arange(len(counts))[:, None] * self.room + np.cumsum(counts, axis=1) - counts
        for place, shard in enumerate(self.shards):
            its, wanted = counts[:, place], int(counts[:, place].sum())
            within = np.arange(wanted) - np.repeat(np.cumsum(its) - its, its)
            slots = np.repeat(starts[:, place], its) + within
            done = 0
            for rows in shard.rows(int(self.before[first, place]), wanted):
                here = slots[done : done + len(rows.x)]
                x[here], y[here], weight[here] = rows.x, rows.y, 1.0
                done += len(rows.x)
        parts = (x, y, weight, np.zeros_like(y), np.ones_like(y))
        of_steps: list[Any] = [part.reshape(WINDOW, self.room, *part.shape[1:]) for part in parts]
        rows = TrainingRows(*of_steps)
        return rows if columns is None else rows.widened(columns)


class ShardRows:
    """The rows of one shard in a random order that depends on nothing but the seed, a pool at a time."""

    def __init__(self, stream: StreamedRows, shard: int, member: int, seed: int) -> None:
        self.stream, self.shard, self.member, self.seed = stream, shard, member, seed
        self.turn = max(1, stream.source.pool_rows(shard) * (stream.folds - 1) // stream.folds)
        """Rows that are taken from a pool before the next one is drawn."""
        self.number, self.pool, self.passed, self.order = (
            -1,
            Pool(np.empty((0, 0)), np.empty((0, 0))),
            -1,
            np.empty(0, np.int64),
        )

    def rows(self, first: int, count: int) -> Iterator[Pool]:
        """`count` rows from the place `first` on, in pieces; none from a pool without rows."""
        whole = self.stream.source.is_whole
        while count:
            number, place = (0, first) if whole else divmod(first, self.turn)
            self._draw(number)
            size = len(self.pool.x)
            if not size:
                return
            passed, place = divmod(place, size)
            self._shuffle(passed)
            most = size - place if whole else min(size - place, self.turn - first % self.turn)
            picks = self.order[place : place + min(count, most)]
            yield Pool(self.pool.x[picks], self.pool.y[picks])
            first, count = first + len(picks), count - len(picks)

    def _draw(self, number: int) -> None:
        if number != self.number:
            rng = np.random.default_rng([7, self.seed, self.shard, number])
            self.pool = self.stream.pool(self.shard, self.member, rng)
            self.number, self.passed = number, -1

    def _shuffle(self, passed: int) -> None:
        if passed != self.passed:
            seeds = [8, self.seed, self.shard, self.number, passed]
            self.order, self.passed = np.random.default_rng(seeds).permutation(len(self.pool.x)), passed


GOLDEN = (np.sqrt(5) - 1) / 2


def dealt(sizes: Sequence[int], batch_size: int, steps: int) -> Int[np.ndarray, "{steps} shards"]:
    """How many rows each step takes of each shard: as large shares as the shards have of all rows.

    What is left after whole numbers is dealt evenly over the steps. Every step has `batch_size` rows in all.
    """
    edges = np.cumsum([0, *sizes]) / max(sum(sizes), 1) * batch_size
    below = np.ceil(np.round(edges, 9) - (np.arange(steps) * GOLDEN % 1)[:, None])
    below[:, -1] = batch_size
    return np.diff(np.clip(below, 0, batch_size), axis=1).astype(np.int64)


def hashed(x: Num[np.ndarray, "rows features"], salt: int) -> UInt[np.ndarray, " rows"]:
    """A random number for each different row of inputs, the same wherever the row stands."""
    factors = np.random.default_rng([11, salt]).integers(0, 2**63, x.shape[1], np.uint64) * np.uint64(2) + np.uint64(1)
    total = np.zeros(len(x), np.uint64)
    for column, factor in enumerate(factors):
        cells = np.nan_to_num(x[:, column].astype(np.float32).astype(np.float64) + 0.0, nan=np.pi)
        total = (total ^ (cells.view(np.uint64) * factor)) * np.uint64(0x9E3779B97F4A7C15)
        total ^= total >> np.uint64(29)
    return total >> np.uint64(17)
