"""Stage boosting: one sum of boosted trees beside networks, process and forests, for tables that step.

Each fold is answered by trees that have not seen it, which says what share they earn; predictions use trees of all
rows. Where those of the first fold do not clearly gain there, no others are grown: they cost more than a forest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from taylor_sensus.fit.context import FitContext, NoiseTable
from taylor_sensus.fit.padding import LARGE
from taylor_sensus.fit.tasks import run_tasks
from taylor_sensus.fit.trees import TreeNodes, joined_nodes, plain_nodes, step_share
from taylor_sensus.model.chunks import in_chunks
from taylor_sensus.model.shapes import Float
from taylor_sensus.model.trees import BoostedTrees
from taylor_sensus.rows import spread

FEWEST_ROWS = 300
"""Training rows from which boosting is tried: of fewer, an eighth says too little about what it gains."""
RATE, LEAF = 0.08, 5
"""Learning rate of the largest trees, and the fewest rows of a leaf."""
ROWS_A_LEAF, LEAVES = 64, (8, 31)
"""A tree has a leaf for each so many rows, within these bounds: larger trees of small tables learn their noise. Smaller
ones learn faster, by the root of the number of leaves, so that as many of them are enough."""


class GrownBoosting(NamedTuple):
    """Boosted trees with their share, and what those that have not seen a row say of it."""

    boosted: BoostedTrees
    unseen_mean: Float[np.ndarray, "rows targets"]
    """At all rows of the table"""


def grow_boosting(
    context: FitContext, noise_table: NoiseTable, mean: Float[np.ndarray, "rows targets"]
) -> GrownBoosting | None:
    """Boosted trees to share in `mean`, the unseen mean of the other components at the rows of `noise_table`."""
    settings, t = context.settings, context.table
    folds = np.unique(context.fold[context.unseen[:, : t.train].any(axis=0)])
    if not settings.boosting or t.train < FEWEST_ROWS or len(folds) < 2:
        return None
    fold = np.full(len(t.x), -1)
    fold[: t.train] = context.fold
    unseen = np.full(t.y.shape, np.nan)

    def answered(number: int | np.integer, trees: BoostedTrees) -> None:
        own = fold == number
        unseen[own] = in_chunks(trees.means, (t.x[own],), context.n_jobs)

    first = boost(context, int(folds[0]))
    answered(folds[0], first)
    held = fold[noise_table.rows] == folds[0]
    if not step_share(context, noise_table, mean, unseen[noise_table.rows], held, luck=-1.0).any():
        return None
    others = run_tasks(context, boost, [(int(number),) for number in [*folds[1:], -2]])
    for number, trees in zip(folds[1:], others[:-1], strict=True):
        answered(number, trees)
    whole = others[-1]
    left = np.isnan(unseen).any(axis=1)  # validation rows, and rows that every member has seen
    if left.any():
        unseen[left] = in_chunks(whole.means, (t.x[left],), context.n_jobs)
    share = step_share(context, noise_table, mean, unseen[noise_table.rows], noise_table.is_held_out)
    return GrownBoosting(whole._replace(share=share), unseen) if share.any() else None


def boost(context: FitContext, fold: int) -> BoostedTrees:
    """Trees of all training rows but those of a fold, of at most `LARGE` of them."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    t = context.table
    seen = spread(np.flatnonzero(context.fold != fold), LARGE)
    x, weight, trees, base = t.x[seen].astype(np.float64), t.weight[seen].astype(np.float64), [], []
    leaves = most_leaves(len(seen))
    rate = RATE * float(np.sqrt(LEAVES[1] / leaves))
    unequal = None if np.ptp(weight) == 0 else weight  # with weights, cells are sorted into bins far more slowly
    for y in t.y[seen].astype(np.float64).T:
        model = HistGradientBoostingRegressor(
            learning_rate=rate, min_samples_leaf=LEAF, max_leaf_nodes=leaves, early_stopping=False,
            max_iter=context.settings.boosting, random_state=int(context.run_seeds[-1]),
        )  # fmt: skip
        with threadpool_limits(1):  # the order of sums over threads would change last digits
            model.fit(x, y, sample_weight=unequal)
        grown = [_nodes(predictors[0].nodes) for predictors in model._predictors]
        trees += grown + [grown[-1]._replace(value=0 * grown[-1].value)] * (context.settings.boosting - len(grown))
        base.append(float(np.squeeze(model._baseline_prediction)))
    roots, children, feature, threshold, value = joined_nodes(trees)
    return BoostedTrees(roots, children, feature, threshold, value[:, 0], np.array(base), np.zeros(len(base)))


def most_leaves(rows: int) -> int:
    """Of a tree of so many rows."""
    return int(np.clip(rows // ROWS_A_LEAF, *LEAVES))


def _nodes(nodes: np.ndarray) -> TreeNodes:
    children = np.stack([nodes["left"], nodes["right"]], axis=1).astype(np.int64)
    is_leaf = nodes["is_leaf"].astype(bool)
    return plain_nodes(children, is_leaf, nodes["feature_idx"], nodes["num_threshold"], nodes["value"][:, None])
