"""Boosted trees: each takes the error away that it says, and a share only where it is earned."""

import numpy as np
import pytest

from taylor_sensus.fit import symmetric_trees as symmetric
from taylor_sensus.fit.boosting import MOST_TIMES
from taylor_sensus.fit.trees import joined_nodes
from taylor_sensus.model.trees import BoostedTrees, check_trees
from tests.tiny import tiny

BOOSTED = {"boosting": 60, "trees": 0, "kernel_rows": 60, "kernel_search_rows": 60}


@pytest.fixture(scope="module")
def stairs():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(450, 2))
    return X, np.floor(6 * X[:, 0]) * np.where(X[:, 1] > 0.3, 2.0, -1.0) + 0.1 * rng.normal(size=450)


def grown(x, y, weight, count, seed):
    """So many trees, and the prediction before the first of them."""
    growing = symmetric.Growing(x, y, weight, seed)
    return growing.trees(count), growing.base


def sum_of(trees, base):
    roots, children, feature, threshold, value = joined_nodes(trees)
    return BoostedTrees(roots, children, feature, threshold, value[:, 0], np.array([base]), np.ones(1))


def test_every_tree_takes_a_step_towards_the_means_of_its_leaves(stairs):
    """By hand: all rows' residuals are averaged in the leaf where the plain arrays send them."""
    X, y = stairs
    x, weight = X.astype(np.float32), np.random.default_rng(1).uniform(0.5, 2, len(y))
    weight /= weight.mean()
    trees, base = grown(x, y, weight, 12, 0)
    assert base == pytest.approx(np.average(y, weights=weight))
    left, depth = y - base, symmetric.usual_depth(len(y))
    for tree in trees:
        step = sum_of([tree], 0.0).means(x)[:, 0]
        for value in np.unique(step):
            own = step == value
            total = (weight * left)[own].sum() / (weight[own].sum() + symmetric.PRIOR_ROWS)
            assert value == pytest.approx(symmetric.RATE * depth * total, rel=1e-5, abs=1e-7)
        left = left - step
    check_trees(sum_of(trees, base), 1, 2)
    np.testing.assert_allclose(sum_of(trees, base).means(x)[:, 0], y - left, rtol=1e-5, atol=1e-5)


def test_a_sum_that_goes_on_growing_is_the_one_that_grew_at_once(stairs):
    X, y = stairs
    given = X.astype(np.float32), y, np.ones(len(y))
    growing = symmetric.Growing(*given, 3)
    piecemeal, (whole, base) = growing.trees(5) + growing.trees(7), grown(*given, 12, 3)
    assert growing.base == base
    for one, other in zip(piecemeal, whole, strict=True):
        np.testing.assert_array_equal(one.threshold, other.threshold)
        np.testing.assert_array_equal(one.value, other.value)


def test_more_trees_are_grown_as_long_as_unseen_rows_gain(stairs):
    """A hundred trees are too few for stairs without noise; of mere noise beside a step they learn no more."""
    X, y = stairs
    few = {**BOOSTED, "boosting": 30}
    exact, rough = (
        tiny(details=few).fit(X, target).fitted_.ensemble.boosted
        for target in (y, np.sign(X[:, 0] - 0.2) + 1.5 * np.random.default_rng(5).normal(size=450))
    )
    assert 60 <= len(exact.roots) <= 30 * MOST_TIMES and len(exact.roots) % 10 == 0
    assert rough is None or len(rough.roots) == 30


def test_a_level_asks_what_takes_most_error_away(monkeypatch):
    """Against all thresholds, one after another, of the first two levels."""
    monkeypatch.setattr(symmetric, "SEEN_SHARE", 1.1)
    rng = np.random.default_rng(2)
    x = np.round(rng.normal(size=(60, 3)), 1).astype(np.float32)
    y = np.where(x[:, 1] > 0.2, x[:, 0], -x[:, 2]) + 0.1 * rng.normal(size=60)
    (tree,), base = grown(x, y, np.ones(60), 1, 0)
    leaf, left = np.zeros(60, int), y - base
    for level in range(2):
        found = (tree.feature[2**level - 1], tree.threshold[2**level - 1])

        def gain(feature, threshold, leaf=leaf):
            cell = 2 * leaf + (x[:, feature] > threshold)
            parts = [left[cell == one] for one in np.unique(cell)]
            return sum(part.sum() ** 2 / (len(part) + symmetric.PRIOR_ROWS) for part in parts)

        every = [(f, t) for f in range(3) for t in np.unique(x[:, f])[:-1]]
        assert gain(*found) == pytest.approx(max(gain(*one) for one in every), rel=1e-6)
        leaf = 2 * leaf + (x[:, found[0]] > found[1])
    assert set(tree.feature[3:7]) == {tree.feature[3]}, "all nodes of a level ask the same question"


