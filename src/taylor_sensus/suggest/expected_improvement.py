"""Log expected improvement: how much better than the best so far the underlying value at a row may be, on average.

Only the epistemic part of the error counts here: noise can make a single reading look better, but it does not make the
settings better. Logarithms are returned, because where no improvement is likely the numbers would all be 0.
"""

from __future__ import annotations

import numpy as np
from scipy.special import erfcx, log_ndtr

LOG_ROOT_2PI = 0.5 * np.log(2 * np.pi)


def log_excess(z: np.ndarray) -> np.ndarray:
    """log E[max(z + e, 0)] for a standard normal e, which is log(φ(z) + z Φ(z)); right to many digits for any z."""
    z = np.asarray(z, np.float64)
    density = -0.5 * z**2 - LOG_ROOT_2PI
    near = np.log(np.maximum(np.exp(density) + z * np.exp(log_ndtr(z)), 1e-300))
    below = np.minimum(z, -1.0)
    far = density + np.log1p(below * np.sqrt(np.pi / 2) * erfcx(-below / np.sqrt(2)))
    with np.errstate(divide="ignore"):
        farthest = density - 2 * np.log(np.abs(below))
    return np.where(z > -1, near, np.where(z > -1e3, far, farthest))


def log_expected_improvement(mean: np.ndarray, std: np.ndarray, best: float) -> np.ndarray:
    """log E[max(f - best, 0)] for f normal with this mean and standard deviation."""
    std = _positive(std)
    return np.log(std) + log_excess((mean - best) / std)


def log_expected_approach(mean: np.ndarray, std: np.ndarray, target: float, distance: float) -> np.ndarray:
    """log E[max(distance - |f - target|, 0)]: by how much f is nearer to the target than `distance`."""
    std = _positive(std)
    away = np.abs(mean - target)  # the other side is the mirror image

    def log_below(limit: float) -> np.ndarray:
        return log_excess((limit - away) / std)

    outer, middle, inner = log_below(distance), log_below(0.0), log_below(-distance)
    rest = 1 - 2 * np.exp(middle - outer) + np.exp(inner - outer)
    # Differences of nearly equal numbers, where the distance is small beside the standard deviation.
    density = 2 * np.log(distance / std) - 0.5 * (away / std) ** 2 - LOG_ROOT_2PI
    return np.log(std) + np.where(distance < 1e-3 * std, density, outer + np.log(np.maximum(rest, 1e-300)))


def expected_distance(mean: np.ndarray, std: np.ndarray, target: float) -> np.ndarray:
    """E|f - target|; more than 0 even where the mean is the target."""
    std = _positive(std)
    away = (mean - target) / std
    return std * (np.exp(log_excess(away)) + np.exp(log_excess(-away)))


def _positive(std: np.ndarray) -> np.ndarray:
    return np.maximum(np.asarray(std, np.float64), 1e-12)
