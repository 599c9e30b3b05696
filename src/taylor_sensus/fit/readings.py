"""Stage readings: features that were read with declared errors, and what is then learned beside the regression on them.

For another reading of the same kind the best answer is the regression on readings; declared errors say how much of the
scatter comes through each feature (`declared_noise`). The law at exact inputs is learned beside it (`fit.law`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from taylor_sensus.errors import SettingError, did_you_mean
from taylor_sensus.fit.context import FitContext, NoiseTable
from taylor_sensus.fit.declared_noise import DeclaredShare, borne_out, clearly_worse, tempered, unlikeliness
from taylor_sensus.fit.law import TrueInputs, fit_law, true_inputs
from taylor_sensus.fit.noise import squared_slopes
from taylor_sensus.fit.process import ProcessStage, process_slopes, run_process, told_of_slopes, weights_of_rows
from taylor_sensus.fit.records import FoundLaw, FoundProcess, Table
from taylor_sensus.fit.robust import LITTLE, NOTHING
from taylor_sensus.fit.share import Weighed, saved_by_averaging
from taylor_sensus.fit.step_share import UnseenMean, step_share
from taylor_sensus.model.declared_errors import DeclaredErrors
from taylor_sensus.model.ensemble import blended
from taylor_sensus.model.law import Law
from taylor_sensus.model.networks import MeanNetwork
from taylor_sensus.model.shapes import Float
from taylor_sensus.rows import spread
from taylor_sensus.settings import Settings

if TYPE_CHECKING:
    from taylor_sensus.tables.columns import Column

MOST_ROWS = 4000
"""Rows that say how far declared errors are borne out."""
FACTOR_RANGE = (0.02, 3.0)
"""In which the law's factor may lie."""


class Readings(NamedTuple):
    """What the stage hands on."""

    context: FitContext
    """With the targets' declared variances as far as unseen rows bear them out."""
    process: ProcessStage
    """It knows what the readings' errors bring to each row, unless unseen rows speak against it."""
    law: FoundLaw | None
    """None without declared errors of features."""
    declared: DeclaredErrors | None = None
    """Of all rows, those of features as they were declared."""


def with_kinds(table: Table, columns: tuple[Column, ...], settings: Settings) -> Table:
    """The table with a mark on features that were read with their declared errors."""
    kind = settings.X_err_kind
    names = [column.name for column in columns]
    for name in kind if isinstance(kind, dict) else ():
        if name not in names:
            raise SettingError(f"X_err_kind: there is no column {name!r}{did_you_mean(str(name), names)}")
    kinds = [kind.get(name, "reading") if isinstance(kind, dict) else kind for name in names]
    pairs = zip(columns, kinds, strict=True)
    reading = np.array([one == "reading" for column, one in pairs for _ in column.parts])
    declared = table.errors is not None and bool(table.errors.declared.any())
    return table._replace(reading=reading if declared and reading.any() else None)


def run_readings(context: FitContext) -> Readings:
    """The process, the law, and how far declared errors count, chosen by unseen rows."""
    t = context.table
    if t.errors is None:
        return Readings(context, run_process(context), None)
    reading = np.zeros(t.x.shape[1], bool) if t.reading is None else t.reading
    read = bool(t.errors.declared[:, reading].any())
    without = replace(context, table=t._replace(errors=t.errors.scaled(np.where(reading, 0.0, 1.0))))
    process = run_process(without if read else context)
    declared = bool(t.errors.declared.any())
    if process.found is None or not (declared or t.errors.target.any()):
        return Readings(context, process, None)
    untold, seed = process.found, int(context.run_seeds[-1])
    true, law = true_inputs(t, seed, of_settings=not read), None
    if read and true is not None:
        process = told_of_readings(context, process, untold, true)
        # Length scales of the process that was told nothing serve the law better: it counts the errors by itself.
        law = fit_law(t, untold, true, context.fold)
    share = _declared_share(context, process.found or untold, None if law is None else law.law)
    target = tempered(t.errors.target, t.weight, share.target_agreement)
    if true is not None and (not read or share.target_agreement < 1):
        law = fit_law(t, untold, true, context.fold, target, of_settings=not read)
    errors = t.errors._replace(target=target.astype(np.float32))
    table = t._replace(errors=errors)
    if law is not None and read:
        law = law._replace(law=with_share(law.law, share, table))
        table = counted(table, law.law)
    return Readings(replace(context, table=table), process, law, errors)


def told_of_readings(context: FitContext, stage: ProcessStage, before: FoundProcess, true: TrueInputs) -> ProcessStage:
    """The process again, told what each reading's error leaves open, through the slope: bad readings count less.

    What is declared is believed: unless unseen rows are clearly less likely by it, by two standard errors.
    """
    t = context.table
    if t.errors is None:
        raise ValueError("no errors are declared")
    declared = t.errors.declared.astype(np.float64)
    left = np.where(true.has_errors, true.left_open(t.x, declared), declared).astype(np.float32)
    errors = t.errors._replace(declared=left)
    told = replace(context, table=t._replace(errors=errors))
    found, variance = told_of_slopes(before, told)

    def cost(one: FoundProcess) -> Float[np.ndarray, " rows"]:
        squared = process_slopes(one.process, t.x, context.n_jobs) ** 2
        known = errors.at_targets(squared) + one.unseen_variance[:, None]
        return unlikeliness((t.y - one.unseen_mean).astype(np.float64), weight, known.astype(np.float64))

    weight = t.weight.astype(np.float64)
    if clearly_worse(cost(found) - cost(before), weight):
        return stage
    return ProcessStage(found, weights_of_rows(found, told.table, variance))


