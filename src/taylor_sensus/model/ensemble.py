"""The default's figure: one row in, one predictive distribution out. Nothing else in the package blends.

Left to right, for a row in scaled units with what is known of its errors:

1. every member (a Deep Taylor Block) gives a mean, its slope, and the noise of features and system;
2. the Gaussian process gives a mean, its slope, and the variance of the function;
3. both are blended, mean and slope alike, by the process' share; the members' forests and boosted trees, which can
   step, have their shares in the mean, but no slope: where they count, the slope is that of the smooth components;
4. the features' noise goes through the blended slope (eq. 6), and the noise scale corrects what was learned of it;
5. disagreement of the members and the variance of the process are what is not known of the mean;
6. where the process knows much less than at usual unseen rows, the members give way to it, and it to its prior: its
   own trend, with a variance that grows with the distance. (Without a process, and in the paper's mode, familiarity by
   density moves all of it to the prior, eq. 14.)

Calibration uses members and process as if they had not seen a row, prediction and suggestion all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from scipy.special import expit

from taylor_sensus.model.chunks import in_chunks
from taylor_sensus.model.combine import Combined, combine
from taylor_sensus.model.declared_errors import InputErrors
from taylor_sensus.model.density import DensityPerception
from taylor_sensus.model.forward import ReadyBlocks, log_density
from taylor_sensus.model.gaussian_process import GaussianProcess, ProcessEstimate
from taylor_sensus.model.law import Law, LawAnswer
from taylor_sensus.model.module import mapped
from taylor_sensus.model.repeats import Repeats
from taylor_sensus.model.shapes import AnyArray, Bool, Float, Shaped
from taylor_sensus.model.tails import Tails
from taylor_sensus.model.taylor_block import DeepTaylorBlock, propagated_covariance
from taylor_sensus.model.trees import BoostedTrees, Trees

NEVER = 1e15
"""Usual odds with which members never give way to the process, as in model files before version 0.2."""
ODDS_FACTOR = 4.0
"""The members have half their weight where the odds of what is not known are so many times the usual ones."""
ROUNDING = 1e-12
"""Parts of a variance below this share of it are rounding errors."""


@dataclass(frozen=True)
class ProcessShare:
    """A Gaussian process and its weight in the ensemble, one number a target."""

    process: GaussianProcess
    share: Float[np.ndarray, " targets"]
    """Its share in the mean; the networks have the rest."""
    variance_factor: Float[np.ndarray, " targets"]
    """On the odds of its variance to what it knows, in what is not known of the mean."""
    usual_odds: float
    """Odds of what is not known of the function, to what is, at nearly all unseen rows."""

    def odds(self, variance: Float[np.ndarray, "*rows"]) -> Float[np.ndarray, "*rows"]:
        """Of what is not known of the function, given the process' variance, to what is."""
        unknown = variance / self.process.prior_variance
        return unknown / np.maximum(1 - unknown, 1e-9)

    def mean_variance(self, variance: Float[np.ndarray, " rows"]) -> Float[np.ndarray, "rows targets"]:
        """What is not known of each target's mean, given the process' variance."""
        if self.process.numbers.is_induced is None:  # a model file before version 0.3
            return np.multiply.outer(variance, self.variance_factor)
        return np.stack([rescaled(variance, self.process.prior_variance, f) for f in self.variance_factor], axis=1)

    # DIFF(eq. 12): the paper's familiarity is a density of the inputs. A density knows nothing of the function:
    # rows may lie apart and yet be known well, and then the prior's variance, mixed in, exceeds the noise.
    def familiarity(self, variance: Float[np.ndarray, "*rows"]) -> Float[np.ndarray, "*rows"]:
        """Weight of the members: 1 where as much is known as at usual unseen rows, 0 where nothing is."""
        ratio = self.odds(variance) / (ODDS_FACTOR * self.usual_odds)
        return 1 / (1 + ratio * ratio * ratio)  # products: a power's last digit depends on the rows beside

    def weight(self, variance: Float[np.ndarray, " rows"]) -> Float[np.ndarray, "rows targets"]:
        """Of the process beside the members."""
        return 1 - np.multiply.outer(self.familiarity(variance), 1 - self.share)


def rescaled(variance: Float[np.ndarray, " rows"], prior: float, factor: float) -> Float[np.ndarray, " rows"]:
    """A process' variance with a factor where little is unknown, and none where nothing is known: there it is the
    prior's, whatever the factor. What lies beyond the prior's, outside the range of the rows, stays."""
    inside = np.minimum(variance, prior)
    unknown = inside / prior
    whole = np.maximum((1 - unknown) + factor * unknown, np.finfo(float).tiny)  # a forged factor of 0 gives 0
    return prior * factor * unknown / whole + (variance - inside)


