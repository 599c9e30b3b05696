"""Robust weights: a row far off what the others say counts less, as if noise followed Student's t.

A typing error or a noisy feature makes a row miss by far more than usual noise does, and squared error would bend the
whole function to it. The factors here are the expectation step of fitting Student's t; the process that is conditioned
with them is the maximisation step.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dtrtri
from scipy.spatial import cKDTree

from taylor_sensus.model.gaussian_process import GaussianProcess, ProcessRows
from taylor_sensus.model.shapes import Bool, Float, Int
from taylor_sensus.rows import blocks

FREEDOM = 4.0
"""Degrees of freedom of Student's t: the usual choice, close to normal noise and safe against outliers."""
LITTLE = 0.25
"""Robust weight below which a row is worth a look: about four standard deviations off."""
MOST_RATIO = 20.0
"""A row counts at most so many times more, or less, than a typical one, however exact it is declared to be."""


# DIFF(eq. 16): noise is normal in the paper, and every row counts alike. With noise on some cells of a table, which the
# paper's own experiment adds, most rows are good and some are far off.
def robust_weights(
    process: GaussianProcess,
    rows: ProcessRows,
    centres: Int[np.ndarray, " centres"],
    weights: Float[np.ndarray, " all_rows"],
) -> Float[np.ndarray, " rows"]:
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
        posterior = process.posterior_at(rows.x[part])
        kept = noise[part] / (posterior.variance + noise[part])
        miss[part], variance[part] = kept[:, None] * (rows.y[part] - posterior.mean), kept * posterior.variance
    size = ((miss**2).sum(axis=1) + targets * np.maximum(variance, 0.0)) / noise
    return (FREEDOM + targets) / (FREEDOM + size)


NEIGHBOURS, SUSPICIOUS, MOST_SUSPECTS = 7, 8.0, 0.25
"""A row is suspected if it lies so many usual deviations off the median of so many neighbours; not if too many are."""


def suspects(rows: ProcessRows, search_rows: Int[np.ndarray, " search_rows"]) -> Bool[np.ndarray, " rows"]:
    """Rows that are far off their neighbours in the search, whatever the noise: True where an outlier is likely.

    Medians of neighbours know nothing of length scales, but a quarter of wrong rows cannot move them.
    """
    count = min(NEIGHBOURS, len(search_rows) - 1)
    if count < 3:
        return np.zeros(len(rows.x), bool)
    _, places = cKDTree(rows.x[search_rows]).query(rows.x, count + 1)
    near = rows.y[search_rows][places]
    own = search_rows[places] == np.arange(len(rows.x))[:, None]
    near = np.where(own[:, :, None], np.nan, near)
    miss = np.abs(rows.y - np.nanmedian(near, axis=1))
    typical = 1.48 * np.median(miss, axis=0)
    found = np.asarray((miss > SUSPICIOUS * np.maximum(typical, 1e-12)).any(axis=1))
    return found if found.mean() <= MOST_SUSPECTS else np.zeros(len(rows.x), bool)


LEANING, DRAWN_IN = 2.5, 3.0
"""Standard errors of the skewness from which noise counts as skewed; and, of errors that are `drawn_in`, how many
robust standard deviations off they count at most."""


def leans(error: Float[np.ndarray, "rows targets"], *, drawn_in: bool = False) -> bool:
    """Whether errors of inliers are skewed more than chance explains: then large ones are no outliers.

    Where there clearly are outliers, errors are `drawn_in`: the last one or two must not make all noise look skewed.
    """
    off = error - error.mean(axis=0)
    if drawn_in:
        off = error - np.median(error, axis=0)
        most = DRAWN_IN * 1.48 * np.median(np.abs(off), axis=0)
        off = np.clip(off, -most, most)
        off -= off.mean(axis=0)
    skewness = (off**3).mean(axis=0) / np.maximum((off**2).mean(axis=0), 1e-30) ** 1.5
    return bool((np.abs(skewness) > LEANING * np.sqrt(6 / len(error))).any())


CLEAR = 1 / 3
"""By how much the robust score is better where there clearly are outliers: each unseen row is 1.4 times as likely."""


def robust_score(error: Float[np.ndarray, "rows targets"]) -> float:
    """How unlikely errors of unseen rows are as Student's t of the best size: a few outliers count little.

    Squared error would let outliers decide, and leaving them out would let a method choose its own test rows.
    """
    sizes = np.exp(np.linspace(-14, 3, 120))[:, None]
    each = [np.log(sizes) + (FREEDOM + 1) / 2 * np.log1p((column / sizes) ** 2 / FREEDOM) for column in error.T]
    return float(sum(cost.mean(axis=1).min() for cost in each))


TOGETHER = 3.0
"""Standard deviations by which outliers have more outliers among their neighbours than chance gives them."""


def lie_together(x: Float[np.ndarray, "rows features"], is_outlier: Bool[np.ndarray, " rows"]) -> bool:
    """Whether outliers lie in one region: then the noise is larger there, and they are no typing errors."""
    count = min(NEIGHBOURS, len(x) - 1)
    if is_outlier.sum() < 2 or count < 3:
        return False
    own = np.flatnonzero(is_outlier)
    _, places = cKDTree(x).query(x[own], count + 1)
    found = float((is_outlier[places] & (places != own[:, None])).sum())
    expected = len(own) * count * (len(own) - 1) / (len(x) - 1)
    return bool(
        found - expected > TOGETHER * np.sqrt(2 * expected + 1)
    )  # neighbours are mostly mutual: pairs count twice


def outliers(weights: Float[np.ndarray, " rows"]) -> Int[np.ndarray, " found"]:
    """Places of the rows that count little, the least first."""
    order = np.argsort(weights, kind="stable")
    return order[weights[order] < LITTLE]


NOTHING = 1e-6
"""Weight of an outlier for the networks; not 0, because a fold may hold nothing else."""


def row_weights(
    weight: Float[np.ndarray, " rows"],
    noise: Float[np.ndarray, " rows"],
    train: int,
    is_outlier: Bool[np.ndarray, " rows"] | bool = False,
) -> Float[np.ndarray, " rows"]:
    """Weights of rows whose `noise` variances differ: exact rows count more than uncertain ones, outliers nothing."""
    ratio = np.median(noise[:train]) / np.maximum(noise, 1e-30)
    weight = weight * np.where(is_outlier, NOTHING, np.clip(ratio, 1 / MOST_RATIO, MOST_RATIO))
    return (weight / weight[:train].mean()).astype(np.float32)
