"""The figure of the study `active`: how errors fall as rows are added."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from paper.active.study import EPISTEMIC, RANDOM, SUGGEST, TOTAL
from paper.active.summary import by_cycle, curves, datasets
from paper.active.tables import arms
from paper.antinoise.figure import look
from paper.data.catalogue import title
from paper.engine.printed import OURS
from paper.engine.reading import Results
from taylor_sensus.baselines.registry import METHODS
from taylor_sensus.plots.style import COLOURS

ROWS = {"mse": "MSE on test rows (MPa²)", "improvement": "share of the first MSE that is gone"}
OTHER_ARMS: dict[str, dict[str, Any]] = {
    EPISTEMIC: {"color": COLOURS["mean"], "linewidth": 2, "marker": "^"},
    SUGGEST: {"color": COLOURS["truth"], "linewidth": 2, "marker": "s"},
    RANDOM: {"color": COLOURS["data"], "linewidth": 1.6, "linestyle": "--", "marker": "x"},
}
"""Of TSNet beside its own line; the random arms of the others are in the table."""
OTHER_WORDS = {EPISTEMIC: "epistemic", SUGGEST: "suggested batch", RANDOM: "random rows"}


def figures(results: Results) -> dict[str, Figure]:
    """A column a dataset: error and improvement against the number of training rows, means over splits."""
    means = curves(by_cycle(results.scores))
    shown = datasets(means)
    if not shown:
        return {}
    figure = Figure(figsize=(4.4 * len(shown), 6.6), layout="constrained")
    panels = figure.subplots(len(ROWS), len(shown), sharex="col", squeeze=False)
    for column, dataset in enumerate(shown):
        for row, (score, words) in enumerate(ROWS.items()):
            axes = panels[row][column]
            _lines(axes, means.loc[dataset], score, arms(means, dataset))
            if column == 0:
                axes.set_ylabel(words)
        panels[0][column].set_title(title(dataset), loc="left", fontsize=10)
        panels[-1][column].set_xlabel("training rows")
    figure.legend(
        *panels[0][0].get_legend_handles_labels(),
        loc="outside upper center",
        ncols=2 * len(shown),
        fontsize=8,
        frameon=False,
    )
    return {"active": figure}


def _lines(axes: Axes, means: pd.DataFrame, score: str, shown: list[tuple[str, str]]) -> None:
    for name, arm in shown:
        own = means.loc[name, arm]
        label, style = METHODS[name].label, look(name)
        if name == OURS and arm != TOTAL:
            label, style = (
                f"{label}, {OTHER_WORDS[arm]}",
                {**OTHER_ARMS[arm], "markersize": 4.5, "zorder": 4},
            )
        elif arm != TOTAL:
            continue
        axes.plot(own.train_rows, own[score], label=label, **style)
    if score == "mse":
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        axes.yaxis.set_minor_formatter(NullFormatter())
    axes.spines[["top", "right"]].set_visible(False)
