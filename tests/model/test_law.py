"""The law behind readings: the density of true inputs by closed forms, and f where truth is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from taylor_sensus import TSNetRegressor, load
from taylor_sensus.errors import DataError, SettingError
from taylor_sensus.fit.declared_noise import DeclaredShare
from taylor_sensus.fit.law import anywhere, learn_density
from taylor_sensus.model.input_density import InputDensity, as_matrices
from taylor_sensus.model.law import nodes
from tests.tiny import tiny


def test_behind_a_reading_of_a_normal_input_stands_the_textbook_posterior():
    """For x ~ N(0, V) and u ~ N(0, S): mean V / (V + S) w, variance V S / (V + S)."""
    density = InputDensity(np.ones(1), np.zeros((1, 1)), np.full((1, 1, 1), 4.0))
    true = density.behind(np.array([[3.0]]), np.full((1, 1, 1), 1.0))
    np.testing.assert_allclose(true.mean, [[0.8 * 3]])
    np.testing.assert_allclose(true.covariance, [[[0.8]]])
    np.testing.assert_allclose(true.log_density, -0.5 * (9 / 5 + np.log(2 * np.pi * 5)))


def test_behind_a_worse_reading_stand_better_ones():
    """For x ~ N(0, V), an error of variance S and D on top: mean (V + S) / (V + S + D) w, variance (V + S) D / sum."""
    density = InputDensity(np.ones(1), np.zeros((1, 1)), np.full((1, 1, 1), 4.0))
    better = density.behind(np.array([[3.0]]), np.full((1, 1, 1), 2.0), np.full((1, 1, 1), 1.0))
    np.testing.assert_allclose(better.mean, [[3.0 * 5 / 7]])
    np.testing.assert_allclose(better.covariance, [[[10 / 7]]])


def test_a_worse_reading_of_a_line_is_answered_by_the_textbook():
    """Var(x) = 1, S = 0.25, D = 1: the line through worse readings has slope 2 / 2.25, and the scatter grows."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((500, 1))
    w, y = x + 0.5 * rng.standard_normal(x.shape), 2 * x[:, 0] + 0.1 * rng.standard_normal(500)
    found = tiny().fit(w, y, X_err=0.5).predict_distribution(np.array([[-1.0], [1.0]]), X_err=np.sqrt(1.25))
    assert np.diff(found.mean)[0] / 2 == pytest.approx(2 / 2.25, abs=0.12)
    assert found.std == pytest.approx(2 * np.sqrt(1.25 / 2.25), rel=0.15)


@pytest.fixture(scope="module")
def uneven() -> tuple[TSNetRegressor, np.ndarray, np.ndarray]:
    """Five readings whose errors differ much between rows, and rows alike."""
    rng = np.random.default_rng(0)
    x, error = rng.standard_normal((600, 5)), rng.lognormal(-2, 1, (600, 5))
    w, y = x + error * rng.standard_normal(x.shape), x[:, 0] - x[:, 1] + 0.1 * rng.standard_normal(600)
    return tiny().fit(w[:400], y[:400], X_err=error[:400]), w[400:], error[400:]


def test_of_rows_alike_hardly_any_is_a_worse_reading(uneven):
    """Each feature's largest errors are those of other rows: what is rare in each must not become usual in all."""
    model, _, error = uneven
    law, variance = model.fitted_.law, (error / model.fitted_.scaler.scale) ** 2
    assert law.is_worse(variance).mean() < 0.05
    assert law.is_worse(1e4 * variance).all()


def test_a_reading_from_elsewhere_is_hardly_drawn_to_the_training_rows():
    """V = S = 1: one in the middle keeps about a half, as the textbook says; far out nine tenths, as for V = 9."""
    density = InputDensity(np.ones(1), np.zeros((1, 1)), np.ones((1, 1, 1)))
    at = np.array([[0.5], [1.0], [12.0]])
    kept = (density.with_elsewhere().behind(at, np.ones((3, 1, 1))).mean / at)[:, 0]
    np.testing.assert_allclose(kept, [0.5, 0.5, 0.9], atol=0.05)
    assert 0.5 < kept[0] < kept[1] < kept[2]


def test_elsewhere_features_go_together_as_they_do_in_training():
    """Two features that are nearly one, the second hardly read: far out, too, the first says where it is."""
    together = np.array([[1.0, 0.99], [0.99, 1.0]])
    density, error = InputDensity(np.ones(1), np.zeros((1, 2)), together[None]), np.diag([0.01, 4.0])
    reading = np.array([6.0, 0.0])
    found = density.with_elsewhere().behind(reading[None], error[None]).mean[0]
    np.testing.assert_allclose(found, 9 * together @ np.linalg.solve(9 * together + error, reading), atol=0.01)
    assert found[1] > 5.5


