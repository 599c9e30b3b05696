"""New networks for a table of given shape, before any training. Loading a model file fills the same shapes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taylor_sensus.model.networks import (
    Constant,
    MeanNetwork,
    Perceptron,
    PeriodicEmbedding,
    PlainEmbedding,
    PositionalEmbedding,
    VarianceNetwork,
)
from taylor_sensus.model.shapes import Float
from taylor_sensus.model.taylor_block import DeepTaylorBlock, NoFeatureNoise
from taylor_sensus.settings import MANY_WIDTH, Settings


class Shape(NamedTuple):
    """What a network must know of the table: its size, and the raw units of its features."""

    features: int
    targets: int
    center: Float[np.ndarray, " features"]
    scale: Float[np.ndarray, " features"]


def frequency_scales(rows: int, features: int, settings: Settings) -> list[float]:
    """Spreads of initial frequencies worth trying, smallest first.

    They lie around the sampling limit: with n inputs spread over m features, about n^(1/m) stand along each,
    over about four scaled units, so waves finer than n^(1/m) / 8 a unit are not seen twice.
    """
    limit = rows ** (1 / features) / 8
    return sorted({min(settings.frequency_cap, multiple * limit) for multiple in settings.frequency_multiples})


def new_mean(shape: Shape, settings: Settings, rng: np.random.Generator, frequency_scale: float) -> MeanNetwork:
    """A mean network that gives 0 everywhere: the mean of the scaled targets."""
    if settings.embedding == "periodic":
        embedding = PeriodicEmbedding.initial(rng, shape.features, settings.frequencies, frequency_scale)
    elif settings.embedding == "positional":
        embedding = PositionalEmbedding(_constant(shape.center), _constant(shape.scale), settings.octaves)
    else:
        # DIFF(eq. 9): the paper standardises features; ours are scaled by quartiles, which leaves long tails long.
        embedding = PlainEmbedding(limit=3.0)
    sizes = [embedding.size(shape.features), *[settings.width or MANY_WIDTH] * settings.depth, shape.targets]
    perceptron = Perceptron.initial(rng, sizes, settings.activation)
    return MeanNetwork(embedding, perceptron)


def new_noise(
    shape: Shape,
    settings: Settings,
    rng: np.random.Generator,
    feature_level: Float[np.ndarray, " features"],
    system_level: Float[np.ndarray, " targets"],
) -> tuple[VarianceNetwork | NoFeatureNoise, VarianceNetwork]:
    """Noise networks that give the same log-variances everywhere: one for the features, one for the system."""

    def network(level: Float[np.ndarray, " outputs"]) -> VarianceNetwork:
        sizes = [shape.features, *[settings.noise_width] * settings.noise_depth, len(level)]
        return VarianceNetwork(
            Perceptron.initial(rng, sizes, settings.activation), _constant(level), settings.noise_range
        )

    return network(feature_level) if settings.taylor else NoFeatureNoise(), network(system_level)


def new_block(
    shape: Shape, settings: Settings, rng: np.random.Generator, feature_level: float, system_level: float
) -> DeepTaylorBlock:
    """A whole block with mean 0 and constant noise."""
    mean = new_mean(shape, settings, rng, settings.frequency_cap)
    levels = np.full(shape.features, feature_level), np.full(shape.targets, system_level)
    return DeepTaylorBlock(mean, *new_noise(shape, settings, rng, *levels))


def _constant(values: Float[np.ndarray, " features"]) -> Constant:
    return Constant(np.asarray(values, np.float32))
