"""Stage calibrate: scales and constants from rows that the members have not seen, and how good the model is there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from taylor_sensus.fit.groups import learn_groups, within_groups
from taylor_sensus.fit.padding import evaluation_rows
from taylor_sensus.fit.records import Table, TrainedEnsemble
from taylor_sensus.fit.robust import LITTLE
from taylor_sensus.fit.scales import SPREAD_FACTORS, ensemble_gain, noise_level, safest_familiarity
from taylor_sensus.fit.shape import ordinary_shape, positive_shape
from taylor_sensus.fitted import HeldOut
from taylor_sensus.model.chunks import in_chunks
from taylor_sensus.model.declared_errors import nothing_declared
from taylor_sensus.model.ensemble import (
    BY_PROCESS,
    Blend,
    ComponentOutputs,
    Ensemble,
    FamiliarityScale,
    blend,
    component_outputs,
    distribution,
    familiarity_of,
    one_member,
)
from taylor_sensus.model.forward import log_density
from taylor_sensus.model.groups import GroupEffect
from taylor_sensus.model.sensitivity import sensitivities
from taylor_sensus.model.shapes import Bool, Float
from taylor_sensus.model.trend import ridge_trend
from taylor_sensus.rows import spread
from taylor_sensus.settings import Settings

SLOPE_ROWS = 2048
"""Rows whose slopes are compared."""
LEVELS = (50, 80, 90, 95)
"""Of central intervals, in percent."""


class Scores(NamedTuple):
    """On held-out rows, in scaled units, one number a target."""

    rows: int
    mse: Float[np.ndarray, " targets"]
    explained: Float[np.ndarray, " targets"]
    coverage: dict[int, Float[np.ndarray, " targets"]]


class Calibrated(NamedTuple):
    """The ensemble as it predicts, and what unseen rows say of it."""

    ensemble: Ensemble
    held_out: HeldOut
    """In scaled units."""
    scores: Scores
    curved: Bool[np.ndarray, " features"]
    """For each feature whether its slope changes enough to separate its noise from the system's."""
    curvature: bool
    """Whether a straight line is clearly worse."""
    place: Float[np.ndarray, "rows targets"]
    """Probability of a smaller error than each held-out row's."""
    groups: GroupEffect | None = None
    """Differences between groups; None where no groups were given."""


