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

    jacobian: np.ndarray
    """(rows, targets, features)"""
    learned: np.ndarray
    """(rows, targets, features): variance of each target from the learned noise of each feature, not scaled"""
    declared: np.ndarray
    """(rows, targets, features): from declared noise"""
    input_variance: np.ndarray
    """(rows, features): learned and not declared"""


def sensitivities(
    parts: Ensemble, x: Float[np.ndarray, "rows features"], errors: InputErrors, n_jobs: int | None
) -> Sensitivities:
    """Steps 1 to 4 feature by feature."""

    def chunk(x: np.ndarray, declared_share: np.ndarray, declared_variance: np.ndarray) -> Sensitivities:
        asked = parts.process_estimate(x, slopes=True)
        process = np.asarray(asked.jacobian, np.float32)
        weight = parts.process_weight(asked.variance).astype(np.float32)[:, :, None]
        found = []
        for block_values in parts.ready:
            outputs = block_values(x)
            slope = blended(weight, outputs.jacobian, process)
            learned = (1 - declared_share) * outputs.input_variance
            squared = slope**2
            found.append((slope, squared * learned[:, None, :], squared * declared_variance[:, None, :], learned))
        return Sensitivities(*[np.mean(same, axis=0) for same in zip(*found, strict=True)])

    return in_chunks(chunk, (x, *errors), n_jobs)
