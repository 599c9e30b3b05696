"""The noise budget as stacked bars: how large is the error bar, and what is it made of?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from taylor_sensus.budget import OTHER_PARTS, NoiseBudget, shares
from taylor_sensus.errors import DataError, SettingError
from taylor_sensus.plots.labels import plain, with_unit
from taylor_sensus.plots.style import COLOURS, LABELS, legend_above_data, new_axes, tint
from taylor_sensus.tables.units import split_header
from taylor_sensus.words.format import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_BARS = 40
"""Rows that are drawn one by one; of more, the average is drawn."""
NAMED_COLUMNS = 4
"""Columns that get a shade of their own; the others are drawn together."""
VISIBLE = 0.01
"""Share of the average variance from which on a column is named, as long as there are shades."""
TARGET_ERROR = "#999999"
MISSING_CELLS = "#F0E442"
"""The declared measuring error of the target."""
SHADES = (1.0, 0.65, 0.4, 0.2)
"""Strengths of the features' colour, the largest contribution first; lightness alone tells them apart."""


def plot_budget(
    budget: NoiseBudget,
    *,
    rows: Sequence[int] | Literal["all", "mean"] | None = None,
    ax: Axes | None = None,
    target: str | None = None,
) -> Axes:
    """Draw one bar a row, as long as the row's standard deviation and divided by the sources' shares of variance.

    Parameters
    ----------
    budget : NoiseBudget
        What `noise_budget` gave.
    rows : list of int, "all" or "mean", optional
        Positions, or all rows, or a single bar of the averaged variances. By default up to 40 rows are drawn one by
        one, and of more the average.
    ax : Axes, optional
        Where to draw; on new axes by default.
    target : str, optional
        Which target is drawn, if there are several.

    Returns
    -------
    Axes
        The axes with the figure.
    """
    names = list(budget.target_names)
    if target is None and len(names) > 1:
        raise SettingError(f"the budget has {len(names)} targets; choose one with target=, of {names}")
    chosen = budget.target(names[0] if target is None else target)
    if not len(chosen):
        raise DataError("the budget has no rows; nothing can be drawn")
    if rows is None:
        rows = "all" if len(chosen) <= MOST_BARS else "mean"
    word = rows if isinstance(rows, str) else None
    if word not in (None, "all", "mean"):
        raise SettingError(f"rows must be positions, 'all' or 'mean', not {rows!r}")
    if word == "mean":
        variance, labels = chosen.variance.mean(axis=0), [""]
    else:
        positions = np.arange(len(chosen)) if word == "all" else np.asarray(rows, dtype=int)
        variance = chosen.variance[positions, 0]
        labels = [plain(label, 14) for label in chosen.index[positions]]
    return draw_bars(variance, chosen.sources, chosen.part_of_source, labels, chosen.target_names[0], ax)


def draw_bars(
    variance: np.ndarray,
    sources: Sequence[str],
    part_of_source: Sequence[str],
    labels: Sequence[str],
    target: str,
    ax: Axes | None = None,
) -> Axes:
    """One bar for each line of ``variance``, ``(bars, sources)``; a single bar lies on its side."""
    alone = len(variance) == 1
    ax = new_axes((6.4, 1.9) if alone else (max(4.5, 1.5 + 0.32 * len(variance)), 4.2)) if ax is None else ax
    std = np.sqrt(variance.sum(axis=1))
    share = shares(variance)
    places = np.arange(len(variance))
    start = np.zeros(len(variance))
    for name, colour, members in _pieces(variance, sources, part_of_source):
        length = share[:, members].sum(axis=1) * std
        style = {"color": colour, "edgecolor": "white", "linewidth": 0.5}
        label = f"{name}: {percent(float(share[0, members].sum()), 0)}" if alone else name
        if alone:
            ax.barh(places, length, left=start, height=0.6, label=label, **style)
        else:
            ax.bar(places, length, bottom=start, width=0.8, label=label, **style)
        start = start + length
    words = f"std of {with_unit(target, 40 if alone else 24)}"
    if alone:
        ax.set_yticks([])
        ax.set_xlabel(words)
        ax.set_xlim(0, std[0] * 1.02 or 1)
    else:
        slanted = {"rotation": 60, "ha": "right", "rotation_mode": "anchor"} if max(map(len, labels)) > 3 else {}
        ax.set_xticks(places, labels, **slanted)
        ax.set_xlabel("row")
        ax.set_ylabel(words)
        ax.margins(x=0.01)
    legend_above_data(ax, title="divided by shares of variance")
    return ax


def _pieces(
    variance: np.ndarray, sources: Sequence[str], part_of_source: Sequence[str]
) -> list[tuple[str, str, list[int]]]:
    """Name, colour and sources of each piece of a bar, from the base outwards; what has no part is left out."""
    average = variance.mean(axis=0)
    at: dict[str, list[int]] = {part: [] for part in ("feature_noise", *OTHER_PARTS)}
    for position, part in enumerate(part_of_source):
        if average[position] > 0:
            at[part].append(position)
    ranked = sorted(at["feature_noise"], key=lambda position: -average[position])
    visible = sum(average[position] >= VISIBLE * average.sum() for position in ranked)
    named = ranked[: max(1, min(visible, NAMED_COLUMNS))]
    if len(ranked) > len(named) == NAMED_COLUMNS:
        named = named[:-1]
    rest = ranked[len(named) :]
    pieces = [(LABELS["system_noise"], COLOURS["system_noise"], at["system_noise"])]
    pieces += [("measuring the target", TARGET_ERROR, at["target_error"])]
    for shade, position in zip(SHADES, named, strict=False):
        name = plain(split_header(sources[position]).name, 24)
        pieces.append((name, tint(COLOURS["feature_noise"], shade), [position]))
    pieces += [(f"{len(rest)} other feature{'s' * (len(rest) > 1)}", tint(COLOURS["feature_noise"], SHADES[-1]), rest)]
    pieces += [("missing cells", MISSING_CELLS, at["missing_cells"])]
    pieces += [("between groups", tint(COLOURS["training"], 0.6), at["group"])]
    pieces += [(LABELS["epistemic"], COLOURS["epistemic"], at["epistemic"])]
    return [piece for piece in pieces if piece[2]]
