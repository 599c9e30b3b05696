"""From an encoded table to a fitted model: merge equal rows, scale, train, then calibrate on unseen rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from taylor_sensus.fit.calibrate import Calibrated, calibrate
from taylor_sensus.fit.initial import Shape
from taylor_sensus.fit.members import Progress
from taylor_sensus.fit.prepare import PreparedTable, prepare
from taylor_sensus.fit.records import Chosen, FittedEnsemble
from taylor_sensus.fit.robust import doubted
from taylor_sensus.fit.stages import fit_ensemble
from taylor_sensus.fitted import EncodedTable, FittedModel, HeldOut
from taylor_sensus.rows import blocks
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
    chosen = None
    if before is not None:
        stored = None if before.support is None else before.support.stored
        chosen = Chosen(before.facts["frequency_scale"], before.facts["contrast"], stored)
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
        facts={
            **_facts(table, validation, scaled, names, calibrated),
            "frequency_scale": ensemble.chosen.frequency_scale,
            "contrast": ensemble.chosen.contrast,
            "doubted_rows": _doubted_rows(ensemble, scaled),
            "seed": seed,
        },
        history=ensemble.history,
    )


def _held_out_rows(calibrated: Calibrated, scaled: PreparedTable) -> HeldOut:
    """In the targets' units, with places in the user's table."""
    unseen, unit, center = calibrated.unseen, scaled.scaler.target_scale, scaled.scaler.target_center
    place = np.where(unseen.rows >= 0, scaled.first[np.maximum(unseen.rows, 0)], -1)
    return HeldOut(place, unseen.mean * unit + center, unseen.std * unit, unseen.y * unit + center, unseen.error)


def _doubted_rows(ensemble: FittedEnsemble, scaled: PreparedTable) -> list[int]:
    """Places in the user's table of rows that count little, because they are far off what the others say."""
    if ensemble.fitted_kernel is None:
        return []
    return scaled.first[doubted(ensemble.fitted_kernel.belief[: scaled.training.train])].tolist()


def _facts(table, validation, scaled: PreparedTable, names: Names, calibrated: Calibrated) -> dict[str, Any]:
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
