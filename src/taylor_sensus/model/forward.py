"""Networks asked with NumPy: values, slopes, variances and densities of many rows at once, with nothing to compile.

The arithmetic is that of `networks`, `taylor_block` and `density`, which training differentiates with JAX; a test holds
the two together. Here a new shape, a forked process or a short command pays for no compiler, and matrix products are
as quick. One member at a time, whose arrays for a block of rows stay in the processor's cache; rows in blocks of one
fixed size, so that a row's answer never depends on its company.

A network is made ready once (`ReadyBlocks`, `ReadyMean`): weights divided by their fan-in, as plain arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import logsumexp

from taylor_sensus.model.density import UNUSED, DensityPerception
from taylor_sensus.model.module import mapped
from taylor_sensus.model.networks import (
    MeanNetwork,
    Perceptron,
    PeriodicEmbedding,
    PositionalEmbedding,
    VarianceNetwork,
)
from taylor_sensus.model.shapes import Float
from taylor_sensus.model.squash import squash, squash_slope
from taylor_sensus.model.taylor_block import DeepTaylorBlock


class BlockValues(NamedTuple):
    """What Deep Taylor Blocks say of rows; see `TaylorEstimate`, with a first axis for rows and one for members."""

    mean: Float[np.ndarray, "rows members targets"]
    jacobian: Float[np.ndarray, "rows members targets features"]
    input_variance: Float[np.ndarray, "rows members features"]
    system_variance: Float[np.ndarray, "rows members targets"]


class ReadyPerceptron:
    """A perceptron as plain arrays; a column of `h` is a row of the table."""

    def __init__(self, perceptron: Perceptron) -> None:
        self.weights = [np.ascontiguousarray(_weight(layer).T) for layer in perceptron.layers]
        self.biases = [np.asarray(layer.bias)[:, None] for layer in perceptron.layers]
        self.activation = ACTIVATIONS[perceptron.activation]

    def value(
        self, h: Float[np.ndarray, "inputs rows"], *, slopes: bool = False
    ) -> tuple[Float[np.ndarray, "outputs rows"], list[Any]]:
        """Its output, and the slopes of its activations if they are wanted."""
        found = []
        with np.errstate(over="ignore"):  # in a gate, where one over infinity is 0, as it should be
            for weight, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
                z = weight @ h
                z += bias
                h, slope = self.activation(z, slopes)
                found.append(slope)
        return self.weights[-1] @ h + self.biases[-1], found

    def pulled_back(self, target: int, slopes: list[Float[np.ndarray, "_ rows"]]) -> Float[np.ndarray, " inputs #rows"]:
        """The gradient of one output in the perceptron's input, by going back through the layers."""
        pull: Any = self.weights[-1][target][:, None]
        for weight, slope in zip(self.weights[-2::-1], slopes[::-1], strict=True):
            pull = weight.T @ (slope * pull)
        return pull


class ReadyMean:
    """A mean network as plain arrays."""

    def __init__(self, net: MeanNetwork) -> None:
        self.embedded, self.perceptron = _ready_embedding(net.embedding), ReadyPerceptron(net.perceptron)

    def value(self, x: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, "rows targets"]:
        """F_mu of rows."""
        return self.perceptron.value(self.embedded(_columns(x))[0])[0].T

    def value_and_jacobian(
        self, x: Float[np.ndarray, "rows features"]
    ) -> tuple[Float[np.ndarray, "rows targets"], Float[np.ndarray, "rows targets features"]]:
        """F_mu of rows and its Jacobian."""
        embedded, back = self.embedded(_columns(x))
        value, slopes = self.perceptron.value(embedded, slopes=True)
        jacobian = np.empty((len(x), len(value), x.shape[1]), np.float32)
        for target in range(len(value)):
            pull = self.perceptron.pulled_back(target, slopes)
            jacobian[:, target] = back(np.broadcast_to(pull, embedded.shape)).T
        return value.T, jacobian


