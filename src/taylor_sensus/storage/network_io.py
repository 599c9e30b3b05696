"""The networks of a model file: built from its arrays one by one, by their names; nothing is allocated before.

Settings say how many layers of which size there are. The first array that is missing or has another shape ends it, so
that settings that promise giants cost nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np

from taylor_sensus.errors import ModelFileError, listed
from taylor_sensus.model.density import DensityPerception
from taylor_sensus.model.networks import (
    Constant,
    Dense,
    MeanNetwork,
    Perceptron,
    PeriodicEmbedding,
    PlainEmbedding,
    PositionalEmbedding,
    VarianceNetwork,
)
from taylor_sensus.model.taylor_block import DeepTaylorBlock, NoFeatureNoise
from taylor_sensus.settings import Settings
from taylor_sensus.storage.checks import check_array

LIMIT_OF_PLAIN = 3.0
"""Where a plain embedding levels off; no setting."""
LARGEST_WEIGHT = 1e6
"""Trained weights are of the order of 1; layers of larger ones would overflow."""
LARGEST_LOG_VARIANCE = 80.0
"""Beyond it an exponential in single precision overflows."""


class StoredNetworks:
    """Members and densities of a file, stacked along a first axis; every array of theirs is taken once."""

    def __init__(self, arrays: Mapping[str, np.ndarray], settings: Settings, features: int, targets: int) -> None:
        self._left = {name: array for name, array in arrays.items() if name.startswith(("blocks.", "densities."))}
        self._settings, self._features, self._targets = settings, features, targets

    def blocks(self) -> DeepTaylorBlock:
        """All members."""
        return DeepTaylorBlock(
            self._mean(),
            self._variances("feature", self._features) if self._settings.taylor else NoFeatureNoise(),
            self._variances("system", self._targets),
        )

    def densities(self, count: int) -> DensityPerception:
        """So many density perceptions."""
        landmarks = self._left["densities.landmarks.value"].shape[1:2]
        found = DensityPerception(
            self._constant("densities.landmarks", (count, *landmarks, self._features)),
            self._constant("densities.reach", (count, *landmarks)),
            self._take("densities.log_metric", (count, self._features)),
            self._constant("densities.bias", (count, *landmarks), most=1e10),
        )
        if not landmarks[0] or (found.reach.value < 1e-6).any() or (np.abs(found.log_metric) > 40).any():
            raise ModelFileError("its density perception is not that of any rows")
        return found

    def finish(self) -> None:
        """Refuse arrays that belong to no network."""
        if self._left:
            raise ModelFileError(f"it holds arrays that belong to no part of it: {listed(self._left)}")

    def _mean(self) -> MeanNetwork:
        s, name = self._settings, "blocks.mean_net.embedding"
        if s.embedding == "periodic":
            waves = (s.members, self._features, s.frequencies)
            embedding = PeriodicEmbedding(
                self._take(f"{name}.gain", waves[:2]),
                self._take(f"{name}.frequency", waves),
                self._take(f"{name}.phase", waves),
            )
            size = self._features * (1 + s.frequencies)
        elif s.embedding == "positional":
            embedding = PositionalEmbedding(
                self._constant(f"{name}.center", (s.members, self._features), most=1e36),
                self._constant(f"{name}.scale", (s.members, self._features), most=1e36),
                s.octaves,
            )
            size = embedding.size(self._features)
        else:
            embedding, size = PlainEmbedding(LIMIT_OF_PLAIN), self._features
        sizes = itertools.chain([size], itertools.repeat(s.width or self._stored_width(), s.depth), [self._targets])
        return MeanNetwork(embedding, self._perceptron("blocks.mean_net.perceptron", sizes))

    def _stored_width(self) -> int:
        """Where the number of rows decided on it."""
        first = self._left.get("blocks.mean_net.perceptron.layers.0.bias")
        if first is None or first.ndim != 2:
            raise ModelFileError("its settings leave the width of networks to weights that it does not hold")
        return first.shape[1]

    def _variances(self, kind: str, count: int) -> VarianceNetwork:
        s, name = self._settings, f"blocks.{kind}_noise_net"
        level = self._constant(f"{name}.level", (s.members, count))
        if np.abs(level.value).max() + s.noise_range > LARGEST_LOG_VARIANCE:
            raise ModelFileError(f"{name} has impossible variances")
        sizes = itertools.chain([self._features], itertools.repeat(s.noise_width, s.noise_depth), [count])
        return VarianceNetwork(self._perceptron(f"{name}.perceptron", sizes), level, s.noise_range)

    def _perceptron(self, name: str, sizes: itertools.chain[int]) -> Perceptron:
        members, layers = self._settings.members, []
        for number, (into, out) in enumerate(itertools.pairwise(sizes)):
            start = f"{name}.layers.{number}"
            weight = self._take(f"{start}.weight", (members, into, out))
            layers.append(Dense(weight, self._take(f"{start}.bias", (members, out))))
        return Perceptron(tuple(layers), self._settings.activation)

    def _constant(self, name: str, shape: Sequence[int], most: float = LARGEST_WEIGHT) -> Constant:
        return Constant(self._take(f"{name}.value", shape, most))

    def _take(self, name: str, shape: Sequence[int], most: float = LARGEST_WEIGHT) -> np.ndarray:
        if name not in self._left:
            raise ModelFileError(f"its settings ask for weights that it does not hold: {name}")
        array = self._left.pop(name)
        check_array(name, array, tuple(shape), "float32")
        if not (np.abs(array) <= most).all():
            raise ModelFileError(f"{name} holds numbers that are not finite, or beyond all weights")
        return array
