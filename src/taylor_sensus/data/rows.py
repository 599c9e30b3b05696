"""Equal rows become one heavier row, in an order of their own.

So a fit does not depend on the order of the table, a weight of two is the same as a row written twice, and a
repeated row can never stand on both sides of an internal split.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class DistinctRows(NamedTuple):
    """Distinct rows with their total weight, and for each row of the table its distinct row (-1: weight 0)."""

    x: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    position: np.ndarray


def distinct_rows(x: np.ndarray, y: np.ndarray, weight: np.ndarray) -> DistinctRows:
    """Merge rows that are equal in all features and targets; rows of weight 0 are left out."""
    used = weight > 0
    joined = np.ascontiguousarray(np.hstack([x[used], y[used]])) + 0.0  # adding 0 turns -0 into 0
    keys = joined.view(np.dtype((np.void, joined.itemsize * joined.shape[1]))).ravel()
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    position = np.full(len(x), -1)
    position[used] = inverse.ravel()
    rows = joined[first]
    total = np.bincount(inverse.ravel(), weights=weight[used])
    return DistinctRows(rows[:, : x.shape[1]], rows[:, x.shape[1] :], total, position)
