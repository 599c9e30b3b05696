"""Stage trees: extremely randomised trees beside each member's network, for what steps instead of bending.

They are grown from the rows that the member sees, whole and unpruned, and cost little beside the networks. On smooth
tables they gain nothing: where the first member's trees say so, on the rows that it has not seen, no others are grown.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn import config_context

from taylor_sensus.fit.context import FitContext, NoiseTable
from taylor_sensus.fit.padding import held_out_average
from taylor_sensus.fit.records import Table
from taylor_sensus.fit.step_share import UnseenMean, step_share
from taylor_sensus.fit.tasks import run_tasks
from taylor_sensus.model.chunks import in_chunks
from taylor_sensus.model.shapes import Bool, Float, Int, Shaped
from taylor_sensus.model.trees import Trees

FEATURE_SHARE = 0.5
"""Of the features, looked at for a split."""
MANY_ROWS = 8_000
"""Rows whose trees are whole; of more, leaves hold more than one row, and there are fewer trees."""


class GrownTrees(NamedTuple):
    """Trees without a share yet, and what those that have not seen a row predict for it."""

    trees: Trees
    unseen: UnseenMean
    """At the rows of the noise table"""


def grow_trees(context: FitContext, noise_table: NoiseTable, smooth: UnseenMean) -> GrownTrees | None:
    """A forest for each member; None where the first member's forest gains nothing.

    `smooth` is the unseen mean of networks and process at the rows of `noise_table`.
    """
    settings, t = context.settings, context.table
    if not settings.trees or not context.unseen.any():
        return None
    count = max(2, min(settings.trees, settings.trees * 2 * MANY_ROWS // t.train))
    first = grow_forest(context, 0, count)
    answer = _held_out_means(_joined(first, t), context, noise_table, 1)
    if not step_share(context, noise_table, smooth, answer, noise_table.unseen[0], luck=1.0).any():
        return None
    others = run_tasks(context, grow_forest, [(member, count) for member in range(1, settings.members)])
    trees = _joined([*first, *(tree for forest in others for tree in forest)], t)
    return GrownTrees(trees, _held_out_means(trees, context, noise_table, settings.members))


def grow_forest(context: FitContext, member: int, count: int) -> list[TreeNodes]:
    """So many trees from the rows that a member sees."""
    seed = int(context.generators(2)[member].integers(2**31))
    seen = np.flatnonzero(~context.unseen[member, : context.table.train])
    with config_context(skip_parameter_validation=True):  # which takes as long as a small tree
        return [_grow(context.table, seen, seed + number) for number in range(count)]


class TreeNodes(NamedTuple):
    """One tree."""

    children: Int[np.ndarray, "nodes 2"]
    feature: Int[np.ndarray, " nodes"]
    threshold: Float[np.ndarray, " nodes"]
    value: Float[np.ndarray, "nodes targets"]


def _grow(t: Table, seen: Int[np.ndarray, " seen"], seed: int) -> TreeNodes:
    from sklearn.tree import ExtraTreeRegressor

    leaf = -(-t.train // MANY_ROWS)
    tree = ExtraTreeRegressor(max_features=FEATURE_SHARE, min_samples_leaf=leaf, random_state=seed % 2**31)
    rows = t.x[seen], t.y[seen].astype(np.float64), t.weight[seen].astype(np.float64)
    nodes = tree.fit(*rows, check_input=False).tree_  # these are checked; to check them takes as long as to grow
    children = np.stack([nodes.children_left, nodes.children_right], axis=1)
    is_leaf = nodes.children_left < 0
    return plain_nodes(children, is_leaf, nodes.feature, nodes.threshold, nodes.value[:, :, 0])


def plain_nodes(
    children: Shaped[np.ndarray, "nodes 2"],
    is_leaf: Bool[np.ndarray, " nodes"],
    feature: Shaped[np.ndarray, " nodes"],
    threshold: Float[np.ndarray, " nodes"],
    value: Float[np.ndarray, "nodes targets"],
) -> TreeNodes:
    """A library's nodes as ours: a leaf points to itself, and thresholds part rows in single precision alike."""
    lower = threshold.astype(np.float32)
    lower = np.where(lower > threshold, np.nextafter(lower, np.float32(-np.inf)), lower)
    return TreeNodes(
        np.where(is_leaf[:, None], np.arange(len(is_leaf))[:, None], children).astype(np.int32),
        np.where(is_leaf, 0, feature).astype(np.int32),
        np.where(is_leaf, 0, lower).astype(np.float32),
        value.astype(np.float32),
    )


def joined_nodes(
    trees: list[TreeNodes],
) -> tuple[
    Int[np.ndarray, " trees"],
    Int[np.ndarray, "nodes 2"],
    Int[np.ndarray, " nodes"],
    Float[np.ndarray, " nodes"],
    Float[np.ndarray, "nodes targets"],
]:
    """Roots, children, features, thresholds and values of trees, one after another."""
    roots = np.cumsum([0, *(len(tree.feature) for tree in trees)])[:-1].astype(np.int32)
    children = np.concatenate([tree.children + root for tree, root in zip(trees, roots, strict=True)])
    feature, threshold, value = (np.concatenate(same) for same in list(zip(*trees, strict=True))[1:])
    return roots, children, feature, threshold, value


def _joined(trees: list[TreeNodes], t: Table) -> Trees:
    roots, children, feature, threshold, value = joined_nodes(trees)
    return Trees(roots, children, feature, threshold, value, np.zeros(t.y.shape[1]))


class ForestAnswer(NamedTuple):
    """Of each member's trees."""

    mean: Float[np.ndarray, "rows members targets"]
    variance: Float[np.ndarray, "rows members targets"]
    """Of that mean, by how much the trees disagree"""


def _held_out_means(trees: Trees, context: FitContext, noise_table: NoiseTable, members: int) -> UnseenMean:
    """What the trees of those members that have not seen a row predict for it."""

    def chunk(x: Float[np.ndarray, "rows features"]) -> ForestAnswer:
        values = trees.values(x, members)
        return ForestAnswer(values.mean(axis=2), values.var(axis=2, ddof=1) / values.shape[2])

    found = in_chunks(chunk, (noise_table.table.x,), context.n_jobs)
    mean, variance = (np.moveaxis(part, 1, 0).astype(np.float64) for part in found)
    unseen = noise_table.unseen[:members]
    count = np.maximum(unseen.sum(axis=0), 1)[:, None]
    saved = held_out_average(variance, unseen) * np.maximum(1 / count - 1 / context.settings.members, 0.0)
    return UnseenMean(held_out_average(mean, unseen), saved)
