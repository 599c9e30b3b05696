"""Error bars adjusted to new rows, such as those of another instrument, without a new fit: means stay as they are.

The learned noise takes the size that the new rows show, and the distribution their tails, as calibration does after a
fit. What is declared, and what the model does not know of the function, is not rescaled.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from taylor_sensus.errors import DataError
from taylor_sensus.fit.scales import noise_level
from taylor_sensus.fit.shape import positive_shape
from taylor_sensus.fitted import FittedModel, HeldOut
from taylor_sensus.model.shapes import Float
from taylor_sensus.model.tails import learn_tails
from taylor_sensus.prediction import Prediction
from taylor_sensus.records import Query
from taylor_sensus.rows import tercile_shares

FEWEST = 10
"""Rows that it takes."""


def recalibrated(
    fitted: FittedModel, query: Query, y: Float[np.ndarray, "rows targets"], n_jobs: int | None
) -> FittedModel:
    """The same model with noise scale, tails and held-out record of the new rows."""
    if len(y) < FEWEST:
        raise DataError(f"{len(y)} rows are too few to adjust error bars to; measure at least {FEWEST}")
    unit, each = fitted.scaler.target_scale, np.ones(len(y))
    before = _scaled(fitted.predict(query, n_jobs), y, unit)
    level = noise_level(before.residual, before.learned, before.known, each)
    ensemble = replace(fitted.ensemble, noise_scale=fitted.ensemble.noise_scale * level.scale)
    found = replace(fitted, ensemble=ensemble).predict(query, n_jobs)
    after = _scaled(found, y, unit)
    score = after.residual / np.sqrt(after.learned + after.known)
    if fitted.settings.positive:
        everywhere, nought = np.ones(len(y), bool), np.zeros(y.shape[1])
        std = np.sqrt(after.learned + after.known) * unit
        tails, _, place = positive_shape(y, _columns(found.mean), std, nought, everywhere, each, level.freedom)
    else:
        tails = learn_tails(score, each, level.freedom)
        place = tails.cdf(score)
    return replace(
        fitted,
        ensemble=replace(ensemble, tails=tails),
        held_out=_record(found, y, score),
        left_out_scores=None,
        fit_summary=replace(fitted.fit_summary, validation_rows=len(y), **_scores(found, y, place)),
    )


class _ScaledErrors(NamedTuple):
    """Residuals and variances in scaled units."""

    residual: Float[np.ndarray, "rows targets"]
    learned: Float[np.ndarray, "rows targets"]
    known: Float[np.ndarray, "rows targets"]


def _columns(part: Float[np.ndarray, "rows ..."]) -> Float[np.ndarray, "rows targets"]:
    return part.reshape(len(part), -1)


def _scaled(
    found: Prediction, y: Float[np.ndarray, "rows targets"], unit: Float[np.ndarray, " targets"]
) -> _ScaledErrors:
    declared = np.zeros_like(found.mean) if found.target_error_variance is None else found.target_error_variance
    learned = found.feature_variance + found.system_variance - declared
    parts = (_columns(part) / unit**2 for part in (learned, found.epistemic_variance + found.group**2 + declared))
    return _ScaledErrors((y - _columns(found.mean)) / unit, *parts)


def _record(
    found: Prediction, y: Float[np.ndarray, "rows targets"], score: Float[np.ndarray, "rows targets"]
) -> HeldOut:
    nowhere = np.full(len(y), -1)
    return HeldOut(
        rows=nowhere,
        fold=nowhere,
        y=y,
        mean=_columns(found.mean),
        feature_variance=_columns(found.feature_variance),
        system_variance=_columns(found.system_variance),
        epistemic_variance=_columns(found.epistemic_variance),
        score=score,
        group_variance=_columns(found.group**2),
    )


def _scores(found: Prediction, y: Float[np.ndarray, "rows targets"], place: Float[np.ndarray, "rows targets"]) -> dict:
    """What the summary tells of unseen rows."""
    off, mean, std = np.abs(2 * place - 1), _columns(found.mean), _columns(found.std)
    error, spread = ((y - mean) ** 2).mean(axis=0), y.var(axis=0)
    thirds = [
        [np.average(own < 0.9, weights=share) for share in tercile_shares(size)]
        for own, size in zip(off.T, std.T, strict=True)
    ]
    return {
        "held_out_rows": len(y),
        "held_out_rmse": tuple(np.sqrt(error).tolist()),
        "held_out_explained": tuple((1 - error / np.where(np.ptp(y, axis=0) > 0, spread, np.nan)).tolist()),
        "held_out_coverage": {level: tuple((off < level / 100).mean(axis=0).tolist()) for level in (50, 80, 90, 95)},
        "held_out_thirds": tuple(tuple(map(float, third)) for third in thirds),
        "declared_target_checks": None,
    }
