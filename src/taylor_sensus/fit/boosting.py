"""Stage boosting: one sum of boosted trees beside networks, process and forests, for tables that step.

Each fold is answered by trees that have not seen it, which says what share they earn; predictions use trees of all
rows. Where those of the first fold do not clearly gain there, no others are grown: they cost more than a forest. Where
they do, they also say how many trees are enough.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taylor_sensus.fit.context import FitContext, NoiseTable
from taylor_sensus.fit.padding import LARGE
from taylor_sensus.fit.symmetric_trees import Growing
from taylor_sensus.fit.tasks import run_tasks
from taylor_sensus.fit.trees import found_shares, joined_nodes, step_share
from taylor_sensus.model.chunks import in_chunks
from taylor_sensus.model.shapes import Float, Int
from taylor_sensus.model.trees import BoostedTrees
from taylor_sensus.rows import spread

FEWEST_ROWS = 300
"""Training rows from which boosting is tried: of fewer, a quarter says too little about what it gains."""
WHOLE = -1
"""Number of a part without rows, whose trees have seen all."""
PARTS = 4
"""Of the rows, each answered by trees of the others: folds are joined, because every part costs a sum of trees."""


MORE_PARTS, LEAST_GAIN = 3, 0.01
"""A third as many trees more are grown, again and again, as long as they take that share of the error of unseen rows
away: tables with little noise gain for long, and most do not."""
MOST_TIMES = 4
"""As many trees as the setting says, at most."""


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
    if not settings.boosting or t.train < FEWEST_ROWS or not noise_table.is_held_out.any():
        return None
    part = np.full(len(t.x), WHOLE)
    part[: t.train] = part_of(context.fold)
    parts = np.unique(part[: t.train])
    if len(parts) < 2:
        return None
    unseen = np.full(t.y.shape, np.nan)

    def answered(number: int | np.integer, trees: BoostedTrees) -> None:
        own = part == number
        unseen[own] = in_chunks(trees.means, (t.x[own],), context.n_jobs)

    own = part == parts[0]
    held = own[noise_table.rows] & noise_table.is_held_out
    first = begin(context, int(parts[0]))
    answered(parts[0], first.grown(settings.boosting))
    if not step_share(context, noise_table, mean, unseen[noise_table.rows], held, luck=-1.0).any():
        return None

    def error() -> float:
        return sum(found.error for found in found_shares(context, noise_table, mean, unseen[noise_table.rows], held))

    count, least, more = settings.boosting, error(), -(-settings.boosting // MORE_PARTS)
    while count < MOST_TIMES * settings.boosting:
        before = unseen[own]
        unseen[own] += in_chunks(first.grown(more).means, (t.x[own],), context.n_jobs) - first.base
        if (now := error()) > (1 - LEAST_GAIN) * least:
            unseen[own] = before
            break
        count, least = count + more, now
    others = run_tasks(context, boost, [(int(number), count) for number in [*parts[1:], WHOLE]])
    for number, trees in zip(parts[1:], others[:-1], strict=True):
        answered(number, trees)
    whole = others[-1]
    left = np.isnan(unseen).any(axis=1)  # validation rows, and rows that every member has seen
    if left.any():
        unseen[left] = in_chunks(whole.means, (t.x[left],), context.n_jobs)
    share = step_share(context, noise_table, mean, unseen[noise_table.rows], noise_table.is_held_out)
    return GrownBoosting(whole._replace(share=share), unseen) if share.any() else None


def part_of(fold: Int[np.ndarray, " train"]) -> Int[np.ndarray, " train"]:
    """The part of the rows to which a row's fold belongs."""
    return fold % PARTS


class Sums(NamedTuple):
    """One growing sum of trees for each target."""

    of_targets: list[Growing]

    @property
    def base(self) -> Float[np.ndarray, " targets"]:
        """The predictions before the first trees."""
        return np.array([growing.base for growing in self.of_targets])

    def grown(self, count: int) -> BoostedTrees:
        """The next so many trees of each, without a share."""
        trees = [tree for growing in self.of_targets for tree in growing.trees(count)]
        roots, children, feature, threshold, value = joined_nodes(trees)
        return BoostedTrees(roots, children, feature, threshold, value[:, 0], self.base, np.zeros(len(self.base)))


def begin(context: FitContext, part: int) -> Sums:
    """Sums that learn from all training rows but those of a part, of at most `LARGE` of them."""
    t, seed = context.table, int(context.run_seeds[-1])
    seen = spread(np.flatnonzero((part_of(context.fold) != part) | (part == WHOLE)), LARGE)
    x, weight = t.x[seen], t.weight[seen].astype(np.float64)
    return Sums([Growing(x, y, weight, seed) for y in t.y[seen].astype(np.float64).T])


def boost(context: FitContext, part: int, count: int) -> BoostedTrees:
    """So many trees for each target that have not seen a part."""
    return begin(context, part).grown(count)
