"""Networks asked with NumPy: values, slopes, variances and densities of many rows at once, with nothing to compile.

The arithmetic is that of `networks`, `taylor_block` and `density`, which training differentiates with JAX; a test holds
the two together. Here a new shape, a forked process or a short command pays for no compiler, and matrix products are
as quick. One member at a time; rows in blocks of one fixed size, so that a row's answer never depends on its company.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import logsumexp

from taylor_sensus.model.density import UNUSED, DensityPerception
from taylor_sensus.model.networks import (
    MeanNetwork,
    Perceptron,
    PeriodicEmbedding,
    PositionalEmbedding,
    VarianceNetwork,
)
from taylor_sensus.model.squash import squash, squash_slope
from taylor_sensus.model.taylor_block import DeepTaylorBlock


class BlockValues(NamedTuple):
    """What a Deep Taylor Block says of rows; see `TaylorEstimate`, with a first axis for rows."""

    mean: np.ndarray
    jacobian: np.ndarray
    input_variance: np.ndarray
    system_variance: np.ndarray


def block_values(block: DeepTaylorBlock, x: np.ndarray) -> BlockValues:
    """All that the block says of rows."""
    mean, jacobian = mean_and_jacobian(block.mean_net, x)
    feature_net = block.feature_noise_net
    inputs = variances(feature_net, x) if isinstance(feature_net, VarianceNetwork) else np.zeros_like(x)
    return BlockValues(mean, jacobian, inputs, variances(block.system_noise_net, x))


def mean_of(net: MeanNetwork, x: np.ndarray) -> np.ndarray:
    """F_mu of rows, `(rows, targets)`."""
    return _hidden(net.perceptron, _embedded(net.embedding, x)[0], slopes=False)[0]


def mean_and_jacobian(net: MeanNetwork, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """F_mu of rows and its Jacobian, `(rows, targets, features)`, by going back through the layers."""
    embedded, back = _embedded(net.embedding, x)
    value, slopes = _hidden(net.perceptron, embedded, slopes=True)
    layers = net.perceptron.layers
    jacobian = np.empty((len(x), value.shape[1], x.shape[1]), np.float32)
    for target in range(value.shape[1]):
        pull: Any = _weight(layers[-1])[:, target]
        for layer, slope in zip(layers[-2::-1], slopes[::-1], strict=True):
            pull = (slope * pull) @ _weight(layer).T
        jacobian[:, target] = back(np.broadcast_to(pull, embedded.shape))
    return value, jacobian


def variances(net: VarianceNetwork, x: np.ndarray) -> np.ndarray:
    """F_Sigma of rows."""
    raw = raw_log_variances(net, x)
    return np.exp(np.asarray(net.level.value) + net.reach * np.tanh(raw / net.reach))


def raw_log_variances(net: VarianceNetwork, x: np.ndarray) -> np.ndarray:
    """How far log-variances are from their level, before they saturate."""
    return _hidden(net.perceptron, squash(x), slopes=False)[0]


def log_density(perception: DensityPerception, x: np.ndarray, *, leave_out_self: bool = False) -> np.ndarray:
    """F_Attention of scaled rows; see `DensityPerception`."""
    metric = np.exp(np.asarray(perception.log_metric, np.float64))
    query, keys = squash(x.astype(np.float64), tail="root") * metric, np.asarray(perception.landmarks.value) * metric
    length = (query**2).sum(axis=1)
    squared = np.maximum(length[:, None] - 2 * query @ keys.T + (keys**2).sum(axis=1), 0.0)
    scores = perception.bias.value - 0.5 * squared / np.asarray(perception.reach.value) ** 2
    if leave_out_self:
        nearest = squared.argmin(axis=1)
        own = squared[np.arange(len(x)), nearest] < 1e-3 + 2e-6 * length
        scores[np.flatnonzero(own), nearest[own]] = UNUSED
    return logsumexp(scores, axis=1)


def _weight(layer: Any) -> np.ndarray:
    fan_in = layer.weight.shape[0] if layer.fan_in is None else layer.fan_in.value
    return np.asarray(layer.weight) / np.sqrt(np.float32(fan_in))


def _hidden(perceptron: Perceptron, h: np.ndarray, *, slopes: bool) -> tuple[np.ndarray, list[np.ndarray]]:
    """The perceptron's output, and the slopes of its activations if they are wanted."""
    activation, found = ACTIVATIONS[perceptron.activation], []
    for layer in perceptron.layers[:-1]:
        h, slope = activation(h @ _weight(layer) + layer.bias, slopes)
        found.append(slope)
    last = perceptron.layers[-1]
    return h @ _weight(last) + last.bias, found


