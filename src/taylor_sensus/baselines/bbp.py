"""BBP: Bayes by Backprop (Blundell et al. 2015), trained by our own program."""

from __future__ import annotations

from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from taylor_sensus.baselines.networks import PARTS, FitRows, Pilot, Prepared
from taylor_sensus.baselines.weights import (
    KL_WEIGHT,
    BayesianBaseline,
    Draws,
    as_perceptron,
    as_vector,
    mean_and_log_noise,
)
from taylor_sensus.fit.objectives import RunOptions, Stage
from taylor_sensus.model.network import Variant
from taylor_sensus.model.networks import Constant, Perceptron


class Posterior(eqx.Module):
    """An independent Gaussian for each weight, and the noise level of the targets."""

    mean: Any
    rho: Any
    """The standard deviation is softplus(rho), which cannot become negative."""
    log_noise: Any
    like: Any
    """A perceptron of the right sizes, as a constant."""

    def std(self) -> Array:
        return jax.nn.softplus(self.rho)

    def perceptron(self, weights: Array) -> Perceptron:
        return as_perceptron(weights, self.like.value)


class Prior(NamedTuple):
    """A mixture of a wide and a narrow Gaussian for each weight, and what its divergence weighs beside a row."""

    mix: float
    """Share of the wide one."""
    wide: float
    narrow: float
    weight: float

    def log_density(self, weights: Array) -> Array:
        """Of each weight, without the constant that log q lacks too."""
        wide = jnp.log(self.mix) + _log_gaussian(weights, self.wide)
        narrow = jnp.log1p(-jnp.asarray(self.mix)) + _log_gaussian(weights, self.narrow)
        return jnp.logaddexp(wide, narrow)


def _log_gaussian(values: Array, scale: Any) -> Array:
    return -jnp.log(scale) - 0.5 * (values / scale) ** 2


def divergence(posterior: Posterior, noise: Array, prior: Prior) -> Array:
    """log q(w) - log p(w) at the sample w = mean + std * noise: one draw of the KL, which has no closed form here."""
    std = posterior.std()
    log_q = -jnp.log(std) - 0.5 * noise**2
    return jnp.sum(log_q - prior.log_density(posterior.mean + std * noise))


def loss(
    posterior: Posterior, rows: FitRows, prior: Prior, key: Array, options: RunOptions, fade, variant: Variant
) -> Array:
    """Minus the evidence lower bound, divided by the number of training rows, with one draw a batch."""
    # The program's generator is cheap for the few bits of a shuffle but slow for a number a weight.
    noise = jax.random.normal(jax.random.key(jax.random.bits(key)), posterior.mean.shape)
    network = posterior.perceptron(posterior.mean + posterior.std() * noise)
    mean, relative = mean_and_log_noise(network, rows.x)
    likelihood = jnp.mean(_log_gaussian(rows.y[:, 0] - mean, jnp.exp(posterior.log_noise + relative)))
    return prior.weight * divergence(posterior, noise, prior) - likelihood


def score(posterior: Posterior, rows: FitRows, weight: Array) -> Array:
    """A later state always counts as better: stopped early, the posterior would still be the narrow one it began as."""
    return jnp.array(-jnp.inf)


STAGE = Stage("bbp", loss, jax.jit(score), PARTS)


class BBPBaseline(BayesianBaseline):
    """Gaussian weights under a mixture prior, with a Monte-Carlo KL.

    The noise has one learned level, and a second output of the network says how a row differs from it.
    Warm start: the means begin at the pilot's weights. The KL counts `kl_weight` times, see `weights.py`.
    Validation rows choose the pilot and give one factor on all variances (every method gets validation rows for early
    stopping, selection and calibration).
    """

    prior_mix: float = 0.5
    prior_scales: tuple[float, float] = (1.0, 0.0025)
    kl_weight: float = KL_WEIGHT
    initial_std: float = 0.05
    draws: int = 300

    def _draw(self, pilot: Pilot, prepared: Prepared, seed: int) -> Draws:
        mean = np.asarray(as_vector(pilot.network.perceptron))
        start = Posterior(
            mean=mean,
            rho=np.full_like(mean, np.log(np.expm1(self.initial_std))),
            log_noise=np.float32(0.5 * np.log(pilot.score)),
            like=Constant(pilot.network.perceptron),  # pyright: ignore[reportArgumentType]
        )
        prior = Prior(self.prior_mix, *self.prior_scales, self.kl_weight / prepared.train)
        # The prior takes the place of weight decay.
        found = self.train(start, prepared, STAGE, seed, numbers=prior, weight_decay=0.0).network
        noise = jax.random.normal(jax.random.key(seed), (self.draws, len(mean)))
        return Draws(found.mean + found.std() * noise, np.exp(2 * found.log_noise))
