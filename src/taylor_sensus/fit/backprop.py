"""The default's two training steps written out with NumPy: loss, gradient and Adam, with nothing to compile.

The arithmetic is that of `networks` and `objectives`, which JAX differentiates for every other way of training; a test
holds the two together. A step takes a little longer than a compiled one, but a first fit does not wait for a compiler,
nor does one with another number of columns or rows.

All weights of a network lie in one vector, so that Adam is a handful of operations; layers are views of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from taylor_sensus.fit.objectives import NoiseRows, RunOptions, Stage, mean_loss, noise_loss
from taylor_sensus.model.activations import ACTIVATIONS
from taylor_sensus.model.networks import (
    Dense,
    MeanNetwork,
    Perceptron,
    PeriodicEmbedding,
    PlainEmbedding,
    VarianceNetwork,
)
from taylor_sensus.model.shapes import Float, Int, Shaped
from taylor_sensus.model.squash import squash, squash_slope
from taylor_sensus.model.taylor_block import NoFeatureNoise

DECAY, SQUARE_DECAY, EPSILON = 0.9, 0.95, 1e-8
"""Adam's, as in `loop.ADAM`."""
TURN = 2 * math.pi


class AdamMoments(NamedTuple):
    """Adam's averages of the gradient and of its square."""

    mean: Float[np.ndarray, " weights"]
    square: Float[np.ndarray, " weights"]


class MeanBatch(NamedTuple):
    """What the mean is trained on; with a first axis for steps, a window."""

    x: Float[np.ndarray, "*steps batch features"]
    y: Float[np.ndarray, "*steps batch targets"]
    weight: Float[np.ndarray, "*steps batch"]


class PlainSteps:
    """Steps of one run on a vector of weights."""

    columns: int | None = None

    def __init__(self, pass_: MeanPass | NoisePass, options: RunOptions) -> None:
        self.pass_, self.options, arrays = pass_, options, pass_.arrays
        self.shapes = [array.shape for array in arrays]
        self.ends = np.cumsum([0, *(array.size for array in arrays)])
        self.is_matrix = np.concatenate([np.full(array.size, array.ndim > 1) for array in arrays])

    def start(self) -> tuple[Float[np.ndarray, " weights"], AdamMoments]:
        """Weights and moments before the first step."""
        weights = np.concatenate([np.ravel(array) for array in self.pass_.arrays]).astype(np.float32)
        return weights, AdamMoments(np.zeros_like(weights), np.zeros_like(weights))

    def views(self, vector: Float[np.ndarray, " weights"]) -> list[Float[np.ndarray, " ..."]]:
        """The arrays as parts of the vector: what is written to one is written there."""
        parts = zip(self.ends[:-1], self.ends[1:], self.shapes, strict=True)
        return [vector[start:end].reshape(shape) for start, end, shape in parts]

    def network(self, weights: Float[np.ndarray, " weights"]) -> Any:
        """With these weights."""
        return self.pass_.network(self.views(weights))

    def gathered(self, rows: Any, picks: Int[np.ndarray, "steps batch"]) -> Any:
        """Only what the pass looks at."""
        names = self.pass_.batch._fields
        return self.pass_.batch(*[np.take(np.asarray(getattr(rows, name)), picks, axis=0) for name in names])

    def run(
        self, weights: Float[np.ndarray, " weights"], moments: AdamMoments, window: Any, count: int, first: int
    ) -> tuple[Float[np.ndarray, " weights"], AdamMoments, float]:
        """`count` steps from `first` on; and the sum of their losses."""
        weights, (mean, square) = weights.copy(), (part.copy() for part in moments)
        gradient, change, total = np.empty_like(weights), np.empty_like(weights), 0.0
        views, slopes, steps = self.views(weights), self.views(gradient), self.options.steps
        window = self.pass_.batch(*[getattr(window, name) for name in self.pass_.batch._fields])
        with np.errstate(all="ignore"):  # a bad batch is skipped
            for number in range(count):
                loss = self.pass_(views, slopes, type(window)(*[part[number] for part in window]))
                total += loss
                if not math.isfinite(loss):
                    gradient[:] = 0
                step = first + number
                done = step / steps
                fade = 0.5 * (1 + math.cos(math.pi * done))
                rate = self.options.learning_rate * min(1.0, (done + 1 / steps) / self.options.warmup) * fade
                if self.options.weight_decay:
                    weights -= (rate * self.options.weight_decay * fade) * (self.is_matrix * weights)
                np.multiply(gradient, 1 - DECAY, out=change)
                mean *= DECAY
                mean += change
                np.multiply(gradient, gradient, out=change)
                change *= 1 - SQUARE_DECAY
                square *= SQUARE_DECAY
                square += change
                np.multiply(square, 1 / (1 - SQUARE_DECAY ** (step + 1)), out=change)
                np.sqrt(change, out=change)
                change += EPSILON
                np.divide(mean, change, out=change)
                change *= rate / (1 - DECAY ** (step + 1))
                weights -= change
        return weights, AdamMoments(mean, square), total


