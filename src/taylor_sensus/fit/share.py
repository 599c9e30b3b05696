"""How much process and trees count beside the networks, and how sure the process is, on rows that none has seen."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

from taylor_sensus.fit.boosting import GrownBoosting, grow_boosting
from taylor_sensus.fit.context import FitContext, NoiseTable
from taylor_sensus.fit.groups import within_groups
from taylor_sensus.fit.noise import squared_slopes
from taylor_sensus.fit.padding import held_out_average
from taylor_sensus.fit.process import process_slopes
from taylor_sensus.fit.records import FoundProcess
from taylor_sensus.fit.step_share import UnseenMean, step_share
from taylor_sensus.fit.trees import grow_trees
from taylor_sensus.model.ensemble import NEVER, ProcessShare, blended, rescaled
from taylor_sensus.model.networks import MeanNetwork
from taylor_sensus.model.shapes import Bool, Float
from taylor_sensus.model.trees import Trees

EXPECTED_SHARE, EXPECTED_SHARE_STD = 0.7, 0.25
"""Where the best share of the process is expected to lie: the fewer rows, the more often it is better than networks."""
WHOLE_SHARE = 0.98
"""From here on the process has all of the mean: the networks' rest is worth less than a thousandth of their difference,
squared, and costs most of the time of a prediction."""
IMPUTED_SCALES = (0.02, 0.05, 0.1, 0.15, 0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0)
"""Candidates for `imputed_scale`."""


class Weighed(NamedTuple):
    """What was found on unseen rows."""

    process_share: ProcessShare | None
    trees: Trees | None
    boosting: GrownBoosting | None
    slopes: Float[np.ndarray, "rows targets features"]
    """Of the process at the rows."""
    residual: Float[np.ndarray, "rows targets"]
    """Of unseen rows."""
    mean_variance: Float[np.ndarray, "rows targets"]
    """What is not known of the mean there."""
    imputed_scale: float

    @property
    def share(self) -> Float[np.ndarray, " targets"]:
        """Of the process in each target."""
        targets = self.residual.shape[1]
        return np.zeros(targets, np.float32) if self.process_share is None else self.process_share.share


def weigh(
    context: FitContext,
    found: FoundProcess | None,
    noise_table: NoiseTable,
    nets: list[MeanNetwork],
    means: Float[np.ndarray, "rows members targets"],
    row_weights: Float[np.ndarray, " all_rows"],
) -> Weighed:
    """Shares of process and trees, factor on the process' variance, scale of filled gaps.

    `means` are those of the networks.
    """
    t = noise_table.table
    unseen_mean = held_out_average(np.moveaxis(means, 1, 0), noise_table.unseen)
    nothing = np.broadcast_to(np.float32(0), (len(t.x), context.shape.targets, context.shape.features))
    if found is None:
        smooth = UnseenMean(unseen_mean, saved_by_averaging(means, noise_table.unseen))
        trees, boosting, mean = with_steps(context, noise_table, smooth)
        return Weighed(None, trees, boosting, nothing, t.y - mean, np.zeros_like(t.y), 1.0)
    found = found.take(noise_table.rows)
    held = noise_table.is_held_out
    y, weight, other = t.y[held].astype(np.float64), t.weight[held], found.unseen_mean[held]
    networks = np.moveaxis(means[held], 1, 0).astype(np.float64)
    counted = row_weights[noise_table.rows][held]
    share = best_share(networks, other, noise_table.unseen[:, held], y, counted)
    slopes = process_slopes(found.process, t.x, context.n_jobs).astype(np.float32)
    saved = (1 - share) ** 2 * saved_by_averaging(means, noise_table.unseen)
    smooth = UnseenMean(blended(share, unseen_mean, found.unseen_mean), saved)
    trees, boosting, mean = with_steps(context, noise_table, smooth)
    residual = y - mean[held]
    known, scale = np.zeros_like(y), 1.0
    if t.errors is not None:
        squared = np.mean([squared_slopes(net, share, slopes, t.x, context.n_jobs) for net in nets], axis=0)[held]
        errors = t.errors.take(np.flatnonzero(held))
        known = errors.at_targets(squared, 0.0).astype(np.float64)
        if errors.imputed.any():
            gaps = np.einsum("rtf,rf->rt", squared, errors.imputed)
            scale = imputed_scale(residual, gaps, weight, known)
    prior = found.process.prior_variance
    factor = variance_factor(residual, found.unseen_variance[held], weight, known, prior)
    process_share = replace(_process_share(found, share, held), variance_factor=factor)
    return Weighed(
        process_share,
        trees,
        boosting,
        slopes,
        t.y - mean,
        process_share.mean_variance(found.unseen_variance),
        scale,
    )


def without_intercepts(
    noise_table: NoiseTable, weighed: Weighed
) -> tuple[Weighed, Bool[np.ndarray, " targets"] | None]:
    """For the noise, residuals without the intercepts of their groups; and for which targets groups differ."""
    code = noise_table.table.code
    if code is None:
        return weighed, None
    found = within_groups(
        weighed.residual, weighed.mean_variance, code, noise_table.table.weight, noise_table.is_held_out
    )
    return weighed._replace(residual=found.residual, mean_variance=found.common), found.differ


def saved_by_averaging(
    means: Float[np.ndarray, "rows members targets"], unseen: Bool[np.ndarray, "members rows"]
) -> Float[np.ndarray, "rows targets"]:
    """Variance that a row's unseen mean, of few members, has beyond that of all of them."""
    members = means.shape[1]
    if members == 1:
        return np.zeros(means[:, 0].shape)
    count = np.maximum(unseen.sum(axis=0), 1)[:, None]
    return means.astype(np.float64).var(axis=1, ddof=1) * (1 / count - 1 / members)