class ReadyVariances:
    """One variance network of every member as plain arrays: so small that all are asked at once."""

    def __init__(self, nets: VarianceNetwork) -> None:
        """`nets` are stacked along a first axis."""
        layers = nets.perceptron.layers
        self.weights = [np.ascontiguousarray(np.swapaxes(_weight(layer), -1, -2)) for layer in layers]
        self.biases = [np.asarray(layer.bias)[..., None] for layer in layers]
        self.activation, self.log_range = ACTIVATIONS[nets.perceptron.activation], nets.log_range
        self.level = np.asarray(nets.level.value)[..., None]
        self.is_constant = not self.weights[-1].any()

    def __call__(self, squashed: Float[np.ndarray, "features rows"]) -> Float[np.ndarray, "rows members outputs"]:
        """F_Sigma of squashed rows, which come as columns."""
        if self.is_constant:  # made flat: the same noise everywhere
            one = self._variance(np.array(self.biases[-1]))[:, :, 0]
            return np.broadcast_to(one, (squashed.shape[1], *one.shape))
        return np.moveaxis(self._variance(self.raw(squashed)), 2, 0)

    def raw(self, h: Float[np.ndarray, "features rows"]) -> Float[np.ndarray, "members outputs rows"]:
        """How far log-variances are from their level, before they saturate."""
        first, rows = self.weights[0], h.shape[1]
        z = (first.reshape(-1, first.shape[-1]) @ h).reshape(*first.shape[:2], rows)
        with np.errstate(over="ignore"):  # in a gate, where one over infinity is 0, as it should be
            for weight, bias in zip(self.weights[1:], self.biases, strict=False):
                z += bias
                z = weight @ self.activation(z, False)[0]
        z += self.biases[-1]
        return z

    def _variance(self, raw: Float[np.ndarray, "members outputs rows"]) -> Float[np.ndarray, "members outputs rows"]:
        raw /= self.log_range
        np.tanh(raw, out=raw)
        raw *= self.log_range
        raw += self.level
        return np.exp(raw, out=raw)


class ReadyBlocks:
    """The Deep Taylor Blocks of all members as plain arrays."""

    def __init__(self, blocks: DeepTaylorBlock) -> None:
        """`blocks` are stacked along a first axis."""
        feature, members = blocks.feature_noise_net, len(blocks.system_noise_net.level.value)
        self.means = [ReadyMean(mapped(lambda a, m=m: a[m], blocks.mean_net)) for m in range(members)]
        self.feature = ReadyVariances(feature) if isinstance(feature, VarianceNetwork) else None
        self.system = ReadyVariances(blocks.system_noise_net)

    def __call__(self, x: Float[np.ndarray, "rows features"], *, means: bool = True) -> BlockValues:
        """All that the blocks say of rows; without `means`, where nobody needs them, these and their slopes are 0."""
        squashed, shape = squash(_columns(x)), (len(x), len(self.means), x.shape[1])
        system = self.system(squashed)
        inputs = _zeros(*shape) if self.feature is None else self.feature(squashed)
        if not means:
            return BlockValues(_zeros(*system.shape), _zeros(*system.shape, x.shape[1]), inputs, system)
        found = [net.value_and_jacobian(x) for net in self.means]
        mean, jacobian = (np.stack(same, axis=1) for same in zip(*found, strict=True))
        return BlockValues(mean, jacobian, inputs, system)


def _zeros(*shape: int) -> Float[np.ndarray, " ..."]:
    """In single precision, one number in memory."""
    return np.broadcast_to(np.float32(0), shape)


def _columns(x: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, "features rows"]:
    """Rows as columns: sums over a feature's waves then run along the rows, which are many."""
    return np.ascontiguousarray(x.T)


def mean_of(net: MeanNetwork, x: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, "rows targets"]:
    """F_mu of rows."""
    return ReadyMean(net).value(x)


def variances(net: VarianceNetwork, x: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, "rows outputs"]:
    """F_Sigma of rows."""
    return ReadyVariances(_stack_of_one(net))(squash(_columns(x)))[:, 0]


def raw_log_variances(net: VarianceNetwork, x: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, "rows outputs"]:
    """How far log-variances are from their level, before they saturate."""
    return ReadyVariances(_stack_of_one(net)).raw(squash(_columns(x)))[0].T


def _stack_of_one(net: Any) -> Any:
    return mapped(lambda leaf: np.asarray(leaf)[None], net)


def log_density(
    perception: DensityPerception, x: Float[np.ndarray, "rows features"], *, leave_out_self: bool = False
) -> Float[np.ndarray, " rows"]:
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


def _weight(layer: Any) -> Float[np.ndarray, "*members inputs outputs"]:
    fan_in = layer.weight.shape[-2] if layer.fan_in is None else layer.fan_in.value
    return np.asarray(layer.weight) / np.sqrt(np.float32(fan_in))


