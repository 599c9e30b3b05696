"""The normal distribution on one side of a bound."""

from __future__ import annotations

import numpy as np
from scipy.special import log_ndtr

from taylor_sensus.model.shapes import Float, Num


def truncated_normal(
    mean: Float[np.ndarray, "*rows"],
    std: Float[np.ndarray, "*rows"],
    bound: Float[np.ndarray, "*rows"],
    side: Num[np.ndarray, "*rows"],
) -> tuple[Float[np.ndarray, "*rows"], Float[np.ndarray, "*rows"]]:
    """Mean and variance of normal values below (`side` -1) or above (1) a bound."""
    # By symmetry both are the upper side of a bound.
    a = np.where(side < 0, -1.0, 1.0) * (bound - mean) / std
    hazard = np.exp(-(a * a) / 2 - np.log(2 * np.pi) / 2 - log_ndtr(-a))
    inside = np.maximum(1 + a * hazard - hazard * hazard, 1e-6)
    return mean + np.where(side < 0, -1.0, 1.0) * std * hazard, std * std * inside
