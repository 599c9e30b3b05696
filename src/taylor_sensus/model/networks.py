"""The bricks: embeddings of a row, multilayer perceptrons, variances that cannot explode.

Everything here is twice differentiable, because the Deep Taylor Block differentiates the mean network
once in the forward pass and training differentiates it again.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from math import factorial
from typing import TYPE_CHECKING, Any

import numpy as np

from taylor_sensus.model.module import Later, Module, static
from taylor_sensus.model.shapes import AnyArray, Float, Shaped
from taylor_sensus.model.squash import squash

if TYPE_CHECKING:
    import equinox as eqx
    import jax
    import jax.numpy as jnp
else:
    eqx, jax, jnp = Later("equinox"), Later("jax"), Later("jax.numpy")

ACTIVATIONS = {
    "mish": lambda z: jax.nn.mish(z),
    "silu": lambda z: jax.nn.silu(z),
    "tanh": lambda z: jnp.tanh(z),
    "sigmoid": lambda z: jax.nn.sigmoid(z),
}
GAINS = {"sigmoid": np.float32(4)}
"""Initial weights are larger where the activation is flat: a sigmoid's slope is at most a quarter."""


class Constant(Module):
    """An array that belongs to a network but is not trained."""

    value: Shaped[AnyArray, " ..."]


def trainable(tree: Any) -> tuple[Any, Any]:
    """Split a network into its trained weights and everything else; `equinox.combine` joins them again."""

    def fixed(node) -> bool:
        return isinstance(node, Constant)

    return eqx.partition(tree, lambda leaf: not fixed(leaf), is_leaf=fixed)


WAVE = [(-1) ** k * (2 * np.pi) ** (2 * k) / factorial(2 * k) for k in range(9)]


def wave(turns: Float[AnyArray, "*shape"]) -> Float[AnyArray, "*shape"]:
    """cos(2 pi t), to seven digits, by its series after whole turns are taken off: several times faster than `cos`."""
    part = turns - jnp.round(turns)
    squared = part * part
    value = jnp.full_like(part, WAVE[-1])
    for coefficient in WAVE[-2::-1]:
        value = coefficient + squared * value
    return value


class Dense(Module):
    """A linear layer in neural-tangent form: weights of unit size, divided by the root of the fan-in."""

    weight: Float[AnyArray, "inputs outputs"]
    bias: Float[AnyArray, " outputs"]
    fan_in: Constant | None = None
    """Inputs that count, where others are only padding."""

    def __call__(self, h: Float[AnyArray, " inputs"]) -> Float[AnyArray, " outputs"]:
        root = np.sqrt(self.weight.shape[0]) if self.fan_in is None else jnp.sqrt(self.fan_in.value)
        return h @ self.weight / root + self.bias


class Perceptron(Module):
    """A multilayer perceptron with a smooth activation. `masks` are dropout masks, one a hidden layer."""

    layers: tuple[Dense, ...]
    activation: str = static()

    @classmethod
    def initial(cls, rng: np.random.Generator, sizes: Sequence[int], activation: str) -> Perceptron:
        """Random hidden layers and a zero output layer, so that a new network says nothing yet."""
        gain = GAINS.get(activation, np.float32(1))
        layers = [
            Dense(
                gain * rng.standard_normal((into, out)).astype(np.float32),
                rng.standard_normal(out).astype(np.float32) * np.float32(0.5),
            )
            for into, out in itertools.pairwise(sizes[:-1])
        ]
        layers.append(Dense(np.zeros(sizes[-2:], np.float32), np.zeros(sizes[-1], np.float32)))
        return cls(tuple(layers), activation)

    def __call__(
        self, h: Float[AnyArray, " inputs"], masks: Sequence[Float[AnyArray, " _"]] | None = None
    ) -> Float[AnyArray, " outputs"]:
        activation = ACTIVATIONS[self.activation]
        for depth, layer in enumerate(self.layers[:-1]):
            h = activation(layer(h))
            if masks is not None:
                h = h * masks[depth]
        return self.layers[-1](h)