def _gate(z: np.ndarray) -> np.ndarray:
    """Logistic function; SciPy's takes three times as long in single precision."""
    with np.errstate(over="ignore"):  # one over infinity is 0, as it should be
        gate = np.exp(-z)
        gate += 1
        return np.reciprocal(gate, out=gate)


def _silu(z: np.ndarray, slopes: bool) -> tuple[np.ndarray, Any]:
    gate = _gate(z)
    value = z * gate
    return value, gate + value * (1 - gate) if slopes else None


def _sigmoid(z: np.ndarray, slopes: bool) -> tuple[np.ndarray, Any]:
    value = _gate(z)
    return value, value * (1 - value) if slopes else None


def _tanh(z: np.ndarray, slopes: bool) -> tuple[np.ndarray, Any]:
    value = np.tanh(z)
    return value, 1 - value**2 if slopes else None


def _mish(z: np.ndarray, slopes: bool) -> tuple[np.ndarray, Any]:
    gate = np.tanh(np.logaddexp(np.float32(0), z))
    return z * gate, gate + z * (1 - gate**2) * _gate(z) if slopes else None


ACTIVATIONS = {"silu": _silu, "sigmoid": _sigmoid, "tanh": _tanh, "mish": _mish}
"""Value and slope."""


def _embedded(embedding: Any, x: np.ndarray) -> tuple[np.ndarray, Any]:
    """Embedded rows, and a function that carries a gradient back from them to the rows."""
    if isinstance(embedding, PeriodicEmbedding):
        gain, frequency = np.asarray(embedding.gain), np.asarray(embedding.frequency)
        clipped = squash(gain * x)
        turns = frequency * clipped[:, :, None] + embedding.phase
        angle = np.float32(2 * np.pi) * (turns - np.round(turns))
        waves = np.cos(angle)
        if embedding.used is not None:
            waves = waves * embedding.used.value[:, None]

        def back(pull: np.ndarray) -> np.ndarray:
            plain, waved = pull[:, : x.shape[1]], pull[:, x.shape[1] :].reshape(waves.shape)
            slope = (waved * np.sin(angle) * (np.float32(-2 * np.pi) * frequency)).sum(axis=2)
            return (plain + slope) * squash_slope(gain * x) * gain

        return np.concatenate([clipped, waves.reshape(len(x), -1)], axis=1), back
    if isinstance(embedding, PositionalEmbedding):
        scale = np.asarray(embedding.scale.value)
        raw = x * scale + embedding.center.value
        octaves = (np.pi * 2.0 ** np.arange(embedding.octaves + 1)).astype(np.float32)
        angles = octaves * raw[:, :, None]
        sines, cosines = np.sin(angles), np.cos(angles)

        def back_from_octaves(pull: np.ndarray) -> np.ndarray:
            plain, rest = pull[:, : x.shape[1]], pull[:, x.shape[1] :]
            sine, cosine = (part.reshape(angles.shape) for part in np.split(rest, 2, axis=1))
            return plain + scale * ((sine * cosines - cosine * sines) * octaves).sum(axis=2)

        parts = [x, sines.reshape(len(x), -1), cosines.reshape(len(x), -1)]
        return np.concatenate(parts, axis=1), back_from_octaves
    limit = embedding.limit
    if not np.isfinite(limit):
        return x, lambda pull: pull
    return squash(x, np.float32(limit)), lambda pull: pull * squash_slope(x, np.float32(limit))
