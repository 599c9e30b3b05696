"""From the user's units to numbers around 0 and back."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taylor_sensus.model.shapes import Float, Int, Num
from taylor_sensus.rows import take


class Scaler(NamedTuple):
    """Affine scaling of features and targets; a scale of 0 marks a column that never changes and is left out."""

    center: Float[np.ndarray, " features"]
    scale: Float[np.ndarray, " features"]
    target_center: Float[np.ndarray, " targets"]
    target_scale: Float[np.ndarray, " targets"]

    def features(self, x: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, "rows features"]:
        """Features in scaled units, cut at ±1e6 where nothing is known anyway."""
        safe = np.where(self.scale > 0, self.scale, 1.0)
        scaled = np.where(self.scale > 0, (x + 0.0 - self.center) / safe, 0.0)  # adding 0 turns -0 into 0
        return np.clip(scaled, -1e6, 1e6)

    def feature_variances(self, errors: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, "rows features"]:
        """Squared standard deviations of features in scaled units; not a number where it was none."""
        safe = np.where(self.scale > 0, self.scale, 1.0)
        return np.where(self.scale > 0, np.minimum(errors / safe, 1e6) ** 2, 0.0 * errors)

    def targets(self, y: Float[np.ndarray, "rows targets"]) -> Float[np.ndarray, "rows targets"]:
        """Targets in scaled units."""
        return (y - self.target_center) / self.target_scale


ROUNDED = 8 * np.finfo(float).eps
"""Targets that differ by no more than this share of their size only differ by rounding."""
COLUMNS = 8
"""Columns that are scaled together: a whole copy of a large table would not be small."""


def learn_scaling(
    x: Num[np.ndarray, "all_rows features"],
    y: Float[np.ndarray, "rows targets"],
    weight: Float[np.ndarray, " rows"],
    rows: Int[np.ndarray, " rows"] | None = None,
) -> Scaler:
    """Features by median and quartiles, which outliers do not move; targets by mean and standard deviation.

    `rows` says which rows of `x` count, if not all; `y` and `weight` are of these rows.
    """
    chosen = slice(None) if rows is None else rows
    few = [_center_and_scale(take(x[:, start : start + COLUMNS], chosen)) for start in range(0, x.shape[1], COLUMNS)]
    middle, scale = np.hstack(few)
    mean = np.average(y, axis=0, weights=weight)
    std = np.sqrt(np.average((y - mean) ** 2, axis=0, weights=weight))
    constant = std <= ROUNDED * np.maximum(np.abs(mean), 1e-300)
    return Scaler(middle, scale, mean, np.where(constant, np.maximum(np.abs(mean) * 1e-6, 1e-12), std))


def _center_and_scale(x: Float[np.ndarray, "rows columns"]) -> Float[np.ndarray, "2 columns"]:
    """Median, and standard deviation by the quartiles, of each column; gaps are left out."""
    if np.isnan(x).any():
        x = np.where(np.isnan(x).all(axis=0), 0.0, x)  # a column of nothing but gaps never changes
        low, middle, high = np.nanquantile(x, [0.25, 0.5, 0.75], axis=0)
    else:
        low, middle, high = np.quantile(x, [0.25, 0.5, 0.75], axis=0)
    largest, smallest = np.nanmax(x, axis=0), np.nanmin(x, axis=0)
    span, size = largest - smallest, np.maximum(np.abs(largest), np.abs(smallest))
    quartiles = high - low
    # Equal quartiles say nothing about a column that is mostly constant.
    scale = np.where(quartiles > 1e-9 * span, quartiles / 1.35, span / 2)
    return np.stack([middle, np.where(span > 1e-12 * np.maximum(size, 1e-300), scale, 0.0)])
