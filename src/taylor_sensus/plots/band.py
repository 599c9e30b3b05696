"""Mean and error bands over one input: how wide, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from taylor_sensus.errors import DataError
from taylor_sensus.plots.inputs import column, column_name, nested_bands, one_target
from taylor_sensus.plots.labels import with_unit
from taylor_sensus.plots.style import COLOURS, FILLS, LABELS, legend_above_data, new_axes
from taylor_sensus.prediction import Prediction

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_band(
    x: Any,
    prediction: Prediction,
    *,
    X_train: Any = None,
    y_train: Any = None,
    truth: Any = None,
    ax: Axes | None = None,
    coverage: float = 0.9,
    target: str | None = None,
) -> Axes:
    """Draw a prediction over its only input.

    The bands are nested and their variances add up: the first shows system noise alone, the next adds feature
    noise, the last adds what too little data leaves open, so the outer edge is the ``coverage`` interval.

    Parameters
    ----------
    x : array-like, (rows,)
        The input of each row, in any order.
    prediction : Prediction
        What `predict_distribution` gave.
    X_train : array-like, optional
        Inputs of training rows, drawn as points.
    y_train : array-like, optional
        Their targets.
    truth : array-like, (rows,), optional
        The noise-free value at each ``x``, where it is known.
    ax : Axes, optional
        Where to draw; on new axes by default.
    coverage : float, default=0.9
        What the outer band promises to hold, between 0 and 1.
    target : str, optional
        Which target is drawn, if there are several.

    Returns
    -------
    Axes
        The axes with the figure.
    """
    chosen = one_target(prediction, target)
    bands = nested_bands(chosen, coverage)
    values = column(x, "x", len(chosen.mean))
    if (X_train is None) != (y_train is None):
        missing = "X_train" if X_train is None else "y_train"
        raise DataError(f"training data need both X_train and y_train, but {missing} was not given")
    true_values = None if truth is None else column(truth, "truth", len(values))
    y_points = None if y_train is None else column(y_train, "y_train", len(y_train))
    x_points = None if y_points is None else column(X_train, "X_train", len(y_points))

    ax = new_axes() if ax is None else ax
    order = np.argsort(values, kind="stable")
    across, mean = values[order], chosen.mean[order]
    ax.plot(across, mean, color=COLOURS["mean"], linewidth=1.5, label=LABELS["mean"], zorder=3)
    for depth, (part, (low, high)) in enumerate(bands.items()):
        plus = "+ " if depth else ""
        # Drawn under the bands before it and opaque, so each source keeps its own colour.
        ax.fill_between(
            across,
            low[order],
            high[order],
            color=FILLS[part],
            linewidth=0,
            label=plus + LABELS[part],
            zorder=1.9 - 0.1 * depth,
        )
    if x_points is not None and y_points is not None:
        ax.plot(
            x_points,
            y_points,
            linestyle="none",
            marker="o",
            markersize=3,
            markeredgewidth=0,
            alpha=0.6,
            color=COLOURS["data"],
            label=LABELS["data"],
            zorder=2.5,
        )
    if true_values is not None:
        ax.plot(
            across,
            true_values[order],
            color=COLOURS["truth"],
            linewidth=1.3,
            linestyle=(0, (4, 2)),
            label=LABELS["truth"],
            zorder=2.8,
        )
    ax.margins(x=0.01)
    ax.set_xlabel(with_unit(column_name(x, "x")))
    ax.set_ylabel(with_unit(chosen.target_names[0]))
    legend_above_data(ax, title=f"{coverage * 100:g} % interval")
    return ax
