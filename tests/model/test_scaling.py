"""Scaling: numbers around 0 whatever the unit, columns that never change left out, nothing overflows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taylor_sensus.model.scaling import learn_scaling

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 3))
Y = RNG.normal(size=(200, 2))
ONES = np.ones(200)


def test_scaled_columns_have_size_one():
    scaler = learn_scaling(X * [1e-9, 1, 1e9] + [1, 2, 3], Y * [1e-9, 1e9] + 5, ONES)
    np.testing.assert_allclose(scaler.features(X * [1e-9, 1, 1e9] + [1, 2, 3]).std(axis=0), 1, rtol=0.2)
    y = scaler.targets(Y * [1e-9, 1e9] + 5)
    np.testing.assert_allclose(y.mean(axis=0), 0, atol=1e-5)  # 5 + 1e-9 keeps six digits
    np.testing.assert_allclose(y.std(axis=0), 1, rtol=1e-6)


@settings(max_examples=60, deadline=None)
@given(st.floats(-30, 30), st.floats(-1e3, 1e3))
def test_the_unit_does_not_matter(power, shift):
    unit = 10.0**power
    here, there = learn_scaling(X, Y, ONES), learn_scaling((X + shift) * unit, (Y + shift) * unit, ONES)
    np.testing.assert_allclose(there.features((X + shift) * unit), here.features(X), atol=1e-9)
    np.testing.assert_allclose(there.targets((Y + shift) * unit), here.targets(Y), atol=1e-9)


def test_weights_of_targets_are_repeats():
    weight = RNG.integers(1, 4, 200)
    weighted, repeated = (
        learn_scaling(X, Y, weight.astype(float)),
        learn_scaling(np.repeat(X, weight, axis=0), np.repeat(Y, weight, axis=0), np.ones(weight.sum())),
    )
    np.testing.assert_allclose(weighted.target_center, repeated.target_center)
    np.testing.assert_allclose(weighted.target_scale, repeated.target_scale)


def test_columns_that_never_change_are_left_out():
    x = np.c_[X[:, 0], np.full(200, 7.0), np.full(200, 1e12) + np.where(np.arange(200) == 3, 1e-4, 0)]
    scaler = learn_scaling(x, Y, ONES)
    assert (scaler.scale > 0).tolist() == [True, False, False]
    np.testing.assert_array_equal(scaler.features(x + 5)[:, 1:], 0)


def test_outliers_do_not_move_the_scale_but_rare_values_have_one():
    wild = X[:, 0].copy()
    wild[0] = 100
    rare = (np.arange(200) < 4).astype(float)
    scaler = learn_scaling(np.c_[X[:, 0], wild, rare], Y, ONES)
    assert scaler.scale[1] == pytest.approx(scaler.scale[0], rel=0.05)
    assert scaler.scale[2] == 0.5


@pytest.mark.parametrize("value", [0.0, 7.0, -1e12, 1e-12])
def test_a_constant_target_keeps_a_small_positive_scale(value):
    scaler = learn_scaling(X, np.full((200, 1), value), ONES)
    assert 0 < scaler.target_scale[0] <= max(1e-6 * abs(value), 1e-12) * (1 + 1e-9)
    np.testing.assert_array_equal(scaler.targets(np.full((3, 1), value)), 0)


def test_rows_far_away_are_cut():
    far = learn_scaling(X, Y, ONES).features(np.array([[1e30, -1e30, 1e36]]))
    np.testing.assert_array_equal(far, [[1e6, -1e6, 1e6]])


def test_chosen_rows_alone_count():
    rows = np.arange(0, 200, 3)
    some, whole = learn_scaling(X, Y[rows], ONES[rows], rows), learn_scaling(X[rows], Y[rows], ONES[rows])
    for one, other in zip(some, whole, strict=True):
        assert np.array_equal(one, other)


def test_many_columns_are_scaled_one_by_one():
    wide = RNG.normal(size=(50, 21)) * np.arange(21)
    scaler = learn_scaling(wide, Y[:50], ONES[:50])
    for column in range(21):
        alone = learn_scaling(wide[:, [column]], Y[:50], ONES[:50])
        assert (alone.center[0], alone.scale[0]) == (scaler.center[column], scaler.scale[column])
