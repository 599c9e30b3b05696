"""How far each row is believed: one far off what the others say counts less, as if noise followed Student's t.

A slip of the pen or a noisy feature makes a row miss by far more than usual noise does, and squared error would bend
the whole function to it. The factors here are the expectation step of fitting Student's t; the process that is
conditioned with them is the maximisation step.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dtrtri

from taylor_sensus.model.gaussian_process import Conditioned, Rows, posterior

FREEDOM = 4.0
"""Degrees of freedom of Student's t: the usual choice, close to normal noise and safe against slips."""
LITTLE = 0.25
"""Belief below which a row is worth a look: about four standard deviations off."""
CHUNK = 1024
"""Rows asked at once, which bounds the memory."""


# DIFF(eq. 16): noise is normal in the paper, and every row counts alike. With noise on some cells of a table, which the
# paper's own experiment adds, most rows are good and some are far off.
def beliefs(process: Conditioned, rows: Rows, pick: np.ndarray, believed: np.ndarray) -> np.ndarray:
    """A factor on the weight of each row, 1 for a typical one.

    The process was conditioned on the rows at `pick`, each `believed` so far. Every row's miss is measured from where
    the function would be with the row among those that were seen.
    """
    targets, noise = rows.y.shape[1], rows.noise(process.theta)
    miss, doubt = np.empty_like(rows.y), np.empty(len(rows.x))
    assumed = noise[pick] / believed[pick]
    miss[pick] = assumed[:, None] * process.coefficients
    root, _ = dtrtri(process.factor, lower=1)
    doubt[pick] = assumed - assumed**2 * (root * root).sum(axis=0)
    others = np.setdiff1d(np.arange(len(rows.x)), pick)
    for part in np.array_split(others, -(-len(others) // CHUNK)) if len(others) else []:
        mean, variance = posterior(process, rows.x[part])
        kept = noise[part] / (variance + noise[part])
        miss[part], doubt[part] = kept[:, None] * (rows.y[part] - mean), kept * variance
    size = ((miss**2).sum(axis=1) + targets * np.maximum(doubt, 0.0)) / noise
    return (FREEDOM + targets) / (FREEDOM + size)


def doubted(belief: np.ndarray) -> np.ndarray:
    """Places of the rows that are believed little, the least believed first."""
    order = np.argsort(belief, kind="stable")
    return order[belief[order] < LITTLE]
