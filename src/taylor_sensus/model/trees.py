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


class Trees(NamedTuple):
    """A forest a member, and its share in the mean of each target."""

    roots: np.ndarray
    """(trees,): where each tree begins; every member has the same number of them, one member after another."""
    children: np.ndarray
    """(nodes, 2): where a row goes on, at or below the threshold and above it."""
    feature: np.ndarray
    """(nodes,)"""
    threshold: np.ndarray
    """(nodes,)"""
    value: np.ndarray
    """(nodes, targets)"""
    share: np.ndarray
    """(targets,)"""

    def means(self, x: np.ndarray, members: int) -> np.ndarray:
        """What each member's trees say of scaled rows, `(rows, members, targets)`."""
        rows, node = len(x), leaves(x, self.roots, self.children, self.feature, self.threshold)
        values = self.value[node].reshape(rows, members, -1, self.value.shape[1])
        return values.mean(axis=2)


class BoostedTrees(NamedTuple):
    """Gradient boosting: a sum of trees for each target, and its share in the mean."""

    roots: np.ndarray
    """(trees,): where each tree begins; every target has the same number of them, one target after another."""
    children: np.ndarray
    """(nodes, 2)"""
    feature: np.ndarray
    """(nodes,)"""
    threshold: np.ndarray
    """(nodes,)"""
    value: np.ndarray
    """(nodes,)"""
    base: np.ndarray
    """(targets,): the prediction before the first tree."""
    share: np.ndarray
    """(targets,)"""

    def means(self, x: np.ndarray) -> np.ndarray:
        """What they say of scaled rows, `(rows, targets)`."""
        node = leaves(x, self.roots, self.children, self.feature, self.threshold)
        values = self.value[node].reshape(len(x), len(self.base), -1)
        return self.base + values.sum(axis=2, dtype=np.float64)


def leaves(
    x: np.ndarray, roots: np.ndarray, children: np.ndarray, feature: np.ndarray, threshold: np.ndarray
) -> np.ndarray:
    """The leaf of each tree in which each row ends, `(rows, trees)`."""
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
