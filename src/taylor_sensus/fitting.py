"""From an encoded table to a fitted model: merge equal rows, scale, train, then calibrate on unseen rows."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from taylor_sensus.data.columns import Column
from taylor_sensus.data.repeats import Repeats, learn_repeats
from taylor_sensus.data.rows import BLOCK, blocks, distinct_rows, take
from taylor_sensus.data.scaling import Scaler, learn_scaling
from taylor_sensus.data.trend import Trend, flat_trend, ridge_trend, streamed_ridge_trend
from taylor_sensus.fitted import Familiar, FittedModel, between_members
from taylor_sensus.settings import Settings
from taylor_sensus.training.batches import held_out_average, judging_rows, room_for
from taylor_sensus.training.calibration import held_out_shrinkage, noise_scale, safest_caution
from taylor_sensus.training.ensemble import Progress
from taylor_sensus.training.fit import FittedEnsemble, Table, fit_ensemble
from taylor_sensus.training.inference import MemberEstimates, left_out_attention, member_estimates
from taylor_sensus.training.initial import Shape


class EncodedTable(NamedTuple):
    """Rows as numbers in the user's units; `prior_mean` only if the prior is a function of the user's own."""

    x: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    prior_mean: np.ndarray | None = None


class Names(NamedTuple):
    """How the user calls things."""

    columns: tuple[Column, ...]
    targets: tuple[str, ...]
    one_dimensional: bool


def fit_model(
    table: EncodedTable, validation: EncodedTable | None, names: Names, settings: Settings, *,
    seed: int, n_jobs: int | None, progress: Progress | None,
) -> FittedModel:  # fmt: skip
    """Fit and calibrate. Without validation rows each member is scored on the fold that it does not see."""
    scaled = _scaled(table, validation, settings)
    scaler, training = scaled.scaler, scaled.training
    shape = Shape(table.x.shape[1], table.y.shape[1], scaler.center, scaler.scale)
    ensemble = fit_ensemble(training, shape, settings, seed, n_jobs, progress)
    calibrated = _calibrate(ensemble, training, settings, n_jobs)
    return FittedModel(
        settings=settings,
        columns=names.columns,
        target_names=names.targets,
        one_dimensional=names.one_dimensional,
        scaler=scaler,
        trend=scaled.trend,
        prior_variance=scaled.prior_variance,
        blocks=ensemble.blocks,
        densities=ensemble.densities,
        support=ensemble.support,
        familiar=calibrated.familiar,
        noise_scale=calibrated.scale,
        repeats=calibrated.repeats,
        facts=_facts(table, validation, training.train, scaler, names, calibrated),
        history=ensemble.history,
    )


class _Scaled(NamedTuple):
    """What is learned of a table before training."""

    scaler: Scaler
    trend: Trend
    prior_variance: np.ndarray
    training: Table


def _scaled(table: EncodedTable, validation: EncodedTable | None, settings: Settings) -> _Scaled:
    """Distinct rows in scaled units, followed by the validation rows.

    The table is gone through in blocks, and all that stays of a large one is a copy in single precision.
    """
    rows = distinct_rows(table.x, _with(table.y, table.prior_mean), table.weight)
    y = take(table.y, rows.first)
    scaler = learn_scaling(table.x, y, rows.weight, rows.first)
    train, targets = y.shape

    def features() -> Iterator[np.ndarray]:
        return (scaler.features(take(table.x, rows.first[block])) for block in blocks(train))

    y, weight = scaler.targets(y), rows.weight / rows.weight.mean()
    if settings.prior != "ridge":
        trend = flat_trend(table.x, y, weight)
    elif train <= BLOCK:
        trend = ridge_trend(next(features()), y, weight)
    else:
        trend = streamed_ridge_trend(features, y, weight)
    parts = [features()]
    own = None if table.prior_mean is None else take(table.prior_mean, rows.first)
    if validation is not None:
        parts.append(scaler.features(take(validation.x, block)) for block in blocks(len(validation.x)))
        y = np.concatenate([y, scaler.targets(validation.y)])
        weight = np.concatenate([weight, validation.weight])
        if own is not None and validation.prior_mean is not None:
            own = np.concatenate([own, validation.prior_mean])
    x, prior_mean = room_for((len(y), table.x.shape[1])), np.empty((len(y), targets), np.float32)
    done = 0
    for block in itertools.chain(*parts):
        here = slice(done, done := done + len(block))
        x[here], prior_mean[here] = block, trend(block)
    if own is not None:
        prior_mean = scaler.targets(own).astype(np.float32)
    prior_variance = np.full(targets, settings.prior_inflation)
    training = Table(
        x=x,
        y=y.astype(np.float32),
        weight=weight.astype(np.float32),
        prior_mean=prior_mean,
        prior_variance=prior_variance.astype(np.float32),
        train=train,
    )
    return _Scaled(scaler, trend, prior_variance, training)


def _with(y: np.ndarray, prior: np.ndarray | None) -> np.ndarray:
    """Targets with the user's prior beside them, so that merging equal rows keeps both."""
    return y if prior is None else np.hstack([y, prior])


class _Calibrated(NamedTuple):
    familiar: Familiar
    scale: np.ndarray
    repeats: Repeats | None
    held_out: dict[str, Any]


