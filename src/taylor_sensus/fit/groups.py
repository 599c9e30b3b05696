"""How much groups differ beside the function: a variance component from rows whose whole group was unseen.

Residuals of an unseen group are its intercept, what is not known of the function there, and noise. The mean residual of
a group holds the first two whole and little of the third. What is not known of the function is taken to be common to
the rows of a group: what of it is not is then counted as noise, so that the sum of all stays right.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taylor_sensus.fit.scales import spent_freedom
from taylor_sensus.model.groups import GroupEffect
from taylor_sensus.model.shapes import Bool, Float, Int

FEWEST_GROUPS = 3
"""That it takes to tell them from noise. From there on their variance always counts: a test whether they differ at all
says no by chance in one table of eight, and error bars for new groups would then be too narrow."""
LOG_VARIANCES = np.linspace(np.log(1e-8), np.log(30.0), 300)
"""Variances between groups that are thought possible, in scaled units."""
USUAL_LOG_VARIANCE, LOG_VARIANCE_SPREAD = np.log(0.1), 3.0


class GroupMeans(NamedTuple):
    """Mean residuals of the groups that have rows, with the variance that noise leaves in them, of one target."""

    codes: Int[np.ndarray, " groups"]
    mean: Float[np.ndarray, " groups"]
    variance: Float[np.ndarray, " groups"]

    @classmethod
    def of(
        cls,
        residual: Float[np.ndarray, " rows"],
        variance: Float[np.ndarray, " rows"],
        code: Int[np.ndarray, " rows"],
        weight: Float[np.ndarray, " rows"],
    ) -> GroupMeans:
        """From rows with a group, each counted by how exact it is."""
        codes, place = np.unique(code, return_inverse=True)
        precision = weight / variance
        total = np.bincount(place, precision)
        return cls(codes, np.bincount(place, precision * residual) / total, 1 / total)


def between_variance(
    mean: Float[np.ndarray, " groups"], variance: Float[np.ndarray, " groups"], spent: float = 0.0
) -> float:
    """The expected variance of intercepts, given means that have this variance beside it.

    So many degrees of freedom of the means are `spent`: the likelihood is that of the others (restricted likelihood).
    The prior is flat in the logarithm of the sum of both, where few groups say next to nothing with a weak centre.
    """
    tau = np.exp(LOG_VARIANCES)
    total = tau[:, None] + variance
    counted = 1 - spent / len(mean)
    log_posterior = -0.5 * (counted * np.log(total) + mean**2 / total).sum(axis=1)
    log_posterior += np.log(tau / (tau + variance.mean()))
    log_posterior -= 0.5 * ((LOG_VARIANCES - USUAL_LOG_VARIANCE) / LOG_VARIANCE_SPREAD) ** 2
    chance = np.exp(log_posterior - log_posterior.max())
    return float(chance @ tau / chance.sum())


class WithinGroups(NamedTuple):
    """Residuals without what the rows of a group have in common."""

    residual: Float[np.ndarray, "rows targets"]
    common: Float[np.ndarray, "rows targets"]
    """Variance that is left of what they have in common; where nothing was taken away, that of the function."""
    differ: Bool[np.ndarray, " targets"]
    """Whether there is a variance between groups, one truth a target."""


def within_groups(
    residual: Float[np.ndarray, "rows targets"],
    mean_variance: Float[np.ndarray, "rows targets"],
    code: Int[np.ndarray, " rows"],
    weight: Float[np.ndarray, " rows"],
    held_out: Bool[np.ndarray, " rows"],
    noise: Float[np.ndarray, "rows targets"] | None = None,
    differ: Bool[np.ndarray, " targets"] | None = None,
) -> WithinGroups:
    """Unseen residuals without the intercepts of their groups, if there are enough groups.

    `mean_variance` is what is not known of the function; `noise` the variance of each row beside, by default one size
    for all rows, from differences inside groups. Rows that are not `held_out`, or have no group, stay as they are.
    """
    residual, common = residual.astype(np.float64), mean_variance.astype(np.float64)
    rows = np.flatnonzero(held_out & (code >= 0))
    found = np.zeros(residual.shape[1], bool) if differ is None else differ
    if not len(rows):
        return WithinGroups(residual, common, found)
    _, place, count = np.unique(code[rows], return_inverse=True, return_counts=True)
    for target in range(residual.shape[1]):
        own, w = residual[rows, target], weight[rows].astype(np.float64)
        size = _inside(own, place, w, count) if noise is None else noise[rows, target]
        means = GroupMeans.of(own, np.broadcast_to(size, own.shape), place, w)
        known = np.bincount(place, w * common[rows, target]) / np.bincount(place, w)
        if differ is None:
            found[target] = len(means.mean) >= FEWEST_GROUPS
        if not found[target]:
            continue
        whole = known + between_variance(means.mean, means.variance + known)
        share = whole / (whole + means.variance)
        residual[rows, target] = own - (share * means.mean)[place]
        common[rows, target] = (share * means.variance)[place]
    return WithinGroups(residual, common, found)


def _inside(
    residual: Float[np.ndarray, " rows"],
    place: Int[np.ndarray, " rows"],
    weight: Float[np.ndarray, " rows"],
    count: Int[np.ndarray, " groups"],
) -> float:
    """Variance of rows around the mean of their group."""
    mean = np.bincount(place, weight * residual) / np.bincount(place, weight)
    squares = weight @ (residual - mean[place]) ** 2 / weight.mean()
    return max(float(squares / max(len(residual) - len(count), 1)), 1e-10)


def learn_groups(
    unseen: Float[np.ndarray, "rows targets"],
    seen: Float[np.ndarray, "rows targets"],
    noise: Float[np.ndarray, "rows targets"],
    mean_variance: Float[np.ndarray, "rows targets"],
    code: Int[np.ndarray, " rows"],
    weight: Float[np.ndarray, " rows"],
    differ: Bool[np.ndarray, " targets"],
    count: int,
) -> GroupEffect:
    """From residuals of rows whose group was `unseen`, the variance; from those of the whole model, the intercepts.

    All are of rows with a group; `noise` is the rows' variance, `count` the number of groups.
    """
    targets = unseen.shape[1]
    variance, intercept, left = np.zeros(targets), np.zeros((count, targets)), np.zeros((count, targets))
    groups = len(np.unique(code))
    spent = spent_freedom(groups)
    for target in np.flatnonzero(differ):
        means = GroupMeans.of(unseen[:, target], noise[:, target], code, weight)
        known = GroupMeans.of(mean_variance[:, target], noise[:, target], code, weight).mean
        variance[target] = tau = between_variance(means.mean, means.variance + known, spent)
        own = GroupMeans.of(seen[:, target], noise[:, target], code, weight)
        share = tau / (tau + own.variance)
        left[:, target] = tau
        intercept[own.codes, target], left[own.codes, target] = share * own.mean, share * own.variance
    return GroupEffect(variance, np.array(float(max(groups - 1 - spent, 1))), intercept, left)
