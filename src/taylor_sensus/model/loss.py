"""The losses: heteroscedastic MSE in its printed and its exact form, and the weighted total."""

from __future__ import annotations

from typing import TYPE_CHECKING

from taylor_sensus.model.module import Later
from taylor_sensus.model.shapes import AnyArray, Float, Shaped

if TYPE_CHECKING:
    import jax
    import jax.numpy as jnp
else:
    jax, jnp = Later("jax"), Later("jax.numpy")


def reparameterise(
    key: Shaped[AnyArray, "*key"], mean: Float[AnyArray, "*rows"], variance: Float[AnyArray, "*rows"]
) -> Float[AnyArray, "*rows"]:
    """A draw y~ = mu + sqrt(Sigma) eps (eq. 15)."""
    # DIFF(eq. 15): the paper multiplies eps by Sigma; a standard deviation is meant.
    return mean + jnp.sqrt(variance) * jax.random.normal(key, mean.shape)


def heteroscedastic_mse(
    y: Float[AnyArray, "*targets"],
    prediction: Float[AnyArray, "*targets"],
    variance: Float[AnyArray, "*targets"],
    log_weight: float | Float[AnyArray, ""] = 1.0,
    beta: float | Float[AnyArray, ""] = 0.0,
) -> Float[AnyArray, ""]:
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
    accuracy: Float[AnyArray, ""],
    contrast: float | Float[AnyArray, ""],
    divergence: float | Float[AnyArray, ""],
    contrast_weight: float | Float[AnyArray, ""],
    density_weight: float | Float[AnyArray, ""],
) -> Float[AnyArray, ""]:
    """lambda_CL L_CL + lambda_KL L_KL + L_HMSE (eq. 18)."""
    return contrast_weight * contrast + density_weight * divergence + accuracy
