"""Figures of the study `comparison`: ranks, and calibration on each dataset."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from paper.comparison.summary import averages, ranks
from paper.data.catalogue import title
from paper.data.names import SIX
from paper.engine.formats import HEADINGS
from paper.engine.reading import Results
from taylor_sensus.baselines.registry import METHODS
from taylor_sensus.plots.style import COLOURS
from taylor_sensus.scores import calibration_curve

ORIGIN_COLOURS = {"ours": COLOURS["validation"], "today": COLOURS["training"], "paper": COLOURS["guide"]}
COVERAGES = {0.5: "o", 0.8: "s", 0.9: "^", 0.95: "D"}
"""Promised coverages, and their marks."""
ORIGINS = {"ours": "ours", "today": "rivals of today", "paper": "rivals in the paper"}


def figures(comparison: Results) -> dict[str, Figure]:
    """The rank plot and one calibration plot a dataset."""
    plots = {f"calibration_{dataset}": calibration_plot(comparison, dataset) for dataset in comparison.datasets}
    return {"ranks": rank_plot(comparison), **plots}


def rank_plot(results: Results) -> Figure:
    """A line a method, best on top: its rank in every cell as dots, the mean rank as a bar."""
    scores = results.scores[results.scores.dataset.isin(SIX)]
    found = ranks(scores)
    cells = averages(scores, ["mse", "mae", "nll_paper"]).xs("mean", axis=1, level=1)
    each = cells.groupby(level="dataset").rank(method="min")
    figure = Figure(figsize=(8, 0.34 * len(found) + 1.4), layout="constrained")
    axes = figure.add_subplot()
    marks = {"mse": "o", "mae": "s", "nll_paper": "^"}
    for place, method in enumerate(found.index):
        colour = ORIGIN_COLOURS[METHODS[method].origin]
        axes.barh(place, found.loc[method, "all"], height=0.62, color=colour, alpha=0.35, zorder=1)
        own = each.xs(method, level="method")
        for score, shift in zip(marks, (-0.18, 0.0, 0.18), strict=True):
            values = own[score].dropna()
            axes.scatter(values, np.full(len(values), place + shift), s=13, marker=marks[score], color=colour, zorder=2)
    axes.set_yticks(range(len(found)), [METHODS[m].label for m in found.index])
    axes.set_xlim(0, len(found) + 0.6)
    axes.set_xlabel("rank (1 is best); bar: mean over all cells, marks: single datasets")
    for score, mark in marks.items():
        axes.scatter([], [], marker=mark, color="#333333", s=16, label=HEADINGS[score].split(",")[0])
    for origin, word in ORIGINS.items():
        axes.barh([0], [0], height=0, color=ORIGIN_COLOURS[origin], alpha=0.35, label=word)
    axes.set_ylim(len(found) - 0.4, -0.6)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside upper center", ncols=6, fontsize=8, frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def calibration_plot(results: Results, dataset: str) -> Figure:
    """A line a method: observed minus promised coverage of central intervals, all splits together; zero is honest."""
    methods = [m for m in METHODS if METHODS[m].gives_std and any(k[:2] == (dataset, m) for k in results.predictions)]
    figure = Figure(figsize=(8, 0.34 * len(methods) + 1.6), layout="constrained")
    axes = figure.add_subplot()
    axes.axvline(0, color="#333333", linewidth=0.8)
    for place, method in enumerate(methods):
        table = pd.concat([f for k, f in results.predictions.items() if k[:2] == (dataset, method)])
        error = table.error.to_numpy()
        curve = calibration_curve(error, np.zeros_like(error), table["std"].to_numpy(), list(COVERAGES))
        gap = curve.observed - curve.nominal
        colour = ORIGIN_COLOURS[METHODS[method].origin]
        axes.plot([gap.min(), gap.max()], [place, place], color=colour, alpha=0.35, linewidth=5, zorder=1)
        for x, mark in zip(gap, COVERAGES.values(), strict=True):
            axes.scatter(x, place, marker=mark, s=26, color=colour, zorder=2)
    axes.set_yticks(range(len(methods)), [METHODS[m].label for m in methods])
    axes.set_ylim(len(methods) - 0.4, -0.6)
    axes.set_xlabel("observed minus promised coverage: left of 0 too sure, right of 0 too careful")
    axes.set_title(title(dataset), loc="left", fontsize=10)
    for level, mark in COVERAGES.items():
        axes.scatter([], [], marker=mark, color="#333333", s=26, label=f"{level:.0%} interval")
    for origin, word in ORIGINS.items():
        axes.plot([], [], color=ORIGIN_COLOURS[origin], alpha=0.35, linewidth=5, label=word)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside upper center", ncols=4, fontsize=8, frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    return figure
