"""Shapes of targets that cannot be negative, by mean and standard deviation of each row.

A standardised Student's t of a row, T, becomes Y = c (k + T)₊^(1/p), or c exp(b T) for the power p = 0. The numbers c
and k (or b) are those with which Y has the row's mean and standard deviation: means, error bars and budgets keep their
meaning, and only the shape follows from how far 0 is away. With p > 0 some rows may be exactly 0, as counts are.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from taylor_sensus.model.shapes import AnyArray, Float
from taylor_sensus.model.tails import (
    CRPS_LEVELS,
    FREEDOM_SPREAD,
    FREEDOMS,
    LEAST_FREEDOM,
    MOST_FREEDOM,
    USUAL_FREEDOM,
    Tails,
)

POWERS = (1.0, 0.5, 0.25, 0.0)
"""From a normal distribution whose negative part becomes 0, over nearly a gamma distribution, to the log-normal."""
LEVELS = (np.arange(1000) + 0.5) / 1000
"""At which moments are summed: those of an exponential of Student's t would not exist without an end."""
PLACES = np.concatenate([np.linspace(-2.6, 4, 133), np.geomspace(4.1, 1e4, 120)])
SPREADS = np.geomspace(1e-4, 3.0, 200)
SHARPNESS = 4.0
"""How close to 0, in standard deviations, a mean must come before it is bent away from it."""


def positive_mean(mean: Float[np.ndarray, "*rows"], std: Float[np.ndarray, "*rows"]) -> Float[np.ndarray, "*rows"]:
    """Means as they are, but those near or below 0 bent to small positive ones, smoothly."""
    z = SHARPNESS * mean / std
    bent = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi) + z * ndtr(z)
    return np.where(z > 8, mean, std * np.maximum(bent, 1e-6) / SHARPNESS)


class _Family(NamedTuple):
    """Logarithms of mean and relative spread of a power's shapes before scaling, in ascending order of the spread."""

    place: Float[np.ndarray, " spreads"]
    log_spread: Float[np.ndarray, " spreads"]
    log_mean: Float[np.ndarray, " spreads"]


@lru_cache(maxsize=256)
def _family(power: float, freedom: float) -> _Family:
    t = Tails(np.float64(freedom), np.float64(1.0)).quantile(LEVELS)
    if power:
        place = PLACES[::-1]
        y = np.maximum(place[:, None] + t, 0.0) ** (1 / power)
    else:
        place = SPREADS
        y = np.exp(place[:, None] * t)
    mean, std = y.mean(axis=1), y.std(axis=1)
    return _Family(place, np.log(std / mean), np.log(mean))


class PositiveShape(NamedTuple):
    """Of rows with these means and standard deviations; arrays of one shape, `power` and `freedom` of one target."""

    mean: Float[AnyArray, "*rows"]
    std: Float[AnyArray, "*rows"]
    power: float
    freedom: float

    def _numbers(self) -> tuple[Float[AnyArray, "*rows"], Float[AnyArray, "*rows"]]:
        """Place k, or spread b, and the scale c of each row."""
        place, log_spread, log_mean = _family(self.power, self.freedom)
        wanted = np.log(self.std / self.mean)
        at = np.interp(wanted, log_spread, np.arange(len(place)))
        number = np.arange(len(place))
        found = np.exp(np.interp(at, number, np.log(place - place.min() + 1))) + place.min() - 1
        return found, self.mean / np.exp(np.interp(at, number, log_mean))

    def _students(self) -> Tails:
        return Tails(np.float64(self.freedom), np.float64(1.0))

    def quantile(self, level: Float[AnyArray, "*#rows"]) -> Float[AnyArray, "*levels"]:
        """Of each row; `level` must broadcast with the rows."""
        place, scale = self._numbers()
        t = self._students().quantile(np.asarray(level, float))
        return scale * (np.maximum(place + t, 0.0) ** (1 / self.power) if self.power else np.exp(place * t))

    def _back(self, y: Float[AnyArray, "*rows"]) -> Float[AnyArray, "*rows"]:
        """The standardised error behind a positive value."""
        place, scale = self._numbers()
        ratio = np.maximum(y, 1e-300) / scale
        return ratio**self.power - place if self.power else np.log(ratio) / place

    def cdf(self, y: Float[AnyArray, "*rows"]) -> Float[AnyArray, "*rows"]:
        """Probability of a value that is not larger; 0 below 0."""
        found = self._students().cdf(self._back(y))
        if self.power:
            found = np.where(y == 0, self._students().cdf(-self._numbers()[0]), found)
        else:
            found = np.where(y == 0, 0.0, found)
        return np.where(y < 0, 0.0, found)

    def logpdf(self, y: Float[AnyArray, "*rows"]) -> Float[AnyArray, "*rows"]:
        """Log of the density; at 0 that of the probability of 0."""
        place, scale = self._numbers()
        ratio = np.maximum(y, 1e-300) / scale
        stretch = np.log(self.power) + (self.power - 1) * np.log(ratio) if self.power else -np.log(ratio * place)
        found = self._students().logpdf(self._back(y)) + stretch - np.log(scale)
        with np.errstate(divide="ignore"):
            none = np.log(self.cdf(np.zeros_like(scale)))
        return np.where(y > 0, found, np.where(y == 0, none, -np.inf))

    def crps(self, y: Float[np.ndarray, " rows"]) -> Float[np.ndarray, " rows"]:
        """Continuous ranked probability score, by the pinball loss over many levels."""
        column = CRPS_LEVELS[:, None]
        off = y - self.quantile(column)
        return 2 * np.maximum(column * off, (column - 1) * off).mean(axis=0)


def learn_positive(
    y: Float[np.ndarray, " rows"],
    mean: Float[np.ndarray, " rows"],
    std: Float[np.ndarray, " rows"],
    weight: Float[np.ndarray, " rows"],
    scale_freedom: float,
) -> tuple[float, float]:
    """Power and degrees of freedom that make unseen values of a target most likely."""
    weight = weight * weight.sum() / (weight**2).sum()
    best, found = -np.inf, (POWERS[0], MOST_FREEDOM)
    for power in POWERS:
        for freedom in FREEDOMS:
            likely = weight @ np.maximum(PositiveShape(mean, std, power, float(freedom)).logpdf(y), -1e6)
            likely -= 0.5 * (np.log(min(freedom, 1e3) / USUAL_FREEDOM) / FREEDOM_SPREAD) ** 2
            if likely > best:
                best, found = likely, (power, float(freedom))
    tail = 1 / (1 / found[1] + 1 / max(scale_freedom, LEAST_FREEDOM))
    return found[0], float(np.clip(tail, LEAST_FREEDOM, MOST_FREEDOM))
