"""Columns that repeat together, such as those of a mixture."""

import numpy as np

from taylor_sensus.model.repeated_columns import repeated_columns


def test_columns_of_mixtures_are_found():
    rng = np.random.default_rng(0)
    mixtures = rng.integers(0, 20, (40, 3)).astype(float)
    of = np.repeat(np.arange(40), 3)
    found, sets = repeated_columns(np.column_stack([rng.normal(size=120), mixtures[of], rng.integers(1, 90, 120)]))
    assert found == [1, 2, 3]
    assert sets == len(np.unique(mixtures, axis=0))


def test_a_factorial_plan_is_no_group():
    levels = np.array([(a, b) for a in range(5) for b in range(5)] * 4, float)
    assert repeated_columns(levels) == ([], 0)


def test_independent_columns_are_no_group():
    rng = np.random.default_rng(1)
    columns = np.column_stack([rng.integers(0, 2, 300), rng.integers(0, 50, 300), rng.normal(size=(300, 4))])
    assert repeated_columns(columns) == ([], 0)
