"""Deep ensemble (Lakshminarayanan et al. 2017): networks with mean and variance from different initial weights."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from taylor_sensus.baselines.calibration import std_factor
from taylor_sensus.baselines.face import Moments, Scaled
from taylor_sensus.baselines.networks import PARTS, NeuralBaseline, generators, in_chunks, prepare
from taylor_sensus.baselines.warm_up import WARM_FADE, calibrated_likelihood
from taylor_sensus.errors import SettingError
from taylor_sensus.fit.objectives import Stage, weighted_mean
from taylor_sensus.model.chunks import run_all
from taylor_sensus.model.networks import Constant, MeanNetwork


class GaussianNetwork(eqx.Module):
    """Mean and log-variance of a row from one body; log-variances stay within `log_range` of a level."""

    network: MeanNetwork
    level: Constant
    log_range: float = eqx.field(static=True)

    def __call__(self, x: Array) -> tuple[Array, Array]:
        mean, raw = self.network(x)
        return mean, jnp.asarray(self.level.value) + self.log_range * jnp.tanh(raw / self.log_range)


def gaussian_loss(network, rows, points, key, options, fade, parts):
    """The negative log-likelihood, after the warm-up."""
    mean, log_variance = jax.vmap(network)(rows.x)
    squared = (rows.y[:, 0] - mean) ** 2

    def likelihood(squared):
        return 0.5 * (log_variance + squared * jnp.exp(-log_variance))

    warm = squared + likelihood(jax.lax.stop_gradient(squared))
    return weighted_mean(rows.weight, jnp.where(fade > WARM_FADE, warm, likelihood(squared)))


def gaussian_score(network, rows, weight):
    """Negative log-likelihood, calibrated."""
    mean, log_variance = jax.vmap(network)(rows.x)
    return calibrated_likelihood((rows.y[:, 0] - mean) ** 2, jnp.exp(log_variance), weight)


GAUSSIAN = Stage("deep_ensemble", gaussian_loss, jax.jit(gaussian_score), PARTS)


class DeepEnsembleBaseline(NeuralBaseline):
    """Members see all training rows and stop by their likelihood on validation rows; one factor on the std."""

    members: int = 5

    def _fit(self, rows: Scaled, seed: int) -> None:
        if not self.members >= 1:
            raise SettingError(f"members must be a whole number, at least 1, not {self.members!r}")
        prepared = prepare(rows)
        pilot = self.pilot(prepared, seed)
        level = Constant(np.asarray(np.log(max(pilot.score, 1e-6)), np.float32))
        log_range = self.settings().noise_range

        def member(rng: np.random.Generator) -> GaussianNetwork:
            network = GaussianNetwork(self.new_network(prepared.features, 2, rng, pilot.spread), level, log_range)
            run_seed = int(rng.integers(2**31))
            return self.train(network, prepared, GAUSSIAN, run_seed).network

        jobs = [lambda rng=rng: member(rng) for rng in generators(seed, self.members)]
        self.networks_ = run_all(jobs, self.n_jobs)
        predicted = self._moments(rows.x_val)
        self.std_factor_ = std_factor(
            rows.y_val - predicted.mean, np.sqrt(predicted.noise_variance + predicted.mean_variance)
        )

    def _predict(self, x: np.ndarray) -> Moments:
        mean, noise, mean_variance = self._moments(x)
        return Moments(mean, noise * self.std_factor_**2, mean_variance * self.std_factor_**2)

    def _moments(self, x: np.ndarray) -> Moments:
        """Of the mixture of all members in equal shares."""
        predicted = [in_chunks(gaussian_outputs, x, self.n_jobs, network) for network in self.networks_]
        means, log_variances = np.asarray(predicted, np.float64).transpose(1, 0, 2)
        return Moments(means.mean(axis=0), np.exp(log_variances).mean(axis=0), means.var(axis=0))


@jax.jit
def gaussian_outputs(network: GaussianNetwork, x: Array) -> tuple[Array, Array]:
    """Mean and log-variance of each row."""
    return jax.vmap(network)(x)
