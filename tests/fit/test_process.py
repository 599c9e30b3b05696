"""The kernel part: the same function in both precisions, its slope, and how it is weighed against the networks."""

import jax
import numpy as np
import pytest

from taylor_sensus.fit.process import fit_kernel, kernel_doubt, kernel_mean, kernel_share
from taylor_sensus.model.gaussian_process import Rows, condition, posterior
from taylor_sensus.settings import DEFAULTS

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 3)) * [1, 3, 10]
Y = np.stack([np.sin(X[:, 0]) + 0.1 * X[:, 1], np.arctan(X[:, 2])], axis=1) + 0.05 * RNG.normal(size=(90, 2))


@pytest.fixture(scope="module")
def fitted():
    return fit_kernel(X, Y, np.ones(90), np.zeros(90), np.arange(70) % 5, DEFAULTS, seed=0, n_jobs=1)


def test_single_precision_answers_as_the_process_does(fitted):
    stored = fitted.stored
    kernel = kernel_mean(stored)
    said = kernel(X.astype(np.float32))
    reach = float(stored.reach)
    rows = Rows(stored.centres.astype(np.float64), Y[:70], fitted.belief[:70], np.zeros(70))
    mean, variance = posterior(condition(stored.theta, rows), reach * np.arcsinh(X / reach))
    np.testing.assert_allclose(said.mean, mean, atol=2e-3)
    np.testing.assert_allclose(said.variance, variance, atol=2e-3)


def test_slope_is_the_derivative(fitted):
    kernel = kernel_mean(fitted.stored)
    x = X[70:75].astype(np.float32)  # not at a centre, where a root has no derivative for JAX
    wanted = jax.vmap(jax.jacrev(lambda row: kernel(row[None]).mean[0]))(x)
    np.testing.assert_allclose(kernel(x).jacobian, wanted, atol=2e-3)


def test_answers_are_those_of_unseen_rows(fitted):
    """A row's own target must not enter its answer, nor those of its fold."""
    moved = Y.copy()
    moved[:70:5] += 100  # the rows of fold 0
    moved[70:] += 100  # validation rows
    theta_of = fitted.stored.theta
    from taylor_sensus.fit import process as support

    reach = float(fitted.stored.reach)
    view = (reach * np.arcsinh(X / reach)).astype(np.float32).astype(np.float64)

    def again(y):
        rows = Rows(view, y, np.ones(90), np.zeros(90))
        return support._conditioned(theta_of, reach, rows, np.arange(70), np.arange(70) % 5)

    np.testing.assert_allclose(again(moved).unseen_mean[:70:5], again(Y).unseen_mean[:70:5], atol=1e-6)
    assert np.abs(again(moved).unseen_mean[1:70:5] - again(Y).unseen_mean[1:70:5]).max() > 1


def test_few_rows_are_kept_when_told_so():
    from dataclasses import replace

    settings = replace(DEFAULTS, kernel_rows=20)
    few = fit_kernel(X, Y, np.ones(90), np.zeros(90), np.arange(90) % 5, settings, seed=0, n_jobs=1)
    assert len(few.stored.centres) == 20
    assert np.isfinite(few.unseen_mean).all()


def share_case(network_error, kernel_error, rows=4000, members=4):
    rng = np.random.default_rng(1)
    y = rng.normal(size=(rows, 1))
    means = y + network_error * rng.normal(size=(members, rows, 1))
    unseen = np.zeros((members, rows))
    unseen[np.arange(rows) % members, np.arange(rows)] = 1
    return kernel_share(means, y + kernel_error * rng.normal(size=(rows, 1)), unseen, y, np.ones(rows))[0]


def test_share_is_that_of_the_whole_ensemble():
    # Four members of error 1 average to 1/2: as good as a kernel part of error 1/2, though each alone is worse.
    assert share_case(1.0, 0.5) == pytest.approx(0.5, abs=0.04)
    assert share_case(0.1, 2.0) < 0.02
    assert share_case(2.0, 0.1) > 0.98


def test_validation_and_held_out_rows_count_alike():
    y = np.zeros((300, 1))
    rng = np.random.default_rng(3)
    means = rng.normal(size=(1, 300, 1)) * np.where(np.arange(300) < 250, 3.0, 0.01)[None, :, None]
    other = rng.normal(size=(300, 1)) * np.where(np.arange(300) < 250, 0.01, 3.0)[:, None]
    both = kernel_share(np.concatenate([means, means]), other, np.array([[1.0] * 300, [0.0] * 250 + [1.0] * 50]), y,
                        np.ones(300))  # fmt: skip
    assert both[0] == pytest.approx(0.5, abs=0.05)


def test_flattered_networks_get_less():
    rng = np.random.default_rng(5)
    y = rng.normal(size=(4000, 1))
    means, other = y + rng.normal(size=(1, 4000, 1)), y + rng.normal(size=(4000, 1))
    given = (means, other, np.ones((1, 4000)), y, np.ones(4000))
    fair, flattered = kernel_share(*given)[0], kernel_share(*given, 3.0)[0]
    assert fair == pytest.approx(0.5, abs=0.03)
    assert flattered == pytest.approx((0.5 + 0.75) / 2, abs=0.03), "half-way to the share at thrice the error"


def test_doubt_is_kept_only_where_it_explains_errors():
    rng = np.random.default_rng(0)
    variance = np.exp(rng.normal(size=3000))
    noise = rng.normal(size=(3000, 1))
    assert kernel_doubt(noise, variance, np.ones(3000))[0] == 0
    assert kernel_doubt(noise * np.sqrt(variance)[:, None], variance, np.ones(3000))[0] == 1


def test_large_tables_leave_the_kernel_out():
    from taylor_sensus import TSNetRegressor

    def support(limit):
        details = {"folds": 2, "noise_epochs": 1, "density_steps": 1, "pilots": 1, "kernel_limit": limit}
        model = TSNetRegressor(members=2, epochs=1, width=8, random_state=0, details=details)
        return model.fit(X, Y).fitted_.support

    assert support(90) is not None
    assert support(89) is None
