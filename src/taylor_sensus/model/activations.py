"""Activations and their slopes with NumPy, as they are asked and trained without a compiler; see `networks`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from taylor_sensus.model.shapes import Float

Activation = Callable[..., tuple[Any, Any]]
"""Of an array, and whether slopes are wanted: value and slope."""


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


def scale_and_function(activation: str) -> tuple[np.float32, Activation]:
    """A factor on weights and biases, and the activation after it."""
    if activation in OF_TWICE:
        return np.float32(0.5), OF_TWICE[activation]
    return np.float32(1), ACTIVATIONS[activation]
