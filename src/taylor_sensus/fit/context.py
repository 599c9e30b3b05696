"""What all stages of a fit share, fixed from its start: the table, who sees which rows, seeds and settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from taylor_sensus.fit.checkpoint import Checkpoints
from taylor_sensus.fit.initial import Shape
from taylor_sensus.fit.members import Progress
from taylor_sensus.fit.objectives import RunOptions
from taylor_sensus.fit.padding import LARGE, TrainingRows, unseen_mask
from taylor_sensus.fit.records import Chosen, FoundProcess, Table
from taylor_sensus.fit.robust import LITTLE, NOTHING
from taylor_sensus.fit.stream import StreamedRows
from taylor_sensus.fit.tasks import Workers
from taylor_sensus.model.network import Variant, Weights
from taylor_sensus.model.shapes import Bool, Float, Int
from taylor_sensus.rows import spread
from taylor_sensus.settings import Settings

if TYPE_CHECKING:
    from taylor_sensus.fit.processes import Processes


@dataclass(frozen=True)
class FitContext:
    """A fit under way. Nothing here changes half-way: what a stage finds is passed on to the next."""

    table: Table
    shape: Shape
    settings: Settings
    held: tuple[Int[np.ndarray, " _"], ...]
    """Rows that each member does not see."""
    fold: Int[np.ndarray, " train"]
    """Which part of the training rows each belongs to, for what is not a member: the process."""
    unseen: Bool[np.ndarray, "members rows"]
    """True where a member does not see a row."""
    run_seeds: Int[np.ndarray, " runs"]
    start_seeds: Int[np.ndarray, " members"]
    n_jobs: int | None
    progress: Progress | None
    chosen: Chosen | None
    """What an earlier fit of the same table has chosen."""
    stream: StreamedRows | None = None
    """Where the means get their rows from, if the table is only a sample."""
    workers: Workers | None = None
    """Who trains the members; None: this process."""
    kept: Checkpoints | None = None
    """Where runs write checkpoints, and find those of an earlier attempt."""

    @property
    def processes(self) -> Processes | None:
        """Who trains the means together; None: this process alone."""
        return None if self.stream is None else self.stream.processes

    def __getstate__(self) -> dict[str, Any]:
        """What travels to a worker, which trains one member in one thread and tells nobody."""
        return {**self.__dict__, "n_jobs": 1, "progress": None, "workers": None}

    @classmethod
    def new(
        cls,
        table: Table,
        shape: Shape,
        settings: Settings,
        held: list[Int[np.ndarray, " _"]],
        fold: Int[np.ndarray, " train"],
        rng: np.random.Generator,
        n_jobs: int | None,
        progress: Progress | None,
        chosen: Chosen | None,
    ) -> FitContext:
        """With seeds drawn from `rng`, and settings for so many rows."""
        settings = settings.of_rows(table.train)
        run_seeds = rng.integers(0, 2**31, settings.members + 1)
        start_seeds = rng.integers(0, 2**63, settings.members)
        unseen = unseen_mask(held, table.train, len(table.x))
        return cls(table, shape, settings, tuple(held), fold, unseen, run_seeds, start_seeds, n_jobs, progress, chosen)

    def variant(self, contrast: str | None = None) -> Variant:
        """Which variants of the parts are used; contrast as in the settings by default."""
        s = self.settings
        return Variant(contrast or s.contrast, s.loss, s.combination, s.density, s.dropout > 0)

    def rows(self, weight: Float[np.ndarray, " rows"]) -> TrainingRows:
        """All rows, with these weights."""
        table = self.table
        declared: dict[str, Any] = {}
        if table.errors is not None and self.settings.training == "joint":
            # In stages, what is declared enters where the noise is learned.
            declared = {"errors": table.errors.inputs(), "target_error": table.errors.target}
        return TrainingRows(
            x=table.x,
            y=table.y,
            weight=weight,
            prior_mean=table.prior_mean,
            prior_variance=np.broadcast_to(table.prior_variance, table.y.shape),
            **declared,
        )

    def noise_table(self, found: FoundProcess | None) -> NoiseTable:
        """Noise networks are small: of a large table, some rows are enough for them. Outliers are left out."""
        rows = spread(np.arange(len(self.table.x)), LARGE)
        table = self.table if len(rows) == len(self.table.x) else self.table.take(rows)
        if found is not None:
            is_outlier = (found.robust_weights[rows] < LITTLE) | ~table.measured
            table = table._replace(weight=np.where(is_outlier, np.float32(NOTHING), table.weight))
        return NoiseTable(rows, table, self.unseen[:, rows])

    def options(self, steps: int, rate: float, decay: float) -> RunOptions:
        """The numbers of one run that are no part of its compiled program."""
        s = self.settings
        return RunOptions(
            learning_rate=rate, weight_decay=decay, warmup=max(s.warmup, 1e-6), dropout=s.dropout, steps=steps,
            steps_per_check=-(-steps // s.checks), patience=max(1, int(np.ceil(s.patience * steps))),
            weights=Weights(s.contrast_weight, s.contrast_mean, s.contrast_spread, s.contrast_noise,
                            s.density_weight, s.log_weight, s.beta),
        )  # fmt: skip

    def generators(self, purpose: int = 0) -> list[np.random.Generator]:
        """One for each member; those of another purpose draw other numbers."""
        return [np.random.default_rng([purpose, seed]) for seed in self.start_seeds]


class NoiseTable(NamedTuple):
    """Rows from which noise is learned and shares are weighed: all, or some of a large table."""

    rows: Int[np.ndarray, " rows"]
    table: Table
    unseen: Bool[np.ndarray, "members rows"]

    @property
    def is_held_out(self) -> Bool[np.ndarray, " rows"]:
        """Rows that some member has not seen."""
        return np.asarray(self.unseen.any(axis=0))
