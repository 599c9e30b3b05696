"""BNN-ELBO: a Bayesian network by mean-field variational inference, written in NumPyro.

The evidence lower bound of independent Gaussians over all weights is maximised by stochastic variational inference.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array

from taylor_sensus.baselines.networks import FitRows, Pilot, Prepared
from taylor_sensus.baselines.weights import (
    KL_WEIGHT,
    BayesianBaseline,
    Draws,
    as_perceptron,
    as_vector,
    draw_batch,
    mean_and_log_noise,
)


class VariationalNumbers(NamedTuple):
    """What may change without a new compilation."""

    prior_scale: float
    kl_weight: float
    initial_std: float
    log_noise: float
    learning_rate: float
    warmup: float
    steps: int
    rows: int


class MeanField(NamedTuple):
    """Means and standard deviations of the variational Gaussians."""

    mean: Array
    std: Array
    log_noise_mean: Array
    log_noise_std: Array


def _model(batch: FitRows, like: Any, pilot: Array, numbers: VariationalNumbers) -> None:
    """Gaussian weights, Gaussian noise with a size for each row; a batch stands for all rows."""
    import numpyro
    import numpyro.distributions as dist

    with numpyro.handlers.scale(scale=numbers.kl_weight):
        prior = dist.Normal(0.0, numbers.prior_scale).expand(pilot.shape).to_event(1)
        weights = numpyro.sample("weights", prior)
    log_noise = numpyro.sample("log_noise", dist.Normal(numbers.log_noise, 1.0))
    mean, relative = mean_and_log_noise(as_perceptron(weights, like), batch.x)
    with numpyro.plate("rows", len(batch.x)), numpyro.handlers.scale(scale=numbers.rows / len(batch.x)):
        numpyro.sample("y", dist.Normal(mean, jnp.exp(log_noise + relative)), obs=batch.y[:, 0])


def _guide(batch: FitRows, like: Any, pilot: Array, numbers: VariationalNumbers) -> None:
    """Independent Gaussians, at first narrow ones around the pilot's weights."""
    import numpyro
    import numpyro.distributions as dist

    positive = dist.constraints.softplus_positive
    mean = numpyro.param("mean", pilot)
    std = numpyro.param("std", jnp.full(pilot.shape, numbers.initial_std), constraint=positive)
    with numpyro.handlers.scale(scale=numbers.kl_weight):
        numpyro.sample("weights", dist.Normal(mean, std).to_event(1))
    middle = numpyro.param("log_noise_mean", jnp.asarray(numbers.log_noise, jnp.float32))
    spread = numpyro.param("log_noise_std", jnp.asarray(0.05, jnp.float32), constraint=positive)
    numpyro.sample("log_noise", dist.Normal(middle, spread))


@partial(jax.jit, static_argnames="batch_size")
def infer(like: Any, rows: FitRows, numbers: VariationalNumbers, seed: Array, *, batch_size: int) -> MeanField:
    """The whole optimisation as one compiled loop."""
    from numpyro.infer import SVI, TraceMeanField_ELBO

    def rate(step: Array) -> Array:
        done = step / numbers.steps
        rise = jnp.minimum(1.0, (done + 1 / numbers.steps) / numbers.warmup)
        return numbers.learning_rate * rise * 0.5 * (1 + jnp.cos(jnp.pi * done))

    pilot = as_vector(like)
    svi = SVI(_model, _guide, optax.adam(rate, b1=0.9, b2=0.95), TraceMeanField_ELBO())
    first_key, batch_key = jax.random.split(jax.random.key(seed))

    def one_step(step: Array, state: Any) -> Any:
        batch = draw_batch(jax.random.fold_in(batch_key, step), rows, numbers.rows, batch_size)
        return svi.update(state, batch, like, pilot, numbers)[0]

    first = jax.tree.map(lambda a: a[:batch_size], rows)
    state = svi.init(first_key, first, like, pilot, numbers)
    state = jax.lax.fori_loop(0, numbers.steps, one_step, state)
    found = svi.get_params(state)
    return MeanField(found["mean"], found["std"], found["log_noise_mean"], found["log_noise_std"])


class BNNELBOBaseline(BayesianBaseline):
    """Gaussian weights under a Gaussian prior, with the KL in closed form.

    The noise level has a Gaussian of its own, and a second output of the network says how a row differs from it.
    Warm start: the means begin at the pilot's weights. The KL counts `kl_weight` times, see `weights.py`.
    Validation rows choose the pilot and give one factor on all variances (every method gets validation rows for early
    stopping, selection and calibration); the optimisation itself runs to its end.
    """

    requires = ("numpyro",)

    prior_scale: float = 1.0
    kl_weight: float = KL_WEIGHT
    initial_std: float = 0.05
    draws: int = 300

    def _draw(self, pilot: Pilot, prepared: Prepared, seed: int) -> Draws:
        settings = self.settings()
        schedule = self._schedule(prepared, self.epochs)
        numbers = VariationalNumbers(
            self.prior_scale,
            self.kl_weight,
            self.initial_std,
            0.5 * np.log(pilot.score),
            settings.learning_rate,
            max(settings.warmup, 1e-6),
            schedule.steps,
            prepared.train,
        )
        found = infer(pilot.network.perceptron, prepared.rows, numbers, np.uint32(seed), batch_size=schedule.batch)
        weight_key, noise_key = jax.random.split(jax.random.key(seed))
        weights = found.mean + found.std * jax.random.normal(weight_key, (self.draws, len(found.mean)))
        log_noise = found.log_noise_mean + found.log_noise_std * jax.random.normal(noise_key, (self.draws,))
        return Draws(weights, jnp.mean(jnp.exp(2 * log_noise)))
