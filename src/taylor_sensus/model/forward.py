"""Networks asked with NumPy: values, slopes, variances and densities of many rows at once, with nothing to compile.

The arithmetic is that of `networks`, `taylor_block` and `density`, which training differentiates with JAX; a test holds
the two together. Here a new shape, a forked process or a short command pays for no compiler, and matrix products are
as quick. One member at a time, whose arrays for a block of rows stay in the processor's cache; rows in blocks of one
fixed size, so that a row's answer never depends on its company.

A network is made ready once (`ReadyBlocks`, `ReadyMean`): weights divided by their fan-in, as plain arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

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

ASKED_ROWS = 256
"""Rows that a network is asked of at once: its arrays for them stay in the processor's cache."""
Activation = Callable[..., tuple[Any, Any]]
"""Of an array, and whether slopes are wanted: value and slope."""


class BlockValues(NamedTuple):
    """What Deep Taylor Blocks say of rows; see `TaylorEstimate`, with a first axis for rows and one for members."""

    mean: Float[np.ndarray, "rows members targets"]
    jacobian: Float[np.ndarray, "rows members targets features"]
    input_variance: Float[np.ndarray, "rows members features"]
    system_variance: Float[np.ndarray, "rows members targets"]


class ReadyPerceptron:
    """A perceptron as plain arrays; a column of `h` is a row of the table.

    A last input, which is 1, brings the biases into the matrix products. What can be multiplied beforehand is: a pass
    over the rows takes as long as a sixth of a layer.
    """

    def __init__(self, perceptron: Perceptron, input_slope: Float[np.ndarray, " inputs"] | None = None) -> None:
        """`input_slope` is a factor on the gradient in each input."""
        scale, self.activation = _scale_and_function(perceptron.activation)
        self.weights = [scale * _with_bias(layer) for layer in perceptron.layers]
        self.weights[-1] /= scale
        back = [weight[:, :-1].T.copy("C") for weight in self.weights]
        if input_slope is not None:
            back[0] *= input_slope[:, None]
        *self.back, last = back
        if self.back:  # the way back begins at the slopes of the last hidden layer, one matrix a target
            through = self.back.pop()
            self.begin = [through * column for column in last.T]
        else:
            self.begin = list(last.T[:, :, None])

    def value(
        self, h: Float[np.ndarray, "inputs+1 rows"], *, slopes: bool = False
    ) -> tuple[Float[np.ndarray, "outputs rows"], list[Any]]:
        """Its output, and the slopes of its activations if they are wanted."""
        found = []
        with np.errstate(over="ignore"):  # in a gate, where one over infinity is 0, as it should be
            for weight in self.weights[:-1]:
                z = _with_ones(len(weight), h.shape[1])
                np.matmul(weight, h, out=z[:-1])
                found.append(self.activation(z[:-1], slopes)[1])
                h = z
        return self.weights[-1] @ h, found

    def pulled_back(self, target: int, slopes: list[Float[np.ndarray, "_ rows"]]) -> Float[np.ndarray, " inputs #rows"]:
        """The gradient of one output in the perceptron's input, by going back through the layers."""
        pull: Any = self.begin[target]
        if slopes:
            pull = pull @ slopes[-1]
        for back, slope in zip(self.back[::-1], slopes[-2::-1], strict=True):
            pull *= slope
            pull = back @ pull
        return pull


class ReadyMean:
    """A mean network as plain arrays."""

    def __init__(self, net: MeanNetwork) -> None:
        self.embedded = _ready_embedding(net.embedding)
        self.perceptron = ReadyPerceptron(net.perceptron, self.embedded.input_slope)

    def value(self, x: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, "rows targets"]:
        """F_mu of rows."""
        found = np.empty((len(self.perceptron.weights[-1]), len(x)), np.float32)
        for rows in blocks(len(x), ASKED_ROWS):
            found[:, rows] = self.perceptron.value(self.embedded(_columns(x[rows]))[0])[0]
        return found.T

    def value_and_jacobian(
        self, x: Float[np.ndarray, "rows features"]
    ) -> tuple[Float[np.ndarray, "rows targets"], Float[np.ndarray, "rows targets features"]]:
        """F_mu of rows and its Jacobian."""
        found = [self.of_columns(_columns(x[rows])) for rows in blocks(len(x), ASKED_ROWS)]
        value, jacobian = (np.concatenate(same, axis=-1) for same in zip(*found, strict=True))
        return value.T, np.ascontiguousarray(np.moveaxis(jacobian, -1, 0))

    def of_columns(
        self, x: Float[np.ndarray, "features rows"]
    ) -> tuple[Float[np.ndarray, "targets rows"], Float[np.ndarray, "targets features rows"]]:
        """The same for rows that come as columns, as they go."""
        embedded, back = self.embedded(x)
        value, slopes = self.perceptron.value(embedded, slopes=True)
        inputs = len(embedded) - 1, x.shape[1]
        pulls = [np.broadcast_to(self.perceptron.pulled_back(t, slopes), inputs) for t in range(len(value))]
        return value, np.stack(back(pulls))


