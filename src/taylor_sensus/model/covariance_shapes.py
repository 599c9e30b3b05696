"""The shapes of which a process' covariance is made, as functions of the squared distance between two rows.

There are millions of pairs, and every pass over them counts: the matrix product that makes squared distances brings
a factor along for nothing, and an amplitude may stand in an exponent.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from taylor_sensus.model.shapes import Float


def matern(
    argument: Float[np.ndarray, "*pairs"], log_size: float
) -> tuple[Float[np.ndarray, "*pairs"], Float[np.ndarray, "*pairs"]]:
    """Matérn 5/2 as a function of five times the squared distance, which it takes the memory of, and its slope."""
    slope = np.sqrt(np.maximum(argument, 0.0, out=argument))
    decay = np.subtract(log_size, slope)
    np.exp(decay, out=decay)
    slope += 1
    slope *= decay
    argument *= 1 / 3
    argument *= decay
    argument += slope
    return argument, slope


def squared_exponential(
    argument: Float[np.ndarray, "*pairs"], log_size: float
) -> tuple[Float[np.ndarray, "*pairs"], Float[np.ndarray, "*pairs"]]:
    """The smoothest shape, as a function of what stands in its exponent, which it takes the memory of; it is its own
    slope."""
    value = np.exp(argument, out=argument)
    value *= math.exp(log_size)  # in the exponent it would take digits from distances, which are often small
    return value, value


class CovarianceShape(NamedTuple):
    """One shape, ready for many pairs of rows."""

    of: Callable[..., tuple[Float[np.ndarray, " ..."], Float[np.ndarray, " ..."]]]
    """Of argument and log of the amplitude: values, and their slopes but for `steepness`. Both are one array where they
    are the same."""
    factor: float
    """The argument is this times the squared distance."""
    steepness: float
    """Makes the slopes the derivative in the squared distance; it is steepest at distance 0, with slope 1."""

    def keys(self, b: Float[np.ndarray, "others features"]) -> Float[np.ndarray, "features+2 others"]:
        """Of scaled rows, for `arguments`: `[-2 b, 1, |b|²]`, turned, times the factor."""
        one = np.ones((1, len(b)), b.dtype)
        return self.factor * np.concatenate([-2 * b.T, one, (b * b).sum(axis=1)[None]])


SHAPES = (CovarianceShape(matern, 5.0, -5 / 6), CovarianceShape(squared_exponential, -0.5, -0.5))
"""Each has an amplitude and length scales of its own."""


def as_queries(a: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, "rows features+2"]:
    """`[a, |a|², 1]`, whose product with keys are arguments, all terms in one pass."""
    return np.concatenate([a, (a * a).sum(axis=1)[:, None], np.ones((len(a), 1), a.dtype)], axis=1)


def arguments(
    queries: Float[np.ndarray, "rows terms"], keys: Float[np.ndarray, "terms others"]
) -> Float[np.ndarray, "rows others"]:
    """What a shape is a function of, between all pairs of rows."""
    return queries @ keys


UNSEEN = 1e-4
"""Rounding errors below this share of the noise are not seen."""


def are_single(
    shape: CovarianceShape,
    size: float,
    b: Float[np.ndarray, "centres features"],
    coefficients: Float[np.ndarray, "centres targets"],
    noise: float,
) -> bool:
    """Whether distances to scaled centres may be added up in single precision: their rounding errors, in means with
    these coefficients, are far below the noise's standard deviation.

    A squared distance errs by about eps (|a|² + |b|²). Where |a| < 2 |b| that is at most 5 eps |b|². Farther out it is
    at most 5 eps times the squared distance q, and q times the derivative of a shape is nowhere above 0.37.
    """
    farthest = float((b * b).sum(axis=1).max())
    error = 5 * 2**-24 * size * max(0.37, farthest * abs(shape.steepness))
    largest = math.sqrt(float((coefficients * coefficients).sum(axis=0).max()))
    return bool(error * largest <= UNSEEN * math.sqrt(noise))
