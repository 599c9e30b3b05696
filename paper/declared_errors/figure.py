"""The figure of the study `declared_errors`: the curve through readings, the law behind them, and the truth."""

from __future__ import annotations

from matplotlib.figure import Figure

from paper.declared_errors.cases import SIMULATED
from paper.declared_errors.methods import COMPARED, DECLARED, SIMEX
from paper.declared_errors.problems import simulated, wave
from paper.declared_errors.run import DRAWN, WITHIN
from paper.engine.reading import Results
from taylor_sensus.plots.style import COLOURS

SHOWN_ROWS = 400


def figures(results: Results) -> dict[str, Figure]:
    """A panel for each number of rows that there are curves of."""
    there = [name for name, seed in DRAWN.items() if (name, DECLARED, seed) in results.predictions]
    if not there:
        return {}
    figure = Figure(figsize=(4.4 * len(there) + 0.4, 3.6), layout="constrained")
    panels = figure.subplots(1, len(there), sharey=True, squeeze=False)[0]
    for axes, name in zip(panels, there, strict=True):
        rows = simulated(SIMULATED[name], DRAWN[name]).train
        axes.scatter(rows.X[:SHOWN_ROWS, 0], rows.y[:SHOWN_ROWS], s=5, color="#999999", alpha=0.5, label="readings")
        own = results.predictions[name, DECLARED, DRAWN[name]]
        x, law, off = (own[column].to_numpy(dtype=float) for column in ("x", "law", "law_std"))
        axes.plot(x, wave(x[:, None]), color="#222222", linewidth=1, linestyle="--", label="truth")
        axes.plot(x, own["readings"], color=COLOURS["training"], linewidth=1.6, label="TSNet, y for a reading")
        axes.plot(x, law, color=COLOURS["validation"], linewidth=1.8, label="TSNet, the law")
        axes.fill_between(
            x, law - WITHIN * off, law + WITHIN * off, color=COLOURS["validation"], alpha=0.2, linewidth=0
        )
        other = results.predictions.get((name, SIMEX, DRAWN[name]))
        if other is not None:
            axes.plot(x, other["law"], color="#777777", linewidth=1, linestyle=":", label=COMPARED[SIMEX].label)
        case = SIMULATED[name]
        axes.set_title(f"{case.rows} rows, errors of {case.share:.0%}".replace("%", " %"), fontsize=10)
        axes.set_xlabel("input")
        axes.set_ylim(-1.7, 1.7)
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("target")
    figure.legend(
        *panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=5, fontsize=8, frameon=False
    )
    return {"declared_errors": figure}