@dataclass(frozen=True)
class FamiliarityScale:
    """Constants that turn a perception's log-density into a familiarity, one pair a perception."""

    level: Float[np.ndarray, " perceptions"]
    spread: Float[np.ndarray, " perceptions"]

    def __call__(self, log_densities: Float[np.ndarray, "rows perceptions"]) -> Float[np.ndarray, " rows"]:
        """k_d of each row, averaged over the perceptions; see `model.density.familiarity`."""
        return expit((log_densities - self.level) / self.spread).mean(axis=1)


@dataclass(frozen=True)
class Ensemble:
    """Members, process and what was learned on unseen rows, in scaled units: all that a row's distribution needs."""

    blocks: DeepTaylorBlock
    """All members, stacked along a first axis."""
    densities: DensityPerception | None
    """One perception for all members (staged), or one each (joint), stacked; None where the process says what is
    known."""
    process_share: ProcessShare | None
    prior_variance: Float[np.ndarray, " targets"]
    combination: str
    """Rule of `combine`, or `BY_PROCESS`."""
    noise_scale: Float[np.ndarray, " targets"]
    """Factor on the learned noise variance of each target, from rows that the members had not seen."""
    familiarity: FamiliarityScale | None = None
    """None: every row is familiar."""
    tails: Tails | None = None
    """Shape of the predictive distribution; None: normal."""
    trees: Trees | None = None
    """Of every member; None: no share in the mean."""
    boosted: BoostedTrees | None = None
    """Of all members together; None: no share in the mean."""
    repeats: Repeats | None = None
    """Of model files before version 0.2: inputs whose answers are remembered."""

    @cached_property
    def members(self) -> int:
        """Networks in the ensemble."""
        return len(self.blocks.system_noise_net.level.value)

    @cached_property
    def ready(self) -> ReadyBlocks:
        """All members' blocks as plain arrays."""
        return ReadyBlocks(self.blocks)

    @property
    def targets(self) -> int:
        """Columns that are predicted."""
        return len(self.prior_variance)

    def share(self) -> Float[np.ndarray, " targets"]:
        """Of the process in the mean of each target, at usual rows."""
        return np.zeros(self.targets) if self.process_share is None else self.process_share.share

    @cached_property
    def asks_networks(self) -> bool:
        """Whether the networks' means count anywhere: where the process has the whole share they need not be asked."""
        return bool((self.share() < 1).any())

    def process_weight(self, variance: Float[np.ndarray, " rows"]) -> Float[np.ndarray, "rows targets"]:
        """Of the process in the mean, given its variance."""
        if self.process_share is None:
            return np.zeros((len(variance), self.targets))
        return self.process_share.weight(variance)

    def tree_means(self, x: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, "rows members targets"]:
        """What the members' trees predict for rows; 0 where there are none."""
        if self.trees is None:
            return np.broadcast_to(np.float32(0), (len(x), self.members, self.targets))
        return self.trees.means(x, self.members)

    def boosted_means(self, x: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, "rows targets"]:
        """What the boosted trees predict for rows; 0 where there are none."""
        return np.zeros((len(x), self.targets)) if self.boosted is None else self.boosted.means(x)

    def member_means(
        self, outputs: HasComponentMeans, process_variance: Float[np.ndarray, " rows"]
    ) -> Float[np.ndarray, "rows members targets"]:
        """Step 3 for means: every member with the process and its trees."""
        weight = self.process_weight(process_variance)[:, None, :]
        smooth = blended(weight, outputs.network_mean.astype(np.float64), outputs.process_mean[:, None, :])
        if self.trees is None and self.boosted is None:
            return smooth
        known = np.ones(len(smooth)) if self.process_share is None else self.process_share.familiarity(process_variance)
        for component, mean in ((self.trees, outputs.tree_mean), (self.boosted, outputs.boosted_mean[:, None, :])):
            if component is not None:
                smooth = blended(np.multiply.outer(known, component.share)[:, None, :], smooth, mean)
        return smooth

    def process_estimate(
        self, x: Float[np.ndarray, "rows features"], *, slopes: bool, variances: bool = True
    ) -> ProcessEstimate:
        """Posterior of the process at rows (step 2); nothing where there is none."""
        if self.process_share is None:
            return no_process(len(x), self.targets, x.shape[1])
        process = self.process_share.process
        estimate = process.posterior(x, slopes=slopes, variances=variances)
        if not variances or self.process_share.usual_odds >= NEVER:
            return estimate
        return estimate._replace(variance=estimate.variance + process.beyond(x))


