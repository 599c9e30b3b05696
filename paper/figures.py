"""`python -m paper figures`: every figure of the comparison, redrawn from committed results."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from paper.reading import Results, read_results
from paper.studies import SIX
from paper.summaries import averages, ranks
from paper.tables import HEADINGS, title
from taylor_sensus.baselines.registry import METHODS
from taylor_sensus.plots.style import COLOURS
from taylor_sensus.scores import calibration_curve

ORIGIN_COLOURS = {"ours": COLOURS["validation"], "today": COLOURS["training"], "paper": COLOURS["guide"]}
ORIGINS = {"ours": "ours", "today": "rivals of today", "paper": "rivals in the paper"}


def write_figures(results: Path, out: Path, *, quick: bool = False) -> list[Path]:
    """The rank plot and one calibration plot a dataset, as SVG."""
    out.mkdir(parents=True, exist_ok=True)
    comparison = read_results(results, "comparison", quick=quick)
    _save(rank_plot(comparison), out / "ranks.svg")
    for dataset in comparison.datasets:
        _save(calibration_plot(comparison, dataset), out / f"calibration_{dataset}.svg")
    return sorted(out.glob("*.svg"))


def _save(figure: Figure, path: Path) -> None:
    """Without a date or random names inside, so that the same results give the same bytes."""
    with matplotlib.rc_context({"svg.hashsalt": path.stem, "svg.fonttype": "none"}):
        FigureCanvasSVG(figure)
        figure.savefig(path, format="svg", metadata={"Date": None})


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
    axes.invert_yaxis()
    axes.set_xlim(0, len(found) + 0.6)
    axes.set_xlabel("rank (1 is best); bar: mean over all cells, marks: single datasets")
    for score, mark in marks.items():
        axes.scatter([], [], marker=mark, color="#333333", s=16, label=HEADINGS[score].split(",")[0])
    for origin, word in ORIGINS.items():
        axes.barh([0], [0], color=ORIGIN_COLOURS[origin], alpha=0.35, label=word)
    axes.legend(loc="lower right", fontsize=8, frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def calibration_plot(results: Results, dataset: str) -> Figure:
    """Observed minus promised coverage of central intervals, all splits together; zero is honest."""
    levels = np.linspace(0.05, 0.95, 19)
    figure = Figure(figsize=(8.6, 4.6), layout="constrained")
    axes = figure.add_subplot()
    axes.axhline(0, color="#333333", linewidth=0.8)
    axes.text(0.06, 0.005, "honest", fontsize=8, color="#333333")
    styles = ["-", "--", ":", "-."]
    for place, method in enumerate(m for m in METHODS if METHODS[m].gives_std):
        rows = [f for k, f in results.predictions.items() if k[:2] == (dataset, method)]
        if not rows:
            continue
        table = pd.concat(rows)
        curve = calibration_curve(table.y.to_numpy(), table["mean"].to_numpy(), table["std"].to_numpy(), levels)
        ours = METHODS[method].origin == "ours"
        axes.plot(
            curve.nominal, curve.observed - curve.nominal, label=METHODS[method].label,
            linewidth=2.4 if method == "tsnet" else 1.2, linestyle="-" if method == "tsnet" else styles[place % 4],
            color=ORIGIN_COLOURS["ours"] if ours else matplotlib.colormaps["tab20"](place / 17),
            zorder=3 if ours else 2,
        )  # fmt: skip
    axes.set_xlabel("promised coverage of the interval")
    axes.set_ylabel("observed minus promised")
    axes.set_title(title(dataset), loc="left", fontsize=10)
    axes.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1.01, 0.5))
    axes.spines[["top", "right"]].set_visible(False)
    return figure
