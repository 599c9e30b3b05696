"""Widths by rank: never narrower than the guarantee allows."""

import numpy as np
import pytest

from taylor_sensus.errors import SettingError, TaylorSensusWarning
from taylor_sensus.model.intervals import half_widths


def test_the_width_is_the_score_of_the_right_rank():
    scores = np.arange(1.0, 20.0)[::-1, None]  # 19 rows: the 18th of them bounds 90 %
    assert half_widths(scores, 0.9) == [18] and half_widths(scores, 0.5) == [10] and half_widths(scores, 0.95) == [19]


def test_each_target_has_its_own():
    scores = np.stack([np.arange(99.0), 2 * np.arange(99.0)], axis=1)
    np.testing.assert_array_equal(half_widths(scores, 0.9), [89, 178])


def test_too_few_rows_have_no_finite_bound():
    with pytest.warns(TaylorSensusWarning, match="8 unseen rows cannot bound 0.9 .* Measure at least 9 rows"):
        assert half_widths(np.ones((8, 1)), 0.9) == [np.inf]
    assert half_widths(np.ones((9, 1)), 0.9) == [1]


@pytest.mark.parametrize("coverage", [0, 1, 90, -0.1])
def test_what_is_no_probability_is_refused(coverage):
    with pytest.raises(SettingError, match="between 0 and 1"):
        half_widths(np.ones((50, 1)), coverage)


def test_a_new_row_is_held_as_often_as_promised():
    rng = np.random.default_rng(0)
    for rows in (10, 30, 200):
        scores = np.abs(rng.standard_t(3, (4000, rows + 1)))
        held = [new <= half_widths(old[:, None], 0.9)[0] for *old, new in scores for old in [np.array(old)]]
        assert 0.885 < np.mean(held) < 0.9 + 1 / (rows + 1) + 0.015