BY_PROCESS = "process"
"""Combination in which the prior comes in through the process, and nowhere else."""


def no_process(rows: int, targets: int, features: int) -> ProcessEstimate:
    """The posterior where there is no process: zeros."""
    return ProcessEstimate(np.zeros((rows, targets)), np.zeros(rows), np.zeros((rows, targets, features)))


@runtime_checkable
class HasComponentMeans(Protocol):
    """Means of all components at rows; see `ComponentOutputs`."""

    @property
    def network_mean(self) -> Float[np.ndarray, "rows members targets"]: ...
    @property
    def process_mean(self) -> Float[np.ndarray, "rows targets"]: ...
    @property
    def tree_mean(self) -> Float[np.ndarray, "rows members targets"]: ...
    @property
    def boosted_mean(self) -> Float[np.ndarray, "rows targets"]: ...


class ComponentOutputs(NamedTuple):
    """Outputs of the ensemble's components (members, process, trees), not averaged yet; the first axis are the rows."""

    network_mean: Float[np.ndarray, "rows members targets"]
    process_mean: Float[np.ndarray, "rows targets"]
    tree_mean: Float[np.ndarray, "rows members targets"]
    boosted_mean: Float[np.ndarray, "rows targets"]
    process_variance: Float[np.ndarray, " rows"]
    log_densities: Float[np.ndarray, "rows perceptions"]
    system_variance: Float[np.ndarray, "rows members targets"]
    learned_covariance: Float[np.ndarray, "rows members targets targets"]
    """Learned noise of features, through the blended slope, and system"""
    declared_covariance: Float[np.ndarray, "rows members targets targets"]
    """Declared noise of features, through the blended slope"""


# DIFF(eq. 9): the mean is a network's alone in the paper. Here a Gaussian process shares in it, and its slope in eq. 6.
def blended(
    share: Float[AnyArray, "*#shape"], network: Float[AnyArray, "*#shape"], process: Float[AnyArray, "*#shape"]
) -> Float[AnyArray, "*#shape"]:
    """Step 3, of means and of slopes: the one place where two predictions are averaged."""
    return (1 - share) * network + share * process


def one_member(stack: Any, member: int) -> Any:
    """A member's own network out of a stack."""
    return mapped(lambda leaf: leaf[member], stack)


def stacked(networks: list[Any]) -> Any:
    """Several networks of one shape as one, with a first axis for the member."""
    return mapped(lambda *leaves: np.stack(leaves), *networks)


def component_outputs(
    parts: Ensemble, x: Float[np.ndarray, "rows features"], errors: InputErrors, n_jobs: int | None
) -> ComponentOutputs:
    """Steps 1 to 4 for rows in single precision; noise is not scaled yet."""

    def chunk(
        x: Float[np.ndarray, "rows features"],
        declared_share: Float[np.ndarray, "rows features"],
        declared_variance: Float[np.ndarray, "rows features"],
    ) -> ComponentOutputs:
        process = parts.process_estimate(x, slopes=True)
        process_slope = _rows_side_by_side(np.asarray(process.jacobian))
        weight = parts.process_weight(process.variance).astype(np.float32)[:, :, None]
        mean, slope, inputs, system = parts.ready(x, means=parts.asks_networks)
        slope = blended(weight[:, None], slope, process_slope[:, None])
        learned = (1 - declared_share)[:, None, :] * inputs if declared_share.any() else inputs
        own = propagated_covariance(slope, learned, system)
        known = np.zeros_like(own)
        if declared_variance.any():
            known = propagated_covariance(slope, declared_variance[:, None, :], np.zeros_like(system))
        steps, densities = (parts.tree_means(x), parts.boosted_means(x)), log_densities_of(parts, x)
        return ComponentOutputs(mean, process.mean, *steps, process.variance, densities, system, own, known)

    return in_chunks(chunk, (x, *errors), n_jobs)


def _rows_side_by_side(
    slope: Float[np.ndarray, "rows targets features"],
) -> Float[np.ndarray, "rows targets features"]:
    """In single precision, with the same feature of all rows one after another in memory, as the networks' slopes."""
    return np.moveaxis(np.ascontiguousarray(np.moveaxis(slope, 0, -1), np.float32), -1, 0)


