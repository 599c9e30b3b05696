"""Errors of models that have never seen a row: the whole fit, done again without a part of the table at a time.

The networks of a fit have not seen the rows that they are judged on either, but with few rows every small choice on
the way (when to stop, how much the kernel part counts, how large the noise is) makes these rows look better than new
ones will be. Here nothing of the kind can happen; it costs as much as `PARTS` quick fits.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from taylor_sensus.fit.fit_model import Names, fit_model
from taylor_sensus.fitted import Asked, EncodedTable, FittedModel
from taylor_sensus.rows import byte_order

PARTS = 10
"""Into which the table is cut."""
MOST_ROWS = 400
"""Tables up to this size are fitted again; in larger ones the rows are flattered too little to pay for it."""


def left_out_errors(
    fitted: FittedModel, table: EncodedTable, n_jobs: int | None, done: Callable[[int], None]
) -> np.ndarray:
    """Absolute error of each row in standard deviations, `(rows, targets)`, by models fitted without it.

    Rows that share their input are left out together. `done` is told after each fit how many there have been.
    """
    used = np.flatnonzero(table.weight > 0)
    seed = fitted.fit_summary.seed or 0  # older model files do not say; any parts will do
    x = table.x[used]
    group = byte_order((x[:, column].astype(np.float64) for column in range(x.shape[1])), len(x)).group
    part = np.random.default_rng(seed).permutation(group.max() + 1)[group] % PARTS
    names = Names(fitted.columns, fitted.target_names, fitted.one_dimensional)
    errors = np.full((len(used), len(fitted.target_names)), np.nan)
    for number in np.unique(part):
        out, rest = (_some(table, used[rows]) for rows in (part == number, part != number))
        model = fit_model(rest, None, names, fitted.settings, seed=seed, n_jobs=n_jobs, progress=None, before=fitted)
        prediction = model.predict(Asked(out.x, out.prior_mean, out.x_err, out.y_err), n_jobs)
        mean, std = (a.reshape(out.y.shape) for a in (prediction.mean, prediction.std))
        errors[part == number] = np.abs(out.y - mean) / std
        done(int(number) + 1)
    return errors


def _some(table: EncodedTable, rows: np.ndarray) -> EncodedTable:
    x, y, weight = table.x[rows], table.y[rows], table.weight[rows]
    prior_mean, x_err, y_err = (None if part is None else part[rows] for part in table[3:])
    return EncodedTable(x, y, weight, prior_mean, x_err, y_err)
