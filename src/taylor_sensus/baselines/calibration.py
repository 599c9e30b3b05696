"""One factor on all standard deviations, so that they fit the errors on validation rows."""

from __future__ import annotations

import numpy as np


def std_factor(error: np.ndarray, std: np.ndarray, floor: float = 1e-6) -> float:
    """The factor that makes Gaussian errors most likely: the root mean square of error over std."""
    return float(np.sqrt(np.mean((error / np.maximum(std, floor)) ** 2)))