def test_the_final_mean_says_how_far_declared_errors_count(monkeypatch):
    """The process' own residuals are asked first; what the blended mean leaves in unseen rows has the last word."""
    asked = []

    def judged(table, law, squared, residual, known):
        asked.append(law.numbers.scale.copy())
        return DeclaredShare(1.0, 1.0, (0.5, 0.35)[len(asked) - 1])

    monkeypatch.setattr("taylor_sensus.fit.readings._judged", judged)
    rng = np.random.default_rng(0)
    x = rng.uniform(-2, 2, (80, 2))
    model = tiny().fit(x, np.floor(2 * x[:, 0]) + 0.05 * rng.standard_normal(80), X_err=0.1)
    np.testing.assert_array_equal(asked, np.ones((2, 2)))  # nothing is counted twice
    np.testing.assert_allclose(model.fitted_.law.numbers.scale, 0.35)


def test_the_mixture_is_that_of_the_true_inputs_not_of_the_readings():
    rng = np.random.default_rng(0)
    x = np.where(rng.uniform(size=(3000, 1)) < 0.5, -2.0, 2.0) + 0.5 * rng.standard_normal((3000, 1))
    error = rng.uniform(0.2, 1.0, x.shape)
    found = learn_density(x + error * rng.standard_normal(x.shape), as_matrices(error**2), rng)
    whole = found.weight @ (found.covariance[:, 0, 0] + found.mean[:, 0] ** 2) - (found.weight @ found.mean[:, 0]) ** 2
    assert whole == pytest.approx(4.25, rel=0.07)  # the readings' variance is 4.66
    assert found.covariance[:, 0, 0].min() < 0.4


@pytest.mark.parametrize("moving", [1, 3])
def test_points_have_the_posterior_mean_and_covariance_and_exact_features_stay(moving: int):
    rng = np.random.default_rng(0)
    whole = np.cov(rng.standard_normal((4, 20)))
    density, used = InputDensity(np.ones(1), np.zeros((1, 4)), whole[None]), np.arange(4)
    x, variance = rng.standard_normal((5, 4)), np.zeros((5, 4))
    variance[:, :moving] = rng.uniform(0.1, 0.5, (5, moving))
    points, weight = nodes(density, used, np.arange(4) < moving, x, variance)
    true = density.behind(x, as_matrices(variance))
    mean = np.einsum("q,rqf->rf", weight, points)
    off = points - mean[:, None]
    np.testing.assert_allclose(mean[:, :moving], true.mean[:, :moving], atol=1e-10)
    covariance = np.einsum("q,rqf,rqg->rfg", weight, off, off)
    np.testing.assert_allclose(covariance[:, :moving, :moving], true.covariance[:, :moving, :moving], atol=1e-8)
    np.testing.assert_array_equal(points[:, :, moving:], np.repeat(x[:, None, moving:], len(weight), axis=1))


