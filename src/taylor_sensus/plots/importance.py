"""How much each column matters, as bars: for the prediction, and for its noise."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from taylor_sensus.plots.labels import plain
from taylor_sensus.plots.style import FILLS, new_axes

MOST_BARS = 20
"""Columns that are drawn, the most important ones."""


def plot_importance(table: pd.DataFrame, *, target: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw both shares of each column, the largest on top."""
    if "target" in table:
        table = table[table["target"] == (table["target"].iloc[0] if target is None else target)]
    table = table.iloc[:MOST_BARS]
    ax = new_axes((6.4, 1.2 + 0.42 * len(table))) if ax is None else ax
    places = np.arange(len(table))[::-1]
    ax.barh(places + 0.2, table["explained"] * 100, height=0.38, color=FILLS["system_noise"], label="of the prediction")
    ax.barh(places - 0.2, table["noise"] * 100, height=0.38, color=FILLS["feature_noise"], label="of its error")
    ax.set_yticks(places, [plain(str(name), 24) for name in table.index])
    ax.set_xlabel("share of variance [%]")
    ax.legend(loc="lower right")
    return ax
