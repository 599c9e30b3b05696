"""Choosing several rows at once: each choice counts as measured before the next is made.

How much a measurement tells about other rows does not depend on what comes out of it, so this needs no results.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np


class Ignorance(NamedTuple):
    """Covariances of the epistemic errors, of rows to choose from and of rows that are watched."""

    among: np.ndarray
    """Between rows to choose from, (rows, rows)"""
    watched: np.ndarray
    """Between rows to choose from and watched ones, (rows, watched)"""
    variance: np.ndarray
    """Of the watched rows, (watched,)"""
    noise: np.ndarray
    """Variance of the noise of a measurement at each row to choose from, (rows,)"""

    @property
    def own(self) -> np.ndarray:
        """Variance of the rows to choose from."""
        return np.maximum(np.diag(self.among), 0.0)

    def measured(self, place: int) -> Ignorance:
        """What is left when one row to choose from has been measured."""
        total = max(self.among[place, place] + self.noise[place], 1e-300)
        shift, seen = self.among[:, place] / total, self.watched[place]
        return self._replace(
            among=self.among - np.multiply.outer(shift, self.among[place]),
            watched=self.watched - np.multiply.outer(shift, seen),
            variance=np.maximum(self.variance - seen**2 / total, 0.0),
        )

    def gain(self) -> np.ndarray:
        """By how much measuring each row would lower the variance of the watched rows, on average."""
        return (self.watched**2).mean(axis=1) / np.maximum(self.own + self.noise, 1e-300)


Wanted = Callable[[Ignorance, list[int]], np.ndarray]
"""How much each row is wanted, given what is left and what was chosen before."""


class Batch(NamedTuple):
    """Rows in the order in which they were chosen, and what is left when all have been measured."""

    places: list[int]
    left: Ignorance


Near = Callable[[int], np.ndarray]
"""For a row which others count as its neighbours."""


def choose(before: Ignorance, wanted: Wanted, count: int, allowed: np.ndarray, twins: np.ndarray, near: Near) -> Batch:
    """The row that is wanted most, `count` times.

    `twins` numbers the rows, equal ones alike: only one is taken. Neighbours of chosen rows are taken if nothing else
    is left.
    """
    places: list[int] = []
    left, free, apart = before, allowed.copy(), np.ones(len(allowed), bool)
    while len(places) < count and free.any():
        open_rows = free & apart if (free & apart).any() else free
        place = int(np.argmax(np.where(open_rows, wanted(left, places), -np.inf)))
        places.append(place)
        free &= twins != twins[place]
        apart &= ~near(place)
        left = left.measured(place)
    return Batch(places, left)
