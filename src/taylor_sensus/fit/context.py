"""What all stages of a fit share, fixed from its start: the table, who sees which rows, seeds and settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import numpy as np

from taylor_sensus.fit.initial import Shape
from taylor_sensus.fit.members import Progress
from taylor_sensus.fit.objectives import RunOptions
from taylor_sensus.fit.padding import LARGE, TrainingRows, bucket, pad, unseen_mask
from taylor_sensus.fit.records import Chosen, Table
from taylor_sensus.model.declared_errors import InputErrors
from taylor_sensus.model.network import Variant, Weights
from taylor_sensus.rows import spread
from taylor_sensus.settings import Settings


@dataclass(frozen=True)
class FitContext:
    """A fit under way. Nothing here changes half-way: what a stage finds is passed on to the next."""

    table: Table
    shape: Shape
    settings: Settings
    held: tuple[np.ndarray, ...]
    """Rows that each member does not see."""
    unseen: np.ndarray
    """True where a member does not see a row, `(members, rows)`."""
    run_seeds: np.ndarray
    start_seeds: np.ndarray
    n_jobs: int | None
    progress: Progress | None
    chosen: Chosen | None
    """What an earlier fit of the same table has chosen."""

    @classmethod
    def new(
        cls, table: Table, shape: Shape, settings: Settings, held: list[np.ndarray], rng: np.random.Generator,
        n_jobs: int | None, progress: Progress | None, chosen: Chosen | None,
    ) -> FitContext:  # fmt: skip
        """With seeds drawn from `rng`."""
        run_seeds = rng.integers(0, 2**31, settings.members + 1)
        start_seeds = rng.integers(0, 2**63, settings.members)
        unseen = unseen_mask(held, table.train, len(table.x))
        return cls(table, shape, settings, tuple(held), unseen, run_seeds, start_seeds, n_jobs, progress, chosen)

    @property
    def padded(self) -> int:
        """Rows of the table on the device."""
        return bucket(len(self.table.x))

    def variant(self, contrast: str | None = None) -> Variant:
        """Which variants of the parts are used; contrast as in the settings unless told."""
        s = self.settings
        return Variant(contrast or s.contrast, s.loss, s.combination, s.density, s.dropout > 0)

    def rows(self, weight: np.ndarray) -> TrainingRows:
        """All rows on the device, padded, with these weights."""
        table, size = self.table, self.padded
        declared: dict[str, Any] = {}
        if table.errors is not None and self.settings.training == "joint":
            # In stages, what is declared enters where the noise is learned.
            inputs = InputErrors(*[pad(part, size) for part in table.errors.inputs()])
            declared = {"errors": inputs, "target_error": pad(table.errors.target, size)}
        return jax.device_put(
            TrainingRows(
                x=pad(table.x, size),
                y=pad(table.y, size),
                weight=pad(weight, size),
                prior_mean=pad(table.prior_mean, size),
                prior_variance=np.tile(table.prior_variance, (size, 1)),
                **declared,
            )
        )

    def noise_table(self) -> NoiseTable:
        """Noise networks are small: of a large table, some rows are enough for them."""
        rows = spread(np.arange(len(self.table.x)), LARGE)
        table = self.table if len(rows) == len(self.table.x) else self.table.take(rows)
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

    rows: np.ndarray
    table: Table
    unseen: np.ndarray
    """(members, rows)"""

    @property
    def judged(self) -> np.ndarray:
        """Rows that some member has not seen."""
        return np.asarray(self.unseen.any(axis=0))
