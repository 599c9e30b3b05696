"""Robust weights: a row far off what the others say counts less, as if noise followed Student's t.

A typing error or a noisy feature makes a row miss by far more than usual noise does, and squared error would bend the
whole function to it. The factors here are the expectation step of fitting Student's t; the process that is conditioned
with them is the maximisation step.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dtrtri

from taylor_sensus.model.gaussian_process import GaussianProcess, ProcessRows
from taylor_sensus.rows import blocks

FREEDOM = 4.0
"""Degrees of freedom of Student's t: the usual choice, close to normal noise and safe against outliers."""
LITTLE = 0.25
"""Robust weight below which a row is worth a look: about four standard deviations off."""
MOST_RATIO = 20.0
"""A row counts at most so many times more, or less, than a typical one, however exact it is said to be."""


# DIFF(eq. 16): noise is normal in the paper, and every row counts alike. With noise on some cells of a table, which the
# paper's own experiment adds, most rows are good and some are far off.
def robust_weights(process: GaussianProcess, rows: ProcessRows, centres: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """A factor on the weight of each row, 1 for a typical one.

    The process was conditioned on the rows at `centres`, each with its robust weight so far. Every row's miss is
    measured from where the function would be with the row among those that were seen.
    """
    theta, targets = process.numbers.theta, rows.y.shape[1]
    noise = rows.noise(theta)
    miss, variance = np.empty_like(rows.y), np.empty(len(rows.x))
    assumed = noise[centres] / weights[centres]
    miss[centres] = assumed[:, None] * process.numbers.coefficients
    root, _ = dtrtri(process.factor, lower=1)
    variance[centres] = assumed - assumed**2 * (root * root).sum(axis=0)
    others = np.setdiff1d(np.arange(len(rows.x)), centres)
    for part in (others[block] for block in blocks(len(others), 1024)):
        said = process.posterior_at(rows.x[part])
        kept = noise[part] / (said.variance + noise[part])
        miss[part], variance[part] = kept[:, None] * (rows.y[part] - said.mean), kept * said.variance
    size = ((miss**2).sum(axis=1) + targets * np.maximum(variance, 0.0)) / noise
    return (FREEDOM + targets) / (FREEDOM + size)


def outliers(weights: np.ndarray) -> np.ndarray:
    """Places of the rows that count little, the least first."""
    order = np.argsort(weights, kind="stable")
    return order[weights[order] < LITTLE]


def row_weights(weight: np.ndarray, noise: np.ndarray, train: int) -> np.ndarray:
    """Weights of rows whose `noise` variances differ: an exact row says more than a doubtful one."""
    ratio = np.median(noise[:train]) / np.maximum(noise, 1e-30)
    weight = weight * np.clip(ratio, 1 / MOST_RATIO, MOST_RATIO)
    return (weight / weight[:train].mean()).astype(np.float32)
