"""The stages of a whole fit, from scaled rows to a trained ensemble.

Staged (default): density, then every member's mean on squared error, then its noise networks on residuals of rows
that the mean has not seen. Joint: Algorithm 1 as printed, all networks at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from taylor_sensus.fit.context import FewRows, Job, Run
from taylor_sensus.fit.inference import block_means, kernel_jacobians, squared_jacobians, stack
from taylor_sensus.fit.initial import Shape, frequency_scales, new_block, new_mean, new_noise
from taylor_sensus.fit.members import Progress, Trained, train
from taylor_sensus.fit.noise import flattest
from taylor_sensus.fit.objectives import NoiseRows, stage
from taylor_sensus.fit.padding import (
    MemberSplits,
    assign_folds,
    batch_rows,
    bucket,
    fold_numbers,
    held_out_average,
    pad,
    split_rows,
)
from taylor_sensus.fit.process import (
    FittedKernel,
    Support,
    fit_kernel,
    imputed_scale,
    kernel_doubt,
    kernel_mean,
    kernel_share,
    refit_kernel,
    white_noise,
)
from taylor_sensus.fit.records import Chosen, FittedEnsemble, Table
from taylor_sensus.fit.scales import stopping_optimism
from taylor_sensus.model.density import DensityPerception, DensityPoints, compressed, density_targets, thinned
from taylor_sensus.model.network import Parts, TaylorSensusNetwork
from taylor_sensus.model.networks import MeanNetwork
from taylor_sensus.model.taylor_block import DeepTaylorBlock
from taylor_sensus.settings import Settings

CLEARLY = 0.95
"""Contrast stays only if it lowers the pilots' squared error by a twentieth: averaging members smooths as well, so a
small gain of single networks is none of the ensemble."""
SLOPE_PASSES = 3
"""How often the kernel part is fitted again with the slopes of the fit before, where features have declared errors."""


def fit_ensemble(
    table: Table, shape: Shape, settings: Settings, seed: int, n_jobs: int | None, progress: Progress | None,
    chosen: Chosen | None = None,
) -> FittedEnsemble:  # fmt: skip
    """Train all members; same seed and machine, same result, whatever `n_jobs`. What is `chosen` is not tried again."""
    rng = np.random.default_rng(seed)
    rows = compressed(thinned(table.x[: table.train], rng))
    points = density_targets(rows, settings.neighbours, rng)
    size = min(settings.landmarks, bucket(len(rows)))
    perception = DensityPerception.initial(rows, settings.landmarks, rng, size)
    held = assign_folds(table.train, settings.folds, settings.members, rng)
    if settings.training == "joint" and table.train < len(table.x):
        held = [h[:0] for h in held]  # validation rows score the run, and no residuals of unseen rows are needed
    run = _Fit(table, shape, settings, held, rng, n_jobs, progress, chosen)
    return (run.joint if settings.training == "joint" else run.staged)(perception, points)


def stage_runs(settings: Settings, rows: int, features: int) -> dict[str, int]:
    """How many runs each stage makes at most, for a progress bar."""
    if settings.training == "joint":
        return {"joint": settings.members}
    tried = len(frequency_scales(rows, features, settings)) if settings.embedding == "periodic" else 1
    pilots = min(settings.pilots, settings.members) * (tried - 1 + (settings.contrast == "auto"))
    return {"density": 1, "mean": settings.members + pilots, "noise": settings.members}


class _Fit(Run):
    """One fit under way, stage by stage."""

    def joint(self, perception: DensityPerception, points: DensityPoints) -> FittedEnsemble:
        """All networks of a member at once."""
        networks = [
            TaylorSensusNetwork(new_block(self.shape, self.settings, rng, np.log(0.05), np.log(0.5)), perception)
            for rng in self.generators()
        ]
        jobs = [(member, lambda network=network: (network, self.rows)) for member, network in enumerate(networks)]
        splits = MemberSplits(self.unseen, self.table.train, self.table.weight)
        trained = self.train_members("joint", jobs, splits, _padded_points(points), self.settings.epochs)
        return FittedEnsemble(
            stack([t.network.block for t in trained]),
            stack([t.network.density for t in trained]),
            None,
            None,
            self.unseen,
            _histories(trained),
            Chosen(0.0, self.settings.contrast, None),
        )

    # DIFF(Algorithm 1): in stages. Trained together, the noise can always explain what the mean has not learned yet,
    # and learns from residuals that the mean has fitted; here it learns from rows that the mean has not seen.
    def staged(self, perception: DensityPerception, points: DensityPoints) -> FittedEnsemble:
        """Density, then means, then the noise that the means leave in rows that they have not seen."""
        density = self._train_density(perception, points)
        few = self.few()
        kernel = self._fit_kernel()
        means, frequency_scale, contrast = self._train_means(few)
        mean_nets = [t.network for t in means]
        at_rows = block_means(mean_nets, few.x, self.n_jobs)[:, : len(few.rows)]
        unseen_mean = held_out_average(at_rows, few.unseen)
        optimism = 1.0
        if self.settings.stopping_bias and self.table.train == len(
            self.table.x
        ):  # no validation rows: the held-out folds chose when to stop
            optimism = stopping_optimism([t.history["validation"].to_numpy() for t in means])
        support, scale = None, 1.0
        doubt = np.zeros_like(few.table.y)
        if kernel is not None:
            here = kernel.some(few.rows)
            support, scale = self._weigh(here, few, mean_nets, at_rows, unseen_mean, optimism)
            unseen_mean = (1 - support.share) * unseen_mean + support.share * here.unseen_mean
            doubt = np.multiply.outer(here.unseen_variance, support.doubt)
        jobs = self._noise_jobs(mean_nets, few, few.table.y - unseen_mean, support, doubt, scale)
        splits = MemberSplits(few.unseen, few.table.train, few.table.weight)
        noises = self.train_members("noise", jobs, splits, None, self.settings.noise_epochs)
        of_member = (make()[1] for _, make in jobs)
        noise_nets = flattest([t.network for t in noises], of_member, few.unseen, few.table.weight)
        blocks = [DeepTaylorBlock(net, *pair) for net, pair in zip(mean_nets, noise_nets, strict=True)]
        history = _histories([density, *means, *noises])
        chosen = Chosen(frequency_scale, contrast, None if support is None else support.stored)
        return FittedEnsemble(
            stack(blocks), stack([density.network]), support, kernel, self.unseen, history, chosen, optimism, scale
        )

    def _fit_kernel(self) -> FittedKernel | None:
        """The kernel part, and with it how far each row is to be trusted."""
        t, errors = self.table, self.table.errors
        known = np.zeros(len(t.x)) if errors is None else errors.target.mean(axis=1, dtype=np.float64)
        if not self.settings.kernel or t.train > self.settings.kernel_limit:
            if errors is not None and known.any():
                spread = np.average((t.y - t.prior_mean) ** 2, axis=0, weights=t.weight).mean()
                self.trust_rows(max(spread - np.average(known, weights=t.weight), 0.1 * spread), known)
            return None
        fold, seed = fold_numbers(self.held, t.train), int(self.run_seeds[-1])
        if self.chosen is not None and self.chosen.kernel is not None:
            kernel = refit_kernel(self.chosen.kernel, t.x, t.y, t.weight, known, fold, self.settings, seed)
        else:
            kernel = fit_kernel(t.x, t.y, t.weight, known, fold, self.settings, seed, self.n_jobs)
        if errors is not None and errors.inputs().variance.any():
            # The features' errors reach the target through the slope, which is only known once there is a fit.
            for _ in range(SLOPE_PASSES):
                squared = kernel_jacobians(kernel_mean(kernel.stored), t.x, self.n_jobs).astype(np.float64) ** 2
                known = errors.at_targets(squared).mean(axis=1)
                kernel = refit_kernel(kernel.stored, t.x, t.y, t.weight, known, fold, self.settings, seed)
        if errors is not None or (kernel.belief != 1).any():
            self.trust_rows(white_noise(kernel), known, kernel.belief)
        return kernel

    def _weigh(
        self, kernel: FittedKernel, few: FewRows, mean_nets: list[MeanNetwork], means: np.ndarray,
        unseen_mean: np.ndarray, optimism: float,
    ) -> tuple[Support, float]:  # fmt: skip
        """How much the kernel part is worth beside the networks, and filled gaps, on rows that none has seen."""
        t, judged = few.table, few.unseen.sum(axis=0) > 0
        y, weight, other = t.y[judged].astype(np.float64), t.weight[judged], kernel.unseen_mean[judged]
        trusted = self.trust[few.rows][judged]
        share = kernel_share(means[:, judged].astype(np.float64), other, few.unseen[:, judged], y, trusted, optimism)
        residual = y - (1 - share) * unseen_mean[judged] - share * other
        support = Support(kernel_mean(kernel.stored), share, np.zeros_like(share), kernel.stored)
        known, scale = np.zeros_like(y), 1.0
        if t.errors is not None:
            slopes = self._beside(support, few)
            squared = np.mean([squared_jacobians(n, slopes[0], slopes[1], few.x) for n in mean_nets], axis=0)
            told, squared = t.errors.some(np.flatnonzero(judged)), squared[: len(judged)][judged]
            if told.imputed.any():
                gaps = np.einsum("rtf,rf->rt", squared, told.imputed)
                scale = imputed_scale(residual, gaps, weight, told.at_targets(squared, 0.0))
            known = told.at_targets(squared, scale)
        doubt = np.ones_like(share)
        if self.settings.process_factor:
            doubt = kernel_doubt(residual, kernel.unseen_variance[judged], weight, known)
        return support._replace(doubt=doubt), scale

    def _beside(self, support: Support | None, few: FewRows) -> tuple[np.ndarray, np.ndarray]:
        """The kernel part's share of each target, and its slopes at the rows."""
        if support is None:
            nothing = np.broadcast_to(np.float32(0), (len(few.x), self.shape.targets, self.shape.features))
            return np.zeros(self.shape.targets, np.float32), nothing
        return support.share.astype(np.float32), kernel_jacobians(support.kernel, np.asarray(few.x), self.n_jobs)

    def _train_means(self, few: FewRows) -> tuple[list[Trained], float, str]:
        """A few members with each spread of frequencies, then with contrast; the rest as served unseen rows best.

        How wiggly a function is cannot be known beforehand, and neither one spread nor contrast suits all tables.
        """
        settings, members = self.settings, range(self.settings.members)
        scales = [0.0]
        if self.chosen is not None:
            scales = [self.chosen.frequency_scale]
        elif settings.embedding == "periodic":
            scales = frequency_scales(self.table.train, self.shape.features, settings)
        undecided = self.chosen is None and (len(scales) > 1 or settings.contrast == "auto")
        pilots = members[: settings.pilots] if undecided else members[:0]
        splits = MemberSplits(self.unseen, self.table.train, self.trust)

        def trained(some: list[tuple[int, float]], parts: Parts) -> list[Trained]:
            nets = [new_mean(self.shape, settings, self.generators()[member], scale) for member, scale in some]
            jobs = [(member, lambda net=net: (net, self.rows)) for (member, _), net in zip(some, nets, strict=True)]
            return self.train_members("mean", jobs, splits, None, settings.epochs, parts)

        if self.chosen is not None:
            parts = self.parts._replace(contrast=self.chosen.contrast)
            return trained([(k, scales[0]) for k in members], parts), *self.chosen[:2]
        tried = trained([(k, s) for s in scales for k in pilots], self.parts)
        groups = [tried[i * len(pilots) : (i + 1) * len(pilots)] for i in range(len(scales))]
        best = min(range(len(scales)), key=lambda i: self._unseen_error(groups[i], few))
        chosen, parts = groups[best], self.parts
        if settings.contrast == "auto":
            pulled = self.parts._replace(contrast="bounded")
            other = trained([(k, scales[best]) for k in pilots], pulled)
            if self._unseen_error(other, few) < CLEARLY * self._unseen_error(chosen, few):
                chosen, parts = other, pulled
        rest = trained([(k, scales[best]) for k in members[len(pilots) :]], parts)
        return chosen + rest, float(scales[best]), parts.contrast

    def _unseen_error(self, first: list[Trained], few: FewRows) -> float:
        """Squared error of the first members on the rows that each has not seen; 0 if there are none."""
        if not first:
            return 0.0
        means = block_means([t.network for t in first], few.x, self.n_jobs)[:, : len(few.rows)]
        squared = ((few.table.y - means) ** 2).sum(axis=2)
        weight = few.unseen[: len(first)] * self.trust[few.rows]
        return float(np.sum((squared * weight).sum(axis=1) / weight.sum(axis=1)))

    def _train_density(self, perception: DensityPerception, points: DensityPoints) -> Trained:
        padded = _padded_points(points)
        count = len(padded.x)
        split = split_rows(np.arange(count), np.arange(1), np.ones(count), count, 16)
        knobs = self.knobs(self.settings.density_steps, rate=0.05, decay=0.0)
        return train(
            perception, padded, None, split, knobs, self.run_seeds[-1], stage=stage("density", self.parts),
            batch_size=batch_rows(256, count), checks=self.settings.checks, progress=self.progress,
        )  # fmt: skip

    def _noise_jobs(
        self, mean_nets: list[MeanNetwork], few: FewRows, residual: np.ndarray, support: Support | None,
        doubt: np.ndarray, scale: float,
    ) -> list[Job]:  # fmt: skip
        """Noise networks start at the overall residual variance beyond doubt, half of it through the features.

        Repeated inputs tell the system's half; what is known counts like doubt, and is not learned again.
        """
        overall = np.average(residual**2, axis=0, weights=few.table.weight)
        errors, count = few.table.errors, len(few.x)
        padded, padded_doubt = (pad(a.astype(np.float32), count) for a in (residual, doubt))
        share, beside = self._beside(support, few)

        def make(net: MeanNetwork, rng: np.random.Generator) -> tuple[Any, NoiseRows]:
            squared, all_doubt = squared_jacobians(net, share, beside, few.x), padded_doubt
            if errors is not None:
                squared = np.asarray(squared)
                known = errors.at_targets(squared[: len(residual)], scale)
                all_doubt = padded_doubt + pad(known.astype(np.float32), count)
                squared = squared * (1 - pad(errors.known, count))[:, None, :]
            beyond = overall - np.average(all_doubt[: len(residual)], axis=0, weights=few.table.weight)
            left = np.maximum(np.maximum(beyond, 0.1 * overall), 1e-8)
            system = 0.5 * left
            if few.table.repeated_noise is not None:
                system = np.clip(few.table.repeated_noise, 0.05 * left, 0.95 * left)
            sensitivity = max(float(np.asarray(squared)[: len(residual)].sum(axis=2).mean()), 1e-6)
            level = np.full(self.shape.features, np.clip(np.log((left - system).mean() / sensitivity), -12, 0))
            networks = new_noise(self.shape, self.settings, rng, level, np.log(system))
            return networks, NoiseRows(few.x, padded, squared, all_doubt, few.weight)

        pairs = zip(mean_nets, self.generators(1), strict=True)
        return [(member, lambda pair=pair: make(*pair)) for member, pair in enumerate(pairs)]


def _padded_points(points: DensityPoints) -> DensityPoints:
    """Points repeated up to a padded size, so that similar tables share a program."""
    chosen = np.resize(np.arange(len(points.x)), bucket(len(points.x)))
    return DensityPoints(points.x[chosen].astype(np.float32), points.log_density[chosen].astype(np.float32))


def _histories(runs: list[Trained]) -> pd.DataFrame:
    return pd.concat([t.history for t in runs], ignore_index=True)
