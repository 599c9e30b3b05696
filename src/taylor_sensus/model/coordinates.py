"""How a Gaussian process sees scaled rows: long tails drawn in, and turned where columns go together.

A length scale a feature serves features that matter one by one. Where they rise and fall together (the bands of a
spectrum, the magnitudes of a galaxy), the function depends on their small differences: every length scale is then
short, and a row that is a little brighter than all others seems unknown in every column. Along principal axes, in units
of the rows' own spread, each direction has a length scale of its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taylor_sensus.model.shapes import Float
from taylor_sensus.model.squash import squash, squash_slope

LEAST_SPREAD = 0.01
"""Directions in which scaled rows vary less than this are not stretched further: there is mostly rounding."""
TOGETHER = 0.1
"""Features go together where the smallest variance along an axis is below this share of the mean one."""
QUARTILES = 1.349
"""Between the quartiles of a normal distribution, in standard deviations."""


class Coordinates(NamedTuple):
    """From scaled rows to those of a process."""

    log_range: Float[np.ndarray, ""] | float
    """Where long tails begin to be drawn in"""
    axes: Float[np.ndarray, "features features"] | None = None
    """Principal axes as columns, each divided by the rows' spread along it; None: the features themselves"""

    def __call__(self, x: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, "rows features"]:
        """Scaled rows as the process sees them."""
        z = squash(np.asarray(x, np.float64), float(self.log_range), "log")
        return z if self.axes is None else z @ self.axes

    def pulled_back(
        self, slopes: Float[np.ndarray, "rows targets features"], x: Float[np.ndarray, "rows features"]
    ) -> Float[np.ndarray, "rows targets features"]:
        """Slopes in these coordinates as slopes in the scaled features, at scaled rows."""
        turned = slopes if self.axes is None else slopes @ self.axes.T
        return turned * squash_slope(np.asarray(x, np.float64), float(self.log_range), "log")[:, None, :]

    def turned_back(self, z: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, "rows features"]:
        """Rows of the process as drawn-in features, each by itself."""
        return z if self.axes is None else z @ np.linalg.inv(self.axes)


def principal_axes(z: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, "features features"] | None:
    """Of drawn-in rows whose features go together; None where they don't. Spreads are of quartiles: few rows far out
    must not make all others alike."""
    size, axes = np.linalg.eigh(np.atleast_2d(np.cov(z, rowvar=False)))
    if size[0] >= TOGETHER * size.mean():
        return None
    low, high = np.quantile(z @ axes, [0.25, 0.75], axis=0)
    return axes / np.maximum((high - low) / QUARTILES, LEAST_SPREAD)
