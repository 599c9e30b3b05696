"""Training and validation loss, one line a member: did it converge, and did it overfit?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from taylor_sensus.errors import DataError
from taylor_sensus.plots.style import COLOURS, LABELS, legend_above_data, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NEEDED = ("member", "stage", "step", "loss", "validation")
_LINES = (("loss", "training", "-", 1.0), ("validation", "validation", "--", 1.3))


def plot_history(history: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw the training and validation losses of a fit.

    Steps count from the start of their stage. The stages are drawn one after another, in the order in which
    they first appear, each as long as its longest member. Each stage has a loss of its own.

    Parameters
    ----------
    history : DataFrame
        `TSNetRegressor.history_`, with the columns member, stage, step, loss and validation.
    ax : Axes, optional
        Where to draw; on new axes by default.

    Returns
    -------
    Axes
        The axes with the figure.
    """
    missing = [name for name in NEEDED if name not in history]
    if missing:
        raise DataError(f"the history has no column {missing}; expected {list(NEEDED)}, has {list(history)}")
    if history.empty:
        raise DataError("the history has no rows; nothing was trained")
    ax = new_axes() if ax is None else ax
    starts = _stage_starts(history)
    at = history["step"].to_numpy(dtype=float) + np.array([starts[stage] for stage in history["stage"]])
    drawn = history.assign(at=at).sort_values("at", kind="stable")
    labels = {meaning: LABELS[meaning] for _, meaning, _, _ in _LINES}
    for _, lines in drawn.groupby("member", sort=True):
        for loss, meaning, dashes, width in _LINES:
            if np.isfinite(lines[loss].to_numpy(dtype=float)).any():
                ax.plot(
                    *_broken_between_stages(lines, loss),
                    color=COLOURS[meaning],
                    linestyle=dashes,
                    linewidth=width,
                    alpha=0.8,
                    label=labels.pop(meaning, "_"),  # only the first line of a kind enters the legend
                )
    if _spans_decades(drawn):
        ax.set_yscale("log")
    ax.set_xlim(0, max(at.max(), 1))
    legend_above_data(ax, lines_below=2 if len(starts) > 1 else 1)
    for position, (stage, start) in enumerate(starts.items()):
        if start > 0:
            ax.axvline(start, color=COLOURS["guide"], linewidth=0.8, zorder=0)
        # Names stand in two rows by turns, so that a short stage does not run into the next.
        at_the_end = start > 0.85 * at.max()
        ax.annotate(
            str(stage),
            xy=(start, 1),
            xycoords=("data", "axes fraction"),
            xytext=(-4 if at_the_end else 4, -22 - 12 * (position % 2)),
            textcoords="offset points",
            ha="right" if at_the_end else "left",
            va="top",
            fontsize="small",
            color=COLOURS["data"],
        )
    ax.set_xlabel("training step")
    ax.set_ylabel("loss of the stage" if len(starts) > 1 else "loss")
    return ax


def _stage_starts(history: pd.DataFrame) -> dict[Any, float]:
    """Where on the common axis each stage begins."""
    starts, end = {}, 0.0
    for stage, lines in history.groupby("stage", sort=False):
        starts[stage] = end
        end += float(lines["step"].to_numpy().max())
    return starts


def _broken_between_stages(lines: pd.DataFrame, loss: str) -> tuple[np.ndarray, np.ndarray]:
    """Points of one line, with a gap between stages, and without the checks that were not made."""
    across, up = [], []
    for _, part in lines.groupby("stage", sort=False):
        part = part[np.isfinite(part[loss].to_numpy(dtype=float))]
        across += [*part["at"], np.nan]
        up += [*part[loss], np.nan]
    return np.array(across[:-1], dtype=float), np.array(up[:-1], dtype=float)


def _spans_decades(history: pd.DataFrame) -> bool:
    losses = history[["loss", "validation"]].to_numpy(dtype=float)
    losses = losses[np.isfinite(losses)]
    return losses.size > 0 and losses.min() > 0 and losses.max() > 30 * losses.min()
