"""What a trained ensemble learns from rows that its members have not seen: scales, constants, and how good it is."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from taylor_sensus.fit.inference import MemberEstimates, left_out_attention, member_estimates, sensitivities
from taylor_sensus.fit.padding import held_out_average, judging_rows
from taylor_sensus.fit.records import FittedEnsemble, Table
from taylor_sensus.fit.scales import held_out_shrinkage, noise_scale, safest_caution
from taylor_sensus.fitted import Familiar, HeldOut, between_members
from taylor_sensus.model.combine import combine
from taylor_sensus.model.repeats import Repeats, learn_repeats
from taylor_sensus.model.trend import ridge_trend
from taylor_sensus.rows import spread
from taylor_sensus.settings import Settings


class Calibrated(NamedTuple):
    familiar: Familiar
    scale: np.ndarray
    repeats: Repeats | None
    held_out: dict[str, Any]
    curved: np.ndarray
    curvature: bool
    """Whether a straight line is clearly worse."""
    unseen: HeldOut
    """In scaled units."""


def calibrate(ensemble: FittedEnsemble, table: Table, settings: Settings, n_jobs: int | None) -> Calibrated:
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
    return Calibrated(familiar(caution), scale, repeats, facts, curved, curvature, unseen_rows)


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
