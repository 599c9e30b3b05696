"""The share of trees is the one that serves predictions, which know more than unseen rows show."""

import numpy as np
import pytest

from taylor_sensus.fit.boosting import saved_by_more
from taylor_sensus.fit.share import saved_by_averaging
from taylor_sensus.fit.step_share import UnseenMean, best_step_share

RNG = np.random.default_rng(0)
ROWS, MEMBERS = 6000, 8
TRUTH = RNG.normal(size=ROWS)
Y = TRUTH + 0.3 * RNG.normal(size=ROWS)
MEANS = TRUTH[:, None] + 0.3 * RNG.normal(size=(ROWS, 1)) + 0.8 * RNG.normal(size=(ROWS, MEMBERS))
UNSEEN = np.arange(ROWS) % MEMBERS == np.arange(MEMBERS)[:, None]
OWN, NOTHING, WEIGHT = MEANS.T[UNSEEN.argmax(axis=0), np.arange(ROWS)], np.zeros(ROWS), np.ones(ROWS)


def error(mean):
    return np.mean((Y - mean) ** 2)


def test_what_averaging_saves_is_known():
    saved = saved_by_averaging(MEANS[:, :, None], UNSEEN)[:, 0]
    assert saved.mean() == pytest.approx(error(OWN) - error(MEANS.mean(axis=1)), rel=0.1)
    assert not saved_by_averaging(MEANS[:, :1, None], UNSEEN[:1]).any()
    assert np.allclose(saved_by_averaging(MEANS[:, :, None], np.ones_like(UNSEEN)), 0), "validation rows: all of them"


@pytest.mark.parametrize("tree_error", [0.4, 0.6, 1.0])
def test_the_share_is_best_for_the_average_of_all_members(tree_error):
    trees = TRUTH + tree_error * np.random.default_rng(1).normal(size=ROWS)
    saved, whole = saved_by_averaging(MEANS[:, :, None], UNSEEN)[:, 0], MEANS.mean(axis=1)
    best = np.mean((Y - whole) * (trees - whole)) / np.mean((trees - whole) ** 2)
    found = best_step_share(Y, OWN, saved, trees, NOTHING, WEIGHT).share
    assert found == pytest.approx(best, abs=0.05)
    assert best_step_share(Y, OWN, NOTHING, trees, NOTHING, WEIGHT).share > best + 0.15, "as the rows show it"


def test_what_trees_will_save_counts_for_them():
    trees = TRUTH + 0.8 * np.random.default_rng(2).normal(size=ROWS)
    shown = best_step_share(Y, OWN, NOTHING, trees, NOTHING, WEIGHT).share
    assert best_step_share(Y, OWN, NOTHING, trees, np.full(ROWS, 0.4), WEIGHT).share > shown + 0.1


def test_a_blend_saves_what_its_parts_do():
    one, other = UnseenMean(np.zeros((2, 1)), np.full((2, 1), 4.0)), UnseenMean(np.ones((2, 1)), np.full((2, 1), 8.0))
    both = one.blended(np.array([0.25]), other)
    assert both.mean.tolist() == [[0.25]] * 2 and both.saved.tolist() == [[2.75]] * 2


def test_errors_fall_with_the_power_of_rows_that_they_have_shown():
    few, more = np.array([1 / 200, 3.0, 2.0]), np.array([1 / 300, 3.0, 2.5])
    saved = saved_by_more([200, 300, 400], few, more)
    assert saved[0] == pytest.approx(1 / 300 - 1 / 400)
    assert saved[1:].tolist() == [0, 0], "nothing learned, nothing to hope for"
    assert not saved_by_more([300, 300, 300], few, more).any(), "a table so large that no more rows are looked at"
