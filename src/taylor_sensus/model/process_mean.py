"""The kernel part of the mean: a weighted sum of smooth bumps at training rows, with its slope and its doubt.

It is the posterior mean of a Gaussian process, so it is as smooth as the mean network is, and the noise of the
features goes through its slope in the same way. Where a network has too few rows to find a gentle function, this part
finds it; where the function has edges and corners, the network does. Unseen rows say how much each is worth.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax import Array


class KernelEstimate(NamedTuple):
    """What the kernel part says of each row, in scaled units."""

    mean: Any
    """(rows, targets)"""
    jacobian: Any
    """d mean / d x, (rows, targets, features)"""
    variance: Any
    """Of the function given the training rows, the same for all targets, (rows,)"""


def drawn_in(x: Any, reach: Any) -> Any:
    """Scaled features as they are up to about `reach`, and beyond drawn in like a logarithm, smoothly."""
    return reach * (np.arcsinh(x / reach) if isinstance(x, np.ndarray) else jnp.arcsinh(x / reach))


def matern(q: Any, arrays: Any = np) -> tuple[Any, Any]:
    """Matérn 5/2 as a function of the squared distance, and its derivative, with NumPy or JAX."""
    t = arrays.sqrt(5 * q)
    decay = arrays.exp(-t)
    return (1 + t + t * t / 3) * decay, (-5 / 6) * (1 + t) * decay


def squared_exponential(q: Any, arrays: Any = np) -> tuple[Any, Any]:
    """The smoothest shape, as a function of the squared distance, and its derivative."""
    value = arrays.exp(-q / 2)
    return value, -value / 2


SHAPES: tuple[Callable[..., tuple[Any, Any]], ...] = (matern, squared_exponential)
"""What bumps look like; each has a size and length scales of its own."""


# DIFF(eq. 9): the mean is a network's alone in the paper. Here a Gaussian process shares in it, and its slope in eq. 6.
class KernelMean(eqx.Module):
    """Bumps of two shapes at `centres`, which are training rows, `drawn_in`."""

    reach: Array | np.ndarray
    """Where tails begin to be drawn in, ()"""
    centres: Array | np.ndarray
    """(centres, features)"""
    sizes: Array | np.ndarray
    """Variance of the function that each shape describes, (2,)"""
    inverse_lengths: Array | np.ndarray
    """(2, features)"""
    coefficients: Array | np.ndarray
    """(centres, targets)"""
    whitener: Array | np.ndarray
    """Inverse of the Cholesky factor of the centres' covariance; padded centres have zeros, (centres, centres)"""

    def __call__(self, x: Array) -> KernelEstimate:
        """For many rows at once, because all is matrix products."""
        z, stretch = drawn_in(x, self.reach), 1 / jnp.sqrt(1 + (x / self.reach) ** 2)
        features, targets = x.shape[1], self.coefficients.shape[1]
        covariance, slopes = 0.0, jnp.zeros((len(x), targets, features))
        for shape, size, w in zip(SHAPES, self.sizes, self.inverse_lengths, strict=True):
            a, b = z * w, self.centres * w
            squared = jnp.maximum((a**2).sum(1)[:, None] + (b**2).sum(1) - 2 * a @ b.T, 0.0)
            value, slope = shape(squared, jnp)
            covariance += size * value
            pull = jnp.einsum("rc,ct->rtc", size * slope, self.coefficients)
            moved = pull.sum(axis=2)[:, :, None] * a[:, None, :] - jnp.einsum("rtc,cf->rtf", pull, b)
            slopes += 2 * w * moved
        known = covariance @ self.whitener.T
        variance = jnp.maximum(self.sizes.sum() - (known**2).sum(axis=1), 0.0)
        return KernelEstimate(covariance @ self.coefficients, slopes * stretch[:, None, :], variance)
