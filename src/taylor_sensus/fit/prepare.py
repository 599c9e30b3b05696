"""From an encoded table to one that networks learn from: equal rows merged, scaled, gaps filled, errors known."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from taylor_sensus.fit.padding import room_for
from taylor_sensus.fit.records import Table
from taylor_sensus.model.declared_errors import DeclaredErrors, DefaultErrors, default_errors
from taylor_sensus.model.groups import NO_GROUP
from taylor_sensus.model.imputation import MOST_ROWS, Imputer, learn_imputer
from taylor_sensus.model.input_density import as_matrices
from taylor_sensus.model.repeats import PureError, pure_error
from taylor_sensus.model.scaling import Scaler, learn_scaling
from taylor_sensus.model.shapes import Float, Int, Num
from taylor_sensus.model.trend import Trend, flat_trend, ridge_trend, streamed_ridge_trend
from taylor_sensus.records import EncodedTable
from taylor_sensus.rows import BLOCK, blocks, byte_order, distinct_rows, spread, take
from taylor_sensus.settings import Settings


class PreparedTable(NamedTuple):
    """What is learned of a table before training."""

    scaler: Scaler
    trend: Trend
    prior_variance: Float[np.ndarray, " targets"]
    imputer: Imputer
    default_errors: DefaultErrors
    training: Table
    first: Int[np.ndarray, " train"]
    """Where each training row stands in the user's table."""
    pure: PureError | None


def prepare(
    table: EncodedTable, validation: EncodedTable | None, settings: Settings,
    known: Callable[[Scaler], Scaler] = lambda learned: learned,
) -> PreparedTable:  # fmt: skip
    """Distinct rows in scaled units, followed by the validation rows. `known` corrects the scales learned from them.

    The table is gone through in blocks, and all that stays of a large one is a copy in single precision.
    """
    group = None if table.group is None else table.group[:, None]
    covariances = [None if part is None else part.reshape(len(part), -1) for part in (table.x_cov, table.xy_cov)]
    beside = _with(table.y, table.prior_mean, table.x_err, table.y_err, table.y_limit, group, *covariances)
    rows = distinct_rows(table.x, beside, table.weight)
    y = take(table.y, rows.first)
    scaler = known(learn_scaling(table.x, y, rows.weight, rows.first))
    train, targets = y.shape
    imputer = learn_imputer(scaler.features(take(table.x, spread(rows.first, MOST_ROWS))))

    def features() -> Iterator[Float[np.ndarray, "_ features"]]:
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
    errors = _declared_errors(table, rows.first, validation, scaler, imputer)
    of_training = None if errors is None else errors.take(np.arange(train))
    usual = default_errors(x.shape[1], targets, of_training, weight[:train])
    pure = pure_error(x[:train], y[:train], rows.weight)
    same_input = byte_order((x[:train, column] for column in range(x.shape[1])), train).group
    code = None
    if table.group is not None:
        code = np.append(table.group[rows.first], np.full(len(y) - train, NO_GROUP))
    training = Table(
        x=x,
        y=y.astype(np.float32),
        weight=weight.astype(np.float32),
        prior_mean=prior_mean,
        prior_variance=prior_variance.astype(np.float32),
        train=train,
        group=same_input if code is None else kept_together(code[:train], same_input),
        errors=errors,
        code=code,
        inputs=int(same_input.max()) + 1,
    )
    return PreparedTable(scaler, trend, prior_variance, imputer, usual, training, rows.first, pure)


def kept_together(code: Int[np.ndarray, " rows"], same_input: Int[np.ndarray, " rows"]) -> Int[np.ndarray, " rows"]:
    """Numbers of the rows that splits keep together: those of a group; rows without one go by their input."""
    return np.unique(np.where(code >= 0, code, code.max(initial=0) + 1 + same_input), return_inverse=True)[1]


def _with(
    y: Float[np.ndarray, "rows _"], *others: Num[np.ndarray, "rows _"] | None
) -> Float[np.ndarray, "rows columns"]:
    """Targets with the user's prior and errors beside them, so that merging equal rows keeps all."""
    there = [other for other in others if other is not None]
    return np.hstack([y, *there]) if there else y


def _declared_errors(
    table: EncodedTable,
    first: Int[np.ndarray, " train"],
    validation: EncodedTable | None,
    scaler: Scaler,
    imputer: Imputer,
) -> DeclaredErrors | None:
    """Declared errors and those of filled gaps, of training rows and then of validation rows; None if there is none."""
    tables = [(table, first)] + ([] if validation is None else [(validation, np.arange(len(validation.x)))])
    is_any = any(t.x_err is not None or t.y_err is not None for t, _ in tables)
    if not is_any and not any(np.isnan(t.x[rows]).any() for t, every in tables for rows in blocks(len(every))):
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
            DeclaredErrors(
                known.astype(np.float32), np.where(known, variance, 0.0).astype(np.float32), imputed,
                np.where(np.isnan(target), 0.0, target).astype(np.float32),
            )
        )  # fmt: skip
    whole = DeclaredErrors(*[np.concatenate(arrays) for arrays in zip(*[part[:4] for part in parts], strict=True)])
    return _with_covariances(whole, tables, scaler)


def _with_covariances(
    errors: DeclaredErrors, tables: list[tuple[EncodedTable, Int[np.ndarray, " _"]]], scaler: Scaler
) -> DeclaredErrors:
    """With covariances of errors in a row, where some are declared; only readings make use of them."""
    if all(t.x_cov is None for t, _ in tables):
        return errors
    unit = np.divide(1.0, scaler.scale, out=np.zeros_like(scaler.scale), where=scaler.scale > 0)
    pairs = np.multiply.outer(unit, unit)
    start, whole = 0, as_matrices(errors.declared.astype(np.float64))
    cross = np.zeros(errors.declared.shape)
    for t, rows in tables:
        here = slice(start, start := start + len(rows))
        if t.x_cov is not None:
            there = errors.declared[here] > 0
            both = there[:, :, None] & there[:, None, :]
            whole[here] = np.where(both, t.x_cov[rows] * pairs, whole[here])
        if t.xy_cov is not None:
            cross[here] = np.where(errors.declared[here] > 0, t.xy_cov[rows] * unit / scaler.target_scale[0], 0.0)
    return errors._replace(covariance=whole.astype(np.float32), cross=cross.astype(np.float32) if cross.any() else None)
