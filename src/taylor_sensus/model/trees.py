"""Regression trees as plain arrays: the voice that can step where networks and process are smooth.

Every member has trees of its own, grown from the rows that its network sees, so that what is unseen for one is unseen
for both. A tree is a table of nodes; all trees stand one after another in the same arrays. A leaf points to itself,
and a branch only to later nodes, so going down always ends.
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
        rows, features = x.shape
        flat, start = np.ascontiguousarray(x, np.float32).ravel(), np.arange(rows)[:, None] * features
        next_node = self.children.ravel()
        node = np.broadcast_to(self.roots, (rows, len(self.roots))).copy()
        while True:
            above = flat.take(start + self.feature.take(node)) > self.threshold.take(node)
            lower = next_node.take(2 * node + above)
            if np.array_equal(lower, node):
                break
            node = lower
        said = self.value[node].reshape(rows, members, -1, self.value.shape[1])
        return said.mean(axis=2)


def check_trees(trees: Trees, members: int, features: int) -> None:
    """Refuse what is no forest: a row could go round for ever, or ask for a feature that is not there."""
    own, count = np.arange(len(trees.feature))[:, None], len(trees.feature)
    leaf = (trees.children == own).all(axis=1)
    branch = (trees.children > own).all(axis=1) & (trees.children < count).all(axis=1)
    if not (leaf | branch).all():
        raise ModelFileError("its trees lead nowhere")
    if not ((trees.feature >= 0) & (trees.feature < features)).all():
        raise ModelFileError("its trees ask for features that are not there")
    if not ((trees.roots >= 0) & (trees.roots < count)).all() or not len(trees.roots) or len(trees.roots) % members:
        raise ModelFileError("its trees do not begin")
    if not ((trees.share >= 0) & (trees.share <= 1)).all():
        raise ModelFileError("its trees have an impossible share")
