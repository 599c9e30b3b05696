"""What a model says of many rows, as far as choosing among them needs it: its mean, and what makes up its ignorance.

A prediction also carries the inputs' noise through the slope of the mean, which takes most of its time. A million
candidates are only surveyed; the few that may be chosen are predicted in full.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from taylor_sensus.fit.members import run_all
from taylor_sensus.fit.padding import pad
from taylor_sensus.fitted import FittedModel, between_members
from taylor_sensus.model.combine import combine
from taylor_sensus.model.density import DensityPerception, compressed
from taylor_sensus.model.networks import MeanNetwork
from taylor_sensus.model.process_mean import KernelMean
from taylor_sensus.suggest.process_view import ProcessView

CHUNK = 1024
"""Rows in a call of the program."""


class Survey(NamedTuple):
    """Of each row, for one target, in scaled units. The variances of the last three add up to the epistemic variance.

    `deviation` is how each member departs from the mean, divided by the root of the number of members, so that its
    squares add up over the members.
    """

    mean: np.ndarray
    """(rows,)"""
    deviation: np.ndarray
    """(rows, members)"""
    kernel_std: np.ndarray
    """Doubt of the kernel part, (rows,)"""
    prior_std: np.ndarray
    """What the belief beyond the data brings, (rows,)"""

    @property
    def variance(self) -> np.ndarray:
        """Of the model's ignorance."""
        return np.einsum("rm,rm->r", self.deviation, self.deviation) + self.kernel_std**2 + self.prior_std**2

    def some(self, rows: np.ndarray) -> Survey:
        """These rows only."""
        return Survey(*[part[rows] for part in self])


def survey(
    fitted: FittedModel, view: ProcessView, scaled: np.ndarray, prior_mean: np.ndarray | None, target: int,
    n_jobs: int | None,
) -> Survey:  # fmt: skip
    """Survey rows in scaled units. `view` says how much of the kernel part is looked at for its variance.

    `prior_mean` is in the target's unit, `(rows, targets)`, and only there if the prior is the user's own.
    """
    prior = fitted.trend(scaled) if prior_mean is None else fitted.scaler.targets(prior_mean)
    answers = _answers(fitted, scaled.astype(np.float32), n_jobs)
    k = fitted.familiar(answers.log_attention) if fitted.settings.density else np.ones(len(scaled))
    means = answers.mean[:, :, [target]]
    mean, between = between_members(means)
    kernel = np.zeros(len(scaled))
    if fitted.support is not None and fitted.support.doubt[target] > 0:
        kernel = fitted.support.doubt[target] * view.variance(scaled)
    pick = slice(target, target + 1)
    beside = (prior[:, pick], fitted.prior_variance[pick])
    rule = fitted.settings.combination
    whole = combine(rule, k[:, None], mean, between + kernel[:, None], *beside)
    without = combine(rule, k[:, None], mean, np.zeros_like(between), *beside).epistemic_variance[:, 0]
    weight = np.clip(whole.epistemic_variance[:, 0] - without, 0.0, None)
    weight = np.sqrt(np.divide(weight, between[:, 0] + kernel, out=np.zeros(len(k)), where=between[:, 0] + kernel > 0))
    deviation = (means[:, :, 0] - mean[:, 0]).T / np.sqrt(len(means))
    center, left = whole.mean, np.ones((len(k), 1))
    if fitted.repeats is not None:
        gain = fitted.repeats._replace(
            mean=fitted.repeats.mean[:, pick], gain=fitted.repeats.gain[pick], left=fitted.repeats.left[pick]
        )
        center, left = gain(scaled, center)
    root = np.sqrt(left[:, 0])
    return Survey(
        mean=center[:, 0],
        deviation=deviation * (weight * root)[:, None],
        kernel_std=np.sqrt(kernel) * weight * root,
        prior_std=np.sqrt(np.maximum(without, 0.0)) * root,
    )


class _Answers(NamedTuple):
    mean: Any
    """Of each member with the kernel part's share, (members, rows, targets)"""
    log_attention: Any
    """(perceptions, rows)"""


@jax.jit
def _program(
    nets: MeanNetwork, densities: DensityPerception, kernel: KernelMean | None, share: Array, x: Array
) -> _Answers:
    beside = 0.0 if kernel is None else share * kernel(x).mean
    means = jax.lax.map(lambda net: (1 - share) * jax.vmap(net)(x) + beside, nets)
    attention = jax.lax.map(lambda density: jax.vmap(density)(compressed(x)), densities)
    return _Answers(means, attention)


def _answers(fitted: FittedModel, x: np.ndarray, n_jobs: int | None) -> _Answers:
    support = fitted.support
    kernel = None if support is None else jax.device_put(support.kernel)
    share = np.zeros(len(fitted.target_names)) if support is None else support.share
    share = jnp.asarray(share, jnp.float32)

    def job(start: int) -> _Answers:
        chunk = x[start : start + CHUNK]
        answers = jax.device_get(_program(fitted.blocks.mean_net, fitted.densities, kernel, share, pad(chunk, CHUNK)))
        return _Answers(*[part[:, : len(chunk)] for part in answers])

    parts = run_all([lambda s=s: job(s) for s in range(0, len(x), CHUNK)], n_jobs)
    return _Answers(*[np.concatenate(arrays, axis=1) for arrays in zip(*parts, strict=True)])
