"""Data density perception: how much training data lies near a row, learned once, answered row by row."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.spatial import cKDTree
from sklearn.neighbors import NearestNeighbors

from taylor_sensus.model.module import Later, Module
from taylor_sensus.model.networks import Constant
from taylor_sensus.model.shapes import AnyArray, Float

if TYPE_CHECKING:
    import jax
    import jax.numpy as jnp
else:
    jax, jnp = Later("jax"), Later("jax.numpy")


class DensityPoints(NamedTuple):
    """Points with their log-density, the first ones being the training rows themselves."""

    x: Float[np.ndarray, "points features"]
    log_density: Float[np.ndarray, " points"]


FEW_FEATURES = 15
"""With more features a tree of rows has to look at nearly all of them, and matrix products are quicker."""


class Search:
    """Exact distances from points to their nearest reference rows."""

    def __init__(self, reference: Float[np.ndarray, "rows features"]) -> None:
        self.rows = len(reference)
        self._tree, self._pairs = None, None
        if reference.shape[1] <= FEW_FEATURES or self.rows <= 4096:
            self._tree = cKDTree(reference)
        else:
            self._pairs = NearestNeighbors(algorithm="brute").fit(reference)
        nearest = self(reference[:2048], min(2, self.rows))[:, -1]
        self.floor = max(0.25 * float(np.median(nearest)) ** 2, 1e-6)
        """Squared distances below count as this."""

    def __call__(self, points: Float[np.ndarray, "points features"], k: int) -> Float[np.ndarray, "points {k}"]:
        """The nearest first."""
        if self._pairs is not None:
            return self._pairs.kneighbors(points.astype(np.float32, copy=False), n_neighbors=k)[0]
        assert self._tree is not None
        return self._tree.query(points, k=k, workers=-1)[0].reshape(len(points), -1)


def neighbour_log_density(
    points: Float[np.ndarray, "points features"],
    reference: Float[np.ndarray, "rows features"] | Search,
    k: int,
    *,
    own: bool,
) -> Float[np.ndarray, " points"]:
    """log of the sum of inverse squared distances to the K nearest reference rows (inside of eq. 11).

    `own` says that the points are reference rows, so that each leaves itself out.
    """
    search = reference if isinstance(reference, Search) else Search(reference)
    k = max(1, min(k, search.rows - own))
    # DIFF(eq. 11): a row is not its own neighbour, and distances are floored, or the sum is infinite.
    squared = search(points, k + own)[:, int(own) :] ** 2
    return np.log(np.sum(1 / np.maximum(squared, search.floor), axis=1))


MOST_ROWS = 16_384
"""Rows of a large table from which densities are learned.

