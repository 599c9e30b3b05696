"""The Gaussian process: its evidence, its answers and their slope, and what it says of rows left out."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from taylor_sensus.model.coordinates import Coordinates
from taylor_sensus.model.gaussian_process import (
    TREND_LIMIT,
    GaussianProcess,
    ProcessRows,
    covariance,
    hyper_prior,
    negative_log_evidence,
    noise,
    prior_variances,
    search,
)
from taylor_sensus.model.inducing import induced
from taylor_sensus.model.squash import squash


def smooth(count: int, features: int = 2, targets: int = 1, seed: int = 0) -> ProcessRows:
    rng = np.random.default_rng(seed)
    x = rng.uniform(-2, 2, (count, features))
    y = np.stack([np.sin((k + 2) * x[:, 0]) + x[:, 1] ** 2 / 2 for k in range(targets)], axis=1)
    return ProcessRows(x, y + 0.1 * rng.normal(size=y.shape), np.ones(count), np.zeros(count))


def conditioned(theta, rows: ProcessRows, log_range: float = 4.0) -> GaussianProcess:
    return GaussianProcess.condition(theta, Coordinates(log_range), rows)


def matern(squared):
    s = np.sqrt(5 * squared)
    return (1 + s + s**2 / 3) * np.exp(-s)


@pytest.mark.parametrize("targets", [1, 2])
def test_slope_is_the_derivative(targets):
    rows = smooth(30, targets=targets)
    process = conditioned(hyper_prior((1.0, 3.0), 2).mean, rows)
    x, step = np.random.default_rng(5).uniform(-6, 6, (5, 2)), 1e-6
    slopes = process.posterior(x, slopes=True).jacobian
    for feature in range(2):
        moved = step * np.eye(2)[feature]
        wanted = (process.posterior(x + moved).mean - process.posterior(x - moved).mean) / (2 * step)
        np.testing.assert_allclose(slopes[:, :, feature], wanted, atol=1e-6)


def test_a_process_is_made_again_from_its_numbers():
    rows = smooth(20)
    process = conditioned(hyper_prior((1.0, 3.0), 2).mean, rows)
    again, new = GaussianProcess(process.numbers), smooth(7, seed=3).x
    np.testing.assert_allclose(again.posterior(new).mean, process.posterior(new).mean, rtol=1e-12)
    np.testing.assert_allclose(again.posterior(new).variance, process.posterior(new).variance, rtol=1e-9)


@pytest.mark.parametrize("targets", [1, 2])
def test_gradient_agrees_with_differences(targets):
    rng = np.random.default_rng(0)
    rows = smooth(40, features=3, targets=targets)._replace(
        weight=rng.integers(1, 4, 40).astype(float), declared_variance=rng.uniform(0, 0.3, 40)
    )
    prior = hyper_prior((3.0, 10.0), 3)
    theta = prior.mean + rng.normal(size=len(prior.mean))
    trend = rows.x @ rows.x.T
    wanted = approx_fprime(theta, lambda t: negative_log_evidence(t, rows, prior, trend)[0], 1e-6)
    np.testing.assert_allclose(negative_log_evidence(theta, rows, prior, trend)[1], wanted, atol=2e-5)


def test_likelihood_is_that_of_a_normal_vector():
    rows = smooth(12)
    prior = hyper_prior((3.0, 10.0), 2)
    theta = prior.mean  # where the prior adds nothing
    distance = ((rows.x[:, None] - rows.x[None]) ** 2).sum(axis=-1)
    long, wide = 3 * np.sqrt(2 / 8), 10 * np.sqrt(2 / 8)
    total = 0.5 * matern(distance / long**2) + 0.5 * np.exp(-distance / wide**2 / 2) + (0.1 + 1e-6) * np.eye(12)
    y = rows.y[:, 0]
    wanted = (y @ np.linalg.solve(total, y) + np.linalg.slogdet(total)[1]) / 2 / 12
    assert negative_log_evidence(theta, rows, prior, None)[0] == pytest.approx(wanted, rel=1e-9)


def test_posterior_is_the_conditional_normal():
    rows = smooth(15)
    new = np.random.default_rng(1).uniform(-3, 3, (4, 2))
    theta = hyper_prior((1.0, 3.0), 2).mean
    process = conditioned(theta, rows)
    both = np.concatenate([rows.x, new])
    distance = ((both[:, None] - both[None]) ** 2).sum(axis=-1)
    total = 0.5 * matern(distance / (2 / 8)) + 0.5 * np.exp(-distance / (9 * 2 / 8) / 2)
    flat = squash(both, TREND_LIMIT)
    total += 0.25 * flat @ flat.T
    gain = np.linalg.solve(total[:15, :15] + (0.1 + 1e-6) * np.eye(15), total[:15, 15:])
    mean, variance, _ = process.posterior_at(new)
    np.testing.assert_allclose(mean, gain.T @ rows.y, rtol=1e-8)
    np.testing.assert_allclose(variance, np.diag(total[15:, 15:] - total[15:, :15] @ gain), rtol=1e-6)


def test_left_out_rows_are_answered_as_if_never_seen():
    rng = np.random.default_rng(2)
    rows = smooth(30, targets=2)._replace(weight=rng.uniform(0.5, 3, 30), declared_variance=rng.uniform(0, 0.3, 30))
    fold = np.arange(30) % 4
    theta = hyper_prior((1.0, 3.0), 2).mean
    mean, variance, _ = conditioned(theta, rows).left_out(rows.y, fold)
    for number in range(4):
        own = np.flatnonzero(fold == number)
        without = conditioned(theta, rows.take(np.flatnonzero(fold != number)))
        wanted, doubt, _ = without.posterior_at(rows.x[own])
        np.testing.assert_allclose(mean[own], wanted, atol=1e-8)
        np.testing.assert_allclose(variance[own], doubt, atol=1e-8)


def test_a_weight_of_two_is_a_row_written_twice():
    rows = smooth(20)
    weight = np.where(np.arange(20) < 5, 2.0, 1.0)
    twice = rows.take(np.concatenate([np.arange(20), np.arange(5)]))
    theta = hyper_prior((1.0, 3.0), 2).mean
    new = smooth(7, seed=3).x
    one, other = (conditioned(theta, r).posterior_at(new) for r in (rows._replace(weight=weight), twice))
    np.testing.assert_allclose(one[0], other[0], rtol=1e-6)
    np.testing.assert_allclose(one[1], other[1], rtol=1e-5, atol=1e-9)


def test_variance_grows_beyond_the_rows():
    process = conditioned(hyper_prior((1.0, 3.0), 2).mean, smooth(60))
    far = np.multiply.outer([2.0, 2.2, 6.0, 20.0, 200.0], [1.0, 0.0])
    found = process.posterior_at(far).variance + process.beyond(far)
    assert (np.diff(found) > 0).all()
    assert process.beyond(far)[1] < 1e-3 * process.prior_variance, "next to nothing at the edge"
    assert found[2] > 0.4 * process.prior_variance


def test_the_trend_is_what_is_left_far_away():
    rng = np.random.default_rng(0)
    x = rng.uniform(-2, 2, (80, 1))
    rows = ProcessRows(x, 0.5 * x + 0.05 * rng.normal(size=x.shape), np.ones(80), np.zeros(80))
    for with_trend, away in ((True, 1.0), (False, 0.0)):
        theta = search(rows, (3.0, 30.0), 60, with_trend=with_trend).theta
        mean = conditioned(theta, rows, 30.0).posterior(np.array([[1e4]])).mean[0, 0]
        assert mean == pytest.approx(0.5 * TREND_LIMIT * away, abs=0.6)


def test_search_finds_the_noise():
    found = search(smooth(150), (10.0, 10.0), 100).theta
    assert np.sqrt(noise(found)) == pytest.approx(0.1, rel=0.2)


def test_impossible_hyper_parameters_turn_the_search_back():
    prior = hyper_prior((3.0, 10.0), 2)
    assert negative_log_evidence(prior.mean + 50, smooth(10), prior, None)[0] == 1e10


def test_single_precision_errs_far_less_than_the_noise():
    rows = smooth(300)
    process = conditioned(hyper_prior((1.0, 3.0), 2).mean, rows)
    exact = GaussianProcess(process.numbers._replace(is_induced=None))
    assert process.precision is np.float32
    assert exact.precision is np.float64
    new = smooth(50, seed=3).x
    found, wanted = process.posterior(new, slopes=True), exact.posterior(new, slopes=True)
    np.testing.assert_allclose(found.mean, wanted.mean, atol=1e-3 * np.sqrt(0.1))
    np.testing.assert_allclose(found.variance, wanted.variance, atol=1e-3 * 0.1)
    np.testing.assert_allclose(found.jacobian, wanted.jacobian, atol=1e-3)


def test_precise_rows_are_answered_in_double_precision():
    theta = hyper_prior((1.0, 3.0), 2).mean
    theta[-1] = np.log(1e-6)
    assert conditioned(theta, smooth(300)).precision is np.float64


def test_inducing_points_know_what_all_rows_know(monkeypatch):
    rows, new = smooth(400), smooth(60, seed=3).x
    theta = hyper_prior((3.0, 3.0), 2).mean
    exact = conditioned(theta, rows)
    fold = np.arange(400) % 8
    wanted = exact.left_out(rows.y, fold)
    monkeypatch.setattr("taylor_sensus.model.gaussian_process.EXACT", 100)
    monkeypatch.setattr("taylor_sensus.model.gaussian_process.INDUCING", 100)
    process = conditioned(theta, rows)
    assert process.whitening.shape[1] == 100
    found, full = process.posterior(new), exact.posterior(new)
    np.testing.assert_allclose(found.mean, full.mean, atol=1e-4)
    assert (found.variance > 0.9 * full.variance).all()
    assert 0.97 < found.variance.mean() / full.variance.mean() < 1.15
    left = process.left_out(rows.y, fold)
    np.testing.assert_allclose(left.mean, wanted.mean, atol=1e-9)
    places, n = process.inducing_rows, process.numbers
    cross = covariance(n.theta, n.centres[places], n.centres)
    rest, own = fold != 3, fold == 3
    prior = prior_variances(n.theta, n.centres)
    without = induced(cross[:, places], cross[:, rest], prior[rest], n.row_noise[rest]).whitening @ cross[:, own]
    np.testing.assert_allclose(left.variance[own], prior[own] - (without**2).sum(axis=0), rtol=0.06)  # dull directions


def test_a_hundred_rows_alone_know_less_than_inducing_points():
    rows, new = smooth(400), smooth(60, seed=3).x
    theta = hyper_prior((3.0, 3.0), 2).mean
    alone = GaussianProcess(conditioned(theta, rows).numbers._replace(witnesses=np.array(100), is_induced=None))
    assert alone.posterior(new).variance.mean() > 2 * conditioned(theta, rows).posterior(new).variance.mean()


def test_smooth_functions_of_many_rows_are_answered_in_single_precision():
    """What counts is how far single precision errs, not how far it might at worst."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(400, 8))
    y = np.sin(x[:, :1]) + x[:, 1:2] * x[:, 2:3] + 0.2 * rng.normal(size=(400, 1))
    rows = ProcessRows(x, y, np.ones(400), np.zeros(400))
    process = conditioned(search(rows, (10.0, 10.0), 30).theta, rows)
    exact = GaussianProcess(process.numbers._replace(is_induced=None))
    assert process.precision is np.float32
    new = rng.normal(size=(100, 8))
    found, wanted = process.posterior(new), exact.posterior(new)
    assert np.abs(found.mean - wanted.mean).max() < 0.005 * 0.2
    assert np.abs(found.variance - wanted.variance).max() < 0.005 * 0.2**2


