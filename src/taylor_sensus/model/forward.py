"""Networks asked with NumPy: values, slopes, variances and densities of many rows at once, with nothing to compile.

The arithmetic is that of `networks`, `taylor_block` and `density`, which training differentiates with JAX; a test holds
the two together. Here a new shape, a forked process or a short command pays for no compiler, and matrix products are
as quick. Rows come in blocks of one fixed size, so that a row's answer never depends on its company.

A network is made ready once (`ReadyBlocks`, `ReadyMeans`): weights divided by their fan-in, as plain arrays.
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
from taylor_sensus.rows import blocks

CACHED = 50_000
"""Numbers of a hidden layer, of all members, that are made at once."""


class BlockValues(NamedTuple):
    """What Deep Taylor Blocks say of rows; see `TaylorEstimate`, with a first axis for rows and one for members."""

    mean: Float[np.ndarray, "rows members targets"]
    jacobian: Float[np.ndarray, "rows members targets features"]
    input_variance: Float[np.ndarray, "rows members features"]
    system_variance: Float[np.ndarray, "rows members targets"]


class ReadyPerceptron:
    """The same perceptron of every member as plain arrays; a column of `h` is a row of the table."""

    def __init__(self, perceptrons: Perceptron) -> None:
        """`perceptrons` are stacked along a first axis."""
        layers = perceptrons.layers
        self.weights = [np.ascontiguousarray(np.swapaxes(_weight(layer), -1, -2)) for layer in layers]
        self.turned = [np.ascontiguousarray(np.swapaxes(weight, -1, -2)) for weight in self.weights]
        self.biases = [np.asarray(layer.bias)[..., None] for layer in layers]
        self.activation = ACTIVATIONS[perceptrons.activation]

    def value(
        self, h: Float[np.ndarray, "*members inputs rows"], *, slopes: bool = False
    ) -> tuple[Float[np.ndarray, "members outputs rows"], list[Any]]:
        """Its output, and the slopes of its activations if they are wanted."""
        found = []
        with np.errstate(over="ignore"):  # in a gate, where one over infinity is 0, as it should be
            for weight, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
                z = weight @ h
                z += bias
                h, slope = self.activation(z, slopes)
                found.append(slope)
        return self.weights[-1] @ h + self.biases[-1], found

    def pulled_back(
        self, target: int, slopes: list[Float[np.ndarray, "members _ rows"]]
    ) -> Float[np.ndarray, "members inputs #rows"]:
        """The gradient of one output in the perceptron's input, by going back through the layers."""
        pull: Any = self.turned[-1][..., target, None]
        for weight, slope in zip(self.turned[-2::-1], slopes[::-1], strict=True):
            pull = weight @ (slope * pull)
        return pull


class ReadyMeans:
    """The mean networks of all members as plain arrays.

    They are asked together, a few rows at a time: their arrays then stay in the processor's cache, and each operation
    is long enough for threads not to wait for each other.
    """

    def __init__(self, nets: MeanNetwork) -> None:
        """`nets` are stacked along a first axis."""
        self.embedded, self.perceptron = _ready_embedding(nets.embedding), ReadyPerceptron(nets.perceptron)
        members, width = self.perceptron.weights[0].shape[:2]
        self.members, self.rows = members, 1 << int(np.clip(np.log2(CACHED / (members * width)), 5, 8))

    def value(self, x: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, "rows members targets"]:
        """F_mu of rows."""
        found = [self.perceptron.value(self.embedded(_columns(x[some]))[0])[0] for some in blocks(len(x), self.rows)]
        return np.concatenate([np.moveaxis(part, 2, 0) for part in found])

    def value_and_jacobian(
        self, x: Float[np.ndarray, "rows features"]
    ) -> tuple[Float[np.ndarray, "rows members targets"], Float[np.ndarray, "rows members targets features"]]:
        """F_mu of rows and its Jacobian."""
        targets = self.perceptron.weights[-1].shape[1]
        mean = np.empty((len(x), self.members, targets), np.float32)
        jacobian = np.empty((*mean.shape, x.shape[1]), np.float32)
        for some in blocks(len(x), self.rows):
            embedded, back = self.embedded(_columns(x[some]))
            value, slopes = self.perceptron.value(embedded, slopes=True)
            mean[some] = np.moveaxis(value, 2, 0)
            for target in range(targets):
                pull = self.perceptron.pulled_back(target, slopes)
                shape = (self.members, *embedded.shape[-2:])
                jacobian[some, :, target] = np.moveaxis(back(np.broadcast_to(pull, shape)), 2, 0)
        return mean, jacobian


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

    def __init__(self, stack: DeepTaylorBlock) -> None:
        """`stack` has a first axis for members."""
        feature, members = stack.feature_noise_net, len(stack.system_noise_net.level.value)
        self.means, self.members = ReadyMeans(stack.mean_net), members
        self.feature = ReadyVariances(feature) if isinstance(feature, VarianceNetwork) else None
        self.system = ReadyVariances(stack.system_noise_net)

    def __call__(self, x: Float[np.ndarray, "rows features"], *, means: bool = True) -> BlockValues:
        """All that the blocks say of rows; without `means`, where nobody needs them, these and their slopes are 0."""
        squashed, shape = squash(_columns(x)), (len(x), self.members, x.shape[1])
        system = self.system(squashed)
        inputs = _zeros(*shape) if self.feature is None else self.feature(squashed)
        if not means:
            return BlockValues(_zeros(*system.shape), _zeros(*system.shape, x.shape[1]), inputs, system)
        return BlockValues(*self.means.value_and_jacobian(x), inputs, system)


