"""The figure of the study `deviations`: a column for each kind of noise, a line for each method."""

from __future__ import annotations

from matplotlib.figure import Figure

from paper.deviations.noise import KINDS
from paper.deviations.run import deviating
from paper.deviations.study import METHODS
from paper.engine.reading import Results
from paper.toys.figure import band_panel, outer_labels, shared_legend
from paper.toys.problems import shown
from paper.toys.run import DRAWN_SEED


def figures(results: Results) -> dict[str, Figure]:
    """Bands over the only input, as far as there are predictions."""
    frames = {key[:2]: frame for key, frame in results.predictions.items() if key[2] == DRAWN_SEED}
    kinds = [kind for kind in KINDS if any(key[0] == kind for key in frames)]
    methods = [name for name in METHODS if any(key[1] == name for key in frames)]
    if not frames:
        return {}
    figure = Figure(figsize=(2.5 * len(kinds) + 0.6, 2.3 * len(methods) + 0.6), dpi=120, layout="constrained")
    panels = figure.subplots(len(methods), len(kinds), sharex=True, sharey=True, squeeze=False)
    for column, kind in zip(panels.T, kinds, strict=True):
        toy = deviating(kind, DRAWN_SEED)
        for axes, name in zip(column, methods, strict=True):
            if (kind, name) in frames:
                band_panel(axes, toy, shown(frames[kind, name]), KINDS[kind].title if name == methods[0] else "")
    outer_labels(panels, "input x", "target")
    for row, name in zip(panels, methods, strict=True):
        row[0].set_ylabel(f"{METHODS[name].label}\ntarget")
    shared_legend(figure, panels[0, 0])
    return {"deviations": figure}
