"""Colours and words that mean the same in every figure, and the frame that figures are drawn in."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS: Mapping[str, str] = MappingProxyType(
    {
        "system_noise": "#56B4E9",
        "feature_noise": "#E69F00",
        "epistemic": "#CC79A7",
        "mean": "#111111",
        "data": "#4D4D4D",
        "truth": "#007A59",
        "training": "#0072B2",
        "validation": "#D55E00",
        "outside": "#D55E00",
        "guide": "#8C8C8C",
    }
)
"""One colour a meaning, from the Okabe-Ito palette, which colour-blind readers can tell apart."""


def tint(colour: str, strength: float) -> str:
    """The colour mixed with white, for opaque fills; a strength of 1 leaves it as it is."""
    channels = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(255 - strength * (255 - channel)):02X}" for channel in channels)


FILLS: Mapping[str, str] = MappingProxyType(
    {
        "system_noise": tint(COLOURS["system_noise"], 0.8),
        "feature_noise": tint(COLOURS["feature_noise"], 0.75),
        "epistemic": tint(COLOURS["epistemic"], 0.4),
    }
)
"""The sources' colours for areas, in strengths that stay apart under each kind of colour blindness."""

LABELS: Mapping[str, str] = MappingProxyType(
    {
        "system_noise": "system noise",
        "feature_noise": "feature noise",
        "epistemic": "too little data",
        "mean": "mean",
        "data": "training data",
        "truth": "truth",
        "training": "training",
        "validation": "validation",
    }
)
"""What a legend calls each of them."""

RC: Mapping[str, Any] = MappingProxyType(
    {
        "figure.figsize": (6.4, 4.2),
        "figure.dpi": 110,
        "savefig.dpi": 200,
        "font.size": 10,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "svg.fonttype": "none",
    }
)
"""Settings for new figures: ``with matplotlib.rc_context(dict(RC)): ...``."""

LINE = 1.75
"""Height of a line of text in a legend, in font sizes."""


def new_axes(size: tuple[float, float] = RC["figure.figsize"]) -> Axes:
    """Axes of a new pyplot figure in the house style; the user's own settings are put back."""
    import matplotlib
    import matplotlib.pyplot as plt

    with matplotlib.rc_context(cast(Any, dict(RC))):
        _, ax = plt.subplots(figsize=size, layout="constrained")
    return ax


def legend_above_data(ax: Axes, *, title: str | None = None, lines_below: int = 0) -> None:
    """A legend at the top of the axes, which are made higher so that it hides nothing.

    ``lines_below`` keeps room for so many lines of text between the legend and the data.
    """
    size = 9.0
    entries = len(ax.get_legend_handles_labels()[1])
    width, height = _size_in_points(ax)
    columns = int(min(3, entries, max(1, width // (11.5 * size))))
    lines = -(-entries // columns) + (title is not None) + lines_below
    make_headroom(ax, min(0.6, (lines * LINE + 0.5) * size / height))
    legend = ax.legend(
        loc="upper center", ncols=columns, fontsize=size, title=title, title_fontsize=size, frameon=False
    )
    legend.set_in_layout(False)  # a legend wider than small axes must not squeeze them


def make_headroom(ax: Axes, share: float) -> None:
    """Raise the upper limit so that the top ``share`` of the axes is free."""
    low, high = ax.get_ylim()
    if ax.get_yscale() == "log":
        low, high = math.log10(low), math.log10(high)
        ax.set_ylim(10**low, 10 ** (low + (high - low) / (1 - share)))
    else:
        ax.set_ylim(low, low + (high - low) / (1 - share))


def _size_in_points(ax: Axes) -> tuple[float, float]:
    """Width and height of the axes, 72 points an inch; a layout yet to be made may change them a little."""
    box, dots_a_point = ax.get_window_extent(), ax.figure.dpi / 72
    return box.width / dots_a_point, box.height / dots_a_point
