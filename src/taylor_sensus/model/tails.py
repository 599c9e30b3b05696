"""Tails of a prediction: Student's t with a skew (Fernández and Steel), standardised to mean 0 and variance 1.

A row's distribution is its mean plus its standard deviation times this. Infinite freedom and no skew give the normal
distribution. The skew stretches the upper half by `skew` and the lower half by its inverse.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import betaln, ndtr, ndtri, stdtr, stdtrit

from taylor_sensus.model.groups import joint_freedom
from taylor_sensus.model.shapes import AnyArray, Float
from taylor_sensus.rows import blocks

LEAST_FREEDOM = 2.5
"""Below 2 there is no variance."""
MOST_FREEDOM = 1e6
"""From here on it is the normal distribution for all purposes."""
CRPS_LEVELS = (np.arange(400) + 0.5) / 400


class Tails(NamedTuple):
    """One shape a target."""

    freedom: Float[AnyArray, "*targets"]
    """Degrees of freedom."""
    skew: Float[AnyArray, "*targets"]
    """Above 1: large errors are upwards."""
    power: Float[AnyArray, "*targets"] | None = None
    """Of targets that cannot be negative, see `model.positive`; None for others."""

    def target(self, at: Any) -> Tails:
        """Those of one target as single numbers, or of some."""
        return Tails(*[None if part is None else part[at] for part in self])

    def beside(self, freedom: Float[AnyArray, "*#rows"], share: Float[AnyArray, "*#rows"]) -> Tails:
        """Of a sum with a part of its own freedom, which makes up this share of the variance of each row."""
        return self._replace(freedom=np.clip(joint_freedom(self.freedom, freedom, share), LEAST_FREEDOM, MOST_FREEDOM))

    def _moments(self) -> tuple[Float[AnyArray, "*targets"], Float[AnyArray, "*targets"]]:
        """Mean and standard deviation before standardising."""
        nu, g = np.asarray(self.freedom, float), np.asarray(self.skew, float)
        nu = np.where(nu >= MOST_FREEDOM, 1e12, nu)
        absolute = 2 * np.sqrt(nu) / ((nu - 1) * np.exp(betaln(nu / 2, 0.5)))
        mean = absolute * (g - 1 / g)
        square = nu / (nu - 2) * (g**2 - 1 + g**-2)
        return mean, np.sqrt(square - mean**2)

    def quantile(self, level: Float[AnyArray, "*#shape"]) -> Float[AnyArray, "*shape"]:
        """Of the standardised error; the last axis of `level` are the targets."""
        mean, std = self._moments()
        below = 1 / (1 + self.skew**2)
        half = np.where(level < below, level / below / 2, 0.5 + (level - below) / (1 - below) / 2)
        z = np.where(self.freedom >= MOST_FREEDOM, ndtri(half), stdtrit(self.freedom, half))
        return (np.where(z < 0, z / self.skew, z * self.skew) - mean) / std

    def cdf(self, w: Float[AnyArray, "*shape"]) -> Float[AnyArray, "*shape"]:
        """Probability of a smaller standardised error."""
        mean, std = self._moments()
        z, below = mean + std * w, 1 / (1 + self.skew**2)
        z = np.where(z < 0, z * self.skew, z / self.skew)
        half = np.where(self.freedom >= MOST_FREEDOM, ndtr(z), stdtr(self.freedom, z))
        return np.where(z < 0, 2 * below * half, below + (1 - below) * (2 * half - 1))

    def logpdf(self, w: Float[AnyArray, "*shape"]) -> Float[AnyArray, "*shape"]:
        """Log of the density of a standardised error."""
        mean, std = self._moments()
        nu, z = self.freedom, mean + std * w
        z = np.where(z < 0, z * self.skew, z / self.skew)
        students = -betaln(nu / 2, 0.5) - np.log(nu) / 2 - (nu + 1) / 2 * np.log1p(z**2 / nu)
        either = np.where(nu >= MOST_FREEDOM, -(z**2) / 2 - np.log(2 * np.pi) / 2, students)
        return np.log(std) + np.log(2 / (self.skew + 1 / self.skew)) + either

    def crps(self, w: Float[AnyArray, "*shape"]) -> Float[AnyArray, "*shape"]:
        """Continuous ranked probability score of standardised errors, by the pinball loss over many levels."""
        if np.all(self.freedom >= MOST_FREEDOM) and np.all(np.asarray(self.skew) == 1):  # a closed form
            return w * (2 * ndtr(w) - 1) + np.exp(-(w**2) / 2) * np.sqrt(2 / np.pi) - 1 / np.sqrt(np.pi)
        if np.ndim(self.freedom) > np.ndim(self.skew):  # another freedom in each row
            flat = Tails(np.ravel(self.freedom), np.ravel(np.broadcast_to(self.skew, np.shape(self.freedom))))
            return _crps_by_rows(flat, np.ravel(w)).reshape(np.shape(w))
        if np.ndim(self.freedom):
            by_target = zip(np.moveaxis(np.asarray(w, float), -1, 0), *self[:2], strict=True)
            return np.stack([Tails(nu, skew).crps(own) for own, nu, skew in by_target], axis=-1)
        quantiles = self.quantile(CRPS_LEVELS)  # sorted, so sums up to the quantiles below each error are enough
        below = np.searchsorted(quantiles, w)
        levels, moments = (np.append(0, np.cumsum(part)) for part in (CRPS_LEVELS, CRPS_LEVELS * quantiles))
        above, rest = (np.append(0, np.cumsum(part)) for part in (1 - CRPS_LEVELS, (1 - CRPS_LEVELS) * quantiles))
        total = w * levels[below] - moments[below] + (rest[-1] - rest[below]) - w * (above[-1] - above[below])
        return 2 * total / len(CRPS_LEVELS)


def _crps_by_rows(shape: Tails, w: Float[np.ndarray, " rows"]) -> Float[np.ndarray, " rows"]:
    """The same for errors that each have a shape of their own."""
    found = np.empty(len(w))
    for rows in blocks(len(w), 2048):
        off = w[rows] - shape.target(rows).quantile(CRPS_LEVELS[:, None])
        found[rows] = 2 * np.maximum(CRPS_LEVELS[:, None] * off, (CRPS_LEVELS[:, None] - 1) * off).mean(axis=0)
    return found


def normal_tails(targets: int) -> Tails:
    """The normal distribution."""
    return Tails(np.full(targets, MOST_FREEDOM), np.ones(targets))


FREEDOMS = np.array([2.5, 3.0, 4.0, 5.0, 7.0, 10.0, 15.0, 25.0, 60.0, MOST_FREEDOM])
SKEWS = np.exp(np.linspace(-1.0, 1.0, 41))
USUAL_FREEDOM, FREEDOM_SPREAD, SKEW_SPREAD = 30.0, 1.5, 0.2
"""Where shapes are expected to lie, in logarithms: a few rows say little of a tail."""


def learn_tails(
    score: Float[np.ndarray, "rows targets"],
    weight: Float[np.ndarray, " rows"],
    scale_freedom: Float[np.ndarray, " targets"],
) -> Tails:
    """The most likely shape of standardised errors of unseen rows.

    `scale_freedom` says how well their size is known: a variance from few rows has tails of its own.
    """
    found = [_learn(column, weight, freedom) for column, freedom in zip(score.T, scale_freedom, strict=True)]
    return Tails(*[np.array(numbers) for numbers in zip(*found, strict=True)])


def _learn(
    score: Float[np.ndarray, " rows"], weight: Float[np.ndarray, " rows"], scale_freedom: float
) -> tuple[float, float]:
    weight = weight * weight.sum() / (weight**2).sum()  # as many rows as tell something
    size = np.sqrt(np.average(score**2, weights=weight))
    w = score / max(size, 1e-12)
    freedom, skew = np.meshgrid(FREEDOMS, SKEWS, indexing="ij")
    prior = -0.5 * (np.log(np.minimum(freedom, 1e3) / USUAL_FREEDOM) / FREEDOM_SPREAD) ** 2
    prior -= 0.5 * (np.log(skew) / SKEW_SPREAD) ** 2
    likely = [
        weight @ Tails(np.float64(f), np.float64(s)).logpdf(w) for f, s in zip(freedom.flat, skew.flat, strict=True)
    ]
    best = int(np.argmax(prior.ravel() + np.array(likely)))
    tail = 1 / (1 / freedom.flat[best] + 1 / max(scale_freedom, LEAST_FREEDOM))
    return float(np.clip(tail, LEAST_FREEDOM, MOST_FREEDOM)), float(skew.flat[best])
