"""Asking trained members: compiled programs of one fixed shape, so that a row's answer never depends on its company."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from taylor_sensus.fit.declared_errors import InputErrors, nothing_known
from taylor_sensus.fit.members import run_all
from taylor_sensus.fit.padding import pad
from taylor_sensus.fit.process import Support
from taylor_sensus.model.density import DensityPerception, compressed
from taylor_sensus.model.networks import MeanNetwork
from taylor_sensus.model.process_mean import KernelEstimate, KernelMean
from taylor_sensus.model.taylor_block import DeepTaylorBlock, propagated_covariance, value_and_jacobian
from taylor_sensus.rows import blocks

CHUNK = 1024
"""Rows in a call of the prediction program."""
FEW = 4096
"""Up to so many training rows are asked for in one call; more in chunks, which are quicker and take little memory."""


class MemberEstimates(NamedTuple):
    """What each member says of each row, in scaled units."""

    mean: Any
    """(members, rows, targets)"""
    system_variance: Any
    """(members, rows, targets)"""
    covariance: Any
    """(members, rows, targets, targets): learned noise of features and system"""
    known_covariance: Any
    """(members, rows, targets, targets): noise of features that is known, as it arrives at the targets"""
    log_attention: Any
    """(perceptions, rows)"""
    kernel_mean: Any
    """Of the kernel part by itself, (1, rows, targets)"""
    kernel_variance: Any
    """(1, rows); 0 where there is no kernel part"""


def stack(networks: list[Any]) -> Any:
    """Several networks of one shape as one, with a first axis for the member."""
    return jax.tree.map(lambda *leaves: np.stack(leaves), *networks)


@jax.jit
def _estimates(
    blocks: DeepTaylorBlock, densities: DensityPerception, kernel: KernelMean | None, share: Array, x: Array,
    errors: InputErrors,
) -> MemberEstimates:  # fmt: skip
    beside = _beside(kernel, share, x)

    def one_row(block: DeepTaylorBlock, row: Array, known: Array, variance: Array, its_mean: Array, its_slope: Array):
        e = block(row).shared(share, its_mean, its_slope)
        covariance = propagated_covariance(e.jacobian, (1 - known) * e.input_variance, e.system_variance)
        told = propagated_covariance(e.jacobian, variance, jnp.zeros_like(e.system_variance))
        return e.mean, e.system_variance, covariance, told

    def rows(block: DeepTaylorBlock):
        beside_them = (errors.known, errors.variance, beside.mean, beside.jacobian)
        return jax.vmap(one_row, (None, 0, 0, 0, 0, 0))(block, x, *beside_them)

    mean, system, covariance, told = jax.lax.map(rows, blocks)
    attention = jax.lax.map(lambda density: jax.vmap(density)(compressed(x)), densities)
    return MemberEstimates(mean, system, covariance, told, attention, beside.mean[None], beside.variance[None])


def _beside(kernel: KernelMean | None, share: Array, x: Array) -> KernelEstimate:
    """What the kernel part says of the rows; nothing if there is none."""
    if kernel is not None:
        return kernel(x)
    targets = len(share)
    return KernelEstimate(jnp.zeros((len(x), targets)), jnp.zeros((len(x), targets, x.shape[1])), jnp.zeros(len(x)))


class Sensitivities(NamedTuple):
    """How the features reach the targets, averaged over the members, in scaled units."""

    jacobian: Any
    """(1, rows, targets, features)"""
    learned: Any
    """(1, rows, targets, features): variance of each target from the learned noise of each feature"""
    known: Any
    """(1, rows, targets, features): from noise that is known"""
    input_variance: Any
    """(1, rows, features): learned and not known"""


@jax.jit
def _sensitivities(
    blocks: DeepTaylorBlock, kernel: KernelMean | None, share: Array, x: Array, errors: InputErrors
) -> Sensitivities:
    beside = _beside(kernel, share, x)

    def one_row(block: DeepTaylorBlock, row: Array, known: Array, variance: Array, its_mean: Array, its_slope: Array):
        e = block(row).shared(share, its_mean, its_slope)
        learned = (1 - known) * e.input_variance
        return Sensitivities(e.jacobian, e.jacobian**2 * learned, e.jacobian**2 * variance, learned)

    def rows(block: DeepTaylorBlock):
        beside_them = (errors.known, errors.variance, beside.mean, beside.jacobian)
        return jax.vmap(one_row, (None, 0, 0, 0, 0, 0))(block, x, *beside_them)

    return jax.tree.map(lambda a: a.mean(axis=0)[None], jax.lax.map(rows, blocks))


@jax.jit
def _left_out_attention(densities: DensityPerception, x: Array) -> Array:
    return jax.lax.map(
        lambda density: jax.vmap(lambda row: density(row, leave_out_self=True))(compressed(x)), densities
    )


@jax.jit
def _means(net: MeanNetwork, x: Array) -> Array:
    return jax.vmap(net)(x)


def squared_jacobians(net: MeanNetwork, share: np.ndarray, beside: np.ndarray, x: Any) -> Any:
    """Squared sensitivities of a trained mean at all rows, `(rows, targets, features)`.

    `beside` are the kernel part's sensitivities, of which each target has its `share`.
    """
    return _piecewise(lambda beside, x: _squared_jacobians(net, share, beside, x), beside, x)


@jax.jit
def _squared_jacobians(net: MeanNetwork, share: Array, beside: Array, x: Array) -> Array:
    own = jax.vmap(lambda row: value_and_jacobian(net, row)[1])(x)
    return ((1 - share)[:, None] * own + share[:, None] * beside) ** 2


def kernel_jacobians(kernel: KernelMean, x: np.ndarray, n_jobs: int | None) -> np.ndarray:
    """The kernel part's sensitivities at all rows, `(rows, targets, features)`."""
    parts = _in_chunks(lambda chunk: _kernel_jacobian(kernel, chunk)[None], x, n_jobs)
    return np.concatenate(parts, axis=1)[0]