def calibrate(
    trained: TrainedEnsemble,
    table: Table,
    settings: Settings,
    n_jobs: int | None,
    floor: Float[np.ndarray, " targets"] | None = None,
) -> Calibrated:
    """Noise scale, familiarity and shape from rows that the members have not seen.

    Validation rows if there are any, the held-out folds otherwise. `floor` is 0 in scaled units, of targets that cannot
    be negative.
    """
    rows = evaluation_rows(trained.unseen, table.train)
    table, trained = table.take(rows), trained.take(rows)
    unseen, held = trained.unseen, np.asarray(trained.unseen.any(axis=0)) & table.measured
    y, weight = table.y.astype(np.float64), table.weight.astype(np.float64)
    target_error = np.zeros_like(y) if table.errors is None else table.errors.target.astype(np.float64)
    outputs = as_if_unseen(trained, table, n_jobs)
    voice = trained.voice

    def blended_with_law(parts: Ensemble, outputs: ComponentOutputs, unseen: Bool[np.ndarray, "members rows"] | None):
        found = blend(parts, outputs, unseen)
        return found if voice is None else voice.in_blend(found)

    predictive = blended_with_law(trained.ensemble, outputs, unseen)

    gain = ensemble_gain(_blended_members(trained, outputs)[:, held], unseen[:, held], y[held], weight[held])
    fixed = predictive.mean_variance + predictive.declared_variance + target_error  # what is known is not rescaled
    error = y - predictive.mean
    residual = error * np.sqrt(gain)
    inliers = held if trained.process is None else held & (trained.process.robust_weights >= LITTLE)
    within, known = residual, fixed
    if trained.groups_differ is not None and table.code is not None:
        declared = fixed - predictive.mean_variance
        inside = within_groups(
            residual, predictive.mean_variance, table.code, weight, inliers, predictive.learned_variance + declared,
            trained.groups_differ,
        )  # fmt: skip
        within, known = inside.residual, inside.common + declared
    level = noise_level(
        within[inliers], predictive.learned_variance[inliers], known[inliers], weight[inliers], chosen_on=True
    )

    ensemble = replace(trained.ensemble, noise_scale=level.scale)
    predictive = blended_with_law(ensemble, outputs, unseen)
    prior = table.prior_mean.astype(np.float64)
    if ensemble.combination == BY_PROCESS and not callable(settings.prior):
        prior = np.zeros_like(prior)  # it is the process' own

    def predicted(
        parts: Ensemble, log_densities: Float[np.ndarray, "rows perceptions"], pick: Bool[np.ndarray, " rows"] | slice
    ):
        its = Blend(*[part[pick] for part in predictive])
        k = familiarity_of(parts, outputs.process_variance[pick], log_densities[pick])
        return distribution(parts, its, k, table.x[pick], prior[pick], target_error[pick])

    log_densities = np.zeros((len(y), 1))
    if settings.density and ensemble.densities is not None:
        log_densities = _log_densities_left_out(ensemble, table.x, n_jobs)

        def cost(parts: Ensemble) -> float:
            found = predicted(parts, log_densities, held)
            each = np.log(found.variance) + (y[held] - found.mean) ** 2 / found.variance
            return float(np.average(each.mean(axis=1), weights=weight[held]))

        ensemble = safest_familiarity(_candidates(ensemble, log_densities[: table.train]), cost)
    answer = predicted(ensemble, log_densities, slice(None))
    groups, between = None, np.zeros_like(y)
    if trained.groups_differ is not None and table.code is not None:
        own = inliers & (table.code >= 0)
        noise = predictive.learned_variance + predictive.declared_variance + target_error
        seen = blended_with_law(ensemble, _component_outputs(trained, table, n_jobs), None)
        groups = learn_groups(
            residual[own],
            (y - seen.mean)[own],
            noise[own],
            predictive.mean_variance[own],
            table.code[own],
            weight[own],
            trained.groups_differ,
            int(table.code.max()) + 1,
        )
        between = between + groups.variance
    std = np.sqrt(answer.variance + between)
    score = (y - answer.mean) * np.sqrt(gain) / std
    if floor is None:
        inside = within / np.sqrt(np.where(within == residual, answer.variance, predictive.learned_variance + known))
        share = between / std**2
        shaped = ordinary_shape(score, inside, inliers, weight, level.freedom, groups, share, answer.mean)
    else:
        shaped = positive_shape(y, answer.mean, std, floor, inliers, weight, level.freedom)
        score = (y - shaped.mean) * np.sqrt(gain) / std
    tails, mean, place = shaped
    ensemble = replace(ensemble, tails=tails)
    is_validation = np.arange(len(y)) >= table.train
    held_out = HeldOut(
        rows=np.where(is_validation, -1, rows)[held],
        fold=np.where(is_validation, -1, unseen.argmax(axis=0))[held],
        y=y[held],
        mean=mean[held],
        feature_variance=answer.feature_variance[held],
        system_variance=answer.system_variance[held],
        epistemic_variance=answer.epistemic_variance[held],
        score=score[held],
        group_variance=between[held],
    )
    scored = is_validation if is_validation.any() else held
    curvature = _is_curved(table, y - predictive.mean, np.where(held, weight, 0.0))
    curved = _changing_slopes(ensemble, table, n_jobs) if curvature else np.zeros(table.x.shape[1], bool)
    scores = _scores(error[scored], y[scored], place[scored], weight[scored])
    return Calibrated(ensemble, held_out, scores, curved, curvature, place[held], groups)


