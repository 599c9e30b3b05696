"""From an encoded table to a fitted model: merge equal rows, scale, train, then calibrate on unseen rows."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from taylor_sensus.data.columns import Column
from taylor_sensus.data.imputation import MOST_ROWS, Imputer, learn_imputer
from taylor_sensus.data.repeats import PureError, Repeats, learn_repeats, pure_error
from taylor_sensus.data.rows import BLOCK, blocks, distinct_rows, spread, take
from taylor_sensus.data.scaling import Scaler, learn_scaling
from taylor_sensus.data.trend import Trend, flat_trend, ridge_trend, streamed_ridge_trend
from taylor_sensus.fitted import EncodedTable, Familiar, FittedModel, HeldOut, between_members
from taylor_sensus.model.combine import combine
from taylor_sensus.settings import Settings
from taylor_sensus.training.batches import held_out_average, judging_rows, room_for
from taylor_sensus.training.belief import doubted
from taylor_sensus.training.calibration import held_out_shrinkage, noise_scale, safest_caution
from taylor_sensus.training.ensemble import Progress
from taylor_sensus.training.fit import fit_ensemble
from taylor_sensus.training.inference import MemberEstimates, left_out_attention, member_estimates, sensitivities
from taylor_sensus.training.initial import Shape
from taylor_sensus.training.known import KnownErrors, UsualErrors, usual_errors
from taylor_sensus.training.records import Chosen, FittedEnsemble, Table


class Names(NamedTuple):
    """How the user calls things."""

    columns: tuple[Column, ...]
    targets: tuple[str, ...]
    one_dimensional: bool


MOST_KEPT = 2_000_000
"""Cells of a table up to which a model keeps its rows, so that new ones can be added to them."""


def fit_model(
    table: EncodedTable, validation: EncodedTable | None, names: Names, settings: Settings, *,
    seed: int, n_jobs: int | None, progress: Progress | None, before: FittedModel | None = None,
) -> FittedModel:  # fmt: skip
    """Fit and calibrate. Without validation rows each member is scored on the fold that it does not see.

    `before` is a model of fewer rows of the same table: what it took long to choose is taken over.
    """
    scaled = _scaled(table, validation, settings)
    scaler, training = scaled.scaler, scaled.training
    shape = Shape(table.x.shape[1], table.y.shape[1], scaler.center, scaler.scale)
    chosen = None
    if before is not None:
        stored = None if before.support is None else before.support.stored
        chosen = Chosen(before.facts["frequency_scale"], before.facts["contrast"], stored)
    ensemble = fit_ensemble(training, shape, settings, seed, n_jobs, progress, chosen)
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
        usual=scaled.usual,
        imputer=scaled.imputer,
        imputed_scale=ensemble.imputed_scale,
        repeats=calibrated.repeats,
        curved=calibrated.curved,
        held_out=_held_out_rows(calibrated, scaled),
        rows=table if table.x.size <= MOST_KEPT else None,
        facts={
            **_facts(table, validation, scaled, names, calibrated),
            "frequency_scale": ensemble.chosen.frequency_scale,
            "contrast": ensemble.chosen.contrast,
            "doubted_rows": _doubted_rows(ensemble, scaled),
            "seed": seed,
        },
        history=ensemble.history,
    )


class _Scaled(NamedTuple):
    """What is learned of a table before training."""

    scaler: Scaler
    trend: Trend
    prior_variance: np.ndarray
    imputer: Imputer
    usual: UsualErrors
    training: Table
    first: np.ndarray
    """Where each training row stands in the user's table."""
    pure: PureError | None


def _scaled(table: EncodedTable, validation: EncodedTable | None, settings: Settings) -> _Scaled:
    """Distinct rows in scaled units, followed by the validation rows.

    The table is gone through in blocks, and all that stays of a large one is a copy in single precision.
    """
    rows = distinct_rows(table.x, _with(table.y, table.prior_mean, table.x_err, table.y_err), table.weight)
    y = take(table.y, rows.first)
    scaler = learn_scaling(table.x, y, rows.weight, rows.first)
    train, targets = y.shape
    imputer = learn_imputer(scaler.features(take(table.x, spread(rows.first, MOST_ROWS))))

    def features() -> Iterator[np.ndarray]:
        return (imputer(scaler.features(take(table.x, rows.first[block])))[0] for block in blocks(train))

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
        parts.append(imputer(scaler.features(take(validation.x, block)))[0] for block in blocks(len(validation.x)))
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
    errors = _known_errors(table, rows.first, validation, scaler, imputer)
    usual = usual_errors(x.shape[1], targets, None if errors is None else errors.some(np.arange(train)), weight[:train])
    pure = pure_error(x[:train], y[:train], rows.weight)
    training = Table(
        x=x,
        y=y.astype(np.float32),
        weight=weight.astype(np.float32),
        prior_mean=prior_mean,
        prior_variance=prior_variance.astype(np.float32),
        train=train,
        errors=errors,
        repeated_noise=None if pure is None else np.maximum(pure.variance - usual.target, 0.0),
    )
    return _Scaled(scaler, trend, prior_variance, imputer, usual, training, rows.first, pure)


