"""Stage readings: bad readings count less, and the law answers for them where errors differ between rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from taylor_sensus import TSNetRegressor, load
from taylor_sensus.fit.declared_noise import clearly_worse
from taylor_sensus.fit.law import _Fit
from tests.tiny import tiny


def uneven(rows: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two readings whose errors differ fivefold between rows, and a curved target."""
    rng = np.random.default_rng(seed)
    x, error = rng.normal(size=(rows, 2)), rng.lognormal(np.log(0.25), 0.8, (rows, 2))
    y = np.tanh(2 * x[:, 0]) + 0.5 * x[:, 0] * x[:, 1] + 0.1 * rng.normal(size=rows)
    return x + error * rng.normal(size=x.shape), error, y


@pytest.fixture(scope="module")
def told() -> TSNetRegressor:
    """A model that knows each row's errors."""
    w, error, y = uneven(200, 0)
    return tiny().fit(w, y, X_err=error)


def rmse(predicted: np.ndarray, y: np.ndarray) -> float:
    return float(np.sqrt(np.mean((predicted - y) ** 2)))


def test_where_errors_differ_between_rows_the_law_makes_predictions_better(told):
    """E[y | reading, its error] differs between rows, which no regression on readings alone can know."""
    w, error, y = uneven(500, 1)
    known = told.predict_distribution(w, X_err=error)
    train = uneven(200, 0)
    unknown = tiny().fit(train[0], train[2]).predict(w)
    assert told.fitted_.law.numbers.voice[0] > 0.3
    assert rmse(known.mean, y) < 0.93 * rmse(unknown, y)
    low, high = known.interval(0.9)
    assert 0.84 < np.mean((low <= y) & (y <= high)) < 0.95


def test_errors_that_say_nothing_of_their_row_leave_the_answer_to_the_regression(told):
    w, error, y = uneven(200, 0)
    mixed = error[np.random.default_rng(5).permutation(len(error))]
    found = tiny().fit(w, y, X_err=mixed)
    assert found.fitted_.law.numbers.voice[0] < 0.5 * told.fitted_.law.numbers.voice[0]


def test_the_voice_travels_with_the_model(told, tmp_path):
    w, error, _ = uneven(30, 2)
    told.save(tmp_path / "m.tsnet")
    np.testing.assert_array_equal(load(tmp_path / "m.tsnet").predict(w, X_err=error), told.predict(w, X_err=error))


def test_what_a_row_is_told_by_others_is_what_a_fit_without_its_fold_says():
    """Against the solution with the other folds' rows alone."""
    rng = np.random.default_rng(0)
    basis, y, total = rng.normal(size=(6, 40)), rng.normal(size=(40, 1)), rng.uniform(0.5, 2, 40)
    fold = np.arange(40) % 4
    whole = np.linalg.inv(np.eye(6) + basis / total @ basis.T)
    seen = np.einsum("cr,cd,dr->r", basis, whole, basis)[:, None]
    nothing = np.zeros(0)
    fit = _Fit(nothing, nothing, nothing, nothing, nothing, basis, total, y)
    mean, variance = fit.unseen(fold, seen)
    for number in range(4):
        own, rest = fold == number, fold != number
        inverse = np.linalg.inv(np.eye(6) + basis[:, rest] / total[rest] @ basis[:, rest].T)
        expected = basis[:, own].T @ inverse @ (basis[:, rest] / total[rest]) @ y[rest]
        np.testing.assert_allclose(mean[own], expected, rtol=1e-9)
        np.testing.assert_allclose(
            variance[own, 0], np.einsum("cr,cd,dr->r", basis[:, own], inverse, basis[:, own]), rtol=1e-9
        )


def test_what_is_declared_is_dropped_only_beyond_chance():
    rng = np.random.default_rng(0)
    worse = rng.normal(size=400)
    worse -= worse.mean()
    weight = np.ones(400)
    assert not clearly_worse(worse + 1.8 / 20, weight)
    assert clearly_worse(worse + 2.3 / 20, weight)


def test_bad_readings_count_less_in_the_process():
    """Of a straight line of slope 2 the noise of a row grows by 4 V S / (V + S)."""
    rng = np.random.default_rng(0)
    x, error = rng.normal(size=(200, 2)), rng.lognormal(np.log(0.2), 0.8, (200, 2))
    error[:, 1] = 1e-3
    w, y = x + error * rng.normal(size=x.shape), 2 * x[:, 0] + x[:, 1] + 0.1 * rng.normal(size=200)
    fitted = tiny(details={"robust": False}).fit(w, y, X_err=error).fitted_
    process = fitted.ensemble.process_share.process
    z = process.coordinates(fitted.scaler.features(w))
    place = cdist(process.numbers.centres, z).argmin(axis=1)  # centres stand in an order of their own
    left = (4 * error[:, 0] ** 2 / (1 + error[:, 0] ** 2) / float(fitted.scaler.target_scale[0]) ** 2)[place]
    noise = process.numbers.row_noise
    slope, least = np.polyfit(left, noise, 1)
    assert slope == pytest.approx(1, abs=0.25)
    assert 0 < least < 0.05
