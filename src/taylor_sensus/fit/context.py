"""What all stages of a fit share: rows on the device, who sees which of them, and how members are trained."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import numpy as np

from taylor_sensus.fit.declared_errors import InputErrors, trust
from taylor_sensus.fit.initial import Shape
from taylor_sensus.fit.members import Trained, run_all, train
from taylor_sensus.fit.objectives import Knobs, stage
from taylor_sensus.fit.padding import LARGE, MemberSplits, Rows, batch_rows, bucket, pad, unseen_mask
from taylor_sensus.fit.records import Chosen, Table
from taylor_sensus.model.network import Parts, Weights
from taylor_sensus.rows import spread
from taylor_sensus.settings import Settings

Job = tuple[int, Callable[[], tuple[Any, Any]]]
"""A member, and what makes its network and rows when its turn comes (rows may be large)."""


class FewRows(NamedTuple):
    """Rows from which noise is learned: all, or some of a large table. `x` and `weight` are padded."""

    rows: np.ndarray
    table: Table
    x: Any
    weight: Any
    unseen: np.ndarray


class Run:
    """A fit under way: the table on the device, who sees which rows, and how members are trained."""

    def __init__(
        self, table: Table, shape: Shape, settings: Settings, held, rng, n_jobs, progress, chosen: Chosen | None = None
    ) -> None:
        self.table, self.shape, self.settings = table, shape, settings
        self.n_jobs, self.progress, self.chosen = n_jobs, progress, chosen
        self.held, self.unseen = held, unseen_mask(held, table.train, len(table.x))
        self.run_seeds = rng.integers(0, 2**31, settings.members + 1)
        self.start_seeds = rng.integers(0, 2**63, settings.members)
        contrast = "off" if settings.contrast == "auto" else settings.contrast
        self.parts = Parts(contrast, settings.loss, settings.combination, settings.density, settings.dropout > 0)
        self.padded = bucket(len(table.x))
        self.rows = jax.device_put(
            Rows(
                x=pad(table.x, self.padded),
                y=pad(table.y, self.padded),
                weight=pad(table.weight, self.padded),
                prior_mean=pad(table.prior_mean, self.padded),
                prior_variance=np.tile(table.prior_variance, (self.padded, 1)),
                **self._known_rows(),
            )
        )
        self.trust = table.weight
        """Weights of the rows for the means, which count exact rows more than doubtful ones."""

    def _known_rows(self) -> dict[str, Any]:
        errors = self.table.errors
        if errors is None or self.settings.training != "joint":
            return {}  # in stages, what is known enters where the noise is learned
        inputs = InputErrors(*[pad(part, self.padded) for part in errors.inputs()])
        return {"errors": inputs, "target_error": pad(errors.target, self.padded)}

    def trust_rows(self, noise: float, known: np.ndarray, belief: np.ndarray | float = 1.0) -> None:
        """From now on the means count each row as far as its noise and the others say that it can be trusted."""
        self.trust = trust(self.table.weight, (noise + known) / belief, self.table.train)
        self.rows = self.rows._replace(weight=jax.device_put(pad(self.trust, self.padded)))

    def few(self) -> FewRows:
        """Noise networks are small: of a large table, some rows are enough for them."""
        rows = spread(np.arange(len(self.table.x)), LARGE)
        if len(rows) == len(self.table.x):
            return FewRows(rows, self.table, self.rows.x, self.rows.weight, self.unseen)
        table = self.table.some(rows)
        x, weight = jax.device_put((table.x, table.weight))
        return FewRows(rows, table, x, weight, self.unseen[:, rows])

    def train_members(
        self, name: str, jobs: list[Job], splits: MemberSplits, points: Any, epochs: int, parts: Parts | None = None
    ) -> list[Trained]:
        """One run of a stage for each job, several at a time."""
        settings, parts = self.settings, parts or self.parts
        batch = batch_rows(settings.batch_size, splits.padded)
        rate = settings.noise_learning_rate if name == "noise" else settings.learning_rate

        def run(member: int, make: Callable[[], tuple[Any, Any]]) -> Trained:
            network, rows = make()
            split = splits[member]
            wanted = round(epochs * int(split.fit_count) / batch)
            steps = max(settings.checks, min(wanted, settings.most_steps))
            return train(
                network, rows, points, split, self.knobs(steps, rate, settings.weight_decay),
                self.run_seeds[member], stage=stage(name, parts), batch_size=batch, checks=settings.checks,
                member=member, progress=self.progress,
            )  # fmt: skip

        return run_all([lambda job=job: run(*job) for job in jobs], self.n_jobs)

    def knobs(self, steps: int, rate: float, decay: float) -> Knobs:
        """The numbers of one run that are no part of its compiled program."""
        s = self.settings
        return Knobs(
            learning_rate=rate, weight_decay=decay, warmup=max(s.warmup, 1e-6), dropout=s.dropout, steps=steps,
            steps_per_check=-(-steps // s.checks), patience=max(1, int(np.ceil(s.patience * steps))),
            weights=Weights(s.contrast_weight, s.contrast_mean, s.contrast_spread, s.contrast_noise,
                            s.density_weight, s.log_weight, s.beta),
        )  # fmt: skip

    def generators(self, purpose: int = 0) -> list[np.random.Generator]:
        """One for each member; those of another purpose draw other numbers."""
        return [np.random.default_rng([purpose, seed]) for seed in self.start_seeds]
