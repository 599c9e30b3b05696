"""How the noise of each feature reaches each target: the rows of an uncertainty budget."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taylor_sensus.model.chunks import in_chunks
from taylor_sensus.model.declared_errors import InputErrors
from taylor_sensus.model.ensemble import Ensemble, blended
from taylor_sensus.model.shapes import Float


class Sensitivities(NamedTuple):
    """How the features reach the targets, averaged over the members."""

    jacobian: Float[np.ndarray, "rows targets features"]
    learned: Float[np.ndarray, "rows targets features"]
    """Variance of each target from the learned noise of each feature, not scaled"""
    declared: Float[np.ndarray, "rows targets features"]
    """From declared noise"""
    input_variance: Float[np.ndarray, "rows features"]
    """Learned and not declared"""


def sensitivities(
    parts: Ensemble, x: Float[np.ndarray, "rows features"], errors: InputErrors, n_jobs: int | None
) -> Sensitivities:
    """Steps 1 to 4 feature by feature."""

    def chunk(
        x: Float[np.ndarray, "rows features"],
        declared_share: Float[np.ndarray, "rows features"],
        declared_variance: Float[np.ndarray, "rows features"],
    ) -> Sensitivities:
        asked = parts.process_estimate(x, slopes=True)
        process = np.asarray(asked.jacobian, np.float32)
        weight = parts.process_weight(asked.variance).astype(np.float32)[:, :, None]
        members = parts.ready(x, means=parts.asks_networks)
        slope = blended(weight[:, None], members.jacobian, process[:, None])
        learned = (1 - declared_share)[:, None, :] * members.input_variance
        squared = slope**2
        declared = squared.mean(axis=1) * declared_variance[:, None, :]
        carried = (squared * learned[:, :, None, :]).mean(axis=1)
        return Sensitivities(slope.mean(axis=1), carried, declared, learned.mean(axis=1))

    return in_chunks(chunk, (x, *errors), n_jobs)
