"""Choosing several rows at once, greedily: each choice counts as measured before the next is made.

How informative a measurement is about other rows does not depend on what comes out of it, so this needs no results.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np


class PosteriorCovariance(NamedTuple):
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

    def measured(self, place: int) -> PosteriorCovariance:
        """Given a measurement at one of the rows to choose from (a rank-one update)."""
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


Acquisition = Callable[[PosteriorCovariance, list[int]], np.ndarray]
"""How much each row is wanted, given what is left and what was chosen before."""


class Batch(NamedTuple):
    """Rows in the order in which they were chosen, and what is left when all have been measured."""

    places: list[int]
    left: PosteriorCovariance


def choose(
    before: PosteriorCovariance,
    acquisition: Acquisition,
    count: int,
    allowed: np.ndarray,
    group: np.ndarray,
    near: Callable[[int], np.ndarray],
) -> Batch:
    """The row that is wanted most, `count` times.

    `group` numbers the rows, equal ones alike: only one of a group is taken. `near` says for a row which others are its
    neighbours: those of chosen rows are taken if nothing else is left.
    """
    places: list[int] = []
    left, free, apart = before, allowed.copy(), np.ones(len(allowed), bool)
    while len(places) < count and free.any():
        open_rows = free & apart if (free & apart).any() else free
        place = int(np.argmax(np.where(open_rows, acquisition(left, places), -np.inf)))
        places.append(place)
        free &= group != group[place]
        apart &= ~near(place)
        left = left.measured(place)
    return Batch(places, left)
