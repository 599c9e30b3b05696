"""Predicted against measured values, with error bars: accuracy and calibration at one glance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from taylor_sensus.plots.inputs import column, one_target
from taylor_sensus.plots.labels import with_unit
from taylor_sensus.plots.style import COLOURS, new_axes
from taylor_sensus.prediction import Prediction

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MANY_ROWS = 2000
"""From here on points are drawn fainter, and as an image inside vector files."""


def plot_parity(
    y: Any,
    prediction: Prediction,
    *,
    coverage: float = 0.9,
    ax: Axes | None = None,
    unit: str | None = None,
    target: str | None = None,
) -> Axes:
    """Draw predicted against measured values with ``coverage`` error bars, and the diagonal.

    Rows whose error bar misses the measured value stand out in colour and shape; the legend says how many.

    Parameters
    ----------
    y : array-like, (rows,)
        What was measured.
    prediction : Prediction
        What `predict_distribution` gave.
    coverage : float, default=0.9
        What the error bars promise to hold, between 0 and 1.
    ax : Axes, optional
        Where to draw; on new axes by default.
    unit : str, optional
        Unit on the axes, if not that of the target's header (``strength [MPa]``).
    target : str, optional
        Which target is drawn, if there are several.

    Returns
    -------
    Axes
        The axes with the figure.
    """
    chosen = one_target(prediction, target)
    measured = column(y, "y", len(chosen.mean))
    bounds = chosen.interval(coverage)
    hit = (bounds.lower <= measured) & (measured <= bounds.upper)
    # A short interval of a skew distribution may leave its mean out; a bar cannot.
    bars = np.maximum([chosen.mean - bounds.lower, bounds.upper - chosen.mean], 0)

    ax = new_axes((4.9, 4.7)) if ax is None else ax
    low = min(measured.min(), bounds.lower.min())
    high = max(measured.max(), bounds.upper.max())
    margin = 0.03 * (high - low) or 0.5
    limits = (low - margin, high + margin)
    ax.plot(limits, limits, color=COLOURS["guide"], linewidth=1, linestyle="--", zorder=1)
    groups = (
        (hit, "o", COLOURS["training"], f"hit: {100 * hit.mean():.1f} %"),
        (~hit, "D", COLOURS["outside"], f"missed: {100 * np.mean(~hit):.1f} %"),
    )
    for rows, marker, colour, label in groups:
        if rows.any():
            ax.errorbar(
                measured[rows],
                chosen.mean[rows],
                yerr=bars[:, rows],
                fmt=marker,
                color=colour,
                markersize=3.5,
                markeredgewidth=0,
                elinewidth=0.8,
                alpha=0.7 if len(hit) < MANY_ROWS else 0.35,
                rasterized=len(hit) >= MANY_ROWS,
                label=label,
                zorder=2,
            )
    ax.set_xlim(limits)
    ax.set_ylim(limits)
    ax.set_aspect("equal", adjustable="box")
    name = with_unit(chosen.target_names[0], unit=unit)
    ax.set_xlabel(f"measured {name}")
    ax.set_ylabel(f"predicted {name}")
    title = f"{coverage * 100:g} % error bars, {len(hit)} rows"
    ax.legend(loc="upper left", fontsize="small", title=title, title_fontsize="small", framealpha=0.85)
    return ax