@jax.jit
def _kernel_jacobian(kernel: KernelMean, x: Array) -> Array:
    return kernel(x).jacobian


def block_means(nets: list[MeanNetwork], x: Any, n_jobs: int | None) -> np.ndarray:
    """Every member's mean at all rows, `(members, rows, targets)`."""

    def job(net: MeanNetwork) -> np.ndarray:
        return np.asarray(_piecewise(lambda x: _means(net, x), x))

    return np.stack(run_all([lambda net=net: job(net) for net in nets], n_jobs))


def _piecewise(program: Callable[..., Array], *rows: Any) -> Any:
    """The program's answers for all rows."""
    if len(rows[0]) <= FEW:
        return program(*rows)
    rows = tuple(np.asarray(array) for array in rows)  # slices of JAX's arrays would be programs of their own
    parts = [np.asarray(program(*(array[chunk] for array in rows))) for chunk in blocks(len(rows[0]), CHUNK)]
    return np.concatenate(parts)


def member_estimates(
    blocks: DeepTaylorBlock, densities: DensityPerception, support: Support | None, x: np.ndarray,
    errors: InputErrors | None, n_jobs: int | None,
) -> MemberEstimates:  # fmt: skip
    """Every member's estimate of every row, in chunks of one fixed shape; `errors` of features that are known."""
    kernel, share = _kernel_and_share(blocks, support)
    errors = nothing_known(*x.shape) if errors is None else errors

    def program(chunk: np.ndarray, *errors: np.ndarray) -> MemberEstimates:
        return _estimates(blocks, densities, kernel, share, chunk, InputErrors(*errors))

    parts = _in_chunks(program, x, n_jobs, errors)
    return MemberEstimates(*[np.concatenate(arrays, axis=1) for arrays in zip(*parts, strict=True)])


def sensitivities(
    blocks: DeepTaylorBlock, support: Support | None, x: np.ndarray, errors: InputErrors | None, n_jobs: int | None
) -> Sensitivities:
    """How each feature's noise reaches each target, row by row."""
    kernel, share = _kernel_and_share(blocks, support)
    errors = nothing_known(*x.shape) if errors is None else errors

    def program(chunk: np.ndarray, *errors: np.ndarray) -> Sensitivities:
        return _sensitivities(blocks, kernel, share, chunk, InputErrors(*errors))

    parts = _in_chunks(program, x, n_jobs, errors)
    return Sensitivities(*[np.concatenate(arrays, axis=1)[0] for arrays in zip(*parts, strict=True)])


def _kernel_and_share(blocks: DeepTaylorBlock, support: Support | None) -> tuple[KernelMean | None, np.ndarray]:
    if support is None:
        return None, np.zeros(blocks.system_noise_net.level.value.shape[1], np.float32)
    return jax.device_put(support.kernel), support.share.astype(np.float32)


def left_out_attention(densities: DensityPerception, x: np.ndarray, n_jobs: int | None) -> np.ndarray:
    """Log-densities of training rows as if each were new, `(perceptions, rows)`."""
    return np.concatenate(_in_chunks(lambda chunk: _left_out_attention(densities, chunk), x, n_jobs), axis=1)


def _in_chunks(program, x: np.ndarray, n_jobs: int | None, beside: Sequence[np.ndarray] = ()) -> list[Any]:
    """The program's answers for the rows of `x`, and of arrays `beside` it, a chunk at a time."""

    def job(start: int):
        rows = slice(start, start + CHUNK)
        result = jax.device_get(program(*[pad(array[rows], CHUNK) for array in (x, *beside)]))
        return jax.tree.map(lambda a: a[:, : len(x[rows])], result)

    return run_all([lambda s=s: job(s) for s in range(0, len(x), CHUNK)], n_jobs)
