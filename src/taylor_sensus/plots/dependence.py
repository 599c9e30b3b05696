"""How the prediction changes with one column, with the error bar split into its parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from taylor_sensus.errors import DataError
from taylor_sensus.plots.band import plot_band
from taylor_sensus.plots.inputs import nested_bands, one_target
from taylor_sensus.plots.labels import plain, with_unit
from taylor_sensus.plots.style import COLOURS, FILLS, LABELS, legend_above_data, new_axes
from taylor_sensus.prediction import Prediction

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_dependence(
    values: Sequence[Any] | np.ndarray,
    average: Prediction,
    *,
    column: str = "x",
    target: str | None = None,
    coverage: float = 0.9,
    legend: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Draw averaged predictions over the values of one column: a band for numbers, bars for categories.

    The bands are nested as in ``plot_band``; their outer edge is the ``coverage`` interval of a single new row.

    Parameters
    ----------
    values : list or ndarray
        Numbers, or texts, of the column.
    average : Prediction
        A prediction for each value, averaged over the other columns.
    column : str, default="x"
        Name of the column, for the axis.
    target : str, optional
        Which target is drawn, if there are several.
    coverage : float, default=0.9
        What the outer edge promises to hold, between 0 and 1.
    legend : bool, default=True
        Whether to explain the bands.
    ax : Axes, optional
        Where to draw; on new axes by default.

    Returns
    -------
    Axes
        The axes with the figure.
    """
    chosen = one_target(average, target)
    if len(values) != len(chosen.mean) or not len(values):
        raise DataError(f"there are {len(values)} values but {len(chosen.mean)} predictions; give one for each")
    ax = new_axes() if ax is None else ax
    if isinstance(values[0], str):
        _bars(ax, [plain(value, 14) for value in values], chosen, coverage)
        if legend:
            legend_above_data(ax, title=f"{coverage * 100:g} % interval")
    else:
        plot_band(values, average, ax=ax, coverage=coverage, target=target)
        found = ax.get_legend()
        if not legend and found is not None:
            found.remove()
            ax.autoscale(axis="y")
    ax.set_xlabel(with_unit(column))
    ax.set_ylabel(with_unit(chosen.target_names[0]))
    return ax


def _bars(ax: Axes, names: list[str], chosen: Prediction, coverage: float) -> None:
    """A dot for the mean and nested bars around it, for each category."""
    places = np.arange(len(names))
    for depth, (part, (low, high)) in enumerate(nested_bands(chosen, coverage).items()):
        label = ("+ " if depth else "") + LABELS[part]
        ax.bar(places, high - low, bottom=low, width=0.6, color=FILLS[part], label=label,
               zorder=1.9 - 0.1 * depth)  # fmt: skip
    ax.plot(places, chosen.mean, linestyle="none", marker="o", markersize=5, color=COLOURS["mean"],
            label=LABELS["mean"], zorder=3)  # fmt: skip
    slanted = (
        {"rotation": 40, "ha": "right", "rotation_mode": "anchor"} if max(map(len, names)) * len(names) > 30 else {}
    )
    ax.set_xticks(places, names, **slanted)
