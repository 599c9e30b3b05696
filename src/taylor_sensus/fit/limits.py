"""Stage limits: targets that tell only a bound, by expectation and maximisation (a censored, or Tobit, likelihood).

The process, at first of measured rows alone, says how such a row is distributed without it; the mean on its side of the
bound takes the place of the target, the process is found again, and so on. Noise and calibration learn from measured
rows alone.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from taylor_sensus.fit.context import FitContext
from taylor_sensus.fit.process import run_process
from taylor_sensus.fit.records import Table
from taylor_sensus.model.declared_errors import DeclaredErrors
from taylor_sensus.model.gaussian_process import noise
from taylor_sensus.model.shapes import Num
from taylor_sensus.model.truncated import truncated_normal

ROUNDS = 4
UNKNOWN = 1e4
"""Variance with which a row tells nothing, in scaled units."""


def with_limits(context: FitContext, side: Num[np.ndarray, "train targets"] | None) -> FitContext:
    """The table with expected targets in place of bounds; `side` is -1, 0 or 1 for each training row and target."""
    t = context.table
    if side is None or not side.any():
        return context
    side = np.concatenate([side, np.zeros((len(t.y) - len(side), side.shape[1]))])
    bound, y = t.y.astype(np.float64), t.y.astype(np.float64)
    errors = _errors(t)
    before = errors.target.astype(np.float64)
    for number in range(ROUNDS):
        target = np.where((side != 0) & (number == 0), UNKNOWN, before).astype(np.float32)
        # Errors of features wait: what they do to the mean, the process learns by itself.
        known = errors._replace(target=target, declared=np.zeros_like(errors.declared))
        found = run_process(replace(context, table=t._replace(y=y.astype(np.float32), errors=known))).found
        if found is None:
            mean, white = t.prior_mean.astype(np.float64), np.full(t.y.shape, 0.1)
        else:
            mean = found.unseen_mean
            white = found.unseen_variance[:, None] + noise(found.process.numbers.theta) + before
        y = np.where(side != 0, truncated_normal(mean, np.sqrt(white), bound, side)[0], bound)
    table = t._replace(y=y.astype(np.float32), errors=errors, limited=(side != 0).any(axis=1))
    return replace(context, table=table)


def _errors(table: Table) -> DeclaredErrors:
    """Those that are declared, or none."""
    if table.errors is not None:
        return table.errors
    nothing = np.zeros(table.x.shape, np.float32)
    return DeclaredErrors(nothing, nothing, nothing, np.zeros(table.y.shape, np.float32))
