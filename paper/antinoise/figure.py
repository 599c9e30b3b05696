"""Figures of the study `antinoise`: how errors grow with the share of noisy entries."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from paper.antinoise.summary import errors, relative
from paper.data.catalogue import title
from paper.engine.reading import Results
from taylor_sensus.baselines.registry import METHODS
from taylor_sensus.plots.style import COLOURS

RIVAL_COLOURS = [COLOURS[name] for name in ("training", "truth", "feature_noise", "epistemic", "system_noise")]
MARKS = "osD^v"
COLUMNS = 3


def look(method: str) -> dict[str, Any]:
    """How a method's line looks in every figure of many methods: ours stand out, rivals differ in colour and mark."""
    if METHODS[method].origin == "ours":
        own: dict[str, Any] = {"color": COLOURS["validation"], "linewidth": 2.6, "markersize": 5, "zorder": 5}
        return own | ({"marker": "o"} if method == "tsnet" else {"marker": "s", "linewidth": 1.4, "linestyle": "--"})
    place = [name for name, kind in METHODS.items() if kind.origin == METHODS[method].origin].index(method)
    turn, colour = divmod(place, len(RIVAL_COLOURS))
    line: dict[str, Any] = {
        "linestyle": ("-", ":")[turn % 2],
        "marker": MARKS[(colour + turn) % len(MARKS)],
        "markersize": 3.5,
    }
    return line | {"color": RIVAL_COLOURS[colour], "linewidth": 1.1, "alpha": 0.85, "zorder": 2}


def figures(results: Results) -> dict[str, Figure]:
    """Relative index and mean squared error against the share of noisy entries, a panel a dataset."""
    means = errors(results.scores)
    if means.empty:
        return {}
    return {
        "antinoise": _panels(relative(means), "MSE over the method's own without noise"),
        "antinoise_mse": _panels(means, "MSE on clean test rows (squared unit of the target)"),
    }


def _panels(values: pd.DataFrame, what: str) -> Figure:
    datasets = list(values.index.unique("dataset"))
    columns = min(COLUMNS, len(datasets))
    rows = -(-len(datasets) // columns)
    figure = Figure(figsize=(3.3 * columns, 2.6 * rows + 1.1), layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes, dataset in zip(panels, datasets, strict=False):
        _lines(axes, values.loc[dataset])
        axes.set_title(title(dataset), fontsize=9, loc="left")
    for axes in panels[len(datasets) :]:
        axes.set_visible(False)
    figure.supxlabel("noisy entries of the training rows (%)", fontsize=9)
    figure.supylabel(what, fontsize=9)
    figure.legend(
        *panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=2 * columns, fontsize=8, frameon=False
    )
    return figure


def _lines(axes: Axes, values: pd.DataFrame) -> None:
    for method in [name for name in METHODS if name in values.index]:
        axes.plot(values.columns, values.loc[method], label=METHODS[method].label, **look(method))
    axes.set_xticks(list(values.columns))
    axes.yaxis.set_major_locator(MaxNLocator(5))
    axes.tick_params(labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)