def _with(y: np.ndarray, *others: np.ndarray | None) -> np.ndarray:
    """Targets with the user's prior and errors beside them, so that merging equal rows keeps all."""
    there = [other for other in others if other is not None]
    return np.hstack([y, *there]) if there else y


def _known_errors(
    table: EncodedTable, first: np.ndarray, validation: EncodedTable | None, scaler: Scaler, imputer: Imputer
) -> KnownErrors | None:
    """Declared errors and those of filled gaps, of training rows and then of validation rows; None if there is none."""
    tables = [(table, first)] + ([] if validation is None else [(validation, np.arange(len(validation.x)))])
    told = any(t.x_err is not None or t.y_err is not None for t, _ in tables)
    if not told and not any(np.isnan(t.x[rows]).any() for t, every in tables for rows in blocks(len(every))):
        return None
    parts = []
    for t, rows in tables:
        _, gaps = imputer(scaler.features(take(t.x, rows)))
        imputed = np.zeros((len(rows), t.x.shape[1]), np.float32) if gaps is None else gaps.astype(np.float32)
        variance = np.full(imputed.shape, np.nan) if t.x_err is None else scaler.feature_variances(t.x_err[rows])
        variance = np.where(imputed > 0, 0.0, variance)
        target = np.zeros((len(rows), t.y.shape[1])) if t.y_err is None else (t.y_err[rows] / scaler.target_scale) ** 2
        known = ~np.isnan(variance)
        parts.append(
            KnownErrors(
                known.astype(np.float32), np.where(known, variance, 0.0).astype(np.float32), imputed,
                np.where(np.isnan(target), 0.0, target).astype(np.float32),
            )
        )  # fmt: skip
    return KnownErrors(*[np.concatenate(arrays) for arrays in zip(*parts, strict=True)])


class _Calibrated(NamedTuple):
    familiar: Familiar
    scale: np.ndarray
    repeats: Repeats | None
    held_out: dict[str, Any]
    curved: np.ndarray
    curvature: bool
    """Whether a straight line is clearly worse."""
    unseen: HeldOut
    """In scaled units."""


def _calibrate(ensemble: FittedEnsemble, table: Table, settings: Settings, n_jobs: int | None) -> _Calibrated:
    """Noise scale and familiarity constants from rows that the members have not seen.

    Validation rows if there are any, the held-out folds otherwise.
    """
    whole, rows = table, judging_rows(ensemble.unseen, table.train)
    table, ensemble = table.some(rows), ensemble.some(rows)
    errors = None if table.errors is None else table.errors.inputs(ensemble.imputed_scale)
    estimates = member_estimates(ensemble.blocks, ensemble.densities, ensemble.support, table.x, errors, n_jobs)
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
    if table.errors is not None:  # what is known is not rescaled
        known = held_out_average(np.einsum("mrtt->mrt", estimates.known_covariance), unseen)
        doubt = doubt + known + table.errors.target
    shrinkage = held_out_shrinkage(means[:, held_out], unseen[:, held_out], y[held_out], weight[held_out])
    flattery = _flattery(ensemble, mean, y, np.where(held_out, weight, 0.0))
    error = (y - mean) * np.sqrt(flattery)
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
    k = familiar(caution)(attention)[:, None] if settings.density else np.ones((len(y), 1))
    answer = combine(settings.combination, k, mean, doubt, table.prior_mean, table.prior_variance)
    std = np.sqrt(answer.aleatoric_weight * noise * scale + answer.epistemic_variance)
    unseen_rows = HeldOut(
        np.where(validation, -1, rows)[held_out], answer.mean[held_out], std[held_out], y[held_out],
        (np.abs(y - answer.mean) * np.sqrt(flattery * shrinkage) / std)[held_out],
    )  # fmt: skip
    curvature = _is_curved(table, y - mean, np.where(held_out, weight, 0.0))
    curved = np.zeros(table.x.shape[1], bool)
    if curvature:
        curved = _changing_slopes(ensemble, table, n_jobs)
    facts = _held_out_facts(error[judged], y[judged], z[judged], weight[judged])
    repeats = None
    if settings.repeats:
        y, weight = whole.y.astype(np.float64), whole.weight.astype(np.float64)
        repeats = learn_repeats(whole.x, y, weight, whole.train, mean, variance, rows)
    return _Calibrated(familiar(caution), scale, repeats, facts, curved, curvature, unseen_rows)


