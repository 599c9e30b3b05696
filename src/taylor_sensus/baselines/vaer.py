"""VAER: variational-autoencoder regression (Zhao et al. 2019).

A row is encoded into latent numbers z and a target c; p(z|c) is a Gaussian around a point that moves along a line as c
grows, so the latent space is ordered by the target; a decoder turns z back into the row.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from taylor_sensus.baselines.face import Moments, Scaled
from taylor_sensus.baselines.networks import PARTS, NeuralBaseline, generators, in_chunks, prepare
from taylor_sensus.fit.objectives import RunOptions, Stage
from taylor_sensus.model.network import Variant
from taylor_sensus.model.networks import MeanNetwork, Perceptron
from taylor_sensus.model.squash import squash


class Code(NamedTuple):
    """What the encoder says of a row: q(c|x) of the target and q(z|x) of the latent numbers, all Gaussian."""

    target_mean: Array
    target_log_variance: Array
    latent_mean: Array
    latent_log_variance: Array


class RegressionAutoencoder(eqx.Module):
    """The common network as encoder, a line through the latent space, and a decoder."""

    encoder: MeanNetwork
    decoder: Perceptron
    direction: Array | np.ndarray
    """Along it the latent mean of p(z|c) moves as the target c grows."""
    target_log_variance: Any
    """Of q(c|x), the same for all rows: one a row overfits small tables (on steels' validation rows it doubles the
    squared error)."""
    log_variance: Any
    """Of p(z|c), the same for all latent numbers."""
    reconstruction_log_variance: Array | np.ndarray
    """Of p(x|z), one a feature."""

    def encode(self, x: Array) -> Code:
        """From one row."""
        out = self.encoder(x)
        latent = self.direction.shape[0]
        return Code(out[0], self.target_log_variance, out[1 : 1 + latent], _bounded(out[1 + latent :]))

    def line(self, target: Array) -> Array:
        """The mean of p(z|c)."""
        return target * self.direction / jnp.sqrt(jnp.sum(self.direction**2) + 1e-12)


def _bounded(value: Array, bound: float = 8.0) -> Array:
    """Log-variances stay where nothing overflows."""
    return bound * jnp.tanh(value / bound)


def divergence(code: Code, network: RegressionAutoencoder) -> Array:
    """KL(q(z|x) || p(z|c)) averaged over q(c|x), in closed form."""
    gap = jnp.sum((code.latent_mean - network.line(code.target_mean)) ** 2)
    spread = jnp.sum(jnp.exp(code.latent_log_variance)) + jnp.exp(code.target_log_variance)
    size = code.latent_mean.shape[0]
    log_ratio = size * network.log_variance - jnp.sum(code.latent_log_variance)
    return 0.5 * ((gap + spread) * jnp.exp(-network.log_variance) + log_ratio - size)


def loss(network: RegressionAutoencoder, rows, points, key: Array, options: RunOptions, fade, parts: Variant) -> Array:
    """Reconstruction, divergence and the regression's own likelihood, each an average over rows."""
    code = jax.vmap(network.encode)(rows.x)
    noise = jax.random.normal(key, code.latent_mean.shape)
    latent = code.latent_mean + jnp.exp(0.5 * code.latent_log_variance) * noise
    gap = (squash(rows.x) - jax.vmap(network.decoder)(latent)) ** 2
    spread = network.reconstruction_log_variance
    reconstruction = 0.5 * jnp.sum(gap * jnp.exp(-spread) + spread, axis=1)
    error = rows.y[:, 0] - code.target_mean
    regression = 0.5 * (error**2 * jnp.exp(-code.target_log_variance) + code.target_log_variance)
    kl = jax.vmap(divergence, in_axes=(0, None))(code, network)
    return rows.weight @ (reconstruction + kl + regression) / rows.weight.sum()


def score(network: RegressionAutoencoder, rows, weight: Array) -> Array:
    """Mean squared error of the regressed target."""
    code = jax.vmap(network.encode)(rows.x)
    return weight @ (rows.y[:, 0] - code.target_mean) ** 2 / weight.sum()


STAGE = Stage("vaer", loss, jax.jit(score), PARTS)


@jax.jit
def encoded(network: RegressionAutoencoder, x: Array) -> Code:
    """What the encoder says of each row."""
    return jax.vmap(network.encode)(x)


@jax.jit
def decoded(network: RegressionAutoencoder, latent: Array) -> Array:
    """The rows (smoothly clipped, as the loss sees them) that belong to latent numbers."""
    return jax.vmap(network.decoder)(latent)


class VAERBaseline(NeuralBaseline):
    """An autoencoder whose encoder, the common network, regresses the target beside the latent numbers.

    It has no std: the paper prints none of its likelihoods. Validation rows choose the spread of frequencies and the
    best weights (every method gets validation rows for early stopping, selection and calibration).
    """

    gives_std = False

    latent: int = 8

    def _fit(self, rows: Scaled, seed: int) -> None:
        prepared = prepare(rows)
        pilot = self.pilot(prepared, seed)
        self.network_ = self.train(self._new(prepared.features, seed, pilot.spread), prepared, STAGE, seed).network

    def _new(self, features: int, seed: int, spread: float) -> RegressionAutoencoder:
        encoder_rng, decoder_rng, line_rng = generators(seed, 3)
        return RegressionAutoencoder(
            encoder=self.new_network(features, 1 + 2 * self.latent, encoder_rng, spread),
            decoder=Perceptron.initial(decoder_rng, [self.latent, self.width, features], self.activation),
            direction=line_rng.standard_normal(self.latent).astype(np.float32),
            target_log_variance=np.float32(0.0),
            log_variance=np.float32(0.0),
            reconstruction_log_variance=np.zeros(features, np.float32),
        )

    def _predict(self, x: np.ndarray) -> Moments:
        mean = in_chunks(encoded, x, self.n_jobs, self.network_).target_mean
        unknown = np.full(len(x), np.nan)
        return Moments(mean, unknown, unknown)