def log_densities_of(parts: Ensemble, x: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, "rows perceptions"]:
    if parts.familiarity is None or parts.densities is None:
        return np.zeros((len(x), 1))
    count = len(parts.densities.log_metric)
    return np.stack([log_density(one_member(parts.densities, number), x) for number in range(count)], axis=1)


class Blend(NamedTuple):
    """The ensemble average (steps 3 to 5), before the prior."""

    mean: Float[np.ndarray, "rows targets"]
    mean_variance: Float[np.ndarray, "rows targets"]
    """What is not known of the mean."""
    system_variance: Float[np.ndarray, "rows targets"]
    learned_covariance: Float[np.ndarray, "rows targets targets"]
    """Scaled"""
    declared_covariance: Float[np.ndarray, "rows targets targets"]

    @property
    def learned_variance(self) -> Float[np.ndarray, "rows targets"]:
        """Of features and system together."""
        return np.einsum("rtt->rt", self.learned_covariance)

    @property
    def declared_variance(self) -> Float[np.ndarray, "rows targets"]:
        """Of features."""
        return np.einsum("rtt->rt", self.declared_covariance)


def blend(parts: Ensemble, outputs: ComponentOutputs, unseen: Bool[np.ndarray, "members rows"] | None = None) -> Blend:
    """All members as one; `unseen` leaves means and noise to those that had not seen a row."""
    means = parts.member_means(outputs, outputs.process_variance)
    weight = np.ones(means.shape[:2]) if unseen is None else np.where(unseen.any(axis=0), unseen, True).T
    weight = weight / weight.sum(axis=1, keepdims=True)
    variance = means.var(axis=1)
    if parts.process_share is not None:
        variance = variance + parts.process_share.mean_variance(outputs.process_variance)
    root = np.sqrt(parts.noise_scale)
    return Blend(
        np.einsum("rm,rmt->rt", weight, means),
        variance,
        np.einsum("rm,rmt->rt", weight, outputs.system_variance) * parts.noise_scale,
        np.einsum("rm,rmtu->rtu", weight, outputs.learned_covariance) * np.multiply.outer(root, root),
        np.einsum("rm,rmtu->rtu", weight, outputs.declared_covariance),
    )


class LawVoice(NamedTuple):
    """What the law behind readings says of rows, and its share in their mean; see `model.law`."""

    share: Float[np.ndarray, "rows targets"]
    mean: Float[np.ndarray, "rows targets"]
    variance: Float[np.ndarray, "rows targets"]
    """What is not known of it"""

    def in_members(self, means: Float[np.ndarray, "rows members targets"]) -> Float[np.ndarray, "rows members targets"]:
        """Every member's mean with the law's."""
        return blended(self.share[:, None, :], means, self.mean[:, None, :])

    def in_blend(self, found: Blend) -> Blend:
        """The ensemble's average with the law's mean."""
        mean = blended(self.share, found.mean, self.mean)
        return found._replace(mean=mean, mean_variance=blended(self.share, found.mean_variance, self.variance))


def law_voice(
    law: Law | None,
    x: Float[np.ndarray, "rows features"],
    variance: Float[np.ndarray, "rows features"],
    n_jobs: int | None,
) -> LawVoice | None:
    """Of scaled readings with these variances of their errors; None where it has no share."""
    if law is None or law.numbers.voice is None or not law.numbers.voice.any():
        return None
    answer: LawAnswer = in_chunks(law.answer, (x, variance), n_jobs)
    return LawVoice(np.broadcast_to(law.numbers.voice, answer.mean.shape), answer.mean, answer.epistemic_variance)


class Distribution(NamedTuple):
    """The predictive distribution of rows in scaled units; variances add up."""

    mean: Float[np.ndarray, "rows targets"]
    feature_variance: Float[np.ndarray, "rows targets"]
    system_variance: Float[np.ndarray, "rows targets"]
    """With the target's own declared error."""
    epistemic_variance: Float[np.ndarray, "rows targets"]
    target_error_variance: Float[np.ndarray, "rows targets"]
    noise_covariance: Float[np.ndarray, "rows targets targets"]
    """Of features and system"""
    familiarity: Float[np.ndarray, " rows"]

    @property
    def variance(self) -> Float[np.ndarray, "rows targets"]:
        """Of everything."""
        return self.feature_variance + self.system_variance + self.epistemic_variance