def test_bins_part_distinct_values_and_hold_as_many_rows_where_there_are_more(monkeypatch):
    x = np.stack([np.repeat([1.0, 2.0, 5.0, 9.0], 25), np.linspace(-1, 1, 100)], axis=1).astype(np.float32)
    monkeypatch.setattr(symmetric, "MOST_BINS", 10)
    found = symmetric.sort_into_bins(x)
    np.testing.assert_array_equal(found.border[:4], [1.5, 3.5, 7.0, np.inf])
    assert np.bincount(found.cell[:, 1] - found.start[1]).tolist() == [10] * 10
    constant = symmetric.sort_into_bins(np.ones((5, 1), np.float32))
    assert constant.border.tolist() == [np.inf] and set(constant.cell.ravel()) == {0}


def test_a_constant_target_and_constant_columns_leave_the_mean():
    x = np.ones((40, 2), np.float32)
    for y in (np.full(40, 3.0), np.arange(40.0)):
        trees, base = grown(x, y, np.ones(40), 3, 0)
        np.testing.assert_allclose(sum_of(trees, base).means(x)[:, 0], y.mean(), rtol=1e-6)


def test_stairs_earn_a_share_and_unseen_rows_are_predicted_better(stairs):
    X, y = stairs
    with_it = tiny(details=BOOSTED).fit(X[:420], y[:420])
    without = tiny(details={**BOOSTED, "boosting": 0}).fit(X[:420], y[:420])
    assert without.fitted_.ensemble.boosted is None
    assert with_it.fitted_.ensemble.boosted.share[0] > 0.3
    errors = [np.mean((model.predict(X[420:]) - y[420:]) ** 2) for model in (with_it, without)]
    assert errors[0] < 0.7 * errors[1]
    held, seen = with_it.fitted_.held_out, np.mean((with_it.predict(X[:420]) - y[:420]) ** 2)
    assert np.mean((held.y - held.mean) ** 2) > 1.5 * seen, "judged by trees that have not seen a row"


def test_a_smooth_table_and_a_small_one_have_none(stairs):
    X, y = stairs
    assert tiny(details=BOOSTED).fit(X, X[:, 0] - 0.5 * X[:, 1]).fitted_.ensemble.boosted is None
    assert tiny(details=BOOSTED).fit(X[:299], y[:299]).fitted_.ensemble.boosted is None


def test_small_tables_have_small_trees(stairs):
    """As many leaves as the root of the number of rows; and weights change nothing where they are equal."""
    assert [symmetric.usual_depth(rows) for rows in (1, 300, 1000, 2000, 50_000)] == [3, 4, 5, 5, 8]
    X, y = stairs
    boosted = tiny(details=BOOSTED).fit(X, y).fitted_.ensemble.boosted
    heavy = tiny(details=BOOSTED).fit(X, y, sample_weight=np.full(len(y), 7.0)).fitted_.ensemble.boosted
    nodes = np.diff([*boosted.roots, len(boosted.feature)])
    assert (nodes == 2 * 2**4 - 1).all(), "nodes of a tree of four levels"
    np.testing.assert_array_equal(boosted.threshold, heavy.threshold)


def test_two_targets_have_a_sum_each(stairs):
    X, y = stairs
    model = tiny(details=BOOSTED).fit(X, np.stack([y, X[:, 1]], axis=1))
    boosted = model.fitted_.ensemble.boosted
    assert len(boosted.roots) in [2 * count for count in range(60, 60 * MOST_TIMES + 1, 20)]
    assert boosted.means(X.astype(np.float32)).shape == (450, 2)


def test_the_same_whatever_the_number_of_jobs(stairs):
    X, y = stairs
    one, two = (tiny(details=BOOSTED, n_jobs=jobs).fit(X, y).predict(X[:20]) for jobs in (1, 2))
    np.testing.assert_array_equal(one, two)