def with_steps(
    context: FitContext, noise_table: NoiseTable, smooth: UnseenMean
) -> tuple[Trees | None, GrownBoosting | None, Float[np.ndarray, "rows targets"]]:
    """Forests and boosted trees where they earn a share beside the smooth components' unseen mean, and that of all."""
    trees, known, grown = None, smooth, grow_trees(context, noise_table, smooth)
    if grown is not None:
        share = step_share(context, noise_table, known, grown.unseen, noise_table.is_held_out)
        if share.any():
            trees, known = grown.trees._replace(share=share), known.blended(share, grown.unseen)
    boosting, mean = grow_boosting(context, noise_table, known), known.mean
    if boosting is not None:
        mean = blended(boosting.boosted.share, mean, boosting.unseen_mean[noise_table.rows])
    return trees, boosting, mean


USUAL = 0.9
"""Of unseen rows the process knows at least as much as is called usual."""


def _process_share(
    found: FoundProcess, share: Float[np.ndarray, " targets"], held: Bool[np.ndarray, " rows"]
) -> ProcessShare:
    """With the odds that are usual at unseen rows."""
    unset = ProcessShare(found.process, share, np.ones_like(share), NEVER)
    odds = float(np.quantile(unset.odds(found.unseen_variance[held]), USUAL)) if held.any() else NEVER
    return replace(unset, usual_odds=max(odds, LEAST_ODDS))


LEAST_ODDS = 1e-6
"""Usual odds at least: where next to nothing is unknown, rounding errors must not decide."""


def best_share(
    means: Float[np.ndarray, "members rows targets"],
    unseen_mean: Float[np.ndarray, "rows targets"],
    unseen: Bool[np.ndarray, "members rows"],
    y: Float[np.ndarray, "rows targets"],
    weight: Float[np.ndarray, " rows"],
) -> Float[np.ndarray, " targets"]:
    """For each target the share of the process that makes the squared error of unseen rows smallest.

    `means` are those of the networks, and `unseen` says which of them had not seen a row.
    Predictions average all members, unseen rows only show some: their errors are reduced by what averaging saves.
    The networks stop where validation rows like it, and the process' length scales have seen the training rows, so
    each kind of row flatters one of the two: where there are both kinds, they count alike.
    """
    validation = unseen.all(axis=0)
    kinds = [kind for kind in (validation, ~validation) if kind.any()]
    parts = [(means[:, k], unseen_mean[k], unseen[:, k], y[k], weight[k]) for k in kinds]
    share = np.mean([_best_share(*part) for part in parts], axis=0)
    return np.where(share < WHOLE_SHARE, share, 1.0)