def _is_curved(table: Table, error: np.ndarray, weight: np.ndarray) -> bool:
    """Whether a straight line errs clearly more, on rows that it has seen, than the model on rows that it has not."""
    line = ridge_trend(table.x[: table.train], table.y[: table.train], table.weight[: table.train])
    gain = ((table.y - line(table.x)) ** 2 - error**2).sum(axis=1)
    count = weight.sum() ** 2 / (weight**2).sum()
    mean = np.average(gain, weights=weight)
    return bool(mean > 3 * np.sqrt(np.average((gain - mean) ** 2, weights=weight) / count))


def _changing_slopes(ensemble: FittedEnsemble, table: Table, n_jobs: int | None) -> np.ndarray:
    """For each feature whether the slopes of some target differ between rows by a quarter of their size."""
    some = spread(np.arange(table.train), SLOPE_ROWS)
    slopes = sensitivities(ensemble.blocks, ensemble.support, table.x[some], None, n_jobs).jacobian
    return (slopes.std(axis=0) > 0.25 * np.sqrt((slopes**2).mean(axis=0)) + 1e-9).any(axis=0)


SLOPE_ROWS = 2048
"""Rows whose slopes are compared."""


def _held_out_rows(calibrated: _Calibrated, scaled: _Scaled) -> HeldOut:
    """In the targets' units, with places in the user's table."""
    unseen, unit, center = calibrated.unseen, scaled.scaler.target_scale, scaled.scaler.target_center
    place = np.where(unseen.rows >= 0, scaled.first[np.maximum(unseen.rows, 0)], -1)
    return HeldOut(place, unseen.mean * unit + center, unseen.std * unit, unseen.y * unit + center, unseen.error)


def _doubted_rows(ensemble: FittedEnsemble, scaled: _Scaled) -> list[int]:
    """Places in the user's table of rows that count little, because they are far off what the others say."""
    if ensemble.fitted_kernel is None:
        return []
    return scaled.first[doubted(ensemble.fitted_kernel.belief[: scaled.training.train])].tolist()


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


def _facts(table, validation, scaled: _Scaled, names: Names, calibrated: _Calibrated) -> dict[str, Any]:
    held, scaler = calibrated.held_out, scaled.scaler
    unit = scaler.target_scale
    parts = [part for column in names.columns for part in column.parts]
    usual, pure = scaled.usual, scaled.pure
    declared = usual.share[scaler.scale > 0]
    return {
        "rows": len(table.x),
        "distinct_rows": scaled.training.train,
        "missing_cells": int(sum(np.isnan(table.x[rows]).sum() for rows in blocks(len(table.x)))),
        "declared": {
            part: [float(share), float(np.sqrt(variance) * scale)]
            for part, share, variance, scale in zip(parts, usual.share, usual.variance, scaler.scale, strict=True)
            if share > 0
        },
        "declared_targets": [float(v) for v in np.sqrt(usual.target) * unit],
        "pure_error": None if pure is None else [float(v) for v in np.sqrt(pure.variance) * unit],
        "pure_error_freedom": 0.0 if pure is None else float(pure.freedom),
        "repeated_inputs": 0 if pure is None else int(pure.inputs),
        "curved": calibrated.curvature,
        "split_identifiable": bool(calibrated.curvature or pure is not None or (declared > 0.5).all()),
        "validation_rows": 0 if validation is None else len(validation.x),
        "constant_columns": [p for p, s in zip(parts, scaler.scale, strict=True) if s == 0],
        "held_out_rows": held["rows"],
        "held_out_rmse": [float(v) for v in np.sqrt(held["mse"]) * unit],
        "held_out_explained": [float(v) for v in held["explained"]],
        "held_out_coverage": {k: [float(v) for v in np.atleast_1d(c)] for k, c in held["coverage"].items()},
    }
