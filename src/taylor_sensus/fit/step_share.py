"""How much a component that steps shares in the mean, on rows that it has not seen.

Predictions average all members, but only one or two of them have not seen a training row, and its unseen mean is theirs
alone. On large tables of a rough function the disagreement of the networks is a fifth of their error there; counted as
error, it gives trees a share that makes the whole ensemble worse. So what averaging will save is taken off first, of
both sides.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taylor_sensus.fit.context import FitContext, NoiseTable
from taylor_sensus.model.ensemble import blended
from taylor_sensus.model.shapes import Bool, Float

MOST_SPREAD = 6.0
"""Unseen errors beyond so many robust standard deviations count as if they grew straight, not squared."""
EXPECTED_SHARE_STD = 0.25
"""How far from 0 the best share of the trees is expected to lie."""
LEAST_SHARE = 0.05
"""Below it, trees are left out."""
SHARES = np.linspace(0.0, 1.0, 101)
"""Candidates."""
LEAST_ERROR = 0.25
"""Of what unseen rows show, left at least when what averaging saves is taken off; see `share.best_share` too."""


class FoundShare(NamedTuple):
    """The best share of a component that steps."""

    share: float
    chance: float
    """Variance by which chance could have moved it."""
    error: float
    """Squared, with that share; large ones count less."""


class UnseenMean(NamedTuple):
    """What components say of rows that they have not seen."""

    mean: Float[np.ndarray, "rows targets"]
    saved: Float[np.ndarray, "rows targets"]
    """Variance of it that averaging all members, as in predictions, takes away."""

    def blended(self, share: Float[np.ndarray, " targets"], other: UnseenMean) -> UnseenMean:
        """With a share of another component, which disagrees with itself independently."""
        saved = (1 - share) ** 2 * self.saved + share**2 * other.saved
        return UnseenMean(blended(share, self.mean, other.mean), saved)


def found_shares(
    context: FitContext,
    noise_table: NoiseTable,
    smooth: UnseenMean,
    stepping: UnseenMean,
    held: Bool[np.ndarray, " rows"],
) -> list[FoundShare]:
    """For each target the best share of a stepping component on the held-out rows.

    Rows that the process takes for outliers count here: what looks like one to a smooth component may be a step.
    """
    y = noise_table.table.y[held].astype(np.float64)
    weight = context.table.weight[noise_table.rows][held].astype(np.float64)
    parts = [part[held].T for part in (*smooth, *stepping)]
    return [best_step_share(y[:, k], *(part[k] for part in parts), weight=weight) for k in range(y.shape[1])]


def step_share(
    context: FitContext,
    noise_table: NoiseTable,
    smooth: UnseenMean,
    stepping: UnseenMean,
    held: Bool[np.ndarray, " rows"],
    *,
    luck: float | None = None,
) -> Float[np.ndarray, " targets"]:
    """The shares, drawn to 0 as far as chance could have moved them, and 0 where that is not worth having.

    With `luck`, 1 where the share and so many standard errors of it are enough, which says whether to go on.
    """
    if not held.any():
        return np.zeros(smooth.mean.shape[1])
    found = found_shares(context, noise_table, smooth, stepping, held)
    share, chance = np.array([each.share for each in found]), np.array([each.chance for each in found])
    if luck is not None:
        return np.where(share + luck * np.sqrt(chance) > LEAST_SHARE, 1.0, 0.0)
    share = share * EXPECTED_SHARE_STD**2 / (EXPECTED_SHARE_STD**2 + chance)
    return np.where(share < LEAST_SHARE, 0.0, share)


def best_step_share(
    y: Float[np.ndarray, " rows"],
    smooth: Float[np.ndarray, " rows"],
    smooth_saved: Float[np.ndarray, " rows"],
    stepping: Float[np.ndarray, " rows"],
    stepping_saved: Float[np.ndarray, " rows"],
    weight: Float[np.ndarray, " rows"],
) -> FoundShare:
    """By Huber's loss."""
    own, apart = y - smooth, stepping - smooth
    shown = float(np.average(apart**2, weights=weight))
    if shown <= 0:
        return FoundShare(0.0, 0.0, float(np.average(own**2, weights=weight)))
    spread = max(float(np.median(np.abs(own))) / 0.6745, 1e-9)
    size = np.abs(own - np.multiply.outer(SHARES, apart)) / spread
    is_squared = size < MOST_SPREAD
    cost = np.average(np.where(is_squared, size**2, MOST_SPREAD * (2 * size - MOST_SPREAD)), axis=1, weights=weight)
    saved = np.multiply.outer((1 - SHARES) ** 2, smooth_saved) + np.multiply.outer(SHARES**2, stepping_saved)
    saved = np.average(np.where(is_squared, saved, 0.0), axis=1, weights=weight) / spread**2
    error = np.maximum(cost - saved, LEAST_ERROR * cost)
    best = int(error.argmin())
    share = float(SHARES[best])
    squared = max(shown - float(np.average(smooth_saved + stepping_saved, weights=weight)), LEAST_ERROR * shown)
    rows = weight.sum() ** 2 / (weight**2).sum()
    chance = float(np.average((own - share * apart) ** 2, weights=weight)) / (squared * rows)
    return FoundShare(share, chance, float(error[best]) * spread**2)
