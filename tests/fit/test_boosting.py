"""Boosted trees: the library's own answers as plain arrays, and a share only where it is earned."""

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor

from taylor_sensus.fit import boosting
from taylor_sensus.fit.trees import joined_nodes
from taylor_sensus.model.trees import BoostedTrees, check_trees
from tests.tiny import tiny

BOOSTED = {"boosting": 60, "trees": 0, "kernel_rows": 60, "kernel_search_rows": 60}


@pytest.fixture(scope="module")
def stairs():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(450, 2))
    return X, np.floor(6 * X[:, 0]) * np.where(X[:, 1] > 0.3, 2.0, -1.0) + 0.1 * rng.normal(size=450)


def test_plain_arrays_say_what_the_library_says(stairs):
    X, y = stairs
    x = X.astype(np.float32)
    model = HistGradientBoostingRegressor(max_iter=20, min_samples_leaf=5, early_stopping=False).fit(x, y)
    trees = [boosting._nodes(predictors[0].nodes) for predictors in model._predictors]
    roots, children, feature, threshold, value = joined_nodes(trees)
    base = np.array([float(np.squeeze(model._baseline_prediction))])
    boosted = BoostedTrees(roots, children, feature, threshold, value[:, 0], base, np.ones(1))
    check_trees(boosted, 1, 2)
    np.testing.assert_allclose(boosted.means(x)[:, 0], model.predict(x), rtol=1e-5, atol=1e-5)


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
    """A leaf for 64 rows, at least 8 and at most 31; and weights change nothing where they are equal."""
    assert [boosting.most_leaves(rows) for rows in (300, 640, 1000, 2000, 50_000)] == [8, 10, 15, 31, 31]
    X, y = stairs
    boosted = tiny(details=BOOSTED).fit(X, y).fitted_.ensemble.boosted
    heavy = tiny(details=BOOSTED).fit(X, y, sample_weight=np.full(len(y), 7.0)).fitted_.ensemble.boosted
    leaves = np.diff([*boosted.roots, len(boosted.feature)])
    assert leaves.max() == 2 * 8 - 1, "nodes of a tree of eight leaves"
    np.testing.assert_array_equal(boosted.threshold, heavy.threshold)


def test_two_targets_have_a_sum_each(stairs):
    X, y = stairs
    model = tiny(details=BOOSTED).fit(X, np.stack([y, X[:, 1]], axis=1))
    boosted = model.fitted_.ensemble.boosted
    assert len(boosted.roots) == 2 * BOOSTED["boosting"]
    assert boosted.means(X.astype(np.float32)).shape == (450, 2)


def test_the_same_whatever_the_number_of_jobs(stairs):
    X, y = stairs
    one, two = (tiny(details=BOOSTED, n_jobs=jobs).fit(X, y).predict(X[:20]) for jobs in (1, 2))
    np.testing.assert_array_equal(one, two)
