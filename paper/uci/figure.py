"""The figure of the study `uci`: mean ranks with their intervals."""

from __future__ import annotations

from matplotlib.figure import Figure

from paper.engine.reading import Results
from paper.uci.methods import OURS, UCI_METHODS
from paper.uci.summary import mean_ranks
from taylor_sensus.plots.style import COLOURS

MARKS = {"rmse": ("s", "RMSE"), "nll": ("^", "NLL")}


def figures(results: Results) -> dict[str, Figure]:
    """One dot plot, if there is anything to rank."""
    found = mean_ranks(results.scores)
    if found.empty:
        return {}
    figure = Figure(figsize=(8, 0.42 * len(found) + 1.5), layout="constrained")
    axes = figure.add_subplot()
    for place, (name, line) in enumerate(found.iterrows()):
        colour = COLOURS["validation"] if name in OURS else COLOURS["training"]
        axes.plot([line.lower, line.upper], [place, place], color=colour, linewidth=5, alpha=0.35, zorder=1)
        axes.scatter(line["all"], place, color=colour, s=42, zorder=3)
        for score, (mark, _) in MARKS.items():
            axes.scatter(line[score], place, marker=mark, s=18, color=colour, alpha=0.8, zorder=2)
    axes.set_yticks(range(len(found)), [UCI_METHODS[str(name)].label for name in found.index])
    axes.set_ylim(len(found) - 0.4, -0.6)
    axes.set_xlim(0.8, max(len(found), 2) + 0.2)
    axes.set_xlabel("mean rank over the nine tables (1 is best), with 95 % interval over splits")
    axes.scatter([], [], color="#333333", s=42, label="both scores")
    for mark, word in MARKS.values():
        axes.scatter([], [], color="#333333", marker=mark, s=18, label=word)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside upper center", ncols=3, fontsize=8, frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    return {"uci": figure}
