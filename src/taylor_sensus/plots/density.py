"""Very many points as shaded cells: all rows are counted, none is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from taylor_sensus.errors import DataError
from taylor_sensus.plots.labels import with_unit
from taylor_sensus.plots.style import COLOURS, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEVELS = 6
"""Shades; each stands for several times as many rows as the one before."""


def shade_cells(ax: Axes, x: np.ndarray, y: np.ndarray, extent: tuple[float, float, float, float]) -> int:
    """Draw hexagons whose shade shows how many points lie in each, on a logarithmic scale; return the largest count."""
    cells = ax.hexbin(x, y, gridsize=(32, 18), extent=extent, mincnt=1, linewidths=0.2)
    counts = np.asarray(cells.get_array(), dtype=float)
    depth = np.log(counts) / max(np.log(counts.max(initial=1)), 1e-9)
    level = np.ceil(np.clip(depth, 1e-9, 1) * LEVELS) / LEVELS
    cells.set_array(None)
    cells.set_facecolor(COLOURS["training"])
    cells.set_edgecolor("none")
    cells.set_alpha((0.08 + 0.92 * level).tolist())
    return int(counts.max(initial=0))


def plot_parity_density(y: Any, mean: Any, *, target: str = "y", ax: Axes | None = None) -> Axes:
    """Predicted against measured values of a large table: the shade of a cell shows how many rows lie in it.

    Parameters
    ----------
    y : array-like, (rows,)
        What was measured.
    mean : array-like, (rows,)
        Predicted means.
    target : str, default="y"
        Name of the target, for the axes; a unit in brackets is shown as one.
    ax : Axes, optional
        Where to draw; on new axes by default.

    Returns
    -------
    Axes
        The axes with the figure.
    """
    measured, predicted = np.asarray(y, dtype=float), np.asarray(mean, dtype=float)
    if measured.ndim != 1 or measured.shape != predicted.shape or not len(measured):
        raise DataError(f"y and mean must be lists of equal length, not {measured.shape} and {predicted.shape}")
    ax = new_axes((4.9, 4.7)) if ax is None else ax
    low, high = min(measured.min(), predicted.min()), max(measured.max(), predicted.max())
    margin = 0.03 * (high - low) or 0.5
    low, high = low - margin, high + margin
    most = shade_cells(ax, measured, predicted, (low, high, low, high))
    ax.plot([low, high], [low, high], color=COLOURS["guide"], linewidth=1, linestyle="--")
    ax.set_xlim(low, high)
    ax.set_ylim(low, high)
    ax.set_aspect("equal", adjustable="box")
    ax.set_xlabel(f"measured {with_unit(target)}")
    ax.set_ylabel(f"predicted {with_unit(target)}")
    ax.set_title(f"{len(measured):,} rows; darkest cell {most:,}, logarithmic", fontsize="small", loc="left")
    return ax
