"""Columns padded to a few classes, so that tables of other widths share a compiled program.

Weights are drawn at the true shape and scaled by the true fan-in; what is added is 0, and so are its gradients.
"""

from __future__ import annotations

from typing import Any

import equinox as eqx
import numpy as np

from taylor_sensus.model.module import known_to_jax
from taylor_sensus.model.networks import (
    Constant,
    Dense,
    MeanNetwork,
    PeriodicEmbedding,
    PositionalEmbedding,
    VarianceNetwork,
)
from taylor_sensus.model.shapes import Float, Shaped

known_to_jax()
NARROWEST = 8


def column_class(features: int) -> int:
    """Columns of the program that serves so many features: powers of two from 8."""
    return max(NARROWEST, 1 << (features - 1).bit_length())


def columns_of(network: Any, features: int) -> int | None:
    """Columns of the program that trains this network; None for networks that are trained as they are."""
    if isinstance(network, MeanNetwork):
        return None if isinstance(network.embedding, PositionalEmbedding) else column_class(features)
    return column_class(features) if isinstance(network, tuple) else None


def resized(network: Any, features: int, columns: int) -> Any:
    """Mean network, or noise networks of features and system, for `columns` in place of `features`."""
    if isinstance(network, MeanNetwork):
        return resized_mean(network, features, columns)
    return resized_noise(network, features, columns)


def _resized(array: Any, size: int, axis: int = -1) -> Shaped[np.ndarray, " ..."]:
    """The array with zeros added, or with what was added taken off, along an axis."""
    array = np.asarray(array)
    missing = size - array.shape[axis]
    if missing <= 0:
        return np.take(array, range(size), axis=axis) if missing else array
    pads = [(0, 0)] * array.ndim
    pads[axis] = (0, missing)
    return np.pad(array, pads)


def resized_mean(net: MeanNetwork, features: int, columns: int) -> MeanNetwork:
    """A mean network for `features`, as one for `columns`; the same for rows that end in zeros."""
    embedding, layers = net.embedding, net.perceptron.layers
    if isinstance(embedding, PositionalEmbedding) or features == columns:
        return net
    first = layers[0]
    true = min(first.weight.shape[0], embedding.size(columns))
    weight = _resized(first.weight[:features], columns, 0)
    if isinstance(embedding, PeriodicEmbedding):
        waves = _resized(first.weight[features:], columns * embedding.frequency.shape[1], 0)
        weight = np.concatenate([weight, waves])
        own = [_resized(part, columns, 0) for part in (embedding.gain, embedding.frequency, embedding.phase)]
        used = None if columns < features else Constant(_resized(np.ones(features, np.float32), columns))
        gain, frequency, phase = own
        embedding = PeriodicEmbedding(gain, frequency, phase, used)
    first = Dense(weight, first.bias, _fan_in(true, weight))
    return eqx.tree_at(lambda n: (n.embedding, n.perceptron.layers), net, (embedding, (first, *layers[1:])))


def resized_noise(networks: tuple[Any, ...], features: int, columns: int) -> tuple[Any, ...]:
    """The noise networks of features and system for `features`, as those for `columns`."""
    feature_net, system_net = networks
    if isinstance(feature_net, VarianceNetwork) and features != columns:
        feature_net = _with_first(feature_net, features, columns)
        *others, last = feature_net.perceptron.layers
        last = Dense(_resized(last.weight, columns), _resized(last.bias, columns))
        level = Constant(_resized(feature_net.level.value, columns))
        feature_net = eqx.tree_at(lambda n: (n.perceptron.layers, n.level), feature_net, ((*others, last), level))
    return feature_net, _with_first(system_net, features, columns)


def _with_first(net: VarianceNetwork, features: int, columns: int) -> VarianceNetwork:
    if features == columns:
        return net
    first, *others = net.perceptron.layers
    weight = _resized(first.weight, columns, 0)
    first = Dense(weight, first.bias, _fan_in(min(features, columns), weight))
    return eqx.tree_at(lambda n: n.perceptron.layers, net, (first, *others))


def _fan_in(true: int, weight: Float[np.ndarray, "inputs outputs"]) -> Constant | None:
    """The inputs that count, unless all do."""
    return None if true == len(weight) else Constant(np.array(true, np.float32))
