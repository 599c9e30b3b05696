"""Attenuation: how much flatter a regression on readings is than the law behind them."""

from __future__ import annotations

import numpy as np

from taylor_sensus.model.declared_errors import nothing_declared
from taylor_sensus.model.ensemble import Ensemble
from taylor_sensus.model.law import Law
from taylor_sensus.model.sensitivity import sensitivities
from taylor_sensus.model.shapes import Float


def attenuation(
    ensemble: Ensemble, law: Law, x: Float[np.ndarray, "rows features"], n_jobs: int | None
) -> Float[np.ndarray, " features"]:
    """Sum of g f over sum of f squared at scaled rows, for each feature; g and f are the slopes of the two."""
    regression = sensitivities(ensemble, x.astype(np.float32), nothing_declared(*x.shape), n_jobs).jacobian
    slope = law.slopes(x)
    return (regression * slope).sum(axis=(0, 1)) / np.maximum((slope * slope).sum(axis=(0, 1)), 1e-30)