def plain_steps(network: Any, options: RunOptions, stage: Stage) -> PlainSteps | None:
    """For a mean network on squared error alone, or for noise networks; None for everything else."""
    if stage.loss is noise_loss:
        return PlainSteps(NoisePass(network, float(options.weights.log)), options)
    plain = stage.loss is mean_loss and stage.variant.contrast == "off" and not stage.variant.dropout
    if plain and isinstance(network, MeanNetwork) and isinstance(network.embedding, PeriodicEmbedding | PlainEmbedding):
        return PlainSteps(MeanPass(network), options)
    return None


class MeanPass:
    """Squared error of a mean network on a batch, and its gradient."""

    batch = MeanBatch

    def __init__(self, network: MeanNetwork) -> None:
        embedding: Any = network.embedding
        self.embedding = Waves(embedding) if isinstance(embedding, PeriodicEmbedding) else NoWaves(embedding)
        self.layers, self.start = Layers(network.perceptron), network
        self.arrays = [*self.embedding.arrays, *self.layers.arrays]

    def __call__(self, views: list[Any], gradient: list[Any], rows: MeanBatch) -> float:
        own = len(self.embedding.arrays)
        mean = self.layers.forward(views[own:], self.embedding.forward(views[:own], rows.x))
        away = mean - rows.y
        pull = away * (rows.weight / rows.weight.sum())[:, None]
        loss = float(np.vdot(pull, away))
        pull *= 2
        self.embedding.back(self.layers.back(pull, gradient[own:], to_input=own > 0), gradient[:own])
        return loss

    def network(self, views: list[Any]) -> MeanNetwork:
        """With these weights."""
        own = len(self.embedding.arrays)
        embedding = PeriodicEmbedding(*views[:own]) if own else self.start.embedding
        return MeanNetwork(embedding, _with_weights(self.start.perceptron, views[own:]))


class NoisePass:
    """Expected heteroscedastic MSE of noise networks on a batch of unseen residuals, and its gradient."""

    batch = NoiseRows

    def __init__(self, networks: tuple[Any, VarianceNetwork], log_weight: float) -> None:
        feature, system = self.start = networks
        self.log_weight, self.system = log_weight, Layers(system.perceptron)
        self.feature = None if isinstance(feature, NoFeatureNoise) else Layers(feature.perceptron)
        self.own = 0 if self.feature is None else len(self.feature.arrays)
        self.arrays = [*([] if self.feature is None else self.feature.arrays), *self.system.arrays]

    def __call__(self, views: list[Any], gradient: list[Any], rows: NoiseRows) -> float:
        x, slope = squash(rows.x), None
        system, system_slope = _variance(self.start[1], self.system.forward(views[self.own :], x))
        variance = system + rows.known
        if self.feature is not None:
            feature, slope = _variance(self.start[0], self.feature.forward(views[: self.own], x))
            variance += np.einsum("rtf,rf->rt", rows.squared_jacobian, feature)
        share = (rows.weight / rows.weight.sum())[:, None]
        ratio = rows.residual * rows.residual / variance
        loss = float(np.vdot(np.broadcast_to(share, ratio.shape), self.log_weight * np.log(variance) + ratio))
        pull = share * (self.log_weight - ratio) / variance
        self.system.back(pull * system_slope, gradient[self.own :], to_input=False)
        if self.feature is not None:
            along = np.einsum("rt,rtf->rf", pull, rows.squared_jacobian)
            self.feature.back(along * slope, gradient[: self.own], to_input=False)
        return loss

    def network(self, views: list[Any]) -> tuple[Any, VarianceNetwork]:
        """With these weights."""
        feature, system = self.start
        if self.feature is not None:
            feature = replace(feature, perceptron=_with_weights(feature.perceptron, views[: self.own]))
        return feature, replace(system, perceptron=_with_weights(system.perceptron, views[self.own :]))


