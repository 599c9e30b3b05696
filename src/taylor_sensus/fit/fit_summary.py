"""The summary of a fit: what the stages found, as one record in the user's units."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr

from taylor_sensus.fit.calibrate import Calibrated
from taylor_sensus.fit.prepare import PreparedTable
from taylor_sensus.fit.records import TrainedEnsemble
from taylor_sensus.fit.robust import outliers
from taylor_sensus.records import DeclaredError, EncodedTable, FitSummary
from taylor_sensus.rows import blocks, tercile_shares

if TYPE_CHECKING:
    from taylor_sensus.tables.columns import Column


def summarise_fit(
    table: EncodedTable, validation: EncodedTable | None, columns: tuple[Column, ...], seed: int,
    scaled: PreparedTable, ensemble: TrainedEnsemble, calibrated: Calibrated,
) -> FitSummary:  # fmt: skip
    """Counts of the table, choices of the training, and scores on unseen rows."""
    held, unit, pure = calibrated.scores, scaled.scaler.target_scale, scaled.pure
    parts = [part for column in columns for part in column.parts]
    moving = scaled.scaler.scale > 0
    known_everywhere = bool((scaled.default_errors.share[moving] > 0.5).all())
    return FitSummary(
        rows=len(table.x),
        distinct_rows=scaled.training.train,
        validation_rows=0 if validation is None else len(validation.x),
        missing_cells=_missing_cells(table.x, columns),
        constant_columns=tuple(part for part, moves in zip(parts, moving, strict=True) if not moves),
        declared=_declared(scaled, parts),
        declared_targets=_numbers(np.sqrt(scaled.default_errors.target) * unit),
        pure_error=None if pure is None else _numbers(np.sqrt(pure.variance) * unit),
        pure_error_freedom=0.0 if pure is None else float(pure.freedom),
        repeated_inputs=0 if pure is None else int(pure.inputs),
        curved=calibrated.curvature,
        split_identifiable=calibrated.curvature or known_everywhere,
        held_out_rows=held.rows,
        held_out_rmse=_numbers(np.sqrt(held.mse) * unit),
        held_out_explained=_numbers(_explained(calibrated)),
        held_out_coverage={level: _numbers(share) for level, share in held.coverage.items()},
        held_out_thirds=tuple(_numbers(thirds) for thirds in _thirds(calibrated)),
        frequency_scale=float(ensemble.chosen.frequency_scale),
        outliers=_outliers(ensemble, scaled),
        seed=seed,
    )


def _judged(found: Calibrated) -> np.ndarray:
    """Which held-out rows the scores come from: validation rows where there are any."""
    is_validation = found.held_out.rows < 0
    return is_validation if is_validation.any() else ~is_validation


def _explained(found: Calibrated) -> np.ndarray:
    """Not a number where the target does not vary, so that there is nothing to explain."""
    return np.where(np.ptp(found.held_out.y[_judged(found)], axis=0) > 0, found.scores.explained, np.nan)


def _thirds(found: Calibrated) -> np.ndarray:
    """Coverage of 90 % intervals among the surest, the middle and the least sure third, `(targets, 3)`."""
    judged, tails = _judged(found), found.ensemble.tails
    score, std = found.held_out.score[judged], found.held_out.std[judged]
    place = ndtr(score) if tails is None else tails.cdf(score)
    held = np.abs(2 * place - 1) < 0.9
    shares = [tercile_shares(size) for size in std.T]
    return np.array([[np.average(own, weights=s) for s in share] for own, share in zip(held.T, shares, strict=True)])


def _missing_cells(x: np.ndarray, columns: tuple[Column, ...]) -> int:
    """Cells of the user's table without a value: a missing word counts once, however many categories there are."""
    starts = np.cumsum([0, *(len(column.parts) for column in columns)])[:-1]
    starts = starts[[len(column.parts) > 0 for column in columns]]
    return int(sum(np.isnan(x[rows][:, starts]).sum() for rows in blocks(len(x))))


def _declared(scaled: PreparedTable, parts: list[str]) -> dict[str, DeclaredError]:
    """The usual declared error of each encoded feature that has one, in the user's unit."""
    usual, std = scaled.default_errors, np.sqrt(scaled.default_errors.variance) * scaled.scaler.scale
    told = zip(parts, usual.share, std, strict=True)
    return {part: DeclaredError(float(share), float(size)) for part, share, size in told if share > 0}


def _outliers(ensemble: TrainedEnsemble, scaled: PreparedTable) -> tuple[int, ...]:
    """Places in the user's table of rows that count little, because they are far off what the others say."""
    if ensemble.process is None:
        return ()
    return tuple(scaled.first[outliers(ensemble.process.robust_weights[: scaled.training.train])].tolist())


def _numbers(values: np.ndarray) -> tuple[float, ...]:
    return tuple(float(value) for value in np.atleast_1d(values))
