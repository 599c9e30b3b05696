"""How many rows lie where the model has seen data, and how many where it has not?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from taylor_sensus.errors import DataError
from taylor_sensus.plots.style import COLOURS, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BINS = 20


def plot_familiarity(familiarity: Any, *, ax: Axes | None = None) -> Axes:
    """Draw a histogram of the familiarity of all rows: 0 nothing like it was seen, 1 dense training data.

    Bars are drawn darker towards 0. With a hundred times more rows in one bar than in another the counts are
    logarithmic, so that few strange rows stay visible.

    Parameters
    ----------
    familiarity : array-like, (rows,)
        `Prediction.familiarity`.
    ax : Axes, optional
        Where to draw; on new axes by default.

    Returns
    -------
    Axes
        The axes with the figure.
    """
    values = np.asarray(familiarity, dtype=float).ravel()
    if not len(values) or not ((values >= 0) & (values <= 1)).all():
        raise DataError("familiarity must hold at least one number, all of them from 0 to 1")
    ax = new_axes() if ax is None else ax
    counts, edges = np.histogram(values, bins=BINS, range=(0, 1))
    for count, left, right in zip(counts, edges[:-1], edges[1:], strict=True):
        if count:
            colour = COLOURS["epistemic"] if right <= 0.5 else COLOURS["training"]
            ax.bar(left, count, width=right - left, align="edge", color=colour, edgecolor="white", linewidth=0.5)
    logarithmic = counts.max() > 100 * counts[counts > 0].min()
    if logarithmic:
        ax.set_yscale("log")
        ax.set_ylim(bottom=0.7)
    ax.set_xlim(0, 1)
    ax.set_xlabel("familiarity: 0 nothing like it was seen, 1 well covered")
    ax.set_ylabel("rows (logarithmic)" if logarithmic else "rows")
    return ax
