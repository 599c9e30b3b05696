"""Coordinates of the process: turned where columns go together, and back again."""

import numpy as np
import pytest

from taylor_sensus import TSNetRegressor, load
from taylor_sensus.errors import ModelFileError
from taylor_sensus.model.coordinates import LEAST_SPREAD, Coordinates, principal_axes
from taylor_sensus.model.gaussian_process import GaussianProcess, ProcessRows, hyper_prior
from taylor_sensus.storage.container import read_model_file, write_model_file


def together(count: int, seed: int = 0) -> np.ndarray:
    """Three readings of one light and of small differences, like the bands of a spectrum."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(count, 1)) + 0.05 * rng.normal(size=(count, 3))


def bands(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Eight bands of a smooth spectrum with three causes, and what one of them is."""
    rng = np.random.default_rng(seed)
    place = np.linspace(0, 1, 8)
    level, tilt, bend = rng.normal(size=(3, count, 1)) * np.array([1.0, 0.05, 0.02])[:, None, None]
    X = level + tilt * place + bend * np.sin(np.pi * place) + 1e-4 * rng.normal(size=(count, 8))
    return X, (bend[:, 0] / 0.02) ** 2 + tilt[:, 0] / 0.05 + 0.1 * rng.normal(size=count)


def test_axes_are_uncorrelated_and_of_one_spread():
    z = together(4000)
    axes = principal_axes(z)
    assert axes is not None
    turned = z @ axes
    np.testing.assert_allclose(np.corrcoef(turned.T), np.eye(3), atol=1e-8)
    np.testing.assert_allclose(turned.std(axis=0), 1, atol=0.06)


def test_features_that_do_not_go_together_stay():
    assert principal_axes(np.random.default_rng(0).normal(size=(300, 4))) is None
    assert principal_axes(np.random.default_rng(0).normal(size=(300, 1))) is None


def test_what_never_varies_is_not_stretched():
    z = together(200)
    axes = principal_axes(np.column_stack([z, z[:, 0], np.zeros(200)]))  # a copy, and a constant
    assert axes is not None and np.isfinite(axes).all()
    assert np.abs(axes).max() <= 1 / LEAST_SPREAD


def test_few_rows_far_out_do_not_make_the_others_alike():
    z = together(400)
    z[:4] += 30.0
    axes = principal_axes(z)
    assert axes is not None
    spread = np.subtract(*np.quantile(z @ axes, [0.75, 0.25], axis=0)) / 1.349
    np.testing.assert_allclose(spread, 1, atol=1e-6)


@pytest.mark.parametrize("log_range", [1.0, 30.0])
def test_slopes_are_those_of_the_features(log_range):
    x = together(60)
    axes = principal_axes(Coordinates(log_range)(x))
    coordinates = Coordinates(log_range, axes)
    y = np.stack([np.sin(x[:, 0]) + 5 * (x[:, 1] - x[:, 2]), x[:, 2] ** 2], axis=1)
    rows = ProcessRows(coordinates(x), y, np.ones(60), np.full(60, 0.01))
    process = GaussianProcess.condition(hyper_prior((3.0, 10.0), 3).mean, coordinates, rows)
    at, step = together(7, seed=1), 1e-6
    slopes = process.posterior(at, slopes=True).jacobian
    for feature in range(3):
        aside = step * np.eye(3)[feature]
        wanted = (process.posterior(at + aside).mean - process.posterior(at - aside).mean) / (2 * step)
        np.testing.assert_allclose(slopes[:, :, feature], wanted, atol=1e-5)
    np.testing.assert_allclose(coordinates.turned_back(coordinates(at)), Coordinates(log_range)(at), atol=1e-10)
    np.testing.assert_allclose(process.span[1], Coordinates(log_range)(x).max(axis=0), atol=1e-10)


@pytest.fixture(scope="module")
def spectra():
    X, y = bands(150, seed=0)
    return TSNetRegressor(members=2, epochs=4, random_state=0).fit(X, y), X, y


@pytest.mark.slow
def test_a_spectrum_is_learned(spectra, monkeypatch):
    """Length scales of single bands miss what lies in their small differences."""
    model, X, y = spectra
    new, truth = bands(500, seed=1)
    error = np.mean((model.predict(new) - truth) ** 2)
    monkeypatch.setattr("taylor_sensus.model.coordinates.TOGETHER", -np.inf)
    plain = TSNetRegressor(members=2, epochs=4, random_state=0).fit(X, y)
    assert error < 0.7 * np.mean((plain.predict(new) - truth) ** 2)


def test_axes_are_kept_in_the_file(spectra, tmp_path):
    model, X, _ = spectra
    model.save(tmp_path / "model.tsnet")
    again = load(tmp_path / "model.tsnet")
    np.testing.assert_array_equal(again.predict(X, return_std=True), model.predict(X, return_std=True))


def test_axes_that_are_none_are_refused(spectra, tmp_path):
    model, _, _ = spectra
    model.save(path := tmp_path / "model.tsnet")
    content = read_model_file(path)
    content.arrays["process.axes"][:, 0] = 0
    write_model_file(path, content.header, content.arrays)
    with pytest.raises(ModelFileError, match="not that of any rows"):
        load(path)
