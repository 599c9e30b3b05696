"""Deep Taylor Block: a mean network whose own Jacobian carries the features' noise to the target."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from taylor_sensus.model.module import Later, Module
from taylor_sensus.model.networks import MeanNetwork, VarianceNetwork
from taylor_sensus.model.shapes import AnyArray, Float

if TYPE_CHECKING:
    import jax
    import jax.numpy as jnp
else:
    jax, jnp = Later("jax"), Later("jax.numpy")


class TaylorEstimate(Module):
    """What the block says of one row, in scaled units."""

    mean: Float[AnyArray, " targets"]
    """mu."""
    jacobian: Float[AnyArray, "targets features"]
    """d mean / d x."""
    input_variance: Float[AnyArray, " features"]
    """Sigma_i, the variance of each feature's noise."""
    system_variance: Float[AnyArray, " targets"]
    """Sigma_o."""

    @property
    def feature_variance(self) -> Float[AnyArray, " targets"]:
        """The inputs' noise as it arrives at each target."""
        return propagated_variance(self.jacobian, self.input_variance)

    @property
    def variance(self) -> Float[AnyArray, " targets"]:
        """Diagonal of the covariance: feature plus system part."""
        return self.feature_variance + self.system_variance

    def with_declared(
        self, is_declared: Float[AnyArray, " features"], variance: Float[AnyArray, " features"]
    ) -> TaylorEstimate:
        """With the noise of some features declared: 1 for these, and `variance` their variance, 0 elsewhere."""
        # DIFF(eq. 9): the paper learns all of Sigma_i; what a user declares takes its place.
        return replace(self, input_variance=(1 - is_declared) * self.input_variance + variance)


def value_and_jacobian(
    function: Callable[[Float[AnyArray, " features"]], Float[AnyArray, " targets"]], x: Float[AnyArray, " features"]
) -> tuple[Float[AnyArray, " targets"], Float[AnyArray, "targets features"]]:
    """F(x) and its Jacobian, the first-order expansion (eqs. 3 and 4), by the cheaper mode of differentiation."""
    shape = jax.eval_shape(function, x).shape
    if shape[0] <= x.shape[0]:
        value, pull = jax.vjp(function, x)
        (jacobian,) = jax.vmap(pull)(jnp.eye(shape[0], dtype=x.dtype))
        return value, jacobian
    value, push = jax.linearize(function, x)
    return value, jax.vmap(push, out_axes=1)(jnp.eye(x.shape[0], dtype=x.dtype))


def propagated_variance(
    jacobian: Float[AnyArray, "targets features"], input_variance: Float[AnyArray, " features"]
) -> Float[AnyArray, " targets"]:
    """Diagonal of J diag(Sigma_i) J^T (first part of eq. 6), all that the loss needs."""
    return jacobian**2 @ input_variance


def propagated_covariance(
    jacobian: Float[AnyArray, "*rows targets features"],
    input_variance: Float[AnyArray, "*#rows features"],
    system_variance: Float[AnyArray, "*rows targets"],
) -> Float[AnyArray, "*rows targets targets"]:
    """J diag(Sigma_i) J^T + diag(Sigma_o), the full covariance of the targets (eq. 6).

    Of one row or, with further axes in front, of many; NumPy and JAX arrays alike.
    """
    noisy, targets = jacobian * input_variance[..., None, :], jacobian.shape[-2]
    if targets == 1:  # many products of one row each are slow as matrix products
        return ((noisy * jacobian).sum(axis=-1) + system_variance)[..., None]
    return noisy @ jacobian.swapaxes(-1, -2) + system_variance[..., None] * np.eye(targets, dtype=np.float32)


class NoFeatureNoise(Module):
    """Takes the place of the features' noise network where the Taylor term is left out: two plain networks remain."""

    def __call__(self, x: Float[AnyArray, " features"]) -> Float[AnyArray, " features"]:
        return jnp.zeros_like(x)


class DeepTaylorBlock(Module):
    """Three networks: the mean, the features' noise, the system's noise (eq. 9)."""

    mean_net: MeanNetwork
    feature_noise_net: VarianceNetwork | NoFeatureNoise
    system_noise_net: VarianceNetwork

    def __call__(
        self, x: Float[AnyArray, " features"], masks: Sequence[Float[AnyArray, " _"]] | None = None
    ) -> TaylorEstimate:
        """mu = F_mu(x); Sigma = J F_Sigma_i(x) J^T + F_Sigma_o(x) (eq. 8)."""
        mean, jacobian = value_and_jacobian(lambda v: self.mean_net(v, masks), x)
        return TaylorEstimate(mean, jacobian, self.feature_noise_net(x), self.system_noise_net(x))
