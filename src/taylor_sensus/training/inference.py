"""Asking trained members: compiled programs of one fixed shape, so that a row's answer never depends on its company."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import numpy as np
from jax import Array

from taylor_sensus.model.density import DensityPerception, compressed
from taylor_sensus.model.networks import MeanNetwork
from taylor_sensus.model.taylor_block import DeepTaylorBlock, propagated_covariance, value_and_jacobian
from taylor_sensus.training.batches import pad
from taylor_sensus.training.ensemble import run_all

CHUNK = 1024
"""Rows in a call of the prediction program."""


class MemberEstimates(NamedTuple):
    """What each member says of each row, in scaled units."""

    mean: Any
    """(members, rows, targets)"""
    system_variance: Any
    """(members, rows, targets)"""
    covariance: Any
    """(members, rows, targets, targets): feature and system noise"""
    log_attention: Any
    """(perceptions, rows)"""


def stack(networks: list[Any]) -> Any:
    """Several networks of one shape as one, with a first axis for the member."""
    return jax.tree.map(lambda *leaves: np.stack(leaves), *networks)


@jax.jit
def _estimates(blocks: DeepTaylorBlock, densities: DensityPerception, x: Array) -> MemberEstimates:
    def one_row(block: DeepTaylorBlock, row: Array):
        e = block(row)
        covariance = propagated_covariance(e.jacobian, e.input_variance, e.system_variance)
        return e.mean, e.system_variance, covariance

    parts = jax.lax.map(lambda block: jax.vmap(one_row, (None, 0))(block, x), blocks)
    attention = jax.lax.map(lambda density: jax.vmap(density)(compressed(x)), densities)
    mean, system_variance, covariance = parts
    return MemberEstimates(mean, system_variance, covariance, attention)


@jax.jit
def _left_out_attention(densities: DensityPerception, x: Array) -> Array:
    return jax.lax.map(
        lambda density: jax.vmap(lambda row: density(row, leave_out_self=True))(compressed(x)), densities
    )


@jax.jit
def _means(net: MeanNetwork, x: Array) -> Array:
    return jax.vmap(net)(x)


@jax.jit
def squared_jacobians(net: MeanNetwork, x: Array) -> Array:
    """Squared sensitivities of a trained mean at all rows, `(rows, targets, features)`."""
    return jax.vmap(lambda row: value_and_jacobian(net, row)[1] ** 2)(x)


def block_means(nets: list[MeanNetwork], x: Array, n_jobs: int | None) -> np.ndarray:
    """Every member's mean at all rows, `(members, rows, targets)`."""
    return np.stack(run_all([lambda net=net: np.asarray(_means(net, x)) for net in nets], n_jobs))


def member_estimates(
    blocks: DeepTaylorBlock, densities: DensityPerception, x: np.ndarray, n_jobs: int | None
) -> MemberEstimates:
    """Every member's estimate of every row, in chunks of one fixed shape."""
    parts = _in_chunks(lambda chunk: _estimates(blocks, densities, chunk), x, n_jobs)
    return MemberEstimates(*[np.concatenate(arrays, axis=1) for arrays in zip(*parts, strict=True)])


def left_out_attention(densities: DensityPerception, x: np.ndarray, n_jobs: int | None) -> np.ndarray:
    """Log-densities of training rows as if each were new, `(perceptions, rows)`."""
    return np.concatenate(_in_chunks(lambda chunk: _left_out_attention(densities, chunk), x, n_jobs), axis=1)


def _in_chunks(program, x: np.ndarray, n_jobs: int | None) -> list[Any]:
    def job(start: int):
        chunk = x[start : start + CHUNK]
        result = jax.device_get(program(pad(chunk, CHUNK)))
        return jax.tree.map(lambda a: a[:, : len(chunk)], result)

    return run_all([lambda s=s: job(s) for s in range(0, len(x), CHUNK)], n_jobs)