def _calibrate(ensemble: FittedEnsemble, table: Table, settings: Settings, n_jobs: int | None) -> _Calibrated:
    """Noise scale and familiarity constants from rows that the members have not seen.

    Validation rows if there are any, the held-out folds otherwise.
    """
    whole, rows = table, judging_rows(ensemble.unseen, table.train)
    table, ensemble = table.some(rows), ensemble.some(rows)
    estimates = member_estimates(ensemble.blocks, ensemble.densities, ensemble.support, table.x, n_jobs)
    attention = left_out_attention(ensemble.densities, table.x, n_jobs)
    unseen = ensemble.unseen
    validation = np.arange(len(table.x)) >= table.train
    held_out = unseen.sum(axis=0) > 0
    judged = validation if validation.any() else held_out
    y, weight = table.y.astype(np.float64), table.weight.astype(np.float64)
    noise = held_out_average(np.einsum("mrtt->mrt", estimates.covariance), unseen)
    means, kernel_doubt = _as_if_unseen(estimates, ensemble)
    mean = held_out_average(means, unseen)
    doubt = between_members(means)[1] + kernel_doubt
    shrinkage = held_out_shrinkage(means[:, held_out], unseen[:, held_out], y[held_out], weight[held_out])
    error = (y - mean) * np.sqrt(_flattery(ensemble, mean, y, np.where(held_out, weight, 0.0)))
    residual = error * np.sqrt(shrinkage)
    scale = noise_scale(residual[held_out], noise[held_out], doubt[held_out], weight[held_out])
    low, middle = np.quantile(attention[:, : table.train], [0.1, 0.5], axis=1)
    spread = np.maximum((middle - low) / 1.28, 0.5)  # as in model.density.reference_of

    def familiar(caution: float) -> Familiar:
        return Familiar(middle - caution * spread, caution * spread / 7)

    caution = safest_caution(
        familiar, attention[:, held_out], settings.combination, mean[held_out], doubt[held_out],
        (noise * scale)[held_out], y[held_out], weight[held_out],
        table.prior_mean[held_out].astype(np.float64), table.prior_variance.astype(np.float64),
    )  # fmt: skip
    variance = noise * scale + doubt
    z = np.abs(residual) / np.sqrt(variance)
    facts = _held_out_facts(error[judged], y[judged], z[judged], weight[judged])
    repeats = None
    if settings.repeats:
        y, weight = whole.y.astype(np.float64), whole.weight.astype(np.float64)
        repeats = learn_repeats(whole.x, y, weight, whole.train, mean, variance, rows)
    return _Calibrated(familiar(caution), scale, repeats, facts)


def _as_if_unseen(estimates: MemberEstimates, ensemble: FittedEnsemble) -> tuple[np.ndarray, np.ndarray]:
    """The members' means with the kernel part as if it had not seen each row, and the doubt that it leaves."""
    means = estimates.mean.astype(np.float64)
    if ensemble.support is None or ensemble.fitted_kernel is None:
        return means, np.zeros(means.shape[1:])
    kernel, support = ensemble.fitted_kernel, ensemble.support
    means += support.share * (kernel.unseen_mean - estimates.kernel_mean[0])
    return means, np.multiply.outer(kernel.unseen_variance, support.doubt)


def _flattery(ensemble: FittedEnsemble, mean: np.ndarray, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """How much larger the squared error of new rows is, because unseen rows have stopped the networks."""
    own = y - mean  # the networks' part of the error
    if ensemble.support is not None and ensemble.fitted_kernel is not None:
        own = own - ensemble.support.share * (y - ensemble.fitted_kernel.unseen_mean)
    networks, total = (np.average(e**2, axis=0, weights=weight) for e in (own, y - mean))
    return 1 + (ensemble.optimism - 1) * networks / np.maximum(total, 1e-30)


def _held_out_facts(residual: np.ndarray, y: np.ndarray, z: np.ndarray, weight: np.ndarray) -> dict[str, Any]:
    """Scaled held-out scores, one number a target; `z` is the expected error of the ensemble in predicted stds."""
    inside = {level: np.average(z < edge, axis=0, weights=weight) for level, edge in NORMAL_EDGES.items()}
    spread = np.average((y - np.average(y, axis=0, weights=weight)) ** 2, axis=0, weights=weight)
    error = np.average(residual**2, axis=0, weights=weight)
    return {
        "rows": len(y),
        "mse": error,
        "explained": 1 - error / np.maximum(spread, 1e-30),
        "coverage": inside,
    }


NORMAL_EDGES = {"50": 0.6745, "80": 1.2816, "90": 1.6449, "95": 1.9600}
"""Half widths of central normal intervals, in standard deviations."""


def _facts(table, validation, distinct: int, scaler: Scaler, names: Names, calibrated: _Calibrated) -> dict[str, Any]:
    held = calibrated.held_out
    unit = scaler.target_scale
    parts = [part for column in names.columns for part in column.parts]
    return {
        "rows": len(table.x),
        "distinct_rows": distinct,
        "validation_rows": 0 if validation is None else len(validation.x),
        "constant_columns": [p for p, s in zip(parts, scaler.scale, strict=True) if s == 0],
        "held_out_rows": held["rows"],
        "held_out_rmse": [float(v) for v in np.sqrt(held["mse"]) * unit],
        "held_out_explained": [float(v) for v in held["explained"]],
        "held_out_coverage": {k: [float(v) for v in np.atleast_1d(c)] for k, c in held["coverage"].items()},
    }
