"""Bounds of the noise shares hold the truth where slopes tell the sources apart, and say nothing where they do not."""

import numpy as np
import pytest

from taylor_sensus.fit.noise_shares import share_bounds


def case(rows, share, slopes, seed, known=0.0):
    """Squared errors of rows of which the input's noise causes a `share` of the variance 1, on average."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(0, 1, rows)
    squared = slopes(x)[:, None] ** 2
    variance = share * squared[:, 0] / squared.mean() + (1 - share) + known
    return squared, variance * rng.standard_normal(rows) ** 2, np.full(rows, known)


def curved(x):
    return np.cos(2 * np.pi * x)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.98])
def test_intervals_hold_the_truth_where_slopes_differ(share):
    held, widths = [], []
    for seed in range(15):
        low, high = share_bounds(*case(200, share, curved, seed, known=0.1))
        held.append(low[0] - 1e-9 <= share <= high[0] + 1e-9)
        assert low[0] + high[1] == pytest.approx(1, abs=0.05), "what is not the input's is the system's"
        widths.append(high[1] - low[1])
    assert np.mean(held) >= 0.8 and np.mean(widths) < 0.52


def test_a_straight_line_tells_nothing():
    low, high = share_bounds(*case(400, 0.5, np.ones_like, 0))
    assert high - low == pytest.approx([1, 1])


def test_inputs_are_told_apart_by_where_their_slopes_are_steep():
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 1, (600, 2))
    squared = np.cos(2 * np.pi * x) ** 2
    error = (squared[:, 0] / squared[:, 0].mean()) * rng.standard_normal(600) ** 2
    low, high = share_bounds(squared, error, np.zeros(600))
    assert low[0] > 0.6 and high[1] < 0.3 and high[2] < 0.4


def test_few_rows_and_inputs_without_a_slope():
    low, high = share_bounds(*case(8, 0.5, curved, 0))
    assert (high - low == 1).all()
    squared, error, known = case(200, 0.0, curved, 0)
    low, high = share_bounds(np.column_stack([squared, np.zeros(200)]), error, known)
    assert (low[1], high[1]) == (0, 0)


def test_slips_do_not_decide_the_split():
    squared, error, known = case(300, 0.0, curved, 1)
    steep = np.argsort(-squared[:, 0])[:3]
    error[steep] = 300.0
    low, high = share_bounds(squared, error, known)
    assert low[0] < 0.25 and high[1] > 0.75
