"""How much each column matters: for the prediction (total Sobol' index), and for the noise of the prediction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from taylor_sensus.errors import DataError
from taylor_sensus.report.table import as_fitted, errors_as_fitted, read_data
from taylor_sensus.words.format import one_line, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from taylor_sensus.regressor import TSNetRegressor

MOST_ROWS = 1000
"""Rows that are predicted with one column of another row, for each column."""
SEED = 0


@dataclass(frozen=True)
class Importance:
    """What the columns are worth, as shares of variance.

    Parameters
    ----------
    table : DataFrame
        A line for each column (and target), the largest first. ``explained``: by how much predictions change if the
        column's values are those of other rows, as a share of the variance of the predictions. Columns that act
        together both have a part in it, so the sum may exceed 1. ``noise``: which share of the predictions' error
        variance comes in through the column.
    """

    table: pd.DataFrame

    def plot(self, ax: Axes | None = None, target: str | None = None) -> Axes:
        """Draw both shares as bars.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; on new axes by default.
        target : str, optional
            Which target, if there are several; the first by default.

        Returns
        -------
        Axes
            The axes with the figure.
        """
        from taylor_sensus.plots.importance import plot_importance

        return plot_importance(self.table, target=target, ax=ax)

    def __str__(self) -> str:
        shown = self.table.rename(index=one_line)
        return shown.to_string(formatters=dict.fromkeys(("explained", "noise"), percent))

    def __repr__(self) -> str:
        return str(self)


def importance_of(model: TSNetRegressor, X: Any, X_err: Any = None) -> Importance:
    """The importance of the columns at the rows of X."""
    fitted = model.fitted_
    rows = read_data((X, None, X_err), fitted)
    if len(rows.features) < 2:
        raise DataError("importance compares rows; give at least 2")
    rng = np.random.default_rng(SEED)
    if len(rows.features) > MOST_ROWS:
        rows = rows.take(np.sort(rng.choice(len(rows.features), MOST_ROWS, replace=False)))
    count, targets = len(rows.features), len(fitted.target_names)
    errors = errors_as_fitted(model, rows.errors)
    prediction = model.predict_distribution(as_fitted(model, rows.features), X_err=errors)
    mean = prediction.mean.reshape(count, targets)
    spread = np.maximum(mean.var(axis=0), np.finfo(float).tiny)
    other = rng.permutation(count)
    explained = {}
    for name in rows.features:
        moved = rows.features.assign(**{name: rows.features[name].to_numpy()[other]})
        change = model.predict(as_fitted(model, moved)).reshape(count, targets) - mean
        explained[name] = (change**2).mean(axis=0) / (2 * spread)
    share = prediction.noise_budget().share.mean(axis=0)
    tables = []
    for at, target in enumerate(fitted.target_names):
        lines = {
            "explained": [float(explained[column.name][at]) for column in fitted.columns],
            "noise": share[at, : len(fitted.columns)],
        }
        table = pd.DataFrame(lines, index=pd.Index([column.name for column in fitted.columns], name="column"))
        table = table.sort_values("explained", ascending=False, kind="stable")
        tables.append(table.assign(target=target) if targets > 1 else table)
    return Importance(pd.concat(tables))
