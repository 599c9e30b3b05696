"""The stages of a whole fit, from scaled rows to a trained ensemble.

Staged (default): density, then every member's mean on squared error, then its noise networks on residuals of rows
that the mean has not seen. Joint: Algorithm 1 as printed, all networks at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import numpy as np
import pandas as pd

from taylor_sensus.model.density import DensityPerception, DensityPoints, compressed, density_targets
from taylor_sensus.model.network import Parts, TaylorSensusNetwork, Weights
from taylor_sensus.model.networks import MeanNetwork
from taylor_sensus.model.taylor_block import DeepTaylorBlock
from taylor_sensus.settings import Settings
from taylor_sensus.training.batches import (
    Rows,
    Split,
    assign_folds,
    batch_rows,
    bucket,
    fold_numbers,
    held_out_average,
    pad,
    split_rows,
    unseen_mask,
)
from taylor_sensus.training.ensemble import Progress, Trained, run_all, train
from taylor_sensus.training.inference import block_means, kernel_jacobians, squared_jacobians, stack
from taylor_sensus.training.initial import Shape, frequency_scales, new_block, new_mean, new_noise
from taylor_sensus.training.objectives import Knobs, NoiseRows, stage
from taylor_sensus.training.support import (
    FittedKernel,
    Support,
    fit_kernel,
    kernel_doubt,
    kernel_mean,
    kernel_share,
)

Job = tuple[int, Callable[[], tuple[Any, Any]]]
"""A member, and what makes its network and rows when its turn comes (rows may be large)."""


class Table(NamedTuple):
    """A scaled training table: the first `train` rows are for fitting, the rest only score and calibrate."""

    x: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    prior_mean: np.ndarray
    prior_variance: np.ndarray
    train: int


class FittedEnsemble(NamedTuple):
    """A trained ensemble in scaled units."""

    blocks: DeepTaylorBlock
    """All members, stacked along a first axis."""
    densities: DensityPerception
    """One perception for all members (staged), or one each (joint), stacked."""
    support: Support | None
    """The kernel part."""
    fitted_kernel: FittedKernel | None
    unseen: np.ndarray
    """1 where a member has not seen a row, `(members, rows)`."""
    history: pd.DataFrame


def fit_ensemble(
    table: Table, shape: Shape, settings: Settings, seed: int, n_jobs: int | None, progress: Progress | None
) -> FittedEnsemble:
    """Train all members; same seed and machine, same result, whatever `n_jobs`."""
    rng = np.random.default_rng(seed)
    rows = compressed(table.x[: table.train])
    points = density_targets(rows, settings.neighbours, rng)
    size = min(settings.landmarks, bucket(len(rows)))
    perception = DensityPerception.initial(rows, settings.landmarks, rng, size)
    held = assign_folds(table.train, settings.folds, settings.members, rng)
    if settings.training == "joint" and table.train < len(table.x):
        held = [h[:0] for h in held]  # validation rows score the run, and no residuals of unseen rows are needed
    run = _Fit(table, shape, settings, held, rng, n_jobs, progress)
    return (run.joint if settings.training == "joint" else run.staged)(perception, points)


def stage_runs(settings: Settings, rows: int, features: int) -> dict[str, int]:
    """How many runs each stage makes at most, for a progress bar."""
    if settings.training == "joint":
        return {"joint": settings.members}
    tried = len(frequency_scales(rows, features, settings)) if settings.embedding == "periodic" else 1
    pilots = min(settings.pilots, settings.members) * (tried - 1)
    return {"density": 1, "mean": settings.members + pilots, "noise": settings.members}


class _Fit:
    """One fit under way: what all its stages share."""

    def __init__(self, table: Table, shape: Shape, settings: Settings, held, rng, n_jobs, progress) -> None:
        self.table, self.shape, self.settings = table, shape, settings
        self.n_jobs, self.progress = n_jobs, progress
        self.unseen = unseen_mask(held, table.train, len(table.x))
        self.splits = _splits(table, held)
        self.fold = fold_numbers(held, table.train)
        self.run_seeds = rng.integers(0, 2**31, settings.members + 1)
        self.start_seeds = rng.integers(0, 2**63, settings.members)
        self.parts = Parts(
            settings.contrast, settings.loss, settings.combination, settings.density, settings.dropout > 0
        )
        self.padded = bucket(len(table.x))
        self.rows = jax.device_put(
            Rows(
                x=pad(table.x, self.padded),
                y=pad(table.y, self.padded),
                weight=pad(table.weight, self.padded),
                prior_mean=pad(table.prior_mean, self.padded),
                prior_variance=np.tile(table.prior_variance, (self.padded, 1)),
            )
        )

    def joint(self, perception: DensityPerception, points: DensityPoints) -> FittedEnsemble:
        """All networks of a member at once."""
        networks = [
            TaylorSensusNetwork(new_block(self.shape, self.settings, rng, np.log(0.05), np.log(0.5)), perception)
            for rng in self._generators()
        ]
        jobs = [(member, lambda network=network: (network, self.rows)) for member, network in enumerate(networks)]
        trained = self._train_members("joint", jobs, _padded_points(points), self.settings.epochs)
        return FittedEnsemble(
            stack([t.network.block for t in trained]),
            stack([t.network.density for t in trained]),
            None,
            None,
            self.unseen,
            _histories(trained),
        )

    # DIFF(Algorithm 1): in stages. Trained together, the noise can always explain what the mean has not learned yet,
    # and learns from residuals that the mean has fitted; here it learns from rows that the mean has not seen.
    def staged(self, perception: DensityPerception, points: DensityPoints) -> FittedEnsemble:
        """Density, then means, then the noise that the means leave in rows that they have not seen."""
        density = self._train_density(perception, points)
        means = self._train_means()
        mean_nets = [t.network for t in means]
        at_rows = block_means(mean_nets, self.rows.x, self.n_jobs)[:, : len(self.table.x)]
        unseen_mean = held_out_average(at_rows, self.unseen)
        kernel = self._fit_kernel()
        support = None
        doubt = np.zeros_like(self.table.y)
        if kernel is not None:
            support = self._weigh(kernel, at_rows, unseen_mean)
            unseen_mean = (1 - support.share) * unseen_mean + support.share * kernel.unseen_mean
            doubt = np.multiply.outer(kernel.unseen_variance, support.doubt)
        jobs = self._noise_jobs(mean_nets, self.table.y - unseen_mean, support, doubt)
        noises = self._train_members("noise", jobs, None, self.settings.noise_epochs)
        blocks = [DeepTaylorBlock(net, *t.network) for net, t in zip(mean_nets, noises, strict=True)]
        history = _histories([density, *means, *noises])
        return FittedEnsemble(stack(blocks), stack([density.network]), support, kernel, self.unseen, history)

    def _fit_kernel(self) -> FittedKernel | None:
        if not self.settings.kernel or self.table.train > self.settings.kernel_limit:
            return None
        t = self.table
        return fit_kernel(t.x, t.y, t.weight, self.fold, self.settings, int(self.run_seeds[-1]), self.n_jobs)

    def _weigh(self, kernel: FittedKernel, means: np.ndarray, unseen_mean: np.ndarray) -> Support:
        """How much the kernel part is worth beside the networks, on rows that neither has seen."""
        t, judged = self.table, self.unseen.sum(axis=0) > 0
        y, weight, other = t.y[judged].astype(np.float64), t.weight[judged], kernel.unseen_mean[judged]
        share = kernel_share(means[:, judged].astype(np.float64), other, self.unseen[:, judged], y, weight)
        residual = y - (1 - share) * unseen_mean[judged] - share * other
        doubt = kernel_doubt(residual, kernel.unseen_variance[judged], weight)
        return Support(kernel_mean(kernel.stored), share, doubt, kernel.stored)

    def _train_means(self) -> list[Trained]:
        """A few members with each spread of frequencies, then the rest with the spread that served unseen rows best.

        How wiggly a function is cannot be known beforehand, and no single spread suits all tables.
        """
        settings, members = self.settings, range(self.settings.members)
        scales = [0.0]
        if settings.embedding == "periodic":
            scales = frequency_scales(self.table.train, self.shape.features, settings)
        pilots = members[: settings.pilots] if len(scales) > 1 else members[:0]

        def job(member: int, scale: float) -> Job:
            network = new_mean(self.shape, settings, self._generators()[member], scale)
            return member, lambda: (network, self.rows)

        tried = self._train_members("mean", [job(k, s) for s in scales for k in pilots], None, settings.epochs)
        groups = [tried[i * len(pilots) : (i + 1) * len(pilots)] for i in range(len(scales))]
        scores = np.array([sum(t.score for t in group) for group in groups])
        best = int(scores.argmin())
        rest = [job(k, scales[best]) for k in members[len(pilots) :]]
        return groups[best] + self._train_members("mean", rest, None, settings.epochs)

    def _train_density(self, perception: DensityPerception, points: DensityPoints) -> Trained:
        padded = _padded_points(points)
        count = len(padded.x)
        split = split_rows(np.arange(count), np.arange(1), np.ones(count), count, 16)
        knobs = self._knobs(self.settings.density_steps, rate=0.05, decay=0.0)
        return train(
            perception, padded, None, split, knobs, self.run_seeds[-1], stage=stage("density", self.parts),
            batch_size=batch_rows(256, count), checks=self.settings.checks, progress=self.progress,
        )  # fmt: skip

    def _noise_jobs(
        self, mean_nets: list[MeanNetwork], residual: np.ndarray, support: Support | None, doubt: np.ndarray
    ) -> list[Job]:
        """Noise networks start at the overall residual variance beyond doubt, half of it through the features."""
        overall = np.average(residual**2, axis=0, weights=self.table.weight)
        beyond = overall - np.average(doubt, axis=0, weights=self.table.weight)
        overall = np.maximum(np.maximum(beyond, 0.1 * overall), 1e-8)
        padded, padded_doubt = (pad(a.astype(np.float32), self.padded) for a in (residual, doubt))
        share = np.zeros(self.shape.targets, np.float32)
        beside = np.zeros((self.padded, self.shape.targets, self.shape.features), np.float32)
        if support is not None:
            share = support.share.astype(np.float32)
            beside = kernel_jacobians(support.kernel, np.asarray(self.rows.x), self.n_jobs)

        def make(net: MeanNetwork, rng: np.random.Generator) -> tuple[Any, NoiseRows]:
            squared = squared_jacobians(net, share, beside, self.rows.x)
            sensitivity = max(float(np.asarray(squared)[: len(residual)].sum(axis=2).mean()), 1e-6)
            level = np.full(self.shape.features, np.clip(np.log(0.5 * overall.mean() / sensitivity), -12, 0))
            networks = new_noise(self.shape, self.settings, rng, level, np.log(0.5 * overall))
            return networks, NoiseRows(self.rows.x, padded, squared, padded_doubt, self.rows.weight)

        pairs = zip(mean_nets, self._generators(1), strict=True)
        return [(member, lambda pair=pair: make(*pair)) for member, pair in enumerate(pairs)]

    def _train_members(self, name: str, jobs: list[Job], points: Any, epochs: int) -> list[Trained]:
        settings = self.settings
        batch = batch_rows(settings.batch_size, self.padded)
        rate = settings.noise_learning_rate if name == "noise" else settings.learning_rate

        def run(member: int, make: Callable[[], tuple[Any, Any]]) -> Trained:
            network, rows = make()
            split = self.splits[member]
            wanted = round(epochs * int(split.fit_count) / batch)
            steps = max(settings.checks, min(wanted, settings.most_steps))
            return train(
                network, rows, points, split, self._knobs(steps, rate, settings.weight_decay),
                self.run_seeds[member], stage=stage(name, self.parts), batch_size=batch, checks=settings.checks,
                member=member, progress=self.progress,
            )  # fmt: skip

        return run_all([lambda job=job: run(*job) for job in jobs], self.n_jobs)

    def _knobs(self, steps: int, rate: float, decay: float) -> Knobs:
        s = self.settings
        return Knobs(
            learning_rate=rate, weight_decay=decay, warmup=max(s.warmup, 1e-6), dropout=s.dropout, steps=steps,
            steps_per_check=-(-steps // s.checks), patience=max(1, int(np.ceil(s.patience * steps))),
            weights=Weights(s.contrast_weight, s.contrast_mean, s.contrast_spread, s.contrast_noise,
                            s.density_weight, s.log_weight, s.beta),
        )  # fmt: skip

    def _generators(self, purpose: int = 0) -> list[np.random.Generator]:
        return [np.random.default_rng([purpose, seed]) for seed in self.start_seeds]


def _splits(table: Table, held: list[np.ndarray]) -> list[Split]:
    validation = np.arange(table.train, len(table.x))
    rows = np.arange(table.train)
    scored = [validation if len(validation) else h for h in held]
    held_padded = bucket(max(len(s) for s in scored))
    return [
        split_rows(np.setdiff1d(rows, h), s, table.weight, bucket(len(table.x)), held_padded)
        for h, s in zip(held, scored, strict=True)
    ]


def _padded_points(points: DensityPoints) -> DensityPoints:
    """Points repeated up to a padded size, so that similar tables share a program."""
    chosen = np.resize(np.arange(len(points.x)), bucket(len(points.x)))
    return DensityPoints(points.x[chosen].astype(np.float32), points.log_density[chosen].astype(np.float32))


def _histories(runs: list[Trained]) -> pd.DataFrame:
    return pd.concat([t.history for t in runs], ignore_index=True)
