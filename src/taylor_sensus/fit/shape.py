"""The shape of the predictive distribution, from rows that the members have not seen."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taylor_sensus.model.groups import GroupEffect
from taylor_sensus.model.positive import PositiveShape, learn_positive, positive_mean
from taylor_sensus.model.shapes import Bool, Float
from taylor_sensus.model.tails import Tails, learn_tails

NOTHING = 1e-6
"""Distance from 0 in standard deviations that is a rounding error."""


class Shaped(NamedTuple):
    """Tails, means that they leave as they are or bend away from 0, and where each row lies in its distribution."""

    tails: Tails
    mean: Float[np.ndarray, "rows targets"]
    place: Float[np.ndarray, "rows targets"]


def ordinary_shape(
    score: Float[np.ndarray, "rows targets"],
    inside: Float[np.ndarray, "rows targets"],
    inliers: Bool[np.ndarray, " rows"],
    weight: Float[np.ndarray, " rows"],
    freedom: Float[np.ndarray, " targets"],
    groups: GroupEffect | None,
    share: Float[np.ndarray, "rows targets"],
    mean: Float[np.ndarray, "rows targets"],
) -> Shaped:
    """Student's t with a skew, from the scores `inside` groups; `share` of the variance lies between groups."""
    tails = learn_tails(inside[inliers], weight[inliers], freedom)
    whole = tails if groups is None else tails.beside(groups.freedom, share)
    return Shaped(tails, mean, whole.cdf(score))


def positive_shape(
    y: Float[np.ndarray, "rows targets"],
    mean: Float[np.ndarray, "rows targets"],
    std: Float[np.ndarray, "rows targets"],
    floor: Float[np.ndarray, " targets"],
    inliers: Bool[np.ndarray, " rows"],
    weight: Float[np.ndarray, " rows"],
    freedom: Float[np.ndarray, " targets"],
) -> Shaped:
    """On the numbers above `floor`, one of each target."""
    bent = positive_mean(mean - floor, std)
    above = np.where(y - floor < NOTHING * std, 0.0, y - floor)
    powers, freedoms, place = [], [], np.empty_like(y)
    for at in range(y.shape[1]):
        values, means, stds = above[:, at], bent[:, at], std[:, at]
        its = (values[inliers], means[inliers], stds[inliers], weight[inliers])
        power, nu = learn_positive(its[0], its[1], its[2], its[3], float(freedom[at]))
        below = PositiveShape(means, stds, power, nu).cdf(values)
        place[:, at] = np.where(values == 0, below / 2, below)  # rows at 0 lie in the middle of its probability
        powers.append(power)
        freedoms.append(nu)
    tails = Tails(np.array(freedoms), np.ones(len(powers)), np.array(powers))
    return Shaped(tails, floor + bent, place)
