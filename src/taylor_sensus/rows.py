"""Equal rows become one heavier row, in an order of their own.

So a fit does not depend on the order of the table, a weight of two is the same as a row written twice, and a
repeated row can never stand on both sides of an internal split. Nothing here copies the table: rows are found by their
places, and taken out a block at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

BLOCK = 16_384
"""Rows of a large table that are worked on together: what is made of them in between takes little memory."""


class DistinctRows(NamedTuple):
    """Where distinct rows first stand in the table, their total weight, and for each row of the table its distinct row
    (-1: weight 0)."""

    first: np.ndarray
    weight: np.ndarray
    position: np.ndarray


class ByteOrder(NamedTuple):
    """Rows sorted by the bytes of their cells."""

    order: np.ndarray
    """Places of the rows in the table; equal rows as they stand there."""
    new: np.ndarray
    """True where the sorted row differs from the one before."""

    @property
    def group(self) -> np.ndarray:
        """For each row of the table the number of its distinct row."""
        found = np.empty(len(self.order), np.intp)
        found[self.order] = np.cumsum(self.new) - 1
        return found


def distinct_rows(x: np.ndarray, y: np.ndarray, weight: np.ndarray) -> DistinctRows:
    """Merge rows that are equal in all features and targets; rows of weight 0 are left out."""
    used = np.flatnonzero(weight > 0)
    columns = (table[used, place].astype(np.float64) for table in (x, y) for place in range(table.shape[1]))
    found = byte_order(columns, len(used))
    position = np.full(len(x), -1)
    position[used] = group = found.group
    return DistinctRows(used[found.order[found.new]], np.bincount(group, weights=weight[used]), position)


def byte_order(columns: Iterable[np.ndarray], count: int) -> ByteOrder:
    """Sort rows by their first column, then those that are still equal by the next one, and so on.

    Most tables are sorted after a column or two, and the others are never looked at.
    """
    order, tied, new = np.arange(count), np.arange(count), np.arange(count) == 0
    for column in columns:
        key = _bytes_as_number(column[order[tied]])
        group = np.cumsum(new)[tied]
        sort = np.lexsort((key, group))
        order[tied] = order[tied][sort]
        key = key[sort]
        new[tied[1:]] |= (key[1:] != key[:-1]) | (group[1:] != group[:-1])
        follows = ~new
        tied = np.flatnonzero(follows | np.append(follows[1:], False))
        if not len(tied):
            break
    return ByteOrder(order, new)


def take(table: np.ndarray, rows: np.ndarray | slice) -> np.ndarray:
    """These rows as double-precision numbers; zeros have no sign."""
    return table[rows].astype(np.float64) + 0.0


def blocks(count: int, size: int = BLOCK) -> Iterator[slice]:
    """`count` rows in pieces of at most `size`."""
    return (slice(start, min(start + size, count)) for start in range(0, count, size))


def spread(rows: np.ndarray, most: int) -> np.ndarray:
    """The rows, or `most` of them at even distances where there are more."""
    return rows if len(rows) <= most else rows[np.arange(most) * len(rows) // most]


def _bytes_as_number(column: np.ndarray) -> np.ndarray:
    """Whole numbers in the order of the cells' bytes; adding 0 turns -0 into 0."""
    cells = np.ascontiguousarray(column) + column.dtype.type(0)
    return cells.view(f">u{cells.itemsize}").astype(f"u{cells.itemsize}")


def tercile_shares(values: np.ndarray) -> np.ndarray:
    """How much of each value lies in the low, mid and high third: ``(3, n)``, one in all for each value.

    Lay the sorted values side by side on a line and cut it into three equal parts. A run of equal values is
    one block, and the share of the block that falls into a part is the share of each of its members.
    The line is measured in thirds of a value, so that all lengths are whole numbers and exact.
    """
    from scipy.stats import rankdata  # takes a while to load

    n = len(values)
    start = 3 * (rankdata(values, method="min").astype(int) - 1)
    end = 3 * rankdata(values, method="max").astype(int)
    cuts = np.array([0, n, 2 * n, 3 * n])
    overlap = np.minimum(end, cuts[1:, None]) - np.maximum(start, cuts[:-1, None])
    return np.maximum(overlap, 0) / (end - start)
