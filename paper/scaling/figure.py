"""The figure of the study `scaling`: errors against training rows and against parameters."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, NullLocator, ScalarFormatter

from paper.engine.reading import Results
from paper.scaling.study import NETWORKS, RIVAL, STAND_IN
from paper.scaling.tables import TITLES, by_parameters, by_rows
from taylor_sensus.plots.style import COLOURS


def figures(results: Results) -> dict[str, Figure]:
    """A figure for each table of data."""
    fits = results.scores[results.scores.method.isin(list(NETWORKS))]
    rival = results.scores[results.scores.method == RIVAL.name]
    return {
        "scaling" if dataset == STAND_IN else f"scaling_{dataset}": _figure(
            fits[fits.dataset == dataset], rival[rival.dataset == dataset], dataset
        )
        for dataset in TITLES
        if dataset in set(fits.dataset)
    }


def _figure(fits: pd.DataFrame, rival: pd.DataFrame, dataset: str) -> Figure:
    figure = Figure(figsize=(7.6, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    most = f"{fits.parameters.max() / 1e6:.2g} million parameters"
    if not rival.empty:
        means = rival.groupby("train_rows").mse.mean()
        left.plot(means.index, means, color="#666666", linewidth=1.2, linestyle="--", label=RIVAL.label)
        left.legend(fontsize=8, frameon=False)
    _line(left, by_rows(fits), "train_rows", "training", "o", "{:.3g}", 1e3)
    left.set_xlabel("training rows (thousand)")
    left.set_title(most, fontsize=9, loc="left")
    _line(right, by_parameters(fits), "parameters", "validation", "s", "{:.2g}", 1e6)
    right.set_xlabel("parameters (million)")
    right.set_title(f"{fits.train_rows.max():,.0f} training rows", fontsize=9, loc="left")
    left.set_ylabel("MSE on test rows (years squared)")
    left.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    left.yaxis.set_major_formatter(ScalarFormatter())
    left.yaxis.set_minor_locator(NullLocator())
    unreal = ": errors say nothing about songs" if dataset == STAND_IN else ""
    figure.suptitle(f"{TITLES[dataset]}{unreal}", fontsize=9)
    return figure


def _line(axes: Axes, fits: pd.DataFrame, along: str, colour: str, mark: str, form: str, unit: float) -> None:
    """The mean over shuffles as a line, each shuffle as a mark, a tick at each size."""
    means = fits.groupby(along).mse.mean()
    axes.plot(means.index, means, color=COLOURS[colour], linewidth=1.6)
    axes.scatter(fits[along], fits.mse, color=COLOURS[colour], marker=mark, s=18, zorder=3)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks(list(means.index), [form.format(value / unit) for value in means.index], fontsize=8)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.grid(True, which="major", color="#DDDDDD", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
