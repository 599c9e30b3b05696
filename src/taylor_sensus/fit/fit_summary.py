"""The summary of a fit: what the stages found, as one record in the user's units."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from taylor_sensus.fit.calibrate import Calibrated
from taylor_sensus.fit.noise_shares import FEWEST_ROWS, MOST_ROWS, share_bounds
from taylor_sensus.fit.prepare import PreparedTable
from taylor_sensus.fit.records import TrainedEnsemble
from taylor_sensus.fit.robust import outliers
from taylor_sensus.model.declared_errors import nothing_declared
from taylor_sensus.model.exact import probably_exact
from taylor_sensus.model.repeated_columns import MOST_ROWS as MOST_GROUP_ROWS
from taylor_sensus.model.repeated_columns import repeated_columns
from taylor_sensus.model.sensitivity import sensitivities
from taylor_sensus.model.shapes import Bool, Float
from taylor_sensus.model.taylor_block import NoFeatureNoise
from taylor_sensus.records import DeclaredCheck, DeclaredError, EncodedTable, FitSummary, Names, SuspectedGroups
from taylor_sensus.rows import blocks, spread, tercile_shares

if TYPE_CHECKING:
    from taylor_sensus.tables.columns import Column


NARROW = 0.5
"""Width of the interval of a share up to which it counts as known."""
MOST_LOOKED_AT = 20_000
"""Rows by which a column is guessed to be exact."""


def summarise_fit(
    table: EncodedTable, validation: EncodedTable | None, names: Names, seed: int,
    scaled: PreparedTable, ensemble: TrainedEnsemble, calibrated: Calibrated,
) -> FitSummary:  # fmt: skip
    """Counts of the table, choices of the training, and scores on unseen rows."""
    columns, groups = names.columns, calibrated.groups
    held, unit, pure = calibrated.scores, scaled.scaler.target_scale, scaled.pure
    parts = [part for column in columns for part in column.parts]
    moving = scaled.scaler.scale > 0
    known_everywhere = bool((scaled.default_errors.share[moving] > 0.5).all())
    bounds = _share_bounds(columns, scaled, calibrated)
    is_narrow = all(high - low <= NARROW for target in bounds for low, high in target[-1:])
    return FitSummary(
        rows=len(table.x),
        distinct_rows=scaled.training.train,
        validation_rows=0 if validation is None else len(validation.x),
        missing_cells=_missing_cells(table.x, columns),
        constant_columns=tuple(part for part, moves in zip(parts, moving, strict=True) if not moves),
        declared=_declared(scaled, parts),
        declared_targets=_numbers(_declared_target_stds(table)),
        declared_target_shares=_numbers(_declared_cells(table).mean(axis=0)),
        declared_target_checks=tuple(_declared_checks(scaled, calibrated, known_everywhere)),
        probably_exact=_probably_exact(table, columns, scaled),
        pure_error=None if pure is None else _numbers(np.sqrt(pure.variance) * unit),
        pure_error_freedom=0.0 if pure is None else float(pure.freedom),
        repeated_inputs=0 if pure is None else int(pure.inputs),
        curved=calibrated.curvature,
        split_identifiable=is_narrow or known_everywhere,
        noise_share_bounds=bounds,
        held_out_rows=held.rows,
        held_out_rmse=_numbers(np.sqrt(held.mse) * unit),
        held_out_explained=_numbers(_explained(calibrated)),
        held_out_coverage={level: _numbers(share) for level, share in held.coverage.items()},
        held_out_thirds=tuple(_numbers(thirds) for thirds in _thirds(calibrated)),
        frequency_scale=float(ensemble.chosen.frequency_scale),
        outliers=_outliers(ensemble, scaled),
        seed=seed,
        group_title=None if names.groups is None else names.groups.title,
        groups=0 if table.group is None else len(np.unique(table.group[table.group >= 0])),
        group_stds=None if groups is None else _numbers(np.sqrt(groups.variance) * unit),
        negative_bounds=_numbers(_negative_bounds(table.y, scaled, calibrated)),
        suspected_groups=_suspected_groups(table, columns) if table.group is None else None,
    )


def _negative_bounds(
    y: Float[np.ndarray, "rows targets"], scaled: PreparedTable, found: Calibrated
) -> Float[np.ndarray, " targets"]:
    """For each target that is never negative the share of held-out rows whose 90 % interval is."""
    tails, held, scaler = found.ensemble.tails, found.held_out, scaled.scaler
    if tails is None or tails.power is not None:
        return np.zeros(y.shape[1])
    low = (held.mean + held.std * tails.quantile(np.float64(0.05))) * scaler.target_scale + scaler.target_center
    return np.where(y.min(axis=0) >= 0, (low < 0).mean(axis=0), 0.0)


def _suspected_groups(table: EncodedTable, columns: tuple[Column, ...]) -> SuspectedGroups | None:
    """Columns that repeat together, if there are some."""
    starts = np.cumsum([0, *(len(column.parts) for column in columns)])
    if len(table.x) > MOST_GROUP_ROWS:
        return None
    cells = [np.unique(table.x[:, a:b], axis=0, return_inverse=True)[1].ravel() for a, b in pairwise(starts) if b > a]
    there = [column for column in columns if column.parts]
    found, sets = repeated_columns(np.stack(cells, axis=1))
    return SuspectedGroups(tuple(there[at].name for at in found), sets) if found else None


def _declared_cells(table: EncodedTable) -> Bool[np.ndarray, "rows targets"]:
    """Targets whose measuring error is known and not 0."""
    return np.zeros(table.y.shape, bool) if table.y_err is None else np.asarray(table.y_err > 0)


def _declared_target_stds(table: EncodedTable) -> Float[np.ndarray, " targets"]:
    """The usual declared error of each target, over the rows that have one."""
    if table.y_err is None:
        return np.zeros(table.y.shape[1])
    declared = _declared_cells(table)
    squares = np.where(declared, table.y_err, 0.0) ** 2
    return np.sqrt(squares.sum(axis=0) / np.maximum(declared.sum(axis=0), 1))


def _declared_checks(scaled: PreparedTable, found: Calibrated, inputs_known: bool) -> list[DeclaredCheck]:
    """Reduced chi-squares of held-out training rows whose measuring error was declared."""
    held, errors = found.held_out, scaled.training.errors
    of_training = held.rows >= 0
    count = held.y.shape[1]
    if errors is None or not of_training.any():
        return [DeclaredCheck(0, 0.0, 0.0)] * count
    declared = errors.target[held.rows[of_training]].astype(np.float64)
    squares = ((held.score * held.std) ** 2)[of_training]
    known = declared + (held.epistemic_variance + held.group_variance)[of_training]
    if inputs_known:
        known = known + held.feature_variance[of_training]
    checks = []
    for own, square, whole in zip(declared.T, squares.T, known.T, strict=True):
        there = own > 0
        if not there.any():
            checks.append(DeclaredCheck(0, 0.0, 0.0))
            continue
        # A few outliers say nothing of the typical error: none counts for more than four standard deviations.
        alone, all_of_it = (float(np.minimum(square[there] / part[there], 16.0).mean()) for part in (own, whole))
        checks.append(DeclaredCheck(int(there.sum()), alone, all_of_it))
    return checks


def _probably_exact(table: EncodedTable, columns: tuple[Column, ...], scaled: PreparedTable) -> dict[str, str]:
    """Columns that look exact although nobody declared so; of very many rows some are looked at."""
    return probably_exact(columns, table.x[spread(np.arange(len(table.x)), MOST_LOOKED_AT)],
                          scaled.default_errors.share > 0)  # fmt: skip


def _share_bounds(
    columns: tuple[Column, ...], scaled: PreparedTable, found: Calibrated
) -> tuple[tuple[tuple[float, float], ...], ...]:
    """For each target the intervals of the shares of all columns and the system in the learned noise."""
    held, table = found.held_out, scaled.training
    place = spread(np.flatnonzero(held.rows >= 0), MOST_ROWS)
    rows, count = held.rows[place], held.y.shape[1]
    starts = np.cumsum([0, *(len(column.parts) for column in columns)])[:-1]
    if len(rows) < FEWEST_ROWS or isinstance(found.ensemble.blocks.feature_noise_net, NoFeatureNoise):
        return (((0.0, 1.0),) * (len(columns) + 1),) * count
    x = table.x[rows]
    squared = sensitivities(found.ensemble, x, nothing_declared(*x.shape), 1).jacobian.astype(np.float64) ** 2
    known = (held.epistemic_variance + held.group_variance)[place]
    if table.errors is not None:
        errors = table.errors.take(rows)
        known = known + errors.at_targets(squared)
        squared = squared * (1 - errors.is_declared - (errors.imputed > 0)).clip(0)[:, None, :]
    squares = (held.score[place] * held.std[place]) ** 2
    each = [
        share_bounds(np.add.reduceat(squared[:, at], starts, axis=1), squares[:, at], known[:, at])
        for at in range(count)
    ]
    return tuple(tuple(zip(one.low.tolist(), one.high.tolist(), strict=True)) for one in each)


def _evaluated(found: Calibrated) -> Bool[np.ndarray, " rows"]:
    """Which held-out rows the scores come from: validation rows where there are any."""
    is_validation = found.held_out.rows < 0
    return is_validation if is_validation.any() else ~is_validation


def _explained(found: Calibrated) -> Float[np.ndarray, " targets"]:
    """Not a number where the target does not vary, so that there is nothing to explain."""
    return np.where(np.ptp(found.held_out.y[_evaluated(found)], axis=0) > 0, found.scores.explained, np.nan)


def _thirds(found: Calibrated) -> Float[np.ndarray, "targets 3"]:
    """Coverage of 90 % intervals among the surest, the middle and the least sure third."""
    evaluated = _evaluated(found)
    std = found.held_out.std[evaluated]
    held = np.abs(2 * found.place[evaluated] - 1) < 0.9
    shares = [tercile_shares(size) for size in std.T]
    return np.array([[np.average(own, weights=s) for s in share] for own, share in zip(held.T, shares, strict=True)])


def _missing_cells(x: Float[np.ndarray, "rows features"], columns: tuple[Column, ...]) -> int:
    """Cells of the user's table without a value: a missing word counts once, however many categories there are.

    Columns without a single value are not among them: nothing was filled in there.
    """
    starts = np.cumsum([0, *(len(column.parts) for column in columns)])[:-1]
    starts = starts[[len(column.parts) > 0 for column in columns]]
    counts = sum((np.isnan(x[rows][:, starts]).sum(axis=0) for rows in blocks(len(x))), np.zeros(len(starts), int))
    return int(counts[counts < len(x)].sum())


def _declared(scaled: PreparedTable, parts: list[str]) -> dict[str, DeclaredError]:
    """The usual declared error of each encoded feature that has one, in the user's unit."""
    usual, std = scaled.default_errors, np.sqrt(scaled.default_errors.variance) * scaled.scaler.scale
    declared_parts = zip(parts, usual.share, std, strict=True)
    return {part: DeclaredError(float(share), float(size)) for part, share, size in declared_parts if share > 0}


def _outliers(ensemble: TrainedEnsemble, scaled: PreparedTable) -> tuple[int, ...]:
    """Places in the user's table of rows that count little, because they are far off what the others say."""
    if ensemble.process is None:
        return ()
    return tuple(scaled.first[outliers(ensemble.process.robust_weights[: scaled.training.train])].tolist())


def _numbers(values: Float[np.ndarray, " numbers"]) -> tuple[float, ...]:
    return tuple(float(value) for value in np.atleast_1d(values))
