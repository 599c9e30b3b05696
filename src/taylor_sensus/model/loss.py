"""The losses: heteroscedastic MSE in its printed and its exact form, and the weighted total."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array


def reparameterise(key: Array, mean: Array, variance: Array) -> Array:
    """A draw y~ = mu + sqrt(Sigma) eps (eq. 15)."""
    # DIFF(eq. 15): the paper multiplies eps by Sigma; a standard deviation is meant.
    return mean + jnp.sqrt(variance) * jax.random.normal(key, mean.shape)


def heteroscedastic_mse(
    y: Array, prediction: Array, variance: Array, log_weight: float | Array = 1.0, beta: float | Array = 0.0
) -> Array:
    """lambda_H log|Sigma| + (y - y~)^T Sigma^-1 (y - y~), for a diagonal Sigma (eqs. 16 and 17).

    With `prediction` a draw of `reparameterise` this is the sampled loss of the paper. With the mean it is its exact
    expectation over that draw, up to a constant: E[(y - mu - s eps)^2] / s^2 = (y - mu)^2 / s^2 + 1.
    """
    # DIFF(eq. 17): the diagonal is that of Sigma itself; the targets are not rotated to its eigenvectors first, so
    # correlation between targets is predicted but plays no part in the loss.
    terms = log_weight * jnp.log(variance) + (y - prediction) ** 2 / variance
    # DIFF(eq. 16): terms are weighed by Sigma^beta, without gradient. With beta = 0, as printed, rows that are fitted
    # badly get a large variance, which takes away the gradient that would improve their mean.
    return jnp.sum(jax.lax.stop_gradient(variance**beta) * terms)


def total_loss(
    accuracy: Array,
    contrast: float | Array,
    divergence: float | Array,
    contrast_weight: float | Array,
    density_weight: float | Array,
) -> Array:
    """lambda_CL L_CL + lambda_KL L_KL + L_HMSE (eq. 18)."""
    return contrast_weight * contrast + density_weight * divergence + accuracy
