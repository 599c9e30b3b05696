"""MC-dropout (Gal and Ghahramani 2016): neurons are left out at random in prediction too; the spread is epistemic."""

from __future__ import annotations

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from taylor_sensus.baselines.calibration import std_factor
from taylor_sensus.baselines.face import Moments, Scaled
from taylor_sensus.baselines.networks import PARTS, NeuralBaseline, in_chunks, prepare
from taylor_sensus.errors import SettingError
from taylor_sensus.fit.objectives import Stage, mean_score, weighted_mean
from taylor_sensus.model.networks import MeanNetwork


def dropped_sizes(network: MeanNetwork) -> list[int]:
    """Inputs of each layer: the embedded row, then the hidden layers."""
    return [layer.weight.shape[0] for layer in network.perceptron.layers]


def masked(network: MeanNetwork, x: Array, masks: Sequence[Array]) -> Array:
    """What the network gives for a row if inputs of each layer are left out, as Gal and Ghahramani derive it."""
    return network.perceptron(network.embedding(x) * masks[0], masks[1:])


def dropout_loss(network, rows, points, key, options, fade, parts):
    """Squared error, each row with masks of its own, to the last step at the full rate `points`."""
    widths = dropped_sizes(network)
    bits = jax.random.bits(key, (len(rows.x), sum(widths)), jnp.uint8)
    dropped = jnp.ceil(points * 256)  # of 256 values of a byte
    kept = jnp.where(bits < dropped, 0.0, 256 / (256 - dropped))
    masks = tuple(jnp.split(kept, np.cumsum(widths)[:-1], axis=1))
    error = rows.y - jax.vmap(masked, (None, 0, 0))(network, rows.x, masks)
    return weighted_mean(rows.weight, error[:, 0] ** 2)


DROPOUT = Stage("mc_dropout", dropout_loss, mean_score, PARTS)
"""Validation rows are scored with all neurons, which is close to the average over masks and much cheaper."""


class MCDropoutBaseline(NeuralBaseline):
    """A network with dropout before each layer, trained from fresh weights.

    The masks of all draws are fixed at fit, so a prediction depends on nothing but its row. The noise 1/τ and one
    factor on the std come from validation rows.
    """

    dropout: float = 0.1
    draws: int = 300

    def _fit(self, rows: Scaled, seed: int) -> None:
        if not 0 <= self.dropout < 0.99:
            raise SettingError(f"dropout must be a number from 0 to 0.99, not {self.dropout!r}")
        if not self.draws >= 1:
            raise SettingError(f"draws must be a whole number, at least 1, not {self.draws!r}")
        prepared = prepare(rows)
        spread = self.pilot(prepared, seed).spread
        rng = np.random.default_rng(seed)
        network = self.new_network(prepared.features, 1, rng, spread)
        rate = np.float32(self.dropout)
        self.network_ = self.train(network, prepared, DROPOUT, seed, numbers=rate).network
        kept = [rng.random((self.draws, size)) >= self.dropout for size in dropped_sizes(self.network_)]
        self.masks_ = tuple((k / (1 - self.dropout)).astype(np.float32) for k in kept)
        mean, mean_variance = self._draws(rows.x_val)
        self.noise_ = noise_variance(rows.y_val - mean, mean_variance)
        self.std_factor_ = std_factor(rows.y_val - mean, np.sqrt(mean_variance + self.noise_))

    def _predict(self, x: np.ndarray) -> Moments:
        mean, mean_variance = self._draws(x)
        unit = self.std_factor_**2
        return Moments(mean, np.full(len(x), self.noise_ * unit), mean_variance * unit)

    def _draws(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values = in_chunks(masked_outputs, x, self.n_jobs, self.network_, self.masks_).astype(np.float64)
        return values.mean(axis=1), values.var(axis=1)


@jax.jit
def masked_outputs(network: MeanNetwork, masks: tuple[Array, ...], x: Array) -> Array:
    """What the network gives for each row with each draw's masks, `(rows, draws)`."""
    return jax.lax.map(lambda draw: jax.vmap(lambda row: masked(network, row, draw)[0])(x), masks).T


def noise_variance(error: np.ndarray, mean_variance: np.ndarray) -> float:
    """1/τ of the most likely Gaussian errors with variance `mean_variance` + 1/τ, up to a fitted factor on both."""
    tried = np.mean(error**2) * np.geomspace(1e-4, 10, 101) + 1e-12
    variance = mean_variance + tried[:, None]
    unit = np.mean(error**2 / variance, axis=1)
    return float(tried[np.argmin(np.log(unit) + np.mean(np.log(variance), axis=1))])