def test_half_of_the_whitening_of_inducing_points_is_empty(monkeypatch):
    """Turning the directions leaves the variance that is gone as it is."""
    monkeypatch.setattr("taylor_sensus.model.gaussian_process.EXACT", 100)
    monkeypatch.setattr("taylor_sensus.model.gaussian_process.INDUCING", 100)
    process = conditioned(hyper_prior((3.0, 3.0), 2).mean, smooth(400))
    assert process.inducing is not None
    whitening = process.inducing.whitening
    directions, places = whitening.shape
    assert directions < places == 100, "dull directions are left out"
    assert not np.triu(whitening, places - directions + 1).any()
    size, turn = np.linalg.eigh(process.inducing.precision)
    plain = np.sqrt(1 - 1 / size)[:, None] * (turn.T @ process.inducing.project)
    cross = covariance(process.numbers.theta, smooth(50, seed=3).x, process.numbers.centres[process.inducing_rows])
    wanted = ((plain @ cross.T) ** 2).sum(axis=0)
    np.testing.assert_allclose(((whitening @ cross.T) ** 2).sum(axis=0), wanted, rtol=1e-9)
    np.testing.assert_allclose(process.gone(cross), wanted, rtol=1e-4)


def test_a_place_in_a_chunk_is_not_seen():
    """Distances of the long shape are added up in single precision, those of the short one are not."""
    rows = smooth(600)
    process = conditioned(hyper_prior((1.0, 300.0), 2).mean, rows)
    assert [part.keys.dtype for part in process.at_centres] == [np.float64, np.float32]
    new = smooth(128, seed=3).x
    for turn in range(1, 16, 3):
        found, wanted = process.posterior(np.roll(new, turn, axis=0), slopes=True), process.posterior(new, slopes=True)
        np.testing.assert_allclose(np.roll(found.mean, -turn, axis=0), wanted.mean, atol=1e-4 * np.sqrt(0.1))
        np.testing.assert_allclose(np.roll(found.variance, -turn), wanted.variance, atol=1e-3 * 0.1)