def as_if_unseen(trained: TrainedEnsemble, table: Table, n_jobs: int | None) -> ComponentOutputs:
    """Outputs at the training rows with process and boosted trees as if they had not seen each of them."""
    outputs = _component_outputs(trained, table, n_jobs)
    if trained.boosted_mean is not None:
        outputs = outputs._replace(boosted_mean=trained.boosted_mean)
    if trained.process is None:
        return outputs
    return outputs._replace(process_mean=trained.process.unseen_mean, process_variance=trained.process.unseen_variance)


def _component_outputs(trained: TrainedEnsemble, table: Table, n_jobs: int | None) -> ComponentOutputs:
    errors = nothing_declared(*table.x.shape)
    if table.errors is not None:
        errors = table.errors.inputs(trained.imputed_scale)
    return component_outputs(trained.ensemble, table.x, errors, n_jobs)


def _blended_members(trained: TrainedEnsemble, outputs: ComponentOutputs) -> Float[np.ndarray, "members rows targets"]:
    """Every member's mean with process, trees and law."""
    means, voice = trained.ensemble.member_means(outputs, outputs.process_variance), trained.voice
    return np.moveaxis(means if voice is None else voice.in_members(means), 1, 0)


def _candidates(ensemble: Ensemble, log_densities: Float[np.ndarray, "rows perceptions"]) -> list[Ensemble]:
    """The ensemble with familiarity that falls soon or late, from the training rows' left-out densities."""
    low, middle = np.quantile(log_densities, [0.1, 0.5], axis=0)
    spread = np.maximum((middle - low) / 1.28, 0.5)  # as in model.density.reference_of
    return [
        replace(ensemble, familiarity=FamiliarityScale(middle - factor * spread, factor * spread / 7))
        for factor in SPREAD_FACTORS
    ]


def _log_densities_left_out(
    ensemble: Ensemble, x: Float[np.ndarray, "rows features"], n_jobs: int | None
) -> Float[np.ndarray, "rows perceptions"]:
    """Log-densities of training rows as if each were new."""
    densities: Any = ensemble.densities
    perceptions = [one_member(densities, k) for k in range(len(densities.log_metric))]

    def chunk(x: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, "rows perceptions"]:
        return np.stack([log_density(one, x, leave_out_self=True) for one in perceptions], axis=1)

    return in_chunks(chunk, (x,), n_jobs)


def _is_curved(table: Table, error: Float[np.ndarray, "rows targets"], weight: Float[np.ndarray, " rows"]) -> bool:
    """Whether a straight line errs clearly more, on rows that it has seen, than the model on rows that it has not."""
    line = ridge_trend(table.x[: table.train], table.y[: table.train], table.weight[: table.train])
    gain = ((table.y - line(table.x)) ** 2 - error**2).sum(axis=1)
    count = weight.sum() ** 2 / (weight**2).sum()
    mean = np.average(gain, weights=weight)
    return bool(mean > 3 * np.sqrt(np.average((gain - mean) ** 2, weights=weight) / count))


def _changing_slopes(ensemble: Ensemble, table: Table, n_jobs: int | None) -> Bool[np.ndarray, " features"]:
    """For each feature whether the slopes of some target differ between rows by a quarter of their size."""
    x = table.x[spread(np.arange(table.train), SLOPE_ROWS)]
    slopes = sensitivities(ensemble, x, nothing_declared(*x.shape), n_jobs).jacobian
    return (slopes.std(axis=0) > 0.25 * np.sqrt((slopes**2).mean(axis=0)) + 1e-9).any(axis=0)


def _scores(
    residual: Float[np.ndarray, "rows targets"],
    y: Float[np.ndarray, "rows targets"],
    place: Float[np.ndarray, "rows targets"],
    weight: Float[np.ndarray, " rows"],
) -> Scores:
    """Of held-out rows; `place` is the probability of a smaller error than the ensemble is expected to make."""
    off = np.abs(2 * place - 1)
    inside = {level: np.average(off < level / 100, axis=0, weights=weight) for level in LEVELS}
    spread = np.average((y - np.average(y, axis=0, weights=weight)) ** 2, axis=0, weights=weight)
    error = np.average(residual**2, axis=0, weights=weight)
    return Scores(len(y), error, 1 - error / np.maximum(spread, 1e-30), inside)