class Layers:
    """A perceptron forward and back."""

    def __init__(self, perceptron: Perceptron) -> None:
        self.arrays = [array for layer in perceptron.layers for array in (layer.weight, layer.bias)]
        self.activation = ACTIVATIONS[perceptron.activation]
        self.scales = [1 / math.sqrt(layer.weight.shape[0]) for layer in perceptron.layers]

    def forward(self, views: Sequence[Any], h: Float[np.ndarray, "rows inputs"]) -> Float[np.ndarray, "rows outputs"]:
        """Its output; what the way back needs is remembered."""
        self.weights, self.inputs, self.slopes = views[::2], [h], []
        for weight, bias, scale in zip(self.weights, views[1::2], self.scales, strict=True):
            z = self.inputs[-1] @ weight
            z *= scale
            z += bias
            if len(self.inputs) == len(self.scales):
                return z
            h, slope = self.activation(z, True)
            self.inputs.append(h)
            self.slopes.append(slope)
        raise ValueError("a perceptron has at least one layer")

    def back(
        self, pull: Float[np.ndarray, "rows outputs"], gradient: Sequence[Any], *, to_input: bool
    ) -> Float[np.ndarray, "rows inputs"]:
        """Writes the gradient of all weights, given that of the output, and carries it to the input if asked to."""
        for depth in reversed(range(len(self.scales))):
            pull.sum(axis=0, out=gradient[2 * depth + 1])
            pull *= self.scales[depth]
            np.matmul(self.inputs[depth].T, pull, out=gradient[2 * depth])
            if depth or to_input:
                pull = pull @ self.weights[depth].T
            if depth:
                pull *= self.slopes[depth - 1]
        return pull


class Waves:
    """Gains, a smooth clip, and waves; see `PeriodicEmbedding`."""

    def __init__(self, embedding: PeriodicEmbedding) -> None:
        self.arrays = [embedding.gain, embedding.frequency, embedding.phase]

    def forward(self, views: Sequence[Any], x: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, "rows inputs"]:
        """Embedded rows; what the way back needs is remembered."""
        (gain, frequency, phase), (rows, features) = views, x.shape
        self.x, self.scaled, self.frequency = x, gain * x, frequency
        self.clipped = squash(self.scaled)
        self.angle = self.clipped[:, :, None] * frequency
        self.angle += phase
        self.angle *= TURN
        found = np.empty((rows, features * (1 + frequency.shape[1])), np.float32)
        found[:, :features] = self.clipped
        found[:, features:] = np.cos(self.angle).reshape(rows, -1)
        return found

    def back(self, pull: Float[np.ndarray, "rows inputs"], gradient: Sequence[Any]) -> None:
        """Writes the gradient of gains, frequencies and phases, given that of the embedded rows."""
        rows, features = self.x.shape
        of_gain, of_frequency, of_phase = gradient
        slope = np.sin(self.angle, out=self.angle)
        slope *= -TURN
        slope *= pull[:, features:].reshape(slope.shape)
        slope.sum(axis=0, out=of_phase)
        np.einsum("rfw,rf->fw", slope, self.clipped, out=of_frequency)
        slope *= self.frequency
        along = slope.reshape(rows * features, -1) @ np.ones(slope.shape[2], np.float32)  # quicker than a sum
        along = along.reshape(rows, features)
        along += pull[:, :features]
        along *= squash_slope(self.scaled)
        along *= self.x
        along.sum(axis=0, out=of_gain)


class NoWaves:
    """The scaled row, levelling off: nothing is learned."""

    arrays: tuple[Shaped[np.ndarray, " ..."], ...] = ()

    def __init__(self, embedding: PlainEmbedding) -> None:
        self.limit = embedding.limit

    def forward(self, views: Sequence[Any], x: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, "rows inputs"]:
        """Embedded rows."""
        return squash(x, self.limit)

    def back(self, pull: Float[np.ndarray, "rows outputs"], gradient: Sequence[Any]) -> None:
        """Nothing."""


def _variance(
    net: VarianceNetwork, raw: Float[np.ndarray, "rows outputs"]
) -> tuple[Float[np.ndarray, "rows outputs"], Float[np.ndarray, "rows outputs"]]:
    """exp(level + range tanh(raw / range)), and its derivative in `raw`."""
    bend = np.tanh(raw / net.log_range)
    value = np.exp(np.asarray(net.level.value) + net.log_range * bend)
    return value, value * (1 - bend * bend)


def _with_weights(start: Perceptron, views: Sequence[Any]) -> Perceptron:
    pairs = zip(views[::2], views[1::2], strict=True)
    return replace(start, layers=tuple(Dense(weight, bias) for weight, bias in pairs))
