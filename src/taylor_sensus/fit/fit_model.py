"""From an encoded table to a fitted model: merge equal rows, scale, train, then calibrate on unseen rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taylor_sensus.fit.calibrate import Calibrated, calibrate
from taylor_sensus.fit.fit_summary import summarise_fit
from taylor_sensus.fit.initial import Shape
from taylor_sensus.fit.members import Progress
from taylor_sensus.fit.prepare import PreparedTable, prepare
from taylor_sensus.fit.records import Chosen
from taylor_sensus.fit.stages import fit_ensemble
from taylor_sensus.fitted import EncodedTable, FittedModel, HeldOut
from taylor_sensus.settings import Settings
from taylor_sensus.tables.columns import Column


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
    scaled = prepare(table, validation, settings)
    scaler, training = scaled.scaler, scaled.training
    shape = Shape(table.x.shape[1], table.y.shape[1], scaler.center, scaler.scale)
    chosen = None if before is None else _choices_of(before)
    ensemble = fit_ensemble(training, shape, settings, seed, n_jobs, progress, chosen)
    calibrated = calibrate(ensemble, training, settings, n_jobs)
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
        fit_summary=summarise_fit(table, validation, names.columns, seed, scaled, ensemble, calibrated),
        history=ensemble.history,
    )


def _choices_of(before: FittedModel) -> Chosen | None:
    """What a fit before has chosen; None if its model file does not say."""
    found = before.fit_summary
    if found.frequency_scale is None or found.contrast is None:
        return None
    return Chosen(found.frequency_scale, found.contrast, None if before.support is None else before.support.stored)


def _held_out_rows(calibrated: Calibrated, scaled: PreparedTable) -> HeldOut:
    """In the targets' units, with places in the user's table."""
    unseen, unit, center = calibrated.unseen, scaled.scaler.target_scale, scaled.scaler.target_center
    place = np.where(unseen.rows >= 0, scaled.first[np.maximum(unseen.rows, 0)], -1)
    return HeldOut(place, unseen.mean * unit + center, unseen.std * unit, unseen.y * unit + center, unseen.error)