class ReadyVariances:
    """One variance network of every member as plain arrays: so small that all are asked at once."""

    def __init__(self, nets: VarianceNetwork) -> None:
        """`nets` are stacked along a first axis."""
        scale, self.activation = _scale_and_function(nets.perceptron.activation)
        self.weights = [scale * _with_bias(layer) for layer in nets.perceptron.layers]
        self.weights[-1] /= scale
        self.log_range = nets.log_range
        self.level = np.asarray(nets.level.value)[..., None]
        self.is_constant = not self.weights[-1][..., :-1].any()

    def __call__(self, squashed: Float[np.ndarray, "features+1 rows"]) -> Float[np.ndarray, "members outputs rows"]:
        """F_Sigma of squashed rows, which come as columns, with ones below."""
        if self.is_constant:  # made flat: the same noise everywhere
            one = self._variance(self.weights[-1][..., -1:].copy())
            return np.broadcast_to(one, (*one.shape[:2], squashed.shape[1]))
        return self._variance(self.raw(squashed))

    def raw(self, h: Float[np.ndarray, "features+1 rows"]) -> Float[np.ndarray, "members outputs rows"]:
        """How far log-variances are from their level, before they saturate."""
        with np.errstate(over="ignore"):  # in a gate, where one over infinity is 0, as it should be
            for weight in self.weights[:-1]:
                z = _with_ones(*weight.shape[:2], h.shape[-1])
                np.matmul(weight, h, out=z[:, :-1])
                self.activation(z[:, :-1], False)
                h = z
        return self.weights[-1] @ h

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
        """All that the blocks say of rows; without `means`, where nobody needs them, these and their slopes are 0.

        Some rows at a time: what is made of them in between stays in the processor's cache.
        """
        rows, features = x.shape
        members, targets = self.system.level.shape[:2]
        made = [
            np.empty(shape, np.float32) if is_asked else _zeros(*shape)
            for shape, is_asked in (
                ((members, targets, rows), means),
                ((members, targets, features, rows), means),
                ((members, features, rows), self.feature is not None),
                ((members, targets, rows), True),
            )
        ]
        mean, jacobian, inputs, system = made
        for some in blocks(rows, ASKED_ROWS):
            columns = _columns(x[some])
            squashed = _above_ones(squash(columns))
            system[..., some] = self.system(squashed)
            if self.feature is not None:
                inputs[..., some] = self.feature(squashed)
            for number, net in enumerate(self.means if means else []):
                mean[number][:, some], jacobian[number][..., some] = net.of_columns(columns)
        return BlockValues(*[np.moveaxis(part, -1, 0) for part in made])


def _zeros(*shape: int) -> Float[np.ndarray, " ..."]:
    """In single precision, one number in memory."""
    return np.broadcast_to(np.float32(0), shape)


def _columns(x: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, "features rows"]:
    """Rows as columns: sums over a feature's waves then run along the rows, which are many."""
    return np.ascontiguousarray(x.T)


def _with_ones(*shape: int) -> Float[np.ndarray, " ..."]:
    """An empty array with one more row, of ones: what is multiplied with the biases."""
    *others, rows, columns = shape
    found = np.empty((*others, rows + 1, columns), np.float32)
    found[..., -1, :] = 1
    return found


def _above_ones(x: Float[np.ndarray, "inputs rows"]) -> Float[np.ndarray, "inputs+1 rows"]:
    found = _with_ones(*x.shape)
    found[:-1] = x
    return found


def mean_of(net: MeanNetwork, x: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, "rows targets"]:
    """F_mu of rows."""
    return ReadyMean(net).value(x)


