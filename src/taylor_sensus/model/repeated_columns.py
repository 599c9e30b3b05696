"""Columns whose values come again together, such as those of a mixture of which several specimens were measured."""

from __future__ import annotations

import numpy as np

from taylor_sensus.model.shapes import Int, Num

MOST_ROWS, MOST_COLUMNS = 5000, 20
FEWEST_SETS = 3
REPEATED = 0.5
"""Sets of values a row at most: on average every set comes twice."""
TOGETHER = 0.7
"""Sets at most, as a share of those that columns without a connection would have."""


def repeated_columns(columns: Num[np.ndarray, "rows columns"]) -> tuple[list[int], int]:
    """Which columns repeat together, and in how many sets of values; none and 0 if there is no such thing.

    `columns` holds a number for each cell. Columns are added as long as their sets of values still
    repeat; then shuffled columns tell how many sets chance would have made. A planned grid has as many as chance.
    """
    rows = len(columns)
    if not 2 * FEWEST_SETS <= rows <= MOST_ROWS:
        return [], 0
    codes = [np.unique(column, return_inverse=True)[1] for column in columns.T]
    most = REPEATED * rows
    left = sorted((k for k, code in enumerate(codes) if 0 < code.max() < most), key=lambda k: int(codes[k].max()))
    left, chosen, joint = left[:MOST_COLUMNS], [], np.zeros(rows, int)
    while left:
        tried = [_joined(joint, codes[k]) for k in left]
        best = min(range(len(left)), key=lambda place: int(tried[place].max()))
        if tried[best].max() + 1 > most:
            break
        joint = tried[best]
        chosen.append(left.pop(best))
    sets = int(joint.max()) + 1
    if len(chosen) < 2 or sets < FEWEST_SETS:
        return [], 0
    rng, shuffled = np.random.default_rng(0), np.zeros(rows, int)
    for k in chosen:
        shuffled = _joined(shuffled, rng.permutation(codes[k]))
    if sets > TOGETHER * (shuffled.max() + 1):
        return [], 0
    return sorted(chosen), sets


def _joined(one: Int[np.ndarray, " rows"], other: Int[np.ndarray, " rows"]) -> Int[np.ndarray, " rows"]:
    """Codes of the pairs."""
    return np.unique(one * (int(other.max()) + 1) + other, return_inverse=True)[1]
