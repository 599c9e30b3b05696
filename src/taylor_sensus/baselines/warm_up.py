"""What methods that learn mean and variance together share: a start that spares the mean, and a fair stop."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import Array

from taylor_sensus.fit.objectives import weighted_mean

WARM_UP = 0.25
"""Share of a run in which the mean learns from squared error, and the likelihood trains only the variance around it:
from the start, the likelihood would call badly fitted rows noisy and leave them. One value for this and the evidential
methods: a compromise, since on validation rows no share was best for all of them."""
WARM_FADE = np.float32(0.5 * (1 + np.cos(np.pi * WARM_UP)))
"""The value of `fade` at its end."""


def calibrated_likelihood(squared_error, variance, weight) -> Array:
    """Gaussian negative log-likelihood after the best factor on all variances.

    That factor is fitted at the end anyway; without it, early stopping would punish a network for being too sure
    of its training rows while its mean still improves.
    """
    unit = weighted_mean(weight, squared_error / variance)
    return 0.5 * (jnp.log(unit + 1e-12) + weighted_mean(weight, jnp.log(variance)))