def with_voice(
    read: Readings,
    noise_table: NoiseTable,
    weighed: Weighed,
    means: Float[np.ndarray, "rows members targets"],
) -> tuple[Readings, Weighed]:
    """With a share of the law in the mean for readings, as rows that neither has seen like it.

    `means` are those of the networks.
    """
    found = read.law
    if found is None or found.law.of_settings:
        return read, weighed
    held, own = noise_table.is_held_out, found.take(noise_table.rows)
    y = noise_table.table.y.astype(np.float64)
    saved = (1 - weighed.share) ** 2 * saved_by_averaging(means, noise_table.unseen)
    smooth, beside = UnseenMean(y - weighed.residual, saved), UnseenMean(own.unseen_mean, np.zeros_like(y))
    share = step_share(read.context, noise_table, smooth, beside, held)
    law = Law(found.law.numbers._replace(voice=share), found.law.density)
    weighed = weighed._replace(
        residual=y - blended(share, smooth.mean, own.unseen_mean),
        mean_variance=blended(share, weighed.mean_variance, own.unseen_variance),
    )
    return read._replace(law=found._replace(law=law)), weighed


class JudgedReadings(NamedTuple):
    """Readings once the mean is known."""

    context: FitContext
    """With the declared variances as the regression on readings uses them."""
    noise_table: NoiseTable
    """The same."""
    law: FoundLaw | None


def judge_readings(
    read: Readings, noise_table: NoiseTable, nets: list[MeanNetwork], weighed: Weighed
) -> JudgedReadings:
    """How far declared errors of readings count around the mean, by what it leaves in unseen rows.

    The law says what they make on average, the slope of the blended mean how that differs from row to row.
    """
    context, found = read.context, read.law
    if found is None or read.declared is None or found.law.of_settings:
        return JudgedReadings(context, noise_table, found)
    law = found.law
    t = context.table._replace(errors=read.declared)
    chosen = spread(np.flatnonzero(noise_table.is_held_out & (noise_table.table.weight > NOTHING)), MOST_ROWS)
    some = noise_table.table._replace(errors=read.declared.take(noise_table.rows)).take(chosen)
    slopes = [squared_slopes(net, weighed.share, weighed.slopes[chosen], some.x, context.n_jobs) for net in nets]
    squared = np.mean(slopes, axis=0)
    bare = Law(law.numbers._replace(scale=np.ones(t.x.shape[1]), offset=np.zeros(t.x.shape[1])), law.density)
    share = _judged(some, bare, squared, weighed.residual[chosen], weighed.mean_variance[chosen])
    law = with_share(bare, share, t)
    table = counted(t, law)
    errors = None if table.errors is None else table.errors.take(noise_table.rows)
    judged = noise_table._replace(table=noise_table.table._replace(errors=errors))
    return JudgedReadings(replace(context, table=table), judged, found._replace(law=law))


def counted(table: Table, law: Law) -> Table:
    """A table with declared variances as the regression on readings counts them."""
    if table.errors is None:
        return table
    declared = law.in_regression(table.x, table.errors.declared).astype(np.float32)
    return table._replace(errors=table.errors._replace(declared=declared))


def with_share(bare: Law, share: DeclaredShare, table: Table) -> Law:
    """The law with factor and offset on what declared errors leave open of true inputs, by the training rows.

    `bare` has none yet, and the table has its errors as they were declared.
    """
    if table.errors is None:
        return bare
    train, read = slice(table.train), bare.is_reading
    left, weight = bare.in_regression(table.x[train], table.errors.declared[train]) * read, table.weight[train]
    there = left > 0
    mean = np.average(np.where(there, left, 0.0), axis=0, weights=weight)
    mean = mean / np.maximum(np.average(there, axis=0, weights=weight), 1e-30)
    scale = np.where(read, share.factor * share.agreement, 1.0)
    offset = np.where(read, share.factor * (1 - share.agreement) * mean, 0.0)
    return Law(bare.numbers._replace(scale=scale, offset=offset), bare.density)


def _declared_share(context: FitContext, found: FoundProcess, law: Law | None) -> DeclaredShare:
    """From the process' residuals."""
    t = context.table
    chosen = spread(np.flatnonzero(found.robust_weights >= LITTLE), MOST_ROWS)
    some, squared = t.take(chosen), process_slopes(found.process, t.x[chosen], context.n_jobs) ** 2
    return _judged(some, law, squared, some.y - found.unseen_mean[chosen], found.unseen_variance[chosen, None])


def _judged(
    table: Table,
    law: Law | None,
    squared: Float[np.ndarray, "rows targets features"],
    residual: Float[np.ndarray, "rows targets"],
    known: Float[np.ndarray, "rows _"],
) -> DeclaredShare:
    """From residuals of unseen rows around a mean with these squared slopes; `known` is its own variance."""
    errors = table.errors
    if errors is None:
        raise ValueError("no errors are declared")
    left = np.zeros(table.x.shape) if law is None else law.in_regression(table.x, errors.declared) * law.is_reading
    through = np.einsum("rtf,rf->rt", squared, left)
    expected = 1.0
    if law is not None:
        spread_of_f = law.answer(table.x, errors.declared * law.is_reading).feature_variance
        expected = float(np.clip(spread_of_f.sum() / max(through.sum(), 1e-30), *FACTOR_RANGE))
    others = errors._replace(target=np.zeros_like(errors.target))
    if law is not None:
        others = others.scaled(np.where(law.is_reading, 0.0, 1.0))
    weight, target = table.weight.astype(np.float64), errors.target.astype(np.float64)
    return borne_out(residual.astype(np.float64), weight, through, target, others.at_targets(squared) + known, expected)