def _zeros(*shape: int) -> Float[np.ndarray, " ..."]:
    """In single precision, one number in memory."""
    return np.broadcast_to(np.float32(0), shape)


def _columns(x: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, "features rows"]:
    """Rows as columns: sums over a feature's waves then run along the rows, which are many."""
    return np.ascontiguousarray(x.T)


def mean_of(net: MeanNetwork, x: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, "rows targets"]:
    """F_mu of rows."""
    return ReadyMeans(stack_of_one(net)).value(x)[:, 0]


def variances(net: VarianceNetwork, x: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, "rows outputs"]:
    """F_Sigma of rows."""
    return ReadyVariances(stack_of_one(net))(squash(_columns(x)))[:, 0]


def raw_log_variances(net: VarianceNetwork, x: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, "rows outputs"]:
    """How far log-variances are from their level, before they saturate."""
    return ReadyVariances(stack_of_one(net)).raw(squash(_columns(x)))[0].T


def stack_of_one(net: Any) -> Any:
    """A network as the stack of one member."""
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
    """Logistic function; SciPy's takes three times as long in single precision."""
    gate = np.negative(z)
    np.exp(gate, out=gate)
    gate += 1
    return np.reciprocal(gate, out=gate)


def _silu(z: Float[np.ndarray, "*shape"], slopes: bool) -> tuple[Float[np.ndarray, "*shape"], Any]:
    gate = _gate(z)
    value = np.multiply(z, gate, out=z)
    if not slopes:
        return value, None
    slope = np.subtract(1, gate)
    slope *= value
    slope += gate
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
    Float[np.ndarray, "*members inputs rows"],
    Callable[[Float[np.ndarray, "members inputs rows"]], Float[np.ndarray, "members features rows"]],
]
"""Embedded rows, as columns, and a function that carries a gradient back from them to the rows; with a first axis for
members where these differ."""


def _ready_embedding(embedding: Any) -> Callable[[Float[np.ndarray, "features rows"]], Embedded]:
    """Of all members, stacked along a first axis."""
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
        self.gain = np.asarray(embedding.gain)[..., None]
        self.angular = np.float32(2 * np.pi) * np.asarray(embedding.frequency)[..., None]
        self.phase = np.float32(2 * np.pi) * np.asarray(embedding.phase)[..., None]
        self.used = None if embedding.used is None else embedding.used.value[..., None, None]

    def __call__(self, x: Float[np.ndarray, "features rows"]) -> Embedded:
        scaled, (features, rows) = self.gain * x, x.shape
        clipped, members, waves = squash(scaled), len(self.gain), self.angular.shape[2]
        found = np.empty((members, features * (1 + waves), rows), np.float32)
        found[:, :features] = clipped
        angle = self.angular * clipped[:, :, None, :]
        angle += self.phase
        wave = np.cos(angle, out=found[:, features:].reshape(angle.shape))
        if self.used is not None:
            wave *= self.used

        def back(pull: Float[np.ndarray, "members inputs rows"]) -> Float[np.ndarray, "members features rows"]:
            slope = np.sin(angle)
            slope *= self.angular
            slope *= pull[:, features:].reshape(angle.shape)
            return (pull[:, :features] - slope.sum(axis=2)) * squash_slope(scaled) * self.gain

        return found, back


class _Positional:
    """The scaled features and fixed waves of the raw ones."""

    def __init__(self, embedding: PositionalEmbedding) -> None:
        self.scale, self.center = (np.asarray(part.value)[..., None] for part in (embedding.scale, embedding.center))
        self.octaves = (np.pi * 2.0 ** np.arange(embedding.octaves + 1)).astype(np.float32)[:, None]

    def __call__(self, x: Float[np.ndarray, "features rows"]) -> Embedded:
        angles = self.octaves * (x * self.scale + self.center)[:, :, None, :]
        sines, cosines, features = np.sin(angles), np.cos(angles), len(x)
        shape = (len(angles), -1, x.shape[1])

        def back(pull: Float[np.ndarray, "members inputs rows"]) -> Float[np.ndarray, "members features rows"]:
            sine, cosine = (part.reshape(angles.shape) for part in np.split(pull[:, features:], 2, axis=1))
            along = ((sine * cosines - cosine * sines) * self.octaves).sum(axis=2)
            return pull[:, :features] + self.scale * along

        plain = np.broadcast_to(x, (len(angles), *x.shape))
        return np.concatenate([plain, sines.reshape(shape), cosines.reshape(shape)], axis=1), back