def with_law_answer(
    found: Distribution,
    rows: Shaped[np.ndarray, " chosen"],
    share: Float[np.ndarray, " law_rows"],
    answer: LawAnswer,
) -> Distribution:
    """Some rows with a share of the law behind readings in their distribution; see `model.law`.

    The noise of the system is the same one, whether inputs are exact or read: the regression's, which knows how it
    differs between rows and was held against unseen ones.
    """
    a = share[:, None]
    parts = {name: part.copy() for name, part in zip(found._fields, found, strict=True)}
    apart = a * (1 - a) * (answer.mean - found.mean[rows]) ** 2
    parts["mean"][rows] = blended(a, found.mean[rows], answer.mean)
    parts["feature_variance"][rows] = blended(a, found.feature_variance[rows], answer.feature_variance)
    parts["epistemic_variance"][rows] = blended(a, found.epistemic_variance[rows], answer.epistemic_variance) + apart
    noise = np.einsum("rt,tu->rtu", answer.feature_variance + found.system_variance[rows], np.eye(found.mean.shape[1]))
    parts["noise_covariance"][rows] = blended(a[:, :, None], found.noise_covariance[rows], noise)
    return Distribution(**parts)


def predicted(
    parts: Ensemble,
    x: Float[np.ndarray, "rows features"],
    errors: InputErrors,
    prior: Float[np.ndarray, "rows targets"],
    target_error: Float[np.ndarray, "rows targets"],
    n_jobs: int | None,
    voice: LawVoice | None = None,
) -> Distribution:
    """All steps for scaled rows, chunk by chunk: sums over members must not depend on how many rows stand beside."""

    def chunk(
        x: Float[np.ndarray, "rows features"],
        share: Float[np.ndarray, "rows features"],
        variance: Float[np.ndarray, "rows features"],
        prior: Float[np.ndarray, "rows targets"],
        error: Float[np.ndarray, "rows targets"],
        *law: Float[np.ndarray, "rows targets"],
    ):
        outputs = component_outputs(parts, x.astype(np.float32), InputErrors(share, variance), 1)
        k = familiarity_of(parts, outputs.process_variance, outputs.log_densities)
        found = blend(parts, outputs)
        return distribution(parts, LawVoice(*law).in_blend(found) if law else found, k, x, prior, error)

    return in_chunks(chunk, (x, *errors, prior, target_error, *(voice or ())), n_jobs)


def familiarity_of(
    parts: Ensemble, process_variance: Float[np.ndarray, " rows"], log_densities: Float[np.ndarray, "rows perceptions"]
) -> Float[np.ndarray, " rows"]:
    """k_d of each row, 1 where it plays no part."""
    if parts.combination == BY_PROCESS and parts.process_share is not None:
        return parts.process_share.familiarity(process_variance)
    return np.ones(len(log_densities)) if parts.familiarity is None else parts.familiarity(log_densities)


def with_prior(
    parts: Ensemble,
    k: Float[np.ndarray, " rows"],
    mean: Float[np.ndarray, "rows targets"],
    variance: Float[np.ndarray, "rows targets"],
    prior: Float[np.ndarray, "rows targets"],
) -> Combined:
    """Step 6: the ensemble's distribution and the prior's, weighed by familiarity; see `combine`.

    By process, both are one already; a prior of the user's own is added where little is known.
    """
    if parts.combination == BY_PROCESS:
        return Combined(mean + (1 - k[:, None]) * prior, 1.0, variance)
    return combine(parts.combination, k[:, None], mean, variance, prior, parts.prior_variance)


def distribution(
    parts: Ensemble,
    averaged: Blend,
    k: Float[np.ndarray, " rows"],
    x: Float[np.ndarray, "rows features"],
    prior: Float[np.ndarray, "rows targets"],
    target_error: Float[np.ndarray, "rows targets"],
) -> Distribution:
    """From a blend to the whole distribution; `target_error` is the declared variance of the targets."""
    combined = with_prior(parts, k, averaged.mean, averaged.mean_variance, prior)
    weight = np.broadcast_to(combined.aleatoric_weight, averaged.mean.shape)
    noise = (averaged.learned_covariance + averaged.declared_covariance) * weight[:, :, None]
    error = target_error * weight
    np.einsum("rtt->rt", noise)[:] += error
    whole = np.einsum("rtt->rt", noise)
    feature = whole - np.minimum(averaged.system_variance * weight + error, whole)
    feature = np.where(feature > ROUNDING * whole, feature, 0.0)
    system = whole - feature
    mean, left = combined.mean, np.ones(averaged.mean.shape)
    if parts.repeats is not None:
        mean, left = parts.repeats(x, mean)
        noise = noise * np.sqrt(left[:, :, None] * left[:, None, :])
    return Distribution(
        mean,
        feature * left,
        system * left,
        combined.epistemic_variance * left,
        np.minimum(error, system) * left,
        noise,
        k,
    )
