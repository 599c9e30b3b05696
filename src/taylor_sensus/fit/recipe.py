"""The recipe: prepare, density, process, means, noise, calibrate. One file a stage; no arithmetic here.

It reads like docs/method.md. Staged (default): the process first, which also says how far each row counts, then every
member's mean on squared error, then the noise that the means leave in rows that they have not seen. Joint: Algorithm 1
as printed, all networks at once (`joint.py`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from taylor_sensus.fit.calibrate import calibrate
from taylor_sensus.fit.checkpoint import Checkpoints
from taylor_sensus.fit.context import FitContext
from taylor_sensus.fit.cross_fit import left_out_scores
from taylor_sensus.fit.density import new_perception, train_density
from taylor_sensus.fit.fit_summary import summarise_fit
from taylor_sensus.fit.initial import Shape
from taylor_sensus.fit.joint import train_jointly
from taylor_sensus.fit.limits import with_limits
from taylor_sensus.fit.means import network_means, train_means
from taylor_sensus.fit.members import histories, useful_jobs
from taylor_sensus.fit.noise import train_noise
from taylor_sensus.fit.padding import assign_folds, fold_numbers, unseen_mask
from taylor_sensus.fit.prepare import PreparedTable, prepare
from taylor_sensus.fit.readings import judge_readings, run_readings, with_kinds, with_voice
from taylor_sensus.fit.records import Chosen, Progress, TrainedEnsemble
from taylor_sensus.fit.share import weigh, without_intercepts
from taylor_sensus.fit.stream import RowSource, StreamedRows
from taylor_sensus.fit.tasks import Workers
from taylor_sensus.fitted import FittedModel
from taylor_sensus.model.chunks import on_one_blas_thread
from taylor_sensus.model.density import DensityPerception, DensityPoints
from taylor_sensus.model.ensemble import BY_PROCESS, Ensemble, stacked
from taylor_sensus.model.shapes import Num
from taylor_sensus.model.taylor_block import DeepTaylorBlock
from taylor_sensus.records import EncodedTable, Names
from taylor_sensus.settings import Settings

if TYPE_CHECKING:
    from taylor_sensus.fit.processes import Processes

MOST_KEPT = 2_000_000
"""Cells of a table up to which a model keeps its rows, so that new ones can be added to them."""


@on_one_blas_thread
def fit_model(
    table: EncodedTable, validation: EncodedTable | None, names: Names, settings: Settings, *,
    seed: int, n_jobs: int | None, progress: Progress | None, before: FittedModel | None = None,
    source: RowSource | None = None, workers: Workers | None = None, kept: Checkpoints | None = None,
    processes: Processes | None = None,
) -> FittedModel:  # fmt: skip
    """Fit and calibrate. Without validation rows each member is scored on the fold that it does not see.

    `before` is a model of fewer rows of the same table: what it took long to choose is taken over.
    `source` is a larger table, of which `table` is a random sample: the means are trained on its rows.
    `workers` are processes that train the members; the result does not depend on them. `kept` has checkpoints of an
    attempt before. `processes` read a `source` together, and all of them call this.
    """
    n_jobs = useful_jobs(n_jobs, settings, len(table.x), streamed=source is not None)
    if source is None:
        prepared, stream = prepare(table, validation, settings), None
    else:
        prepared = prepare(table, validation, settings, source.scaler)
        stream = StreamedRows(source, prepared.scaler, prepared.imputer, settings.folds, seed, processes)
    prepared = prepared._replace(training=with_kinds(prepared.training, names.columns, settings))
    chosen = None if before is None else chosen_by(before)
    start = start_fit(prepared, settings, seed, n_jobs, progress, chosen)
    start = start._replace(context=replace(start.context, workers=workers, kept=kept))
    if stream is not None:
        start = streamed(start, stream, table.x[prepared.first])
    context = with_limits(start.context, None if table.y_limit is None else table.y_limit[prepared.first])
    start, prepared = start._replace(context=context), prepared._replace(training=context.table)
    trained = train(start)
    floor = -prepared.scaler.target_center / prepared.scaler.target_scale if settings.positive else None
    counted = prepared.training._replace(errors=trained.errors)  # as the regression counts what is declared
    calibrated = calibrate(trained, counted, settings, n_jobs, floor)
    fitted = FittedModel(
        settings=settings,
        columns=names.columns,
        target_names=names.targets,
        one_dimensional=names.one_dimensional,
        scaler=prepared.scaler,
        trend=prepared.trend,
        imputer=prepared.imputer,
        default_errors=prepared.default_errors,
        ensemble=calibrated.ensemble,
        imputed_scale=trained.imputed_scale,
        law=None if trained.law is None else trained.law.law,
        groups=calibrated.groups,
        group_names=names.groups,
        curved=calibrated.curved,
        held_out=calibrated.held_out.in_units(prepared.scaler, prepared.first),
        rows=table if table.x.size <= MOST_KEPT else None,
        fit_summary=summarise_fit(table, validation, names, seed, prepared, trained, calibrated),
        history=trained.history,
    )
    if not settings.interval_fits or validation is not None:
        return fitted
    scores = left_out_scores(fitted, table, settings.interval_fits, fit_again, n_jobs, workers)
    return replace(fitted, left_out_scores=scores)


def fit_again(fitted: FittedModel, rows: EncodedTable, n_jobs: int | None) -> FittedModel:
    """A model of other rows, with the settings, the seed and the choices of one before."""
    names = Names(fitted.columns, fitted.target_names, fitted.one_dimensional)
    settings, seed = replace(fitted.settings, interval_fits=0), fitted.fit_summary.seed or 0
    return fit_model(rows, None, names, settings, seed=seed, n_jobs=n_jobs, progress=None, before=fitted)


class Start(NamedTuple):
    """A fit before its first stage."""

    context: FitContext
    perception: DensityPerception
    points: DensityPoints


def start_fit(
    prepared: PreparedTable, settings: Settings, seed: int, n_jobs: int | None, progress: Progress | None,
    chosen: Chosen | None,
) -> Start:  # fmt: skip
    """Who sees which rows, and all random numbers: same seed and machine, same result, whatever `n_jobs`."""
    rng, table, scaler = np.random.default_rng(seed), prepared.training, prepared.scaler
    perception, points = new_perception(table.x[: table.train], settings, rng)
    dealt = assign_folds(table.group, settings.folds, max(settings.members, settings.folds), rng)
    held, fold = dealt[: settings.members], fold_numbers(dealt, table.train)
    if settings.training == "joint" and table.train < len(table.x):
        held = [h[:0] for h in held]  # validation rows score the run, and no residuals of unseen rows are needed
    shape = Shape(table.x.shape[1], table.y.shape[1], scaler.center, scaler.scale)
    return Start(FitContext.new(table, shape, settings, held, fold, rng, n_jobs, progress, chosen), perception, points)


def streamed(start: Start, stream: StreamedRows, inputs: Num[np.ndarray, "train features"]) -> Start:
    """The same fit with its folds dealt by `inputs`, the training rows' as they came, and its means on a stream."""
    context, table = start.context, start.context.table
    dealt = stream.held(inputs, max(context.settings.members, stream.folds))
    held, fold = dealt[: context.settings.members], fold_numbers(dealt, table.train)
    unseen = unseen_mask(held, table.train, len(table.x))
    context = replace(context, held=tuple(held), fold=fold, unseen=unseen, stream=stream)
    return start._replace(context=context)


