"""The figure of the study `honesty`: what intervals hold as rows become fewer."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from paper.engine.reading import Results
from paper.honesty.cases import ALL, ROWS
from paper.honesty.judges import LEVELS
from paper.honesty.methods import HONESTY_METHODS
from paper.honesty.summary import HELD, few, mean_of
from taylor_sensus.plots.style import COLOURS

LOOKS: dict[str, tuple[str, str]] = {
    "tsnet": ("o", COLOURS["validation"]), "gp": ("s", COLOURS["training"]), "ngboost": ("^", COLOURS["truth"]),
    "catboost": ("D", COLOURS["feature_noise"]), "ridge": ("v", COLOURS["epistemic"]),
    "conformal": ("P", COLOURS["system_noise"]),
}  # fmt: skip


def figures(results: Results) -> dict[str, Figure]:
    """A panel a level: share of new values held against the number of rows, with standard errors."""
    scores = results.scores
    cases = [case for rows in ROWS for case in few(rows)]
    if not any(mean_of("coverage_90", cases)(scores, name) for name in ALL):
        return {}
    figure = Figure(figsize=(9.5, 3.8), layout="constrained")
    panels = figure.subplots(1, len(LEVELS))
    places, shifts = np.arange(len(ROWS)), np.linspace(-0.25, 0.25, len(ALL))
    for axes, level in zip(panels, LEVELS, strict=True):
        axes.axhspan(*HELD[level], color=COLOURS["guide"], alpha=0.15, linewidth=0)
        axes.axhline(level / 100, color="#333333", linewidth=0.8)
        for name, shift in zip(ALL, shifts, strict=True):
            found = [mean_of(f"coverage_{level}", few(rows))(scores, name) for rows in ROWS]
            drawn = [(place, one) for place, one in zip(places, found, strict=True) if one is not None]
            if drawn:
                axes.errorbar(
                    [place + shift for place, _ in drawn], [one.value for _, one in drawn],
                    yerr=[np.nan_to_num(one.error) for _, one in drawn], **_look(name),
                )  # fmt: skip
        axes.set_title(f"{level} % intervals", fontsize=10, loc="left")
        axes.set_xticks(places, [str(rows) for rows in ROWS])
        axes.set_xlabel("training rows")
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("share of new values held")
    figure.legend(
        *panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=6, fontsize=8, frameon=False
    )
    return {"honesty": figure}


def _look(name: str) -> dict[str, Any]:
    mark, colour = LOOKS[name]
    line: dict[str, Any] = {"marker": mark, "color": colour, "markersize": 5, "linewidth": 1.0, "elinewidth": 1.0}
    return line | {"label": HONESTY_METHODS[name].label, "zorder": 5 if name == "tsnet" else 2}