def waves(rows: int, error: float, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """True inputs, readings and targets of a wave."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-3, 3, (rows, 1))
    return x, x + error * rng.standard_normal(x.shape), np.sin(2 * x[:, 0]) + 0.1 * rng.standard_normal(rows)


@pytest.fixture(scope="module")
def read() -> TSNetRegressor:
    """A model of readings with a known error; its networks are tiny, its process and law are not."""
    _, w, y = waves(200, 0.4, 0)
    return tiny().fit(w, y, X_err=0.4)


def slope(predicted: np.ndarray, truth: np.ndarray) -> float:
    """Of the predicted on the true function."""
    return float((predicted - predicted.mean()) @ truth / ((truth - truth.mean()) @ truth))


def test_the_law_is_steeper_than_the_regression_on_readings(read):
    """sin(2x) averaged over an error of 0.4 has exp(-2 * 0.16) = 0.73 of its height."""
    x = np.linspace(-2.5, 2.5, 101)[:, None]
    truth = np.sin(2 * x[:, 0])
    law = read.predict_distribution(x, X_err=0)
    assert 0.85 < slope(law.mean, truth) < 1.15
    assert slope(read.predict(x), truth) < 0.85 * slope(law.mean, truth)
    assert np.mean(np.abs(law.mean - truth) < 1.645 * law.epistemic) > 0.6
    assert (law.feature_noise == 0).all()
    np.testing.assert_allclose(law.system_noise, read.predict_distribution(x).system_noise)  # it is the same noise


def test_readings_like_those_in_training_are_answered_by_the_regression_alone(read):
    x = np.linspace(-2.5, 2.5, 11)[:, None]
    law = read.fitted_.law
    usual = np.full((11, 1), law.numbers.usual[0])
    np.testing.assert_array_equal(law.share(usual), 0)
    np.testing.assert_array_equal(law.share(0 * usual), 1)
    np.testing.assert_array_equal(read.predict(x), read.predict(x, X_err=0.4))
    share = law.share(usual * np.linspace(0, 4, 11)[:, None])
    assert (np.abs(np.diff(share)) < 0.45).all()  # no cliff
    far = read.predict_distribution(x, X_err=1.5)
    assert (far.feature_noise > read.predict_distribution(x).feature_noise).mean() > 0.8
    assert np.ptp(far.mean) < np.ptp(read.predict(x, X_err=0))


def test_the_law_travels_with_the_file(read, tmp_path):
    x = np.linspace(-3, 3, 21)[:, None]
    read.save(tmp_path / "law.tsnet")
    one, other = read.predict_distribution(x, X_err=0), load(tmp_path / "law.tsnet").predict_distribution(x, X_err=0)
    np.testing.assert_array_equal(one.mean, other.mean)
    np.testing.assert_array_equal(one.std, other.std)


@pytest.fixture(scope="module")
def made() -> TSNetRegressor:
    """The same wave where the inputs were set, and the system works at the set point plus an error."""
    rng = np.random.default_rng(0)
    x = rng.uniform(-3, 3, (200, 1))
    y = np.sin(2 * (x + 0.4 * rng.standard_normal(x.shape))[:, 0]) + 0.1 * rng.standard_normal(200)
    return tiny(X_err_kind="setting").fit(x, y, X_err=0.4)


def test_the_law_behind_set_points_is_steeper_than_what_they_give_on_average(made):
    x = np.linspace(-2.5, 2.5, 101)[:, None]
    truth = np.sin(2 * x[:, 0])
    law = made.predict_distribution(x, X_err=0)
    assert 0.85 < slope(law.mean, truth) < 1.15
    assert slope(made.predict(x), truth) < 0.85 * slope(law.mean, truth)
    assert np.mean(np.abs(law.mean - truth) < 1.645 * law.epistemic) > 0.6
    assert (law.feature_noise == 0).all()


def test_set_points_like_those_in_training_are_answered_as_without_a_law(made, tmp_path):
    x = np.linspace(-2.5, 2.5, 11)[:, None]
    without = replace(made.fitted_, law=None)
    usual, exact = made.predict_distribution(x), made.predict_distribution(x, X_err=0)
    plain = without.predict(made._query(x, None, None)[0], 1)
    np.testing.assert_array_equal(usual.mean, plain.mean)
    np.testing.assert_array_equal(usual.std, plain.std)
    with pytest.raises(DataError, match="X_err_kind"):
        made.attenuation()
    made.save(tmp_path / "set.tsnet")
    again = load(tmp_path / "set.tsnet")
    np.testing.assert_array_equal(again.predict_distribution(x, X_err=0).mean, exact.mean)
    np.testing.assert_array_equal(again.predict(x), usual.mean)


def test_behind_a_set_point_lies_what_its_error_says():
    found = anywhere(2).behind(np.array([[1.0, -3.0]]), np.array([[[0.2, 0.05], [0.05, 0.1]]]))
    np.testing.assert_allclose(found.mean, [[1.0, -3.0]], rtol=1e-6)
    np.testing.assert_allclose(found.covariance, [[[0.2, 0.05], [0.05, 0.1]]], rtol=1e-6)


def test_kinds_go_by_column():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 2))
    y = X.sum(axis=1) + 0.1 * rng.standard_normal(60)
    model = tiny(X_err_kind={"x0": "setting"}).fit(X, y, X_err=0.2)
    assert model.fitted_.law.is_reading.tolist() == [False, True]
    assert model.fitted_.law.numbers.scale[0] == 1
    with pytest.raises(SettingError, match="no column"):
        tiny(X_err_kind={"z": "setting"}).fit(X, y, X_err=0.2)
    with pytest.raises(SettingError, match="reading"):
        tiny(X_err_kind="guess").fit(X, y, X_err=0.2)


def test_attenuation_of_a_straight_line_is_the_reliability_ratio():
    """Var(x) / (Var(x) + S) for normal inputs."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((400, 1))
    w, y = x + 0.5 * rng.standard_normal(x.shape), 2 * x[:, 0] + 0.1 * rng.standard_normal(400)
    found = tiny().fit(w, y, X_err=0.5).attenuation()
    assert found["x0"] == pytest.approx(1 / 1.25, abs=0.05)


def test_there_is_no_attenuation_without_readings():
    _, w, y = waves(60, 0.4, 1)
    with pytest.raises(DataError, match="X_err_kind"):
        tiny().fit(w, y).attenuation()


@pytest.mark.parametrize("error", [None, 0.0, 1.5])
def test_a_row_has_the_same_answer_in_any_company(error):
    _, w, y = waves(60, 0.4, 1)
    model = tiny(members=3).fit(w, y, X_err=0.4)
    new = np.linspace(-3, 3, 300)[:, None]
    whole = model.predict_distribution(new, X_err=error)
    for some in (slice(7, 8), slice(250, 300)):
        part = model.predict_distribution(new[some], X_err=error)
        np.testing.assert_array_equal(part.mean, whole.mean[some])
        np.testing.assert_array_equal(part.std, whole.std[some])
