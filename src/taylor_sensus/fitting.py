"""From an encoded table to a fitted model: merge equal rows, scale, train, then calibrate on unseen rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from taylor_sensus.data.columns import Column
from taylor_sensus.data.repeats import Repeats, learn_repeats
from taylor_sensus.data.rows import distinct_rows
from taylor_sensus.data.scaling import Scaler, learn_scaling
from taylor_sensus.data.trend import flat_trend, ridge_trend
from taylor_sensus.fitted import Familiar, FittedModel, between_members
from taylor_sensus.settings import Settings
from taylor_sensus.training.batches import held_out_average
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
    rows = distinct_rows(table.x, _with(table.y, table.prior_mean), table.weight)
    targets = table.y.shape[1]
    y = rows.y[:, :targets]
    scaler = learn_scaling(rows.x, y, rows.weight)
    scaled = _Scaled.of(scaler, rows.x, y, rows.weight / rows.weight.mean(), rows.y[:, targets:])
    prior = (ridge_trend if settings.prior == "ridge" else flat_trend)(scaled.x, scaled.y, scaled.weight)
    if validation is not None:
        own = _with(validation.y, validation.prior_mean)[:, targets:]
        held = _Scaled.of(scaler, validation.x, validation.y, validation.weight, own)
        scaled = scaled.followed_by(held)
    prior_mean = prior(scaled.x) if table.prior_mean is None else scaled.prior
    prior_variance = np.full(targets, settings.prior_inflation)
    training = Table(
        x=scaled.x.astype(np.float32),
        y=scaled.y.astype(np.float32),
        weight=scaled.weight.astype(np.float32),
        prior_mean=prior_mean.astype(np.float32),
        prior_variance=prior_variance.astype(np.float32),
        train=len(rows.x),
    )
    shape = Shape(rows.x.shape[1], targets, scaler.center, scaler.scale)
    ensemble = fit_ensemble(training, shape, settings, seed, n_jobs, progress)
    calibrated = _calibrate(ensemble, training, settings, n_jobs)
    return FittedModel(
        settings=settings,
        columns=names.columns,
        target_names=names.targets,
        one_dimensional=names.one_dimensional,
        scaler=scaler,
        trend=prior,
        prior_variance=prior_variance,
        blocks=ensemble.blocks,
        densities=ensemble.densities,
        support=ensemble.support,
        familiar=calibrated.familiar,
        noise_scale=calibrated.scale,
        repeats=calibrated.repeats,
        facts=_facts(table, validation, rows.weight, scaler, names, calibrated),
        history=ensemble.history,
    )


class _Scaled(NamedTuple):
    x: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    prior: np.ndarray

    @classmethod
    def of(cls, scaler: Scaler, x, y, weight, prior) -> _Scaled:
        own = scaler.targets(prior) if prior.shape[1] else prior
        return cls(scaler.features(x), scaler.targets(y), weight, own)

    def followed_by(self, other: _Scaled) -> _Scaled:
        return _Scaled(*[np.concatenate([a, b]) for a, b in zip(self, other, strict=True)])


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
    residual = (y - mean) * np.sqrt(shrinkage)
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
    facts = _held_out_facts((y - mean)[judged], y[judged], z[judged], weight[judged])
    repeats = learn_repeats(table.x, y, weight, table.train, mean, variance) if settings.repeats else None
    return _Calibrated(familiar(caution), scale, repeats, facts)


def _as_if_unseen(estimates: MemberEstimates, ensemble: FittedEnsemble) -> tuple[np.ndarray, np.ndarray]:
    """The members' means with the kernel part as if it had not seen each row, and the doubt that it leaves."""
    means = estimates.mean.astype(np.float64)
    if ensemble.support is None or ensemble.fitted_kernel is None:
        return means, np.zeros(means.shape[1:])
    kernel, support = ensemble.fitted_kernel, ensemble.support
    means += support.share * (kernel.unseen_mean - estimates.kernel_mean[0])
    return means, np.multiply.outer(kernel.unseen_variance, support.doubt)


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


def _facts(table, validation, weight, scaler: Scaler, names: Names, calibrated: _Calibrated) -> dict[str, Any]:
    held = calibrated.held_out
    unit = scaler.target_scale
    parts = [part for column in names.columns for part in column.parts]
    return {
        "rows": len(table.x),
        "distinct_rows": len(weight),
        "validation_rows": 0 if validation is None else len(validation.x),
        "constant_columns": [p for p, s in zip(parts, scaler.scale, strict=True) if s == 0],
        "held_out_rows": held["rows"],
        "held_out_rmse": [float(v) for v in np.sqrt(held["mse"]) * unit],
        "held_out_explained": [float(v) for v in held["explained"]],
        "held_out_coverage": {k: [float(v) for v in np.atleast_1d(c)] for k, c in held["coverage"].items()},
    }
