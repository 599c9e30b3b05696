"""Embeddings of rows with NumPy, which are columns here, and the way back from a gradient; see `networks`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import numpy as np

from taylor_sensus.model.networks import PeriodicEmbedding, PositionalEmbedding
from taylor_sensus.model.shapes import Float
from taylor_sensus.model.squash import squash, squash_slope


def with_ones(*shape: int) -> Float[np.ndarray, " ..."]:
    """An empty array with one more row, of ones: what is multiplied with the biases."""
    *others, rows, columns = shape
    found = np.empty((*others, rows + 1, columns), np.float32)
    found[..., -1, :] = 1
    return found


def above_ones(x: Float[np.ndarray, "inputs rows"]) -> Float[np.ndarray, "inputs+1 rows"]:
    found = with_ones(*x.shape)
    found[:-1] = x
    return found


Embedded = tuple[
    Float[np.ndarray, "terms rows"],
    Callable[[list[Float[np.ndarray, "inputs rows"]]], list[Float[np.ndarray, "features rows"]]],
]
"""Embedded rows, as columns, with ones below; and a function, to be called once, that carries gradients, one a target,
back from them to the rows."""


@runtime_checkable
class Embedding(Protocol):
    """From rows to what a perceptron is given."""

    @property
    def input_slope(self) -> Float[np.ndarray, " inputs"] | None:
        """A factor on the gradient in each input that the way back leaves to the perceptron's weights; None: none."""
        ...

    def __call__(self, x: Float[np.ndarray, "features rows"]) -> Embedded: ...


def ready_embedding(embedding: Any) -> Embedding:
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
            return above_ones(x), lambda pulls: pulls
        return above_ones(squash(x, self.limit)), lambda pulls: [pull * squash_slope(x, self.limit) for pull in pulls]


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
        clipped = above_ones(squash(scaled))
        found = with_ones(features * (1 + self.waves), rows)
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

        return above_ones(np.concatenate([x, sines.reshape(shape), cosines.reshape(shape)])), back