def variances(net: VarianceNetwork, x: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, "rows outputs"]:
    """F_Sigma of rows."""
    return ReadyVariances(_stack_of_one(net))(_above_ones(squash(_columns(x))))[0].T


def raw_log_variances(net: VarianceNetwork, x: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, "rows outputs"]:
    """How far log-variances are from their level, before they saturate."""
    return ReadyVariances(_stack_of_one(net)).raw(_above_ones(squash(_columns(x))))[0].T


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


def _with_bias(layer: Any) -> Float[np.ndarray, "*members outputs inputs+1"]:
    """Weights divided by their fan-in, turned, with the biases as a last column."""
    fan_in = layer.weight.shape[-2] if layer.fan_in is None else layer.fan_in.value
    weight = np.asarray(layer.weight) / np.sqrt(np.float32(fan_in))
    turned = np.concatenate([np.swapaxes(weight, -1, -2), np.asarray(layer.bias)[..., None]], axis=-1)
    return np.ascontiguousarray(turned)


def _silu_of_twice(half: Float[np.ndarray, "*shape"], slopes: bool) -> tuple[Float[np.ndarray, "*shape"], Any]:
    """z times its logistic function, and its slope, both in half of z: with t = tanh z/2 these are z/2 (1 + t) and
    2 + (1 - t) (value - 1).

    SciPy's logistic function takes three times as long in single precision, and one over an exponential twice.
    """
    t = np.tanh(half)
    slope = half * t
    value = np.add(half, slope, out=half)
    if not slopes:
        return value, None
    np.subtract(value, 1, out=slope)
    slope *= np.subtract(1, t, out=t)
    slope += 2
    return value, slope


def _sigmoid_of_twice(half: Float[np.ndarray, "*shape"], slopes: bool) -> tuple[Float[np.ndarray, "*shape"], Any]:
    value = np.tanh(half, out=half)
    value += 1
    value *= 0.5
    return value, 2 * value * (1 - value) if slopes else None


def _silu(z: Float[np.ndarray, "*shape"], slopes: bool) -> tuple[Float[np.ndarray, "*shape"], Any]:
    return _of_whole(_silu_of_twice, z, slopes)


def _sigmoid(z: Float[np.ndarray, "*shape"], slopes: bool) -> tuple[Float[np.ndarray, "*shape"], Any]:
    return _of_whole(_sigmoid_of_twice, z, slopes)


def _of_whole(
    function: Activation, z: Float[np.ndarray, "*shape"], slopes: bool
) -> tuple[Float[np.ndarray, "*shape"], Any]:
    """In z, of a function in half of it."""
    z *= 0.5
    value, slope = function(z, slopes)
    if slopes:
        slope *= 0.5
    return value, slope


def _tanh(z: Float[np.ndarray, "*shape"], slopes: bool) -> tuple[Float[np.ndarray, "*shape"], Any]:
    value = np.tanh(z, out=z)
    return value, 1 - value**2 if slopes else None


def _mish(z: Float[np.ndarray, "*shape"], slopes: bool) -> tuple[Float[np.ndarray, "*shape"], Any]:
    gate = np.tanh(np.logaddexp(np.float32(0), z))
    slope = gate + z * (1 - gate**2) * (0.5 + 0.5 * np.tanh(0.5 * z)) if slopes else None
    z *= gate
    return z, slope


ACTIVATIONS: dict[str, Activation] = {"silu": _silu, "sigmoid": _sigmoid, "tanh": _tanh, "mish": _mish}
"""Value, in the memory of what they are given, and slope."""
OF_TWICE: dict[str, Activation] = {"silu": _silu_of_twice, "sigmoid": _sigmoid_of_twice}
"""Those that are simpler functions of half of what they are given: weights that are ready have the half in them."""


def _scale_and_function(activation: str) -> tuple[np.float32, Activation]:
    """A factor on weights and biases, and the activation after it."""
    if activation in OF_TWICE:
        return np.float32(0.5), OF_TWICE[activation]
    return np.float32(1), ACTIVATIONS[activation]


Embedded = tuple[
    Float[np.ndarray, "inputs+1 rows"],
    Callable[[list[Float[np.ndarray, "inputs rows"]]], list[Float[np.ndarray, "features rows"]]],
]
"""Embedded rows, as columns, with ones below; and a function, to be called once, that carries gradients, one a target,
back from them to the rows."""


