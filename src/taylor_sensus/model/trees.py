"""Regression trees as plain arrays: the components that can step where networks and process are smooth.

Every member has a forest of its own, grown from the rows that its network sees, so that what is unseen for one is
unseen for both. Boosted trees are one sum for all members, as the process is one for all. A tree is a table of nodes;
all trees stand one after another in the same arrays. A leaf points to itself, and a branch only to later nodes, so
going down always ends.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taylor_sensus.errors import ModelFileError
from taylor_sensus.model.shapes import Float, Int


class Trees(NamedTuple):
    """A forest a member, and its share in the mean of each target."""

    roots: Int[np.ndarray, " trees"]
    """Where each tree begins; every member has the same number of them, one member after another."""
    children: Int[np.ndarray, "nodes 2"]
    """Where a row goes on, at or below the threshold and above it."""
    feature: Int[np.ndarray, " nodes"]
    threshold: Float[np.ndarray, " nodes"]
    value: Float[np.ndarray, "nodes targets"]
    share: Float[np.ndarray, " targets"]

    def means(self, x: Float[np.ndarray, "rows features"], members: int) -> Float[np.ndarray, "rows {members} targets"]:
        """What each member's trees say of scaled rows."""
        return self.values(x, members).mean(axis=2)

    def values(
        self, x: Float[np.ndarray, "rows features"], members: int
    ) -> Float[np.ndarray, "rows {members} trees targets"]:
        """What each tree says."""
        node = leaves(x, self.roots, self.children, self.feature, self.threshold)
        return self.value[node].reshape(len(x), members, -1, self.value.shape[1])


class BoostedTrees(NamedTuple):
    """Gradient boosting: a sum of trees for each target, and its share in the mean."""

    roots: Int[np.ndarray, " trees"]
    """Where each tree begins; every target has the same number of them, one target after another."""
    children: Int[np.ndarray, "nodes 2"]
    feature: Int[np.ndarray, " nodes"]
    threshold: Float[np.ndarray, " nodes"]
    value: Float[np.ndarray, " nodes"]
    base: Float[np.ndarray, " targets"]
    """The prediction before the first tree."""
    share: Float[np.ndarray, " targets"]

    def means(self, x: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, "rows targets"]:
        """What they say of scaled rows."""
        node = leaves(x, self.roots, self.children, self.feature, self.threshold)
        values = self.value[node].reshape(len(x), len(self.base), -1)
        return self.base + values.sum(axis=2, dtype=np.float64)


def leaves(
    x: Float[np.ndarray, "rows features"],
    roots: Int[np.ndarray, " trees"],
    children: Int[np.ndarray, "nodes 2"],
    feature: Int[np.ndarray, " nodes"],
    threshold: Float[np.ndarray, " nodes"],
) -> Int[np.ndarray, "rows trees"]:
    """The leaf of each tree in which each row ends."""
    rows, features = x.shape
    flat, start = np.ascontiguousarray(x, np.float32).ravel(), (np.arange(rows) * features)[:, None]
    next_node, node = children.ravel(), np.broadcast_to(roots, (rows, len(roots))).copy()
    while True:
        above = flat.take(start + feature.take(node)) > threshold.take(node)
        lower = next_node.take(2 * node + above)
        if np.array_equal(lower, node):
            return node
        node = lower


def check_trees(trees: Trees | BoostedTrees, groups: int, features: int) -> None:
    """Refuse what are no trees: a row could go round for ever, or ask for a feature that is not there.

    `groups` have as many trees each: members of a forest, targets of a sum.
    """
    own, count = np.arange(len(trees.feature))[:, None], len(trees.feature)
    leaf = (trees.children == own).all(axis=1)
    branch = (trees.children > own).all(axis=1) & (trees.children < count).all(axis=1)
    if not (leaf | branch).all():
        raise ModelFileError("its trees lead nowhere")
    if not ((trees.feature >= 0) & (trees.feature < features)).all():
        raise ModelFileError("its trees ask for features that are not there")
    if not ((trees.roots >= 0) & (trees.roots < count)).all() or not len(trees.roots) or len(trees.roots) % groups:
        raise ModelFileError("its trees do not begin")
    if not ((trees.share >= 0) & (trees.share <= 1)).all():
        raise ModelFileError("its trees have an impossible share")