Fewer rows thin all densities nearly alike, and the softmax takes out what is common. What remains is measured by the
study `scaling`.
"""


def thinned(
    rows: Float[np.ndarray, "rows features"], rng: np.random.Generator, most: int = MOST_ROWS
) -> Float[np.ndarray, "chosen features"]:
    """The rows, or `most` of them at random where there are more."""
    return rows if len(rows) <= most else rows[rng.choice(len(rows), most, replace=False)]


def density_targets(
    rows: Float[np.ndarray, "rows features"], k: int, rng: np.random.Generator, limit: int = 4096
) -> DensityPoints:
    """Training rows and noisy copies X_aug with their densities: the targets rho, before the softmax (eq. 11).

    Rows and points are squashed (tails like a root); neighbours are looked for among all rows given.
    """
    chosen = rows if len(rows) <= limit else rows[rng.choice(len(rows), limit, replace=False)]
    spread = rows.std(axis=0)
    sizes = np.exp(rng.uniform(np.log(0.1), np.log(2.0), (2 * len(chosen), 1)))
    moved = np.tile(chosen, (2, 1)) + sizes * spread * rng.standard_normal((2 * len(chosen), rows.shape[1]))
    if len(rows) > 1:
        search = Search(rows)
        here = neighbour_log_density(chosen, search, k, own=True)
        there = neighbour_log_density(moved, search, k, own=False)
    else:
        here, there = np.zeros(len(chosen)), np.zeros(len(moved))
    return DensityPoints(np.concatenate([chosen, moved]), np.concatenate([here, there]))


NEAR = 9
"""A landmark is seen as far as its eighth neighbour lies ..."""
WIDEST = 2.0
"""... but at most so many times as far as the typical one."""
UNUSED = -1e9
"""Bias of a landmark that only fills up the shape: no row ever looks at it."""


class DensityPerception(Module):
    """F_Attention: a row looks at stored landmarks; how strongly it finds any is its log-density.

    Scores fall with the squared distance under a learned metric, so the answer falls without limit away from data:
    a free-form network would extrapolate to anything. Rows are squashed (tails like a root).
    """

    landmarks: Constant
    reach: Constant  # the bandwidth of each landmark; this name is in model files
    """How far each landmark is seen, relative to the typical one."""
    log_metric: Float[AnyArray, " features"]
    bias: Constant

    @classmethod
    def initial(
        cls, rows: Float[np.ndarray, "rows features"], count: int, rng: np.random.Generator, size: int | None = None
    ) -> DensityPerception:
        """Landmarks are training rows; each is seen as far as its own neighbours lie, so that thin data reach further.

        Unused landmarks fill up to `size`, so that similar tables share a compiled program.
        """
        chosen = rows if len(rows) <= count else rows[rng.choice(len(rows), count, replace=False)]
        near = cKDTree(chosen).query(chosen, k=min(NEAR, len(chosen)))[0].reshape(len(chosen), -1)[:, -1]
        width = max(float(np.median(near)), 1e-3)
        size = max(size or 0, len(chosen))
        reach = np.resize(np.clip(near / width, 0.5, WIDEST), size)
        bias = np.where(np.arange(size) < len(chosen), -2 * np.log(reach), UNUSED)
        return cls(
            Constant(np.resize(chosen, (size, rows.shape[1])).astype(np.float32)),
            Constant(reach.astype(np.float32)),
            np.full(rows.shape[1], -np.log(width), np.float32),
            Constant(bias.astype(np.float32)),
        )

    def __call__(self, x: Float[AnyArray, " features"], *, leave_out_self: bool = False) -> Float[AnyArray, ""]:
        """F_Attention(x): log of the summed attention over the landmarks (inside of eq. 12).

        `leave_out_self` ignores a landmark at the row itself: how a training row would look if it were new.
        """
        metric = jnp.exp(self.log_metric)
        query, keys = x * metric, self.landmarks.value * metric
        squared = jnp.maximum(query @ query - 2 * keys @ query + jnp.sum(keys**2, axis=1), 0)
        scores = self.bias.value - 0.5 * squared / self.reach.value**2
        if leave_out_self:
            own = (jnp.arange(len(squared)) == jnp.argmin(squared)) & (squared < 1e-3 + 2e-6 * (query @ query))
            scores = jnp.where(own, UNUSED, scores)
        return jax.nn.logsumexp(scores)


def density_divergence(
    log_attention: Float[AnyArray, " points"], log_density: Float[AnyArray, " points"]
) -> Float[AnyArray, ""]:
    """KL(K || rho) over a batch of points, K and rho soft-maxed over the batch (eqs. 11, 12 and 13)."""
    # DIFF(eq. 11): the softmax is taken of the log-density. Of the density itself, in any real table, it is 1 at
    # one row and 0 at all others, and depends on the features' units.
    log_k = jax.nn.log_softmax(log_attention)
    log_rho = jax.nn.log_softmax(log_density)
    return jnp.sum(jnp.exp(log_k) * (log_k - log_rho))


class Reference(NamedTuple):
    """Constants stored at fit that turn a log-density into a familiarity."""

    level: float | Float[AnyArray, ""]
    spread: float | Float[AnyArray, ""]


def familiarity(log_attention: Float[AnyArray, "*rows"], reference: Reference) -> Float[AnyArray, "*rows"]:
    """k_d in [0, 1] (norm of Algorithm 1): rises with the density, 1 where data are dense, 0 far from all."""
    # DIFF(Algorithm 1): the paper's norm runs over the batch, so that a row's k_d depends on its company in the call.
    # Ours uses constants stored at fit.
    return jax.nn.sigmoid((log_attention - reference.level) / reference.spread)


def reference_of(log_attention: Float[AnyArray, " rows"], spread_factor: float = 3.0) -> Reference:
    """Constants from the training rows' log-densities: a row is familiar down to `spread_factor` usual spreads
    below the median row, and as unknown soon after. Median and quantile, because one row far from all others must not
    make everything else familiar."""
    low, middle = jnp.quantile(log_attention, jnp.array([0.1, 0.5]))
    spread = jnp.maximum((middle - low) / 1.28, 0.5)
    return Reference(middle - spread_factor * spread, spread_factor * spread / 7)
