"""The normal-inverse-gamma head of evidential regression, in numbers of one row: what the network says, its marginal
likelihood and its two variances (Amini et al. 2020).

A row's mean and noise variance are themselves uncertain: μ ~ N(γ, σ²/ν), σ² ~ InverseGamma(α, β). The target is then
Student-t distributed with 2α degrees of freedom around γ.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.scipy.special import digamma, gammaln

NU_FLOOR = 1e-3
BETA_FLOOR = 1e-6
ALPHA_FLOOR = 1.1
"""Variances are proportional to 1/(α - 1) and 1/ν: without floors, rows in a heavy tail get infinite ones. With this
one a variance is at most 10 β (1 + 1/ν)."""


class NormalInverseGamma(NamedTuple):
    """γ, ν, α and β of rows: expected value, virtual observations of the mean and of the variance, and its scale."""

    gamma: Array | np.ndarray
    nu: Array | np.ndarray
    alpha: Array | np.ndarray
    beta: Array | np.ndarray


def evidence(raw: Any) -> NormalInverseGamma:
    """Four outputs of a network, last axis, as parameters in their allowed ranges."""
    gamma, nu, alpha, beta = jnp.moveaxis(jnp.asarray(raw), -1, 0)
    positive = jax.nn.softplus
    return NormalInverseGamma(
        gamma, positive(nu) + NU_FLOOR, positive(alpha) + ALPHA_FLOOR, positive(beta) + BETA_FLOOR
    )


def negative_log_likelihood(nig: NormalInverseGamma, y: Any) -> Array:
    """Of the Student-t with the σ² and μ integrated out; log1p keeps it exact where evidence is strong."""
    gamma, nu, alpha, beta = nig
    omega = 2 * beta * (1 + nu)
    squared = nu * (y - gamma) ** 2
    return (
        0.5 * jnp.log(np.pi / nu)
        + alpha * jnp.log1p(squared / omega)
        + 0.5 * jnp.log(omega + squared)
        + gammaln(alpha)
        - gammaln(alpha + 0.5)
    )


def misplaced_evidence(nig: NormalInverseGamma, y: Any) -> Array:
    """Error times total evidence: being sure and wrong is what costs."""
    return jnp.abs(y - nig.gamma) * (2 * nig.nu + nig.alpha)


def nu_threshold(nig: NormalInverseGamma) -> Any:
    """U_ν: for a larger squared error the likelihood wants ν smaller."""
    return nig.beta * (1 + nig.nu) / (nig.alpha * nig.nu)


def alpha_threshold(nig: NormalInverseGamma) -> Any:
    """U_α: for a larger squared error the likelihood wants α smaller."""
    growth = jnp.expm1(digamma(nig.alpha + 0.5) - digamma(nig.alpha))
    return 2 * nig.beta * (1 + nig.nu) / nig.nu * growth


def lipschitz_squared_error(nig: NormalInverseGamma, y: Any) -> Array:
    """Squared error up to the smaller threshold, above it the tangent line, so that its slope stays bounded.

    Above a threshold the likelihood answers an error by less evidence. An ever steeper squared error would overrule
    it there and make the network follow outliers; the thresholds are constants for the gradient.
    """
    limit = jax.lax.stop_gradient(jnp.minimum(nu_threshold(nig), alpha_threshold(nig)))
    error = jnp.abs(y - nig.gamma)
    return jnp.where(error**2 < limit, error**2, 2 * jnp.sqrt(limit) * error - limit)


def aleatoric_variance(nig: NormalInverseGamma) -> Any:
    """E[σ²]."""
    return nig.beta / (nig.alpha - 1)


def epistemic_variance(nig: NormalInverseGamma) -> Any:
    """Var[μ]."""
    return nig.beta / (nig.nu * (nig.alpha - 1))
