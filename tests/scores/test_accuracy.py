"""Accuracy against scikit-learn and hand-made numbers; wrong input is refused, never broadcast."""

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics as sk

from taylor_sensus.errors import DataError
from taylor_sensus.scores import mae, mse, r2, rmse

RNG = np.random.default_rng(1)
Y = RNG.normal(size=(40, 3)) * [1, 10, 100]
MEAN = Y + RNG.normal(size=Y.shape)
WEIGHT = RNG.uniform(size=40)


@pytest.mark.parametrize("weight", [None, WEIGHT])
@pytest.mark.parametrize("shape", [(120,), (40, 3)])
def test_agrees_with_scikit_learn(shape, weight):
    y, mean = Y.reshape(shape), MEAN.reshape(shape)
    if weight is not None and len(shape) == 1:
        weight = np.resize(weight, 120)
    assert mse(y, mean, sample_weight=weight) == pytest.approx(sk.mean_squared_error(y, mean, sample_weight=weight))
    assert mae(y, mean, sample_weight=weight) == pytest.approx(sk.mean_absolute_error(y, mean, sample_weight=weight))
    assert r2(y, mean, sample_weight=weight) == pytest.approx(sk.r2_score(y, mean, sample_weight=weight))
    assert rmse(y, mean, sample_weight=weight) ** 2 == pytest.approx(mse(y, mean, sample_weight=weight))


def test_by_hand():
    y, mean = [1, 2, 3], [1, 2, 6]
    assert mse(y, mean) == 3
    assert mae(y, mean) == 1
    assert r2(y, mean) == 1 - 9 / 2
    assert mse(y, mean, sample_weight=[1, 1, 0]) == 0
    assert isinstance(mse(y, mean), float)


def test_weight_of_two_is_the_row_twice():
    y, mean = Y[:, 0], MEAN[:, 0]
    weight = np.ones(40)
    weight[3] = 2
    twice_y, twice_mean = np.append(y, y[3]), np.append(mean, mean[3])
    for score in (mse, mae, rmse, r2):
        assert score(y, mean, sample_weight=weight) == pytest.approx(score(twice_y, twice_mean))


def test_a_weight_for_each_value_is_possible():
    weight = np.zeros((40, 3))
    weight[:, 1] = 1
    assert mse(Y, MEAN, sample_weight=weight + 1e-300) == pytest.approx(mse(Y[:, 1], MEAN[:, 1]))


@pytest.mark.parametrize("unit", [1e-150, 1e-3, 1e3, 1e150])
def test_scaling_the_target(unit):
    shifted, shifted_mean = (Y + 5) * unit, (MEAN + 5) * unit
    assert mae(shifted, shifted_mean) == pytest.approx(mae(Y, MEAN) * unit)
    assert rmse(shifted, shifted_mean) == pytest.approx(rmse(Y, MEAN) * unit)
    assert r2(shifted, shifted_mean) == pytest.approx(r2(Y, MEAN))


def test_r2_does_not_depend_on_the_units_of_single_targets():
    assert r2(Y * [1, 1e6, 1e-6], MEAN * [1, 1e6, 1e-6]) == pytest.approx(r2(Y, MEAN))


def test_r2_of_a_constant_target_is_not_a_number():
    assert np.isnan(r2([0.1] * 7, [0.1] * 7))
    assert np.isnan(r2([0.1] * 7, np.arange(7)))
    assert np.isnan(r2([1.0], [2.0]))
    assert np.isnan(r2([1, 1, 5], [1, 2, 5], sample_weight=[1, 1, 0]))


def test_pandas_is_welcome():
    frame = pd.DataFrame(Y)
    assert mse(frame, MEAN) == mse(Y, MEAN)
    assert mae(frame[0], pd.Series(MEAN[:, 0], index=range(100, 140))) == mae(Y[:, 0], MEAN[:, 0])


@pytest.mark.parametrize("score", [mse, mae, rmse, r2])
@pytest.mark.parametrize(
    ("y", "mean", "says"),
    [
        ([1, 2, 3], [[1], [2], [3]], r"mean has shape \(3, 1\) but y has \(3,\).*ravel"),
        ([1, 2], [1, 2, 3], r"mean has shape \(3,\)"),
        ([], [], "not empty"),
        (1.0, 1.0, r"shape \(\)"),
        (np.zeros((2, 2, 2)), np.zeros((2, 2, 2)), r"\(rows, targets\)"),
        ([1, np.nan, np.inf], [1, 2, 3], r"y has 2 missing or infinite values, the first \(nan\) at row 1"),
        ([[1, 2]], [[1, np.inf]], "row 0, target 1"),
        (["a", "b"], [1, 2], "y must hold numbers"),
        ([1, None], [1, 2], "y"),
        ([1j, 2], [1, 2], "y must hold numbers"),
        ([1, pd.NA], [1, 2], "y must hold numbers"),
    ],
)
def test_unusable_arrays_are_refused(score, y, mean, says):
    with pytest.raises(DataError, match=says):
        score(y, mean)


def test_all_problems_are_named_at_once():
    with pytest.raises(DataError, match=r"y has 1 missing.*mean has shape"):
        mse([1, np.nan], [1, 2, 3])


@pytest.mark.parametrize(
    ("weight", "says"),
    [
        ([1, 1], r"sample_weight has shape \(2,\)"),
        ([1, -1, 1], "found -1.0 at row 1"),
        ([1, np.nan, 1], "found nan at row 1"),
        ([0, 0, 0], "all weights"),
        (2.0, r"shape \(\)"),
    ],
)
def test_unusable_weights_are_refused(weight, says):
    with pytest.raises(DataError, match=says):
        mse([1, 2, 3], [1, 2, 3], sample_weight=weight)
