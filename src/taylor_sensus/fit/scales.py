"""How much wider or narrower the noise must be to fit rows that the members have not seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from taylor_sensus.fit.padding import held_out_average
from taylor_sensus.model.shapes import Bool, Float

T = TypeVar("T")


def ensemble_gain(
    means: Float[np.ndarray, "members rows targets"],
    unseen: Bool[np.ndarray, "members rows"],
    y: Float[np.ndarray, "rows targets"],
    weight: Float[np.ndarray, " rows"],
) -> Float[np.ndarray, " targets"]:
    """How much smaller the whole ensemble's squared error is than that of the members that had not seen a row.

    With v the variance between members, an average of r members errs by b + v/r: held-out rows show r members,
    predictions use all of them.
    """
    members = len(means)
    count = unseen.sum(axis=0)
    average = held_out_average(means, unseen)
    error = np.average((y - average) ** 2, axis=0, weights=weight)
    between = np.average(means.var(axis=0, ddof=1), axis=0, weights=weight) if members > 1 else 0.0
    saved = between * (np.average(1 / count, weights=weight) - 1 / members)
    return np.clip(1 - saved / np.maximum(error, 1e-30), 0.5, 1.0)


CHOSEN, MOST_CHOSEN = 3, 0.25
"""Numbers that were chosen where the same unseen rows err least: when networks stop, shares of process and of trees.
Few rows, or few groups, are fitted by these in part: as many degrees of freedom are gone, at most this share."""


def spent_freedom(count: float) -> float:
    """Degrees of freedom that choices have taken from so many unseen rows or groups."""
    return min(CHOSEN, MOST_CHOSEN * count)


class NoiseLevel(NamedTuple):
    """What unseen rows say of the size of the noise, one number a target."""

    scale: Float[np.ndarray, " targets"]
    """Factor on the learned noise variance."""
    freedom: Float[np.ndarray, " targets"]
    """Degrees of freedom with which the whole variance is known."""


LOG_LEVELS = np.linspace(np.log(1e-8), np.log(10.0), 300)
"""Mean noise variances that are thought possible, in scaled units."""
USUAL_NOISE, NOISE_SPREAD = np.log(0.1), 2.0
"""Prior of its logarithm: the same as for the process."""


def noise_level(
    residual: Float[np.ndarray, "rows targets"],
    noise: Float[np.ndarray, "rows targets"],
    known: Float[np.ndarray, "rows targets"],
    weight: Float[np.ndarray, " rows"],
    *,
    chosen_on: bool = False,
) -> NoiseLevel:
    """The expected factor on the noise variance given the residuals of unseen rows, and how well it is known.

    `noise` and `known` are the learned noise variance and what else the variance holds. Where what
    is not known of the mean explains the residuals of a few rows, the likeliest noise is none at all; the expected
    noise is not. Rows that a model was `chosen_on` have too small residuals, as those of a regression have.
    """
    count = weight.sum() ** 2 / (weight**2).sum()
    spent = spent_freedom(count) if chosen_on else 0.0
    found = []
    for r2, v, other in zip((residual**2).T, noise.T, known.T, strict=True):
        mean = max(float(np.average(v, weights=weight)), 1e-30)
        total = np.exp(LOG_LEVELS)[:, None] * (v / mean) + other
        cost = np.average(np.log(total) + r2 / total, axis=1, weights=weight)
        log_posterior = -0.5 * (count * cost + ((LOG_LEVELS - USUAL_NOISE) / NOISE_SPREAD) ** 2)
        chance = np.exp(log_posterior - log_posterior.max())
        chance /= chance.sum()
        whole = np.log(np.exp(LOG_LEVELS) + np.average(other, weights=weight))
        spread = chance @ (whole - chance @ whole) ** 2
        # A variance that is learned from few rows is itself uncertain: that of Student's t is larger.
        scale = chance @ np.exp(LOG_LEVELS) / mean * count / max(count - spent - 2, 1.0)
        found.append((scale, max(2 / max(spread, 1e-6) - spent, 1.0)))
    return NoiseLevel(*[np.array(numbers) for numbers in zip(*found, strict=True)])


SPREAD_FACTORS = (2.0, 3.0, 4.0, 6.0, 8.0, 12.0)
"""Candidates for how far below the usual density a row may lie and still be familiar, in standard deviations."""


def safest_familiarity(candidates: Sequence[T], cost: Callable[[T], float], tolerance: float = 0.005) -> T:
    """The first candidate, the quickest to fall back on the prior, that costs the unseen rows nothing.

    A rule of thumb would either spoil predictions that are good although few rows are near, or trust a network
    where it guesses.
    """
    costs = [cost(candidate) for candidate in candidates]
    close = (c for c, its in zip(candidates, costs, strict=True) if its <= min(costs) + tolerance)
    return next(close, candidates[0])
