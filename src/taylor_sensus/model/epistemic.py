"""What a model does not know, for choosing among very many rows: the epistemic side of the distribution alone.

A whole distribution also carries the inputs' noise through the slope, which takes most of its time. A million
candidates are only surveyed; the few that may be chosen are predicted in full.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taylor_sensus.model.chunks import in_chunks
from taylor_sensus.model.ensemble import Ensemble, familiarity_of, log_densities_of, with_prior
from taylor_sensus.model.shapes import Float, Shaped


class EpistemicParts(NamedTuple):
    """What the model does not know of each row, for one target; the squares of the last three add up to it."""

    mean: Float[np.ndarray, " rows"]
    deviation: Float[np.ndarray, "rows members"]
    """How each member departs from the mean, over the root of their number"""
    process_std: Float[np.ndarray, " rows"]
    prior_std: Float[np.ndarray, " rows"]
    """What the prior beyond the data brings"""

    @property
    def variance(self) -> Float[np.ndarray, " rows"]:
        """The epistemic variance of the distribution."""
        return np.einsum("rm,rm->r", self.deviation, self.deviation) + self.process_std**2 + self.prior_std**2

    @property
    def std(self) -> Float[np.ndarray, " rows"]:
        """Its root."""
        return np.sqrt(self.variance)

    def take(self, rows: Shaped[np.ndarray, " chosen"]) -> EpistemicParts:
        """These rows only."""
        return EpistemicParts(*[part[rows] for part in self])


class ComponentMeans(NamedTuple):
    """The part of `ComponentOutputs` that needs no slope, which takes most of the time."""

    network_mean: Float[np.ndarray, "rows members targets"]
    process_mean: Float[np.ndarray, "rows targets"]
    tree_mean: Float[np.ndarray, "rows members targets"]
    boosted_mean: Float[np.ndarray, "rows targets"]
    log_densities: Float[np.ndarray, "rows perceptions"]


def component_means(parts: Ensemble, x: Float[np.ndarray, "rows features"], n_jobs: int | None) -> ComponentMeans:
    """Means and densities of very many rows in single precision."""

    def chunk(x: Float[np.ndarray, "rows features"]) -> ComponentMeans:
        process = parts.process_estimate(x, slopes=False, variances=False)
        means = np.stack([net.value(x) for net in parts.ready.means], axis=1)
        return ComponentMeans(
            means, process.mean, parts.tree_means(x), parts.boosted_means(x), log_densities_of(parts, x)
        )

    return in_chunks(chunk, (x,), n_jobs)


def epistemic_parts(
    parts: Ensemble,
    outputs: ComponentMeans,
    process_variance: Float[np.ndarray, " rows"],
    x: Float[np.ndarray, "rows features"],
    prior: Float[np.ndarray, "rows targets"],
    target: int,
) -> EpistemicParts:
    """The epistemic side of `distribution` for one target, with the variance of the process given."""
    means = parts.member_means(outputs, process_variance)
    mean, between = means.mean(axis=1), means.var(axis=1)
    process = np.zeros_like(mean)
    if parts.process_share is not None:
        process = parts.process_share.mean_variance(process_variance)
    k = familiarity_of(parts, process_variance, outputs.log_densities)
    whole = with_prior(parts, k, mean, between + process, prior)
    without = with_prior(parts, k, mean, np.zeros_like(mean), prior).epistemic_variance
    center, left = whole.mean, np.ones(mean.shape)
    if parts.repeats is not None:
        center, left = parts.repeats(x, center)
    own = np.maximum(between + process, 1e-300)
    weight = np.sqrt(np.maximum(whole.epistemic_variance - without, 0.0) / own * left)[:, target]
    deviation = (means[:, :, target] - mean[:, [target]]) / np.sqrt(parts.members)
    return EpistemicParts(
        center[:, target],
        deviation * weight[:, None],
        np.sqrt(process[:, target]) * weight,
        np.sqrt(np.maximum(without, 0.0) * left)[:, target],
    )
