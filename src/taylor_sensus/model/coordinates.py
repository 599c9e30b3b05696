"""How a Gaussian process sees scaled rows: long tails drawn in, and turned where columns go together.

A length scale a feature serves features that matter one by one. Where they rise and fall together (the bands of a
spectrum, the magnitudes of a galaxy), the function depends on their small differences: every length scale is then
short, and a row that is a little brighter than all others seems unknown in every column. Along principal axes, in units
of the rows' own spread, each direction has a length scale of its own.

A number that is rather the name of a thing (a machine, a side of a house) has nothing in common with the next one: each
of its levels may have a coordinate of its own, beside it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taylor_sensus.model.shapes import Float, Int
from taylor_sensus.model.squash import squash, squash_slope

LEAST_SPREAD = 0.01
"""Directions in which scaled rows vary less than this are not stretched further: there is mostly rounding."""
TOGETHER = 0.1
"""Features go together where the smallest variance along an axis is below this share of the mean one."""
QUARTILES = 1.349
"""Between the quartiles of a normal distribution, in standard deviations."""
FEWEST_LEVELS, MOST_LEVELS, LEVEL_ROWS = 3, 8, 10
"""A feature with so many different values, and so many rows a value on average, is asked at levels."""
STEP = 0.01
"""Half the distance between two levels over which a slope is taken, as a share of the smallest such distance."""
FIRST_ROWS = 1000
"""A feature with too many values has them among these already, and need not be looked at further."""


class FeatureLevels(NamedTuple):
    """Hat functions (linear splines): at each level of a feature one that is 1 there and 0 at the levels beside it.

    With them a process need not believe that levels side by side are alike. Between levels they go over into each
    other, and beyond the last one nothing changes.
    """

    feature: Int[np.ndarray, " levels"]
    value: Float[np.ndarray, " levels"]
    """In scaled units"""
    height: Float[np.ndarray, " levels"]

    def __call__(self, x: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, "rows levels"]:
        """Of scaled rows."""
        return self.at(np.asarray(x, np.float64)[:, self.feature])

    def at(self, x: Float[np.ndarray, "rows levels"]) -> Float[np.ndarray, "rows levels"]:
        """Each at a value of its own."""
        off = x - self.value
        return self.height * np.clip(np.minimum(1 + off / self.gaps[0], 1 - off / self.gaps[1]), 0.0, 1.0)

    @property
    def gaps(self) -> Float[np.ndarray, "2 levels"]:
        """To the level below and to the one above; infinite at the ends."""
        gap = np.where(np.diff(self.feature) == 0, np.diff(self.value), np.inf)
        return np.stack([np.append(np.inf, gap), np.append(gap, np.inf)])

    def slopes(self, x: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, "rows levels"]:
        """Of each in its feature; at a level the mean of those on both sides."""
        step = STEP * self.gaps.min(axis=0)
        own = np.asarray(x, np.float64)[:, self.feature]
        return (self.at(own + step) - self.at(own - step)) / (2 * step)

    def of_features(self, features: int) -> Float[np.ndarray, "levels features"]:
        """1 where a level is one of a feature's."""
        return np.equal.outer(self.feature, np.arange(features)).astype(np.float64)


class Coordinates(NamedTuple):
    """From scaled rows to those of a process."""

    log_range: Float[np.ndarray, ""] | float
    """Where long tails begin to be drawn in"""
    axes: Float[np.ndarray, "features features"] | None = None
    """Principal axes as columns, each divided by the rows' spread along it; None: the features themselves"""
    levels: FeatureLevels | None = None
    """Of features that have few values; None: only their size counts"""

    def __call__(self, x: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, "rows coordinates"]:
        """Scaled rows as the process sees them."""
        z = squash(np.asarray(x, np.float64), float(self.log_range), "log")
        z = z if self.axes is None else z @ self.axes
        return z if self.levels is None else np.ascontiguousarray(np.concatenate([z, self.levels(x)], axis=1))

    def pulled_back(
        self, slopes: Float[np.ndarray, "rows targets coordinates"], x: Float[np.ndarray, "rows features"]
    ) -> Float[np.ndarray, "rows targets features"]:
        """Slopes in these coordinates as slopes in the scaled features, at scaled rows."""
        features = x.shape[1]
        own, of_levels = slopes[:, :, :features], slopes[:, :, features:]
        turned = own if self.axes is None else own @ self.axes.T
        found = turned * squash_slope(np.asarray(x, np.float64), float(self.log_range), "log")[:, None, :]
        if self.levels is None:
            return found
        return found + (of_levels * self.levels.slopes(x)[:, None, :]) @ self.levels.of_features(features)

    def turned_back(self, z: Float[np.ndarray, "rows coordinates"]) -> Float[np.ndarray, "rows features"]:
        """Rows of the process as drawn-in features, each by itself."""
        own = z if self.levels is None else z[:, : z.shape[1] - len(self.levels.feature)]
        return own if self.axes is None else own @ np.linalg.inv(self.axes)


def find_levels(x: Float[np.ndarray, "rows features"]) -> FeatureLevels | None:
    """Of scaled rows whose features have few values; None if there are none."""
    found = []
    for feature, column in enumerate(np.asarray(x).T):
        if len(np.unique(column[:FIRST_ROWS])) > MOST_LEVELS:
            continue
        values, counts = np.unique(column, return_counts=True)
        if FEWEST_LEVELS <= len(values) <= MOST_LEVELS and len(column) >= LEVEL_ROWS * len(values):
            share = counts / len(column)
            found += [(feature, value, 1 / np.sqrt(p * (1 - p))) for value, p in zip(values, share, strict=True)]
    if not found:
        return None
    feature, value, height = zip(*found, strict=True)
    return FeatureLevels(np.array(feature), np.array(value, np.float64), np.array(height))


def are_levels(levels: FeatureLevels, features: int) -> bool:
    """Whether these are levels of some of the features, in order."""
    next_feature, up = np.diff(levels.feature), np.diff(levels.value)
    in_order = (next_feature > 0) | ((next_feature == 0) & (up > 0))
    return bool(in_order.all() and len(levels.feature) > 0 and levels.feature.max() < features)


def principal_axes(z: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, "features features"] | None:
    """Of drawn-in rows whose features go together; None where they don't. Spreads are of quartiles: few rows far out
    must not make all others alike."""
    size, axes = np.linalg.eigh(np.atleast_2d(np.cov(z, rowvar=False)))
    if size[0] >= TOGETHER * size.mean():
        return None
    low, high = np.quantile(z @ axes, [0.25, 0.75], axis=0)
    return axes / np.maximum((high - low) / QUARTILES, LEAST_SPREAD)
