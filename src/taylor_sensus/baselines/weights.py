"""What the Bayesian networks share: a fixed embedding, weights as one vector, and predictions from stored draws.

A Bayesian rival starts at the best network trained on squared error (the pilot). Its embedding (gains, frequencies,
phases) is kept as a set of features; all weights and biases of its perceptron get a posterior. The draws are made once,
at fit, so that a row's prediction never depends on the rows beside it.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.flatten_util import ravel_pytree

from taylor_sensus.baselines.calibration import std_factor
from taylor_sensus.baselines.face import Moments, Scaled
from taylor_sensus.baselines.networks import NeuralBaseline, Pilot, Prepared, in_chunks, prepare
from taylor_sensus.fit.padding import batch_rows
from taylor_sensus.model.networks import Dense, MeanNetwork, Perceptron

KL_WEIGHT = 0.1
"""What the divergence from the prior counts beside the likelihood in the variational methods.

With 1, the textbook's, independent Gaussians over 42,000 weights and a few hundred rows fall back to the prior: of 1,
0.3, 0.1 and 0.03, validation rows of concrete, diabetes and steels all preferred 0.1 (2 splits; forest fires did not
care), with squared errors of 56.5, 30.2, 22.8 and 23.6 on concrete. Compared with BBP only; BNN-ELBO takes it over.
"""


class Draws(NamedTuple):
    """Samples of a posterior in scaled units."""

    weights: Any
    """`(draws, weights)`"""
    noise_variance: Any


class Schedule(NamedTuple):
    """Length of an optimisation or a chain; only `batch` is a shape."""

    batch: int
    steps: int


def as_vector(perceptron: Perceptron) -> Array:
    """All weights and biases, one after another."""
    return ravel_pytree(perceptron)[0]


def as_perceptron(vector: Array, like: Perceptron) -> Perceptron:
    """The perceptron with these weights and the sizes of another."""
    leaves, structure = jax.tree.flatten(like)
    ends = np.cumsum([np.size(leaf) for leaf in leaves])[:-1]
    parts = jnp.split(vector, ends)
    return jax.tree.unflatten(structure, [p.reshape(np.shape(leaf)) for p, leaf in zip(parts, leaves, strict=True)])


LOG_RANGE = 1.0
"""Log standard deviations of the noise stay within this of their overall level."""


def with_noise_output(perceptron: Perceptron) -> Perceptron:
    """The same perceptron with a second output of 0: how the noise of a row differs from the overall level."""
    *hidden, last = perceptron.layers
    wide = Dense(np.pad(last.weight, ((0, 0), (0, 1))), np.pad(last.bias, (0, 1)))
    return Perceptron((*hidden, wide), perceptron.activation)


def mean_and_log_noise(perceptron: Perceptron, features: Array) -> tuple[Array, Array]:
    """Of each row; the second, relative to the overall level, is 0 if the perceptron has one output."""
    outputs = jax.vmap(perceptron)(features)
    return outputs[:, 0], LOG_RANGE * jnp.tanh(outputs[:, 1:].sum(axis=1) / LOG_RANGE)


@jax.jit
def drawn_moments(embedding: Any, like: Perceptron, weights: Array, x: Array) -> tuple[Array, Array, Array]:
    """Mean and variance over the draws for each row, and its noise variance relative to the overall level."""
    features = jax.vmap(embedding)(x)

    def one_draw(vector: Array) -> tuple[Array, Array]:
        mean, log_noise = mean_and_log_noise(as_perceptron(vector, like), features)
        return mean, jnp.exp(2 * log_noise)

    means, noises = jax.lax.map(one_draw, weights)
    return means.mean(axis=0), means.var(axis=0), noises.mean(axis=0)


@jax.jit
def _embed(embedding: Any, x: Array) -> Array:
    return jax.vmap(embedding)(x)


@partial(jax.jit, static_argnames="batch")
def draw_batch(key: Array, rows: Any, count: Array, batch: int) -> Any:
    """Rows drawn evenly with replacement from the first `count`, so padding is never drawn."""
    chosen = jax.random.randint(key, (batch,), 0, count)
    return jax.tree.map(lambda a: a[chosen], rows)


class BayesianBaseline(NeuralBaseline):
    """A posterior over the perceptron's weights. A method says how to draw from it."""

    noise_by_row: ClassVar[bool] = True
    """Whether a second output of the perceptron says how a row's noise differs from the overall level."""

    @abstractmethod
    def _draw(self, pilot: Pilot, prepared: Prepared, seed: int) -> Draws:
        """Draws of the weights; the features of `prepared` are already embedded."""

    def _fit(self, rows: Scaled, seed: int) -> None:
        prepared = prepare(rows)
        pilot = self.pilot(prepared, seed)
        features = _embed(pilot.network.embedding, prepared.rows.x)
        prepared = prepared._replace(rows=prepared.rows._replace(x=features))
        if self.noise_by_row:
            pilot = pilot._replace(
                network=MeanNetwork(pilot.network.embedding, with_noise_output(pilot.network.perceptron))
            )
        draws = jax.device_get(self._draw(pilot, prepared, seed))
        self.network_ = pilot.network
        self.weights_ = np.asarray(draws.weights)
        self.noise_variance_ = float(draws.noise_variance)
        self.factor_ = 1.0
        predicted = self._predict(rows.x_val)
        self.factor_ = std_factor(
            rows.y_val - predicted.mean, np.sqrt(predicted.noise_variance + predicted.mean_variance)
        )

    def _predict(self, x: np.ndarray) -> Moments:
        network = self.network_
        mean, mean_variance, noise = in_chunks(
            drawn_moments, x, self.n_jobs, network.embedding, network.perceptron, self.weights_
        )
        square = self.factor_**2
        return Moments(mean, square * self.noise_variance_ * noise, square * mean_variance)

    def _schedule(self, prepared: Prepared, epochs: float) -> Schedule:
        """So many passes over the training rows, at most as many steps as TSNet's own runs take."""
        settings = self.settings()
        batch = batch_rows(settings.batch_size, len(prepared.rows.x))
        return Schedule(batch, max(1, min(round(epochs * prepared.train / batch), settings.most_steps)))
