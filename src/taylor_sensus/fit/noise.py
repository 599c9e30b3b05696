"""Trained noise networks: how well they do on rows, and how they are made flatter."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from taylor_sensus.fit.objectives import NoiseRows, noise_variances
from taylor_sensus.model.networks import VarianceNetwork

FLATNESS = (0.0, 0.5, 1.0)
"""Candidates for the share of the learned differences between rows that is kept."""


# DIFF(eq. 9): noise that differs between rows must show: with few rows, one size for all is the better guess.
def flattest(
    networks: Sequence[Any], of_member: Iterable[NoiseRows], unseen: np.ndarray, weight: np.ndarray
) -> list[tuple[Any, ...]]:
    """Every member's noise networks with no more differences between rows than unseen rows bear out.

    The flattest that is not worse than the best by more than chance, one standard error. `of_member` are the rows as
    each member sees them, `unseen` says which it has not seen, `(members, rows)`.
    """
    judging = unseen * weight
    costs, flatter = np.zeros((len(FLATNESS), len(weight))), [[] for _ in FLATNESS]
    for pair, rows, share_of_row in zip(networks, of_member, judging, strict=True):
        for number, share in enumerate(FLATNESS):
            flatter[number].append(_flattened(pair, rows, len(weight), share))
            costs[number] += share_of_row * noise_cost(flatter[number][-1], rows)[: len(weight)]
    total = judging.sum(axis=0)
    judged = total > 0
    costs, weight = costs[:, judged] / total[judged], weight[judged]
    best = costs[np.average(costs, axis=1, weights=weight).argmin()]

    def as_good(cost: np.ndarray) -> bool:
        worse = cost - best
        mean = np.average(worse, weights=weight)
        count = weight.sum() ** 2 / (weight**2).sum()
        return bool(mean <= np.sqrt(np.average((worse - mean) ** 2, weights=weight) / count))

    return next(pairs for pairs, cost in zip(flatter, costs, strict=True) if as_good(cost))


def noise_cost(networks: Any, rows: NoiseRows) -> np.ndarray:
    """Twice the negative log-likelihood of each row's residual, up to a constant."""
    return np.asarray(_noise_cost(networks, rows))


@jax.jit
def _noise_cost(networks: Any, rows: NoiseRows) -> Array:
    variance = noise_variances(networks, rows)
    return jnp.sum(jnp.log(variance) + rows.residual**2 / variance, axis=1)


def _flattened(networks: Any, rows: NoiseRows, count: int, share: float) -> tuple[Any, ...]:
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