class PlainEmbedding(Module):
    """The scaled row itself, levelling off at ±`limit`."""

    limit: float = static(default=np.inf)

    def __call__(self, x: Float[AnyArray, " features"]) -> Float[AnyArray, " features"]:
        return squash(x, self.limit)

    def size(self, features: int) -> int:
        return features


class PeriodicEmbedding(Module):
    """A learned gain a feature, a smooth clip, and learned waves beside the plain value."""

    gain: Float[AnyArray, " features"]
    frequency: Float[AnyArray, "features waves"]
    phase: Float[AnyArray, "features waves"]
    used: Constant | None = None
    """1 for each feature, 0 where it is only padding."""

    @classmethod
    def initial(cls, rng: np.random.Generator, features: int, waves: int, scale: float) -> PeriodicEmbedding:
        return cls(
            np.ones(features, np.float32),
            (scale * rng.standard_normal((features, waves))).astype(np.float32),
            rng.uniform(-0.5, 0.5, (features, waves)).astype(np.float32),
        )

    def __call__(self, x: Float[AnyArray, " features"]) -> Float[AnyArray, " embedded"]:
        x = squash(self.gain * x)
        waves = wave(self.frequency * x[:, None] + self.phase)
        if self.used is not None:
            waves = waves * self.used.value[:, None]
        return jnp.concatenate([x, waves.ravel()])

    def size(self, features: int) -> int:
        return features * (1 + self.frequency.shape[1])


class PositionalEmbedding(Module):
    """The paper's fixed waves on the raw feature, beside the scaled value."""

    center: Constant
    scale: Constant
    octaves: int = static()

    def __call__(self, x: Float[AnyArray, " features"]) -> Float[AnyArray, " embedded"]:
        """X, sin(2^j pi X), cos(2^j pi X) for j = 0..L (eq. 48)."""
        # DIFF(eq. 48): the waves are of the raw feature as printed, but the plain value beside them is the scaled one,
        # so that its weight does not depend on the user's units.
        raw = x * self.scale.value + self.center.value
        angles = np.pi * 2.0 ** np.arange(self.octaves + 1) * raw[:, None]
        return jnp.concatenate([x, jnp.sin(angles).ravel(), jnp.cos(angles).ravel()])

    def size(self, features: int) -> int:
        return features * (1 + 2 * (self.octaves + 1))


class MeanNetwork(Module):
    """F_mu (eq. 9): the noise-free value of a row."""

    embedding: PlainEmbedding | PeriodicEmbedding | PositionalEmbedding
    perceptron: Perceptron

    def __call__(
        self, x: Float[AnyArray, " features"], masks: Sequence[Float[AnyArray, " _"]] | None = None
    ) -> Float[AnyArray, " targets"]:
        return self.perceptron(self.embedding(x), masks)


class VarianceNetwork(Module):
    """F_Sigma_i or F_Sigma_o (eq. 9): positive variances within a bounded range around an overall level."""

    perceptron: Perceptron
    level: Constant
    """Log-variance that a new network gives everywhere."""
    log_range: float = static()

    def __call__(self, x: Float[AnyArray, " features"]) -> Float[AnyArray, " outputs"]:
        # DIFF(eq. 9): log-variances saturate at ±log_range around the level; the paper only asks for positivity,
        # which lets the variance explode or collapse on interpolated points.
        return jnp.exp(self.level.value + self.log_range * jnp.tanh(self.raw(x) / self.log_range))

    def raw(self, x: Float[AnyArray, " features"]) -> Float[AnyArray, " outputs"]:
        """How far log-variances are from the level, before they saturate."""
        return self.perceptron(squash(x))

    def flattened(self, middle: Float[AnyArray, " outputs"], share: float) -> VarianceNetwork:
        """With only a `share` of its differences from `middle`: 1 changes nothing, 0 is the same noise everywhere."""

        *others, last = self.perceptron.layers
        layer = Dense(share * last.weight, share * last.bias + (1 - share) * middle)
        return replace(self, perceptron=replace(self.perceptron, layers=(*others, layer)))
