"""The figure of the study `ablation`: how much worse or better each variant is."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, StrMethodFormatter

from paper.ablation.summary import against_default, ratios
from paper.ablation.variants import VARIANTS
from paper.engine.reading import Results
from taylor_sensus.plots.style import COLOURS

LOOKS = {
    "all datasets": ("o", COLOURS["mean"], 0.0),
    "the six": ("s", COLOURS["validation"], -0.24),
    "the further ones": ("^", COLOURS["training"], 0.24),
}
"""Mark, colour and shift of each group of datasets."""


def figures(results: Results) -> dict[str, Figure]:
    """One dot plot, if any variant can be held against the default."""
    differences = against_default(results.scores)
    return {} if differences.empty else {"ablation": _dots(ratios(differences, "log_mse"))}


def _dots(found: dict) -> Figure:
    """A line a variant in the order of the list: geometric mean ratio of MSE with its interval."""
    figure = Figure(figsize=(8, 0.42 * len(found) + 1.4), layout="constrained")
    axes = figure.add_subplot()
    axes.axvline(1, color="#333333", linewidth=0.8)
    for place, groups in enumerate(found.values()):
        for group, (mark, colour, shift) in LOOKS.items():
            if group in groups:
                mean, lower, upper = groups[group]
                if np.isfinite(lower):
                    axes.plot([lower, upper], [place + shift] * 2, color=colour, linewidth=1.4, alpha=0.6, zorder=1)
                axes.scatter(mean, place + shift, marker=mark, s=24, color=colour, zorder=2)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    low, high = axes.get_xlim()
    ticks = [tick for tick in (0.5, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3, 1.5, 2, 3, 5) if low <= tick <= high]
    axes.set_xticks(ticks or [1])
    axes.set_yticks(range(len(found)), [VARIANTS[name].label for name in found])
    axes.set_ylim(len(found) - 0.4, -0.6)
    axes.set_xlabel("MSE over the default's, with 95 % interval; right of 1 it hurts")
    for group, (mark, colour, _) in LOOKS.items():
        axes.scatter([], [], marker=mark, color=colour, s=24, label=group)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside upper center", ncols=3, fontsize=8, frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    return figure
