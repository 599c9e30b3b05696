"""The one tail function: scaled features as they are near 0, and long tails drawn in, smoothly.

A column with a few huge values must not drive a network, carry a trend away, or make every row that has one of them a
outlier. How fast a tail still grows is what differs:

- ``flat``: levels off at ±`start` (networks, trend);
- ``root``: grows like the square root (distances of densities);
- ``log``: grows like the logarithm from about `start` on (the Gaussian process).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from taylor_sensus.model.shapes import AnyArray, Float


def squash(
    x: Float[AnyArray, "*shape"], start: float | np.float32 = 3.0, tail: str = "flat"
) -> Float[AnyArray, "*shape"]:
    """Soft clipping. Works on NumPy and JAX arrays and keeps their precision."""
    if tail == "flat":
        return x / (1 + (x / start) ** 2) ** 0.5
    if tail == "log":
        return start * _arrays(x).arcsinh(x / start)
    # DIFF(eq. 11): distances are printed in the features' own units; ours are of scaled features with tails drawn in.
    return x / (0.5 + 0.5 * (1 + 2 * abs(x)) ** 0.5)


def squash_slope(
    x: Float[AnyArray, "*shape"], start: float | np.float32 = 3.0, tail: str = "flat"
) -> Float[AnyArray, "*shape"]:
    """Derivative of `squash`, for the tails that noise is carried through."""
    whole = 1 + (x / start) ** 2
    return 1 / (whole * whole**0.5) if tail == "flat" else 1 / whole**0.5  # roots are quicker than other powers


def _arrays(x: Any) -> Any:
    if isinstance(x, np.ndarray | np.generic | float | int):
        return np
    import jax.numpy as jnp

    return jnp
