"""Stage means: every member's mean network on squared error."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taylor_sensus.fit.context import FitContext, NoiseTable
from taylor_sensus.fit.initial import frequency_scales, new_mean
from taylor_sensus.fit.members import Trained, train_member
from taylor_sensus.fit.padding import MemberSplits
from taylor_sensus.fit.tasks import run_tasks
from taylor_sensus.model.chunks import in_chunks
from taylor_sensus.model.forward import mean_of
from taylor_sensus.model.networks import MeanNetwork
from taylor_sensus.model.shapes import Float
from taylor_sensus.settings import Settings


class TrainedMeans(NamedTuple):
    """The members' means, and what was chosen for them."""

    runs: list[Trained]
    frequency_scale: float

    @property
    def networks(self) -> list[MeanNetwork]:
        """With their best weights."""
        return [run.network for run in self.runs]


def stage_runs(settings: Settings, rows: int, features: int) -> dict[str, int]:
    """How many runs each stage makes at most, for a progress bar."""
    if settings.training == "joint":
        return {"joint": settings.members}
    tried = len(frequency_scales(rows, features, settings)) if settings.embedding == "periodic" else 1
    pilots = min(settings.pilots, settings.members) * tried if tried > 1 else 0
    stages = {"mean": settings.members + pilots, "noise": settings.members}
    return stages if settings.kernel and rows <= settings.kernel_limit else {"density": 1, **stages}


def train_means(context: FitContext, noise_table: NoiseTable, row_weights: Float[np.ndarray, " rows"]) -> TrainedMeans:
    """All members; where several spreads of frequencies are to be tried, with the one whose short runs served unseen
    rows best."""
    settings, members, chosen = context.settings, range(context.settings.members), context.chosen
    scales = [0.0]
    inputs = context.table.inputs if context.stream is None else context.stream.source.rows
    if chosen is not None:
        scales = [chosen.frequency_scale]
    elif settings.embedding == "periodic":
        scales = frequency_scales(inputs, context.shape.features, settings)

    def trained(some: list[tuple[int, float]], epochs: int) -> list[Trained]:
        return run_tasks(context, train_mean, [(*job, epochs) for job in some], (row_weights,))

    def error(runs: list[Trained]) -> float:
        found = unseen_error([run.network for run in runs], noise_table, row_weights, context.n_jobs)
        return found if context.processes is None else float(context.processes.of_first([np.array(found)])[0])

    scale = scales[0]
    if len(scales) > 1:
        pilots, short = members[: settings.pilots], max(1, round(settings.pilot_share * settings.epochs))
        runs = trained([(k, s) for s in scales for k in pilots], short)
        groups = [runs[i * len(pilots) : (i + 1) * len(pilots)] for i in range(len(scales))]
        scale = scales[int(np.argmin([error(group) for group in groups]))]
    return TrainedMeans(trained([(k, scale) for k in members], settings.epochs), float(scale))


def train_mean(
    context: FitContext, row_weights: Float[np.ndarray, " rows"], member: int, scale: float, epochs: int
) -> Trained:
    """One member's mean, whose waves have this spread of frequencies."""
    net = new_mean(context.shape, context.settings, context.generators()[member], scale)
    splits = MemberSplits(context.unseen, context.table.train, row_weights)
    rows = context.rows(row_weights)
    return train_member(context, "mean", member, net, rows, splits, epochs, variant=context.variant())


def network_means(
    nets: list[MeanNetwork], x: Float[np.ndarray, "rows features"], n_jobs: int | None
) -> Float[np.ndarray, "rows members targets"]:
    """Every member's mean at rows."""
    return in_chunks(lambda chunk: np.stack([mean_of(net, chunk) for net in nets], axis=1), (x,), n_jobs)


def unseen_error(
    nets: list[MeanNetwork], noise_table: NoiseTable, row_weights: Float[np.ndarray, " all_rows"], n_jobs: int | None
) -> float:
    """Squared error of the first members on the rows that each has not seen; 0 if there are none."""
    if not nets:
        return 0.0
    means = network_means(nets, noise_table.table.x, n_jobs)
    squared = ((noise_table.table.y[:, None, :] - means) ** 2).sum(axis=2).T
    weight = noise_table.unseen[: len(nets)] * row_weights[noise_table.rows]
    return float(np.sum((squared * weight).sum(axis=1) / weight.sum(axis=1)))
