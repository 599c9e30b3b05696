"""Rows far off what the others say count less, and only as far as that serves unseen rows."""

from dataclasses import replace

import numpy as np
import pytest

from taylor_sensus.fit.process import fit_kernel
from taylor_sensus.fit.robust import FREEDOM, beliefs
from taylor_sensus.model.gaussian_process import CENTRES, Rows, condition, new_prior, noise, posterior
from taylor_sensus.settings import DEFAULTS

RNG = np.random.default_rng(4)
X = RNG.normal(size=(80, 2))
Y = (np.sin(2 * X[:, :1]) + 0.3 * X[:, 1:]) + 0.1 * RNG.normal(size=(80, 1))
FOLD = np.arange(80) % 5


def kernel_of(y, **settings):
    details = replace(DEFAULTS, **settings)
    return fit_kernel(X, y, np.ones(80), np.zeros(80), FOLD, details, seed=0, n_jobs=1)


def test_a_row_is_judged_by_its_miss_and_the_doubt_of_the_function_there():
    theta = new_prior(CENTRES[1], 2).mean
    weight, known = RNG.uniform(0.5, 2, 80), RNG.uniform(0, 0.1, 80)
    rows, so_far = Rows(X, Y, weight, known), RNG.uniform(0.2, 1.2, 80)
    process = condition(theta, rows.believed(so_far))
    mean, variance = posterior(process, X)
    size = ((Y - mean)[:, 0] ** 2 + variance) * weight / (noise(theta) + known)
    wanted = (FREEDOM + 1) / (FREEDOM + size)
    np.testing.assert_allclose(beliefs(process, rows, np.arange(80), so_far), wanted, rtol=1e-8)


def test_a_row_that_the_process_has_not_seen_is_judged_as_if_it_had():
    theta = new_prior(CENTRES[1], 2).mean
    rows, one = Rows(X, Y, np.ones(80), np.zeros(80)), np.ones(80)
    all_but_last = np.arange(79)
    without = beliefs(condition(theta, rows.some(all_but_last)), rows, all_but_last, one)
    whole = beliefs(condition(theta, rows), rows, np.arange(80), one)
    assert without[-1] == pytest.approx(whole[-1], rel=1e-9)


def test_blunders_bend_the_function_less():
    slips = np.arange(3, 80, 10)
    wrong = Y.copy()
    wrong[slips] += 3.0 * np.where(np.arange(len(slips)) % 2, 1, -1)[:, None]
    true = np.sin(2 * X[:, 0]) + 0.3 * X[:, 1]
    errors = {}
    for robust in (True, False):
        kernel = kernel_of(wrong, robust=robust)
        errors[robust] = np.mean((kernel.unseen_mean[:, 0] - true) ** 2)
        if robust:
            others = np.setdiff1d(np.arange(80), slips)
            assert kernel.belief[slips].max() < 0.3 < 0.8 < np.median(kernel.belief[others])
        else:
            assert (kernel.belief == 1).all()
    assert errors[True] < 0.5 * errors[False]


@pytest.mark.parametrize("power", [1, 2])
def test_noise_that_leans_to_one_side_is_believed(power):
    """To believe rare large values less would move the mean, which unseen rows show."""
    leaning = 0.3 * X[:, :1] + np.random.default_rng(0).exponential(1.0, (80, 1)) ** power
    leaning = (leaning - leaning.mean()) / leaning.std()
    assert (kernel_of(leaning).belief == 1).all()


def test_several_targets_share_their_beliefs():
    both = np.hstack([Y, np.cos(X[:, :1]) + 0.1 * RNG.normal(size=(80, 1))])
    slips = np.arange(3, 80, 10)
    both[slips] += 3.0 * np.where(np.arange(len(slips)) % 2, 1, -1)[:, None]
    kernel = kernel_of(both)
    assert kernel.belief.shape == (80,)
    assert kernel.belief[slips].max() < 0.3


def test_the_estimator_names_the_rows_of_the_users_table():
    from taylor_sensus import TSNetRegressor

    wrong = np.concatenate([Y[:1], Y])  # the first row twice: places must be those of the table that was given
    wrong[[11, 31, 61]] += [[3.0], [-3.0], [3.0]]
    model = TSNetRegressor(random_state=0, members=2, epochs=32).fit(np.concatenate([X[:1], X]), wrong[:, 0])
    assert set(model.fitted_.fit_summary.outliers) >= {11, 31, 61}
    assert len(model.fitted_.fit_summary.outliers) < 8
