"""The figure of the study `calibration`: promised against observed coverage."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from paper.calibration.tables import LEVELS
from paper.engine.reading import Results
from taylor_sensus.baselines.registry import METHODS
from taylor_sensus.plots.style import COLOURS

LOOKS = {
    "tsnet": ("o", COLOURS["validation"]),
    "deep_ensemble": ("s", COLOURS["training"]),
    "ngboost": ("^", COLOURS["truth"]),
    "gprmk": ("D", COLOURS["epistemic"]),
}


def figures(results: Results) -> dict[str, Figure]:
    """A panel for each number of training rows: observed minus promised coverage, mean and range over problems."""
    counts = sorted(set(results.scores.train_rows))
    figure = Figure(figsize=(2.9 * len(counts) + 0.6, 3.6), layout="constrained")
    panels = figure.subplots(1, len(counts), sharey=True, squeeze=False)[0]
    promised = np.array(LEVELS) / 100
    places, shifts = np.arange(len(LEVELS)), np.linspace(-0.24, 0.24, len(LOOKS))
    for axes, count in zip(panels, counts, strict=True):
        axes.axhline(0, color="#333333", linewidth=0.8)
        here = results.scores[results.scores.train_rows == count]
        for (method, (mark, colour)), shift in zip(LOOKS.items(), shifts, strict=True):
            own = here[here.method == method]
            if own.empty:
                continue
            gaps = own.groupby("dataset")[[f"coverage_{level}" for level in LEVELS]].mean().to_numpy() - promised
            axes.vlines(places + shift, gaps.min(axis=0), gaps.max(axis=0), color=colour, alpha=0.4)
            label = METHODS[method].label if axes is panels[0] else None
            axes.scatter(places + shift, gaps.mean(axis=0), marker=mark, s=22, color=colour, label=label, zorder=3)
        axes.set_title(f"{count:.0f} training rows", fontsize=10, loc="left")
        axes.set_xticks(places, [f"{level} %" for level in LEVELS], fontsize=8)
        axes.set_xlabel("promised coverage")
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("observed minus promised")
    figure.legend(
        *panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=4, fontsize=8, frameon=False
    )
    return {"reliability": figure}
