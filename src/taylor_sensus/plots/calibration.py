"""Nominal against observed coverage of intervals: are the error bars honest?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import binom

from taylor_sensus.plots.inputs import column, one_target
from taylor_sensus.plots.style import COLOURS, new_axes, tint
from taylor_sensus.prediction import Prediction
from taylor_sensus.scores.calibration import pit_curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CHANCE = tint(COLOURS["guide"], 0.35)
"""The band that chance alone explains."""


def plot_calibration(y: Any, prediction: Prediction, *, target: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw how many measurements intervals of each size hold; honest error bars lie on the diagonal.

    The grey band is where honest error bars would lie in 95 of 100 tables of as many rows, level by level.

    Parameters
    ----------
    y : array-like, (rows,)
        What was measured.
    prediction : Prediction
        What `predict_distribution` gave.
    target : str, optional
        Which target is drawn, if there are several.
    ax : Axes, optional
        Where to draw; on new axes by default.

    Returns
    -------
    Axes
        The axes with the figure.
    """
    chosen = one_target(prediction, target)
    rows = len(chosen)
    curve = pit_curve(chosen.pit(column(y, "y", rows)))
    ax = new_axes((4.9, 4.7)) if ax is None else ax
    level = np.linspace(0.005, 0.995, 100)
    low, high = (binom.ppf(q, rows, level) / rows for q in (0.025, 0.975))
    ax.fill_between(100 * level, 100 * low, 100 * high, color=CHANCE, linewidth=0,
                    label=f"chance alone, {rows:,} rows")  # fmt: skip
    ax.plot([0, 100], [0, 100], color=COLOURS["guide"], linewidth=1, linestyle="--", label="honest error bars")
    ax.plot(100 * curve.nominal, 100 * curve.observed, color=COLOURS["training"], marker="o", markersize=4,
            linewidth=1.5, label="this model")  # fmt: skip
    ax.set_xlim(0, 100)
    ax.set_ylim(0, 100)
    ax.set_aspect("equal", adjustable="box")
    ax.set_xlabel("interval promises to hold [%]")
    ax.set_ylabel("interval held [%]")
    ax.legend(loc="upper left", fontsize="small", frameon=False)
    return ax
