"""Stage readings: features that were read with declared errors, and what is then learned beside the regression on them.

For another reading of the same kind the best answer is the regression on readings: declared errors then only tell how
the scatter differs between rows (`reading_scale`). The law at exact inputs is learned beside it (`fit.law`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from taylor_sensus.errors import SettingError, did_you_mean
from taylor_sensus.fit.context import FitContext
from taylor_sensus.fit.law import fit_law, reading_scale
from taylor_sensus.fit.process import ProcessStage, process_slopes, run_process
from taylor_sensus.fit.records import FoundProcess, Table
from taylor_sensus.model.law import Law
from taylor_sensus.settings import Settings

if TYPE_CHECKING:
    from taylor_sensus.tables.columns import Column


class Readings(NamedTuple):
    """What the stage hands on."""

    context: FitContext
    """With the declared variances as the regression on readings uses them."""
    process: ProcessStage
    """It knows nothing of the readings' errors: what they do to the mean, a regression on readings learns by itself."""
    scale: np.ndarray | None
    """Factor on the declared variance of each feature; None without readings."""

    def law(self, before: FitContext, found: FoundProcess | None) -> Law | None:
        """The law behind the readings, given the table as declared."""
        if self.scale is None or found is None or before.table.reading is None:
            return None
        return fit_law(before.table, found, before.table.reading, self.scale, int(before.run_seeds[-1]))


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
    """The process, and how far declared errors of readings count, judged by it."""
    t = context.table
    if t.reading is None or t.errors is None or not t.errors.declared[:, t.reading].any():
        return Readings(context, run_process(context), None)
    process = run_process(replace(context, table=t._replace(errors=t.errors.scaled(np.where(t.reading, 0.0, 1.0)))))
    if process.found is None:
        return Readings(context, process, None)
    squared = process_slopes(process.found.process, t.x, context.n_jobs) ** 2
    scale = reading_scale(t, process.found, squared, t.reading, np.ones(len(t.x), bool))
    scaled = replace(context, table=t._replace(errors=t.errors.scaled(scale)))
    return Readings(scaled, process, scale)


def with_law(table: Table, law: Law | None) -> Table:
    """The table with declared variances as the regression on readings uses them."""
    if law is None or table.errors is None:
        return table
    return table._replace(errors=table.errors.scaled(law.numbers.scale))
