"""Trained noise networks: how well they do on rows, and how they are made flatter."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from taylor_sensus.model.networks import VarianceNetwork
from taylor_sensus.training.objectives import NoiseRows, noise_variances

FLATNESS = (0.0, 0.5, 1.0)
"""Candidates for the share of the learned differences between rows that is kept."""


def noise_cost(networks: Any, rows: NoiseRows) -> np.ndarray:
    """Twice the negative log-likelihood of each row's residual, up to a constant."""
    return np.asarray(_noise_cost(networks, rows))


@jax.jit
def _noise_cost(networks: Any, rows: NoiseRows) -> Array:
    variance = noise_variances(networks, rows)
    return jnp.sum(jnp.log(variance) + rows.residual**2 / variance, axis=1)


def flattened(networks: Any, rows: NoiseRows, count: int, share: float) -> tuple[Any, ...]:
    """Both networks with a `share` of their differences around the mean over the first `count` rows."""
    if share == 1:
        return tuple(networks)
    weight = np.where(np.arange(len(rows.x)) < count, np.asarray(rows.weight), 0.0)
    weight = weight / weight.sum()
    return tuple(
        net.flattened(np.asarray(_raw(net, rows.x, weight)), share) if isinstance(net, VarianceNetwork) else net
        for net in networks
    )


@jax.jit
def _raw(net: VarianceNetwork, x: Array, weight: Array) -> Array:
    return weight @ jax.vmap(net.raw)(x)
