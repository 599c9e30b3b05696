"""Stage readings: features that were read with declared errors, and what is then learned beside the regression on them.

For another reading of the same kind the best answer is the regression on readings; declared errors say how much of the
scatter comes through each feature (`declared_noise`). The law at exact inputs is learned beside it (`fit.law`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from taylor_sensus.errors import SettingError, did_you_mean
from taylor_sensus.fit.context import FitContext
from taylor_sensus.fit.declared_noise import DeclaredShare, borne_out, tempered
from taylor_sensus.fit.law import fit_law
from taylor_sensus.fit.process import ProcessStage, process_slopes, run_process
from taylor_sensus.fit.records import FoundProcess, Table
from taylor_sensus.fit.robust import LITTLE
from taylor_sensus.model.law import Law
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
    """With the declared variances as the regression on readings uses them."""
    process: ProcessStage
    """It knows nothing of the readings' errors: what they do to the mean, a regression on readings learns by itself."""
    law: Law | None
    """None without readings."""


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
    if process.found is None or not (read or t.errors.target.any()):
        return Readings(context, process, None)
    seed = int(context.run_seeds[-1])
    law = fit_law(t, process.found, seed) if read else None
    share, through = _declared_share(context, process.found, law)
    target = tempered(t.errors.target, t.weight, share.target_agreement)
    if law is not None and share.target_agreement < 1:
        law = fit_law(t, process.found, seed, target)
    errors = t.errors._replace(target=target.astype(np.float32))
    if law is not None:
        law = with_share(law, share, t.weight[: t.train], through[: t.train])
        errors = errors._replace(declared=law.in_regression(t.x, t.errors.declared).astype(np.float32))
    return Readings(replace(context, table=t._replace(errors=errors)), process, law)


def with_share(
    law: Law, share: DeclaredShare, weight: Float[np.ndarray, " rows"], left: Float[np.ndarray, "rows features"]
) -> Law:
    """The law with factor and offset on what declared errors leave open of true inputs, `left`."""
    read, there = law.is_reading, left > 0
    mean = np.average(np.where(there, left, 0.0), axis=0, weights=weight)
    mean = mean / np.maximum(np.average(there, axis=0, weights=weight), 1e-30)
    scale = np.where(read, share.factor * share.agreement, 1.0)
    offset = np.where(read, share.factor * (1 - share.agreement) * mean, 0.0)
    return Law(law.numbers._replace(scale=scale, offset=offset), law.density)


def _declared_share(
    context: FitContext, found: FoundProcess, law: Law | None
) -> tuple[DeclaredShare, Float[np.ndarray, "rows features"]]:
    """From the process' residuals, and the variances that declared errors leave open of true inputs at all rows."""
    t = context.table
    if t.errors is None:
        raise ValueError("no errors are declared")
    left = np.zeros(t.x.shape) if law is None else law.in_regression(t.x, t.errors.declared) * law.is_reading
    inliers = spread(np.flatnonzero(found.robust_weights >= LITTLE), MOST_ROWS)
    x, errors, weight = t.x[inliers], t.errors.take(inliers), t.weight[inliers].astype(np.float64)
    squared = process_slopes(found.process, x, context.n_jobs) ** 2
    through = np.einsum("rtf,rf->rt", squared, left[inliers])
    expected = 1.0
    if law is not None:
        spread_of_f = law.answer(x, errors.declared * law.is_reading).feature_variance
        expected = float(np.clip(spread_of_f.sum() / max(through.sum(), 1e-30), *FACTOR_RANGE))
    others = errors._replace(target=np.zeros_like(errors.target))
    if law is not None:
        others = others.scaled(np.where(law.is_reading, 0.0, 1.0))
    other = others.at_targets(squared) + found.unseen_variance[inliers, None]
    residual = (t.y - found.unseen_mean)[inliers].astype(np.float64)
    return borne_out(residual, weight, through, errors.target.astype(np.float64), other, expected), left