def _best_share(
    means: Float[np.ndarray, "members rows targets"],
    unseen_mean: Float[np.ndarray, "rows targets"],
    unseen: Bool[np.ndarray, "members rows"],
    y: Float[np.ndarray, "rows targets"],
    weight: Float[np.ndarray, " rows"],
) -> Float[np.ndarray, " targets"]:
    count = np.maximum(unseen.sum(axis=0), 1)
    members = len(means)
    own = y - np.einsum("mr,mrt->rt", unseen, means) / count[:, None]
    other = y - unseen_mean
    between = means.var(axis=0, ddof=1) if members > 1 else np.zeros_like(y)
    saved = np.average(between * (1 / count - 1 / members)[:, None], axis=0, weights=weight)
    networks = np.average(own**2, axis=0, weights=weight)
    networks = np.maximum(networks - saved, 0.25 * networks)
    process = np.average(other**2, axis=0, weights=weight)
    both = np.average(own * other, axis=0, weights=weight)
    apart = np.maximum(networks + process - 2 * both, 1e-9)  # mean squared difference of the two predictions
    share = (networks - both) / apart
    # A few rows say little: the share is drawn to the usual one as far as chance could have moved it.
    rows = weight.sum() ** 2 / (weight**2).sum()
    left = np.average((own + share * (other - own)) ** 2, axis=0, weights=weight)
    chance = left / (apart * rows)
    expected = EXPECTED_SHARE_STD**2
    return np.clip((expected * share + chance * EXPECTED_SHARE) / (expected + chance), 0.0, 1.0)


FACTORS = tuple(np.exp(np.linspace(np.log(1e-4), np.log(100.0), 60)))
"""Candidates for the factor on the process' variance."""
FACTOR_SPREAD = 1.0
"""Of its logarithm around 0, in the prior."""


def variance_factor(
    residual: Float[np.ndarray, "rows targets"],
    variance: Float[np.ndarray, " rows"],
    weight: Float[np.ndarray, " rows"],
    declared: Float[np.ndarray, "rows targets"],
    prior: float,
) -> Float[np.ndarray, " targets"]:
    """For each target the factor on the process' variance that suits unseen residuals, with white noise beside it.

    It acts on the odds to what is known, of at most the `prior` variance; see `rescaled`.

    The process knows what it has seen; networks that have seen more, or suit the function better, know more than it. Of
    a few rows it has learned its length scales by heart, and knows less than it says.
    """
    count = weight.sum() ** 2 / (weight**2).sum()
    penalty = (np.log(FACTORS) / FACTOR_SPREAD) ** 2
    columns, tried = zip((residual**2).T, declared.T, strict=True), [rescaled(variance, prior, f) for f in FACTORS]
    costs = [np.array(_costs(tried, squared, known, weight)) for squared, known in columns]
    return np.array([FACTORS[int((count * cost + penalty).argmin())] for cost in costs])


def imputed_scale(
    residual: Float[np.ndarray, "rows targets"],
    imputed: Float[np.ndarray, "rows targets"],
    weight: Float[np.ndarray, " rows"],
    declared: Float[np.ndarray, "rows targets"],
    scales: tuple[float, ...] = IMPUTED_SCALES,
) -> float:
    """The factor on the variance that filled gaps bring, `imputed`, that makes unseen residuals most likely.

    It is carried to the target by a straight line over a feature's whole spread, which may err to either side.
    """
    columns = zip((residual**2).T, imputed.T, declared.T, strict=True)
    costs = np.sum([_costs([s * gaps for s in scales], r2, known, weight) for r2, gaps, known in columns], axis=0)
    return scales[int(costs.argmin())]


def _costs(
    variances: list[Float[np.ndarray, " rows"]],
    squared: Float[np.ndarray, " rows"],
    declared: Float[np.ndarray, " rows"],
    weight: Float[np.ndarray, " rows"],
) -> list[float]:
    """For each candidate of rows' variances how unlikely squared residuals are, with the best white noise beside it."""

    def cost(variance: Float[np.ndarray, " rows"]) -> float:
        def of(log_noise: float) -> float:
            total = np.exp(log_noise) + variance + declared
            return float(np.average(np.log(total) + squared / total, weights=weight))

        middle = np.log(max(float(np.average(squared, weights=weight)), 1e-10))
        return minimize_scalar(of, bounds=(middle - 9, middle + 1), method="bounded").fun

    return [cost(variance) for variance in variances]
