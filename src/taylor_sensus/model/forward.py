"""Networks asked with NumPy: values, slopes, variances and densities of many rows at once, with nothing to compile.

The arithmetic is that of `networks`, `taylor_block` and `density`, which training differentiates with JAX; a test holds
the two together. Here a new shape, a forked process or a short command pays for no compiler, and matrix products are
as quick. One member at a time, whose arrays for a block of rows stay in the processor's cache; rows in blocks of one
fixed size, so that a row's answer does not depend on how many there are.

A network is made ready once (`ReadyBlocks`, `ReadyMean`): weights divided by their fan-in, as plain arrays.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import logsumexp

from taylor_sensus.model.activations import scale_and_function
from taylor_sensus.model.density import UNUSED, DensityPerception
from taylor_sensus.model.embedded import above_ones, ready_embedding, with_ones
from taylor_sensus.model.module import mapped
from taylor_sensus.model.networks import MeanNetwork, Perceptron, VarianceNetwork
from taylor_sensus.model.shapes import Float
from taylor_sensus.model.squash import squash
from taylor_sensus.model.taylor_block import DeepTaylorBlock
from taylor_sensus.rows import blocks

ASKED_ROWS = 256
"""Rows that a network is asked of at once: its arrays for them stay in the processor's cache."""


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
        scale, self.activation = scale_and_function(perceptron.activation)
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
        self, h: Float[np.ndarray, "terms rows"], *, slopes: bool = False
    ) -> tuple[Float[np.ndarray, "outputs rows"], list[Any]]:
        """Its output, and the slopes of its activations if they are wanted."""
        found = []
        with np.errstate(over="ignore"):  # in a gate, where one over infinity is 0, as it should be
            for weight in self.weights[:-1]:
                z = with_ones(len(weight), h.shape[1])
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
        self.embedded = ready_embedding(net.embedding)
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
        scale, self.activation = scale_and_function(nets.perceptron.activation)
        self.weights = [scale * _with_bias(layer) for layer in nets.perceptron.layers]
        self.weights[-1] /= scale
        self.log_range = nets.log_range
        self.level = np.asarray(nets.level.value)[..., None]
        self.is_constant = not self.weights[-1][..., :-1].any()

    def __call__(self, squashed: Float[np.ndarray, "terms rows"]) -> Float[np.ndarray, "members outputs rows"]:
        """F_Sigma of squashed rows, which come as columns, with ones below."""
        if self.is_constant:  # made flat: the same noise everywhere
            one = self._variance(self.weights[-1][..., -1:].copy())
            return np.broadcast_to(one, (*one.shape[:2], squashed.shape[1]))
        return self._variance(self.raw(squashed))

    def raw(self, h: Float[np.ndarray, "terms rows"]) -> Float[np.ndarray, "members outputs rows"]:
        """How far log-variances are from their level, before they saturate."""
        with np.errstate(over="ignore"):  # in a gate, where one over infinity is 0, as it should be
            for weight in self.weights[:-1]:
                z = with_ones(*weight.shape[:2], h.shape[-1])
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
            squashed = above_ones(squash(columns))
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


def mean_of(net: MeanNetwork, x: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, "rows targets"]:
    """F_mu of rows."""
    return ReadyMean(net).value(x)


def variances(net: VarianceNetwork, x: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, "rows outputs"]:
    """F_Sigma of rows."""
    return ReadyVariances(_stack_of_one(net))(above_ones(squash(_columns(x))))[0].T


def raw_log_variances(net: VarianceNetwork, x: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, "rows outputs"]:
    """How far log-variances are from their level, before they saturate."""
    return ReadyVariances(_stack_of_one(net)).raw(above_ones(squash(_columns(x))))[0].T


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


def _with_bias(layer: Any) -> Float[np.ndarray, "*members outputs terms"]:
    """Weights divided by their fan-in, turned, with the biases as a last column."""
    fan_in = layer.weight.shape[-2] if layer.fan_in is None else layer.fan_in.value
    weight = np.asarray(layer.weight) / np.sqrt(np.float32(fan_in))
    turned = np.concatenate([np.swapaxes(weight, -1, -2), np.asarray(layer.bias)[..., None]], axis=-1)
    return np.ascontiguousarray(turned)