def _gate(z: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
    """Logistic function; SciPy's takes three times as long in single precision, and one over an exponential twice."""
    gate = np.multiply(z, 0.5)
    np.tanh(gate, out=gate)
    gate += 1
    gate *= 0.5
    return gate


def _silu(z: Float[np.ndarray, "*shape"], slopes: bool) -> tuple[Float[np.ndarray, "*shape"], Any]:
    """z times its logistic function: z/2 (1 + t) with t = tanh z/2, and its slope 1 + (1 - t) (value - 1) / 2."""
    z *= 0.5
    t = np.tanh(z)
    value = z * t
    value += z
    if not slopes:
        return value, None
    slope = np.subtract(value, 1, out=z)
    t -= 1
    slope *= t
    slope *= -0.5
    slope += 1
    return value, slope


def _sigmoid(z: Float[np.ndarray, "*shape"], slopes: bool) -> tuple[Float[np.ndarray, "*shape"], Any]:
    value = _gate(z)
    return value, value * (1 - value) if slopes else None


def _tanh(z: Float[np.ndarray, "*shape"], slopes: bool) -> tuple[Float[np.ndarray, "*shape"], Any]:
    value = np.tanh(z)
    return value, 1 - value**2 if slopes else None


def _mish(z: Float[np.ndarray, "*shape"], slopes: bool) -> tuple[Float[np.ndarray, "*shape"], Any]:
    gate = np.tanh(np.logaddexp(np.float32(0), z))
    return z * gate, gate + z * (1 - gate**2) * _gate(z) if slopes else None


ACTIVATIONS = {"silu": _silu, "sigmoid": _sigmoid, "tanh": _tanh, "mish": _mish}
"""Value and slope."""

Embedded = tuple[
    Float[np.ndarray, "inputs rows"], Callable[[Float[np.ndarray, "inputs rows"]], Float[np.ndarray, "features rows"]]
]
"""Embedded rows, as columns, and a function that carries a gradient back from them to the rows."""


def _ready_embedding(embedding: Any) -> Callable[[Float[np.ndarray, "features rows"]], Embedded]:
    if isinstance(embedding, PeriodicEmbedding):
        return _Periodic(embedding)
    if isinstance(embedding, PositionalEmbedding):
        return _Positional(embedding)
    return _Plain(np.float32(embedding.limit))


class _Plain:
    """The scaled features, levelling off at a limit."""

    def __init__(self, limit: np.float32) -> None:
        self.limit = limit

    def __call__(self, x: Float[np.ndarray, "features rows"]) -> Embedded:
        if not np.isfinite(self.limit):
            return x, lambda pull: pull
        return squash(x, self.limit), lambda pull: pull * squash_slope(x, self.limit)


class _Periodic:
    """Features with their gains, and waves of each, one feature after another."""

    def __init__(self, embedding: PeriodicEmbedding) -> None:
        self.gain = np.asarray(embedding.gain)[:, None]
        self.angular = np.float32(2 * np.pi) * np.asarray(embedding.frequency)[:, :, None]
        self.phase = np.float32(2 * np.pi) * np.asarray(embedding.phase)[:, :, None]
        self.used = None if embedding.used is None else embedding.used.value[:, None, None]

    def __call__(self, x: Float[np.ndarray, "features rows"]) -> Embedded:
        scaled, features, rows = self.gain * x, len(x), x.shape[1]
        clipped = squash(scaled)
        found = np.empty((features * (1 + self.angular.shape[1]), rows), np.float32)
        found[:features] = clipped
        angle = self.angular * clipped[:, None, :]
        angle += self.phase
        waves = np.cos(angle, out=found[features:].reshape(angle.shape))
        if self.used is not None:
            waves *= self.used

        def back(pull: Float[np.ndarray, "inputs rows"]) -> Float[np.ndarray, "features rows"]:
            slope = np.sin(angle)
            slope *= self.angular
            slope *= pull[features:].reshape(angle.shape)
            return (pull[:features] - slope.sum(axis=1)) * squash_slope(scaled) * self.gain

        return found, back


class _Positional:
    """The scaled features and fixed waves of the raw ones."""

    def __init__(self, embedding: PositionalEmbedding) -> None:
        self.scale, self.center = (np.asarray(part.value)[:, None] for part in (embedding.scale, embedding.center))
        self.octaves = (np.pi * 2.0 ** np.arange(embedding.octaves + 1)).astype(np.float32)[:, None]

    def __call__(self, x: Float[np.ndarray, "features rows"]) -> Embedded:
        angles = self.octaves * (x * self.scale + self.center)[:, None, :]
        sines, cosines = np.sin(angles), np.cos(angles)
        shape = (-1, x.shape[1])

        def back(pull: Float[np.ndarray, "inputs rows"]) -> Float[np.ndarray, "features rows"]:
            plain, rest = pull[: len(x)], pull[len(x) :]
            sine, cosine = (part.reshape(angles.shape) for part in np.split(rest, 2))
            return plain + self.scale * ((sine * cosines - cosine * sines) * self.octaves).sum(axis=1)

        return np.concatenate([x, sines.reshape(shape), cosines.reshape(shape)]), back