def train(start: Start) -> TrainedEnsemble:
    """Density, process, means, noise; or all networks at once."""
    context, perception, points = start
    if context.settings.training == "joint":
        return train_jointly(context, perception, points)
    # DIFF(Algorithm 1): in stages. Trained together, the noise can always explain what the mean has not learned yet,
    # and learns from residuals that the mean has fitted; here it learns from rows that the mean has not seen.
    read = run_readings(context)
    context, (found, row_weights) = read.context, read.process
    # Where there is a process, it tells what is known.
    density = train_density(context, perception, points) if found is None else None
    noise_table = context.noise_table(found)
    means = train_means(context, noise_table, row_weights)
    at_rows = network_means(means.networks, noise_table.table.x, context.n_jobs)
    weighed = weigh(context, found, noise_table, means.networks, at_rows, row_weights)
    read, weighed = with_voice(read, noise_table, weighed, at_rows)
    weighed, differ = without_intercepts(noise_table, weighed)
    context, noise_table, law = judge_readings(read, noise_table, means.networks, weighed)
    noise_runs, noise_nets = train_noise(context, means.networks, noise_table, weighed)
    blocks = [DeepTaylorBlock(net, *pair) for net, pair in zip(means.networks, noise_nets, strict=True)]
    ensemble = Ensemble(
        blocks=stacked(blocks),
        densities=None if density is None else stacked([density.network]),
        process_share=weighed.process_share,
        prior_variance=context.table.prior_variance.astype(np.float64),
        combination=BY_PROCESS if density is None else context.settings.combination,
        noise_scale=np.ones(context.shape.targets),
        trees=weighed.trees,
        boosted=None if weighed.boosting is None else weighed.boosting.boosted,
    )
    numbers = None if found is None else found.process.numbers
    chosen = Chosen(means.frequency_scale, numbers)
    history = histories([*([] if density is None else [density]), *means.runs, *noise_runs])
    errors, scale = context.table.errors, weighed.imputed_scale
    boosted = None if weighed.boosting is None else weighed.boosting.unseen_mean
    return TrainedEnsemble(ensemble, found, context.unseen, history, chosen, errors, scale, law, differ, boosted)


def chosen_by(fitted: FittedModel) -> Chosen | None:
    """What an earlier fit chose by trying, as far as its file knows."""
    share, summary = fitted.ensemble.process_share, fitted.fit_summary
    if summary.frequency_scale is None:
        return None
    return Chosen(summary.frequency_scale, None if share is None else share.process.numbers)
