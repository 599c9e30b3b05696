"""The trend: a line near the data that levels off away from them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from taylor_sensus.model.squash import squash
from taylor_sensus.model.trend import LIMIT, flat_trend, ridge_trend, streamed_ridge_trend

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 3))
ONES = np.ones(300)


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_clipping_is_odd_ordered_and_bounded(a, b):
    a, b = np.float64(a), np.float64(b)
    assert abs(squash(a, LIMIT)) <= min(abs(a), LIMIT)
    assert squash(-a, LIMIT) == -squash(a, LIMIT)
    assert (squash(a, LIMIT) <= squash(b, LIMIT)) or a > b


def test_clipping_is_the_identity_near_zero():
    np.testing.assert_allclose(squash(np.array([0.01, -0.1]), LIMIT), [0.01, -0.1], rtol=1e-3)


def test_a_linear_function_is_found():
    slope = np.array([[1.0, 0.0], [-2.0, 0.5], [0.0, 3.0]])
    y = squash(X, LIMIT) @ slope + [4, -1] + 0.01 * RNG.normal(size=(300, 2))
    trend = ridge_trend(X, y, ONES)
    np.testing.assert_allclose(trend.slope, slope, atol=0.01)
    np.testing.assert_allclose(trend.intercept, [4, -1], atol=0.01)
    np.testing.assert_allclose(trend(X), y, atol=0.1)


def test_noise_gives_almost_no_slope():
    trend = ridge_trend(X[:40], RNG.normal(size=(40, 1)), ONES[:40])
    assert np.abs(trend.slope).max() < 0.3


def test_far_away_the_trend_levels_off():
    trend = ridge_trend(X, X[:, :1], ONES)
    far = trend(np.array([[1e3, 0, 0], [1e6, 0, 0]]))
    assert abs(far[1, 0] - far[0, 0]) < 1e-3
    assert abs(far[1, 0]) < 1.1 * LIMIT


def test_a_weight_of_zero_removes_a_row():
    y = X @ np.ones((3, 1))
    y[:5] = 1e3
    weight = np.where(np.arange(300) < 5, 0.0, 1.0)
    np.testing.assert_allclose(ridge_trend(X, y, weight).slope, ridge_trend(X[5:], y[5:], ONES[5:]).slope, rtol=1e-3)


def test_the_flat_trend_is_the_weighted_mean():
    y = RNG.normal(size=(300, 2))
    weight = RNG.uniform(size=300)
    trend = flat_trend(X, y, weight)
    np.testing.assert_allclose(trend(X * 100), np.tile(np.average(y, axis=0, weights=weight), (300, 1)))


def test_columns_without_variation_do_no_harm():
    trend = ridge_trend(np.c_[X[:, :1], np.zeros(300)], X[:, :1], ONES)
    assert np.isfinite(trend.slope).all() and trend.slope[1] == 0


def test_blocks_give_the_trend_of_the_whole_table():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(500, 12)) @ rng.normal(size=(12, 12))
    y = np.c_[x[:, 0] + 0.5 * rng.normal(size=500), 20 + rng.normal(size=500)]
    weight = rng.uniform(0.5, 2, size=500)
    whole = ridge_trend(x, y, weight)
    streamed = streamed_ridge_trend(lambda: (x[k : k + 70] for k in range(0, 500, 70)), y, weight)
    np.testing.assert_allclose(streamed.slope, whole.slope, atol=1e-9)
    np.testing.assert_allclose(streamed.intercept, whole.intercept, atol=1e-9)
