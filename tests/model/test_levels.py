"""Features with few values, which the process also sees level by level."""

import numpy as np
import pytest

from taylor_sensus import TSNetRegressor, load
from taylor_sensus.errors import ModelFileError
from taylor_sensus.model.coordinates import Coordinates, FeatureLevels, find_levels
from taylor_sensus.model.gaussian_process import GaussianProcess, ProcessRows, hyper_prior
from taylor_sensus.storage.container import read_model_file, write_model_file

HEIGHTS = np.array([0.0, 2.0, -1.5, 1.0, -2.0, 1.5])
"""Of a function that has nothing in common at levels side by side."""
ROWS = 150


def machines(count: int, seed: int, heights: np.ndarray = HEIGHTS) -> tuple[np.ndarray, np.ndarray]:
    """Three things that are numbered, six of each, and a smooth input."""
    rng = np.random.default_rng(seed)
    numbers = rng.integers(len(heights), size=(count, 3))
    X = np.column_stack([numbers, rng.uniform(-2, 2, count)])
    return X, heights[numbers].sum(axis=1) + np.sin(2 * X[:, 3]) + 0.1 * rng.normal(size=count)


def three() -> FeatureLevels:
    return FeatureLevels(np.array([1, 1, 1]), np.array([-1.0, 0.0, 3.0]), np.array([1.0, 2.0, 1.0]))


def chosen(model: TSNetRegressor) -> FeatureLevels | None:
    share = model.fitted_.ensemble.process_share
    assert share is not None
    return share.process.numbers.levels


def test_each_is_one_at_its_level_and_goes_over_into_its_neighbours():
    x = np.column_stack([np.zeros(5), [-1.0, 0.0, 3.0, 1.5, 9.0]])
    wanted = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0.5, 0.5], [0, 0, 1]]
    np.testing.assert_allclose(three()(x) / three().height, wanted, atol=1e-12)


def test_only_features_with_few_values_and_rows_enough_have_levels():
    rng = np.random.default_rng(0)
    x = np.column_stack([rng.normal(size=90), rng.integers(2, size=90), rng.integers(4, size=90), np.ones(90)])
    found = find_levels(x)
    assert found is not None
    np.testing.assert_array_equal(found.feature, 2)
    np.testing.assert_array_equal(found.value, [0, 1, 2, 3])
    assert find_levels(x[:30]) is None
    assert find_levels(x[:, [0, 1, 3]]) is None


@pytest.mark.parametrize("turned", [False, True])
def test_slopes_are_those_of_the_features(turned):
    rng = np.random.default_rng(1)
    x = np.column_stack([rng.normal(size=40), rng.choice([-1.0, 0.0, 3.0], 40)])
    axes = np.array([[1.0, 0.5], [0.2, -1.0]]) if turned else None
    coordinates = Coordinates(4.0, axes, three())
    rows = ProcessRows(coordinates(x), np.cumsum(x, axis=1), np.ones(40), np.full(40, 0.01))
    process = GaussianProcess.condition(hyper_prior((3.0, 10.0), 5).mean, coordinates, rows)
    at, step = np.array([[0.3, -0.5], [1.0, 2.0], [-2.0, 5.0]]), 1e-6
    slopes = np.asarray(process.posterior(at, slopes=True).jacobian)
    for feature in range(2):
        aside = step * np.eye(2)[feature]
        wanted = (process.posterior(at + aside).mean - process.posterior(at - aside).mean) / (2 * step)
        np.testing.assert_allclose(slopes[:, :, feature], wanted, atol=1e-5)
    np.testing.assert_allclose(coordinates.turned_back(coordinates(at)), Coordinates(4.0)(at), atol=1e-12)


def test_at_a_level_the_slope_is_the_mean_of_both_sides():
    x = np.array([[0.0, 0.0]])
    np.testing.assert_allclose(three().slopes(x), [[-0.5, (2 - 2 / 3) / 2, 1 / 6]], atol=1e-12)


@pytest.fixture(scope="module")
def numbered():
    X, y = machines(ROWS, seed=0)
    return TSNetRegressor(members=2, epochs=4, random_state=0).fit(X, y)


def test_numbered_machines_are_learned(numbered, monkeypatch):
    assert chosen(numbered) is not None
    new, truth = machines(500, seed=1)
    error = np.mean((numbered.predict(new) - truth) ** 2)
    monkeypatch.setattr("taylor_sensus.fit.process.VERY_STRONG", np.inf)
    X, y = machines(ROWS, seed=0)
    plain = TSNetRegressor(members=2, epochs=4, random_state=0).fit(X, y)
    assert chosen(plain) is None
    assert error < 0.3 * np.mean((plain.predict(new) - truth) ** 2)


def test_smooth_functions_of_numbers_are_left_alone():
    X, y = machines(ROWS, seed=0, heights=np.linspace(-2, 2, 6))
    assert chosen(TSNetRegressor(members=2, epochs=4, random_state=0).fit(X, y)) is None


def test_readings_have_no_levels():
    """A rounded reading with an error does not say which level it is."""
    X, y = machines(ROWS, seed=0)
    errors = np.column_stack([np.full(ROWS, 0.3), np.zeros((ROWS, 3))])
    for kind in ("reading", "setting"):
        model = TSNetRegressor(members=2, epochs=4, random_state=0, X_err_kind=kind).fit(X, y, X_err=errors)
        assert chosen(model) is None


def test_a_value_between_levels_lies_between(numbered):
    at = np.column_stack([[1.0, 1.5, 2.0], np.zeros((3, 3))])
    low, middle, high = numbered.predict(at)
    assert min(low, high) < middle < max(low, high)


def test_levels_are_kept_in_the_file(numbered, tmp_path):
    X, _ = machines(40, seed=2)
    numbered.save(tmp_path / "model.tsnet")
    again = load(tmp_path / "model.tsnet")
    np.testing.assert_array_equal(again.predict(X, return_std=True), numbered.predict(X, return_std=True))


@pytest.mark.parametrize("change", ["order", "feature", "count"])
def test_levels_that_are_none_are_refused(numbered, tmp_path, change):
    numbered.save(path := tmp_path / "model.tsnet")
    content = read_model_file(path)
    value, feature = content.arrays["process.levels.value"], content.arrays["process.levels.feature"]
    if change == "order":
        content.arrays["process.levels.value"] = value[::-1].copy()
    elif change == "feature":
        content.arrays["process.levels.feature"] = feature + 4
    else:
        content.arrays["process.levels.feature"] = feature[:-1]
    write_model_file(path, content.header, content.arrays)
    with pytest.raises(ModelFileError):
        load(path)
