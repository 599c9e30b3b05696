"""Errors in predicted standard deviations: which measurements are outliers?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from taylor_sensus.errors import DataError
from taylor_sensus.plots.density import shade_cells
from taylor_sensus.plots.labels import plain, with_unit
from taylor_sensus.plots.style import COLOURS, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MANY_ROWS = 2000
"""From here on rows are counted in cells instead of drawn one by one."""
SURPRISING = 3.0
"""Standard deviations beyond which an error is drawn as surprising."""


def plot_residuals(
    y: Any,
    mean: Any,
    std: Any,
    *,
    labels: Sequence[Any] | None = None,
    named: int = 5,
    target: str = "y",
    ax: Axes | None = None,
) -> Axes:
    """Draw the error of each row, in its predicted standard deviations, over the predicted value.

    Lines stand at 2 and 3 standard deviations: of honest error bars about 5 % lie beyond the first and 0.3 % beyond
    the second.

    Parameters
    ----------
    y : array-like, (rows,)
        What was measured.
    mean : array-like, (rows,)
        Predicted means.
    std : array-like, (rows,)
        Predicted standard deviations, above 0.
    labels : list, optional
        Names of the rows; their positions by default.
    named : int, default=5
        How many of the largest errors beyond 3 standard deviations get their labels.
    target : str, default="y"
        Name of the target, for the axes; a unit in brackets is shown as one.
    ax : Axes, optional
        Where to draw; on new axes by default.

    Returns
    -------
    Axes
        The axes with the figure.
    """
    measured, predicted, spread = (np.asarray(values, dtype=float) for values in (y, mean, std))
    if measured.ndim != 1 or not measured.shape == predicted.shape == spread.shape or not len(measured):
        raise DataError("y, mean and std must be lists of equal length, with at least one row")
    if not (spread > 0).all():
        raise DataError("std must be above 0 in each row")
    names = range(len(measured)) if labels is None else labels
    ax = new_axes() if ax is None else ax
    z = (measured - predicted) / spread
    outlying = np.abs(z) > SURPRISING
    limit = max(3.6, 1.12 * float(np.abs(z).max()))
    low, high = float(predicted.min()), float(predicted.max())
    margin = 0.04 * (high - low) or 0.5
    if len(z) >= MANY_ROWS:
        shade_cells(ax, predicted, z, (low - margin, high + margin, -limit, limit))
    else:
        style = {"linestyle": "none", "markersize": 3.5, "markeredgewidth": 0, "alpha": 0.7}
        ax.plot(predicted[~outlying], z[~outlying], marker="o", color=COLOURS["training"], **style)
        ax.plot(predicted[outlying], z[outlying], marker="D", color=COLOURS["outside"], **style)
    for line, dashes in ((0, "-"), (2, ":"), (-2, ":"), (3, "--"), (-3, "--")):
        ax.axhline(line, color=COLOURS["guide"], linewidth=0.8, linestyle=dashes, zorder=0.5)
    for at in np.argsort(-np.abs(z), kind="stable")[:named]:
        if outlying[at]:
            ends_right = predicted[at] > low + 0.8 * (high - low)
            ax.annotate(
                plain(names[at], 16),
                (predicted[at], z[at]),
                xytext=(-5 if ends_right else 5, 0),
                textcoords="offset points",
                ha="right" if ends_right else "left",
                va="center",
                fontsize="small",
            )
    ax.set_xlim(low - margin, high + margin)
    ax.set_ylim(-limit, limit)
    ax.set_xlabel(f"predicted {with_unit(target)}")
    ax.set_ylabel("(measured - predicted) / std")
    return ax