class _Embedding(Protocol):
    """From rows to what a perceptron is given."""

    @property
    def input_slope(self) -> Float[np.ndarray, " inputs"] | None:
        """A factor on the gradient in each input that the way back leaves to the perceptron's weights; None: none."""
        ...

    def __call__(self, x: Float[np.ndarray, "features rows"]) -> Embedded: ...


def _ready_embedding(embedding: Any) -> _Embedding:
    if isinstance(embedding, PeriodicEmbedding):
        return _Periodic(embedding)
    if isinstance(embedding, PositionalEmbedding):
        return _Positional(embedding)
    return _Plain(np.float32(embedding.limit))


class _Plain:
    """The scaled features, levelling off at a limit."""

    input_slope = None

    def __init__(self, limit: np.float32) -> None:
        self.limit = limit

    def __call__(self, x: Float[np.ndarray, "features rows"]) -> Embedded:
        if not np.isfinite(self.limit):
            return _above_ones(x), lambda pulls: pulls
        return _above_ones(squash(x, self.limit)), lambda pulls: [pull * squash_slope(x, self.limit) for pull in pulls]


class _Periodic:
    """Features with their gains, and waves of each, one feature after another."""

    def __init__(self, embedding: PeriodicEmbedding) -> None:
        self.gain = np.asarray(embedding.gain)[:, None]
        turn = np.float32(2 * np.pi)
        angular, phase = turn * np.asarray(embedding.frequency), turn * np.asarray(embedding.phase)
        features, self.waves = angular.shape
        # One product makes all angles, which is quicker than a factor and a sum for each.
        of_each = np.einsum("fw,fg->fwg", angular, np.eye(features, dtype=np.float32)).reshape(-1, features)
        self.angles = np.concatenate([of_each, phase.reshape(-1, 1)], axis=1)
        self.used = None if embedding.used is None else embedding.used.value[:, None, None]
        self.input_slope = np.concatenate([self.gain[:, 0], -(angular * self.gain).ravel()])

    def __call__(self, x: Float[np.ndarray, "features rows"]) -> Embedded:
        scaled, (features, rows) = self.gain * x, x.shape
        clipped = _above_ones(squash(scaled))
        found = _with_ones(features * (1 + self.waves), rows)
        found[:features] = clipped[:-1]
        angle = self.angles @ clipped
        waves = np.cos(angle, out=found[features:-1]).reshape(features, self.waves, rows)
        if self.used is not None:
            waves *= self.used

        def back(pulls: list[Float[np.ndarray, "inputs rows"]]) -> list[Float[np.ndarray, "features rows"]]:
            sines = np.sin(angle, out=angle).reshape(waves.shape)
            slope, found = squash_slope(scaled), []
            for pull in pulls:
                along = np.einsum("fwr,fwr->fr", sines, pull[features:].reshape(waves.shape))
                along += pull[:features]
                along *= slope
                found.append(along)
            return found

        return found, back


class _Positional:
    """The scaled features and fixed waves of the raw ones."""

    input_slope = None

    def __init__(self, embedding: PositionalEmbedding) -> None:
        self.scale, self.center = (np.asarray(part.value)[:, None] for part in (embedding.scale, embedding.center))
        self.octaves = (np.pi * 2.0 ** np.arange(embedding.octaves + 1)).astype(np.float32)[:, None]

    def __call__(self, x: Float[np.ndarray, "features rows"]) -> Embedded:
        angles = self.octaves * (x * self.scale + self.center)[:, None, :]
        sines, cosines = np.sin(angles), np.cos(angles)
        shape = (-1, x.shape[1])

        def along(pull: Float[np.ndarray, "inputs rows"]) -> Float[np.ndarray, "features rows"]:
            plain, rest = pull[: len(x)], pull[len(x) :]
            sine, cosine = (part.reshape(angles.shape) for part in np.split(rest, 2))
            return plain + self.scale * ((sine * cosines - cosine * sines) * self.octaves).sum(axis=1)

        def back(pulls: list[Float[np.ndarray, "inputs rows"]]) -> list[Float[np.ndarray, "features rows"]]:
            return [along(pull) for pull in pulls]

        return _above_ones(np.concatenate([x, sines.reshape(shape), cosines.reshape(shape)])), back
