"""Scores of models that have never seen a row: the whole fit, done again without a part of the table at a time.

The networks of a fit have not seen the rows that they are evaluated on either, but with few rows every small choice on
the way (when to stop, how much the process counts, how large the noise is) makes these rows look better than new ones
will be. Here nothing of the kind can happen; it costs as much as so many quick fits (the setting `interval_fits`).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from taylor_sensus.fit.prepare import kept_together
from taylor_sensus.fit.tasks import Workers
from taylor_sensus.fitted import FittedModel
from taylor_sensus.model.shapes import Float, Int
from taylor_sensus.records import EncodedTable, Query
from taylor_sensus.rows import byte_order

Fit = Callable[[FittedModel, EncodedTable, int | None], FittedModel]
"""Makes a model of a table with the choices of another; a function of a module, so that it can travel to workers."""


def left_out_scores(
    fitted: FittedModel, table: EncodedTable, fits: int, fit: Fit, n_jobs: int | None, workers: Workers | None
) -> Float[np.ndarray, "rows targets"]:
    """Signed error of each row in standard deviations, by models fitted without it.

    Rows that share their input are left out together.
    """
    used = np.flatnonzero(table.weight > 0)
    x = table.x[used]
    group = byte_order((x[:, column].astype(np.float64) for column in range(x.shape[1])), len(x)).group
    if table.group is not None:
        group = kept_together(table.group[used], group)
    part = np.random.default_rng(fitted.fit_summary.seed).permutation(group.max() + 1)[group] % fits
    numbers, shared = np.unique(part), (fit, fitted, table.take(used), part)
    if workers is None:
        found = [scores_of_part(*shared, number, n_jobs) for number in numbers]
    else:
        found = workers.run(scores_of_part, shared, [(number, 1) for number in numbers], lambda _: None)
    scores = np.full((len(used), len(fitted.target_names)), np.nan)
    for number, its_scores in zip(numbers, found, strict=True):
        scores[part == number] = its_scores
    return scores


def scores_of_part(
    fit: Fit,
    fitted: FittedModel,
    table: EncodedTable,
    part: Int[np.ndarray, " rows"],
    number: int | np.integer,
    n_jobs: int | None,
) -> Float[np.ndarray, "chosen targets"]:
    """The scores of the rows of one part, by a model of the others."""
    out, rest = (table.take(np.flatnonzero(rows)) for rows in (part == number, part != number))
    prediction = fit(fitted, rest, n_jobs).predict(Query(out.x, out.prior_mean, out.x_err, out.y_err), n_jobs)
    mean, std = (a.reshape(out.y.shape) for a in (prediction.mean, prediction.std))
    return (out.y - mean) / std
