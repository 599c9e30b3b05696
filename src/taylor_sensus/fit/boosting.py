"""Stage boosting: one sum of boosted trees beside networks, process and forests, for tables that step.

Each fold is answered by trees that have not seen it, which says what share they earn; predictions use trees of all
rows. Where those of the first fold do not clearly gain there, no others are grown: they cost more than a forest. Where
they do, they also say how many trees are enough, and trees that lack two folds how much better those of all rows are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taylor_sensus.fit.context import FitContext, NoiseTable
from taylor_sensus.fit.padding import LARGE
from taylor_sensus.fit.step_share import UnseenMean, found_shares, step_share
from taylor_sensus.fit.symmetric_trees import Growing
from taylor_sensus.fit.tasks import run_tasks
from taylor_sensus.fit.trees import joined_nodes
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


def grow_boosting(context: FitContext, noise_table: NoiseTable, smooth: UnseenMean) -> GrownBoosting | None:
    """Boosted trees to share in the unseen mean of the other components at the rows of `noise_table`."""
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

    saved = np.zeros(t.y.shape[1])

    def answer() -> UnseenMean:
        mean = unseen[noise_table.rows]
        return UnseenMean(mean, np.broadcast_to(saved, mean.shape))

    own = part == parts[0]
    held = own[noise_table.rows] & noise_table.is_held_out
    first = begin(context, (int(parts[0]),))
    answered(parts[0], first.grown(settings.boosting))
    as_shown = smooth._replace(saved=np.zeros_like(smooth.saved))
    if not step_share(context, noise_table, as_shown, answer(), held, luck=-1.0).any():
        return None

    def error() -> float:
        return sum(found.error for found in found_shares(context, noise_table, smooth, answer(), held))

    count, least, more = settings.boosting, error(), -(-settings.boosting // MORE_PARTS)
    while count < MOST_TIMES * settings.boosting:
        before = unseen[own]
        unseen[own] += in_chunks(first.grown(more).means, (t.x[own],), context.n_jobs) - first.base
        if (now := error()) > (1 - LEAST_GAIN) * least:
            unseen[own] = before
            break
        count, least = count + more, now
    lacking = [(int(number),) for number in [*parts[1:], WHOLE]]
    fewer = [(int(parts[0]), int(parts[1]))] if len(parts) > 2 else []
    others = run_tasks(context, boost, [(some, count) for some in [*lacking, *fewer]])
    for number, trees in zip(parts[1:], others, strict=False):
        answered(number, trees)
    whole = others[len(parts) - 1]
    if fewer:
        saved = saved_by_rows(context, fewer[0], others[-1], unseen)
    left = np.isnan(unseen).any(axis=1)  # validation rows, and rows that every member has seen
    if left.any():
        unseen[left] = in_chunks(whole.means, (t.x[left],), context.n_jobs)
    share = step_share(context, noise_table, smooth, answer(), noise_table.is_held_out)
    return GrownBoosting(whole._replace(share=share), unseen) if share.any() else None


def saved_by_rows(
    context: FitContext, parts: tuple[int, ...], trees: BoostedTrees, unseen: Float[np.ndarray, "rows targets"]
) -> Float[np.ndarray, " targets"]:
    """Squared error that trees of all rows will not make, and those that have not seen the first of two parts do.

    `trees` have seen neither.
    """
    t, counts = context.table, [len(rows_without(context, some)) for some in (parts, parts[:1], ())]
    own = np.flatnonzero(part_of(context.fold) == parts[0])
    answers = in_chunks(trees.means, (t.x[own],), context.n_jobs), unseen[own]
    errors = [np.average((t.y[own] - answer) ** 2, axis=0, weights=t.weight[own]) for answer in answers]
    return saved_by_more(counts, *errors)


def saved_by_more(
    rows: list[int], few: Float[np.ndarray, " targets"], more: Float[np.ndarray, " targets"]
) -> Float[np.ndarray, " targets"]:
    """By how much an error will fall with the third number of rows, from those with the first and the second: errors
    are taken to fall with a power of the number of rows, as most learning curves do."""
    if rows[0] == rows[1]:
        return np.zeros(len(more))
    power = np.log(rows[2] / rows[1]) / np.log(rows[1] / rows[0])
    return more * (1 - np.minimum(more / np.maximum(few, 1e-30), 1.0) ** power)


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


def rows_without(context: FitContext, parts: tuple[int, ...]) -> Int[np.ndarray, " seen"]:
    """Training rows of all other parts, at most `LARGE` of them."""
    return spread(np.flatnonzero(~np.isin(part_of(context.fold), parts)), LARGE)


def begin(context: FitContext, parts: tuple[int, ...]) -> Sums:
    """Sums that will learn from all training rows but those of some parts."""
    t, seed = context.table, int(context.run_seeds[-1])
    seen = rows_without(context, parts)
    x, weight = t.x[seen], t.weight[seen].astype(np.float64)
    return Sums([Growing(x, y, weight, seed) for y in t.y[seen].astype(np.float64).T])


def boost(context: FitContext, parts: tuple[int, ...], count: int) -> BoostedTrees:
    """So many trees for each target that have not seen some parts."""
    return begin(context, parts).grown(count)
