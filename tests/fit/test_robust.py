"""Rows far off what the others say count less, and only as far as that serves unseen rows."""

from dataclasses import replace

import numpy as np
import pytest

from taylor_sensus.fit.process import find_process
from taylor_sensus.fit.records import Table
from taylor_sensus.fit.robust import FREEDOM, LITTLE, leans, lie_together, robust_score, robust_weights, suspects
from taylor_sensus.model.coordinates import Coordinates
from taylor_sensus.model.gaussian_process import CENTRES, GaussianProcess, ProcessRows, hyper_prior, noise
from taylor_sensus.settings import DEFAULTS

RNG = np.random.default_rng(4)
X = RNG.normal(size=(80, 2))
Y = (np.sin(2 * X[:, :1]) + 0.3 * X[:, 1:]) + 0.1 * RNG.normal(size=(80, 1))
FOLD = np.arange(80) % 5


def process_of(y, **settings):
    table = Table(X, y, np.ones(80), np.zeros_like(y), np.ones(y.shape[1]), 80, np.arange(80))
    return find_process(table, np.zeros(80), FOLD, replace(DEFAULTS, **settings), seed=0, n_jobs=1)


def test_a_row_is_judged_by_its_miss_and_the_doubt_of_the_function_there():
    theta = hyper_prior(CENTRES[1], 2).mean
    weight, known = RNG.uniform(0.5, 2, 80), RNG.uniform(0, 0.1, 80)
    rows, so_far = ProcessRows(X, Y, weight, known), RNG.uniform(0.2, 1.2, 80)
    process = GaussianProcess.condition(theta, Coordinates(4.0), rows.reweighted(so_far))
    mean, variance, _ = process.posterior_at(X)
    size = ((Y - mean)[:, 0] ** 2 + variance) * weight / (noise(theta) + known)
    wanted = (FREEDOM + 1) / (FREEDOM + size)
    np.testing.assert_allclose(robust_weights(process, rows, np.arange(80), so_far), wanted, rtol=1e-8)


def test_a_row_that_the_process_has_not_seen_is_judged_as_if_it_had():
    theta = hyper_prior(CENTRES[1], 2).mean
    rows, one = ProcessRows(X, Y, np.ones(80), np.zeros(80)), np.ones(80)
    all_but_last = np.arange(79)
    fewer = GaussianProcess.condition(theta, Coordinates(4.0), rows.take(all_but_last))
    without = robust_weights(fewer, rows, all_but_last, one)
    whole = robust_weights(GaussianProcess.condition(theta, Coordinates(4.0), rows), rows, np.arange(80), one)
    assert without[-1] == pytest.approx(whole[-1], rel=1e-9)


def test_blunders_bend_the_function_less():
    slips = np.arange(3, 80, 10)
    wrong = Y.copy()
    wrong[slips] += 3.0 * np.where(np.arange(len(slips)) % 2, 1, -1)[:, None]
    true = np.sin(2 * X[:, 0]) + 0.3 * X[:, 1]
    errors = {}
    for robust in (True, False):
        found = process_of(wrong, robust=robust)
        errors[robust] = np.mean((found.unseen_mean[:, 0] - true) ** 2)
        if robust:
            others = np.setdiff1d(np.arange(80), slips)
            assert found.robust_weights[slips].max() < 0.3 < 0.8 < np.median(found.robust_weights[others])
        else:
            assert (found.robust_weights == 1).all()
    assert errors[True] < 0.5 * errors[False]


@pytest.mark.parametrize("power", [1, 2])
def test_noise_that_leans_to_one_side_is_believed(power):
    """To believe rare large values less would move the mean, which unseen rows show."""
    leaning = 0.3 * X[:, :1] + np.random.default_rng(0).exponential(1.0, (80, 1)) ** power
    leaning = (leaning - leaning.mean()) / leaning.std()
    assert (process_of(leaning).robust_weights == 1).all()


def test_several_targets_share_their_beliefs():
    both = np.hstack([Y, np.cos(X[:, :1]) + 0.1 * RNG.normal(size=(80, 1))])
    slips = np.arange(3, 80, 10)
    both[slips] += 3.0 * np.where(np.arange(len(slips)) % 2, 1, -1)[:, None]
    found = process_of(both)
    assert found.robust_weights.shape == (80,)
    assert found.robust_weights[slips].max() < 0.3


def test_the_estimator_names_the_rows_of_the_users_table():
    from taylor_sensus import TSNetRegressor

    wrong = np.concatenate([Y[:1], Y])  # the first row twice: places must be those of the table that was given
    wrong[[11, 31, 61]] += [[3.0], [-3.0], [3.0]]
    model = TSNetRegressor(random_state=0, members=2, epochs=32).fit(np.concatenate([X[:1], X]), wrong[:, 0])
    assert set(model.fitted_.fit_summary.outliers) >= {11, 31, 61}
    assert len(model.fitted_.fit_summary.outliers) < 8


def test_rows_far_off_their_neighbours_are_suspected_unless_too_many_are():
    wrong = Y.copy()
    wrong[[5, 40]] += [[10.0], [-10.0]]
    rows = ProcessRows(X, wrong, np.ones(80), np.zeros(80))
    assert np.flatnonzero(suspects(rows, np.arange(80))).tolist() == [5, 40]
    assert not suspects(rows, np.arange(3)).any(), "three rows have no neighbourhood"
    mostly = Y.copy()
    mostly[::3] += 30.0 * np.arange(1, 28)[:, None]
    assert not suspects(ProcessRows(X, mostly, np.ones(80), np.zeros(80)), np.arange(80)).any()


def test_errors_lean_if_they_are_skewed_more_than_chance_explains():
    rng = np.random.default_rng(0)
    assert leans(rng.exponential(size=(200, 1))) and leans(-rng.exponential(size=(200, 1)))
    assert not leans(rng.normal(size=(200, 1))) and not leans(rng.standard_t(8, size=(200, 1)))
    assert leans(np.hstack([rng.normal(size=(200, 1)), rng.exponential(size=(200, 1))])), "one target is enough"


def test_the_last_outliers_do_not_make_noise_lean_where_errors_are_drawn_in():
    error = np.append(np.random.default_rng(0).normal(size=227), [7.0, 9.0])[:, None]
    assert leans(error) and not leans(error, drawn_in=True)
    assert leans(np.random.default_rng(0).exponential(size=(200, 1)), drawn_in=True)


def test_noise_that_grows_with_the_target_is_no_typing_error():
    """Rows with much of it lie together: they count less, and none is named."""
    little = 0
    for seed in range(4):
        rng = np.random.default_rng([7, seed])
        hulls = rng.uniform(size=(22, 3))
        x = np.c_[hulls[rng.integers(0, 22, 250)], rng.choice(np.linspace(0, 1, 14), 250)]
        f = 0.05 + np.exp(5 * x[:, 3]) * (1 + 0.3 * np.sin(3 * x[:, 0]) + 0.3 * x[:, 1] * x[:, 2]) / 10
        y = (f + 0.03 * f * rng.normal(size=250))[:, None]
        x, y = (x - x.mean(axis=0)) / x.std(axis=0), (y - y.mean()) / y.std()
        table = Table(x, y, np.ones(250), np.zeros_like(y), np.ones(1), 250, np.arange(250))
        found = find_process(table, np.zeros(250), np.arange(250) % 8, DEFAULTS, seed=0, n_jobs=1)
        assert not (found.robust_weights < LITTLE).any()
        little += (found.robust_weights == LITTLE).sum()
    assert little > 3, "they count as little as a row may that is believed"


def test_outliers_lie_together_if_they_are_each_others_neighbours():
    rng = np.random.default_rng(0)
    x = rng.uniform(size=(300, 2))
    assert lie_together(x, x[:, 0] > 0.9) and lie_together(x, x.sum(axis=1) < 0.3)
    assert not any(lie_together(x, rng.permutation(300) < count) for count in (1, 2, 10, 30, 60) for _ in range(20))


def _four_inputs(rng, rows):
    x = rng.uniform(-1, 1, (rows, 4))
    return x, np.exp(1.5 * x[:, 0]) + x[:, 1] * x[:, 2] + 0.5 * x[:, 3]


def _three_inputs(rng, rows):
    x = rng.uniform(-2, 2, (rows, 3))
    return x, np.sin(2 * x[:, 0]) + 0.5 * x[:, 1] * x[:, 2]


@pytest.mark.parametrize("function", [_four_inputs, _three_inputs])
@pytest.mark.parametrize(("share", "factor"), [(0.1, 10), (0.15, 3)])
def test_slips_among_several_inputs_are_found_although_neighbours_differ(function, share, factor):
    """Neighbours lie far apart, so that most slips are no more than suspicious; noise of 0.1, values around 0."""
    rng = np.random.default_rng([7, 1])
    x, f = function(rng, 200)
    y, slips = f + 0.1 * rng.normal(size=200), rng.permutation(200) < 200 * share
    y = np.where(slips, factor * y, y)[:, None]
    spread = float(y.std())
    table = Table(x / x.std(axis=0), y / spread, np.ones(200), np.zeros_like(y), np.ones(1), 200, np.arange(200))
    found = find_process(table, np.zeros(200), np.arange(200) % 8, DEFAULTS, seed=0, n_jobs=1)
    named, clear = found.robust_weights < LITTLE, np.abs(y[:, 0] - f) > 1.0
    assert named[clear].mean() > 0.9 and not named[~slips].any()
    new, truth = function(rng, 300)
    error = spread * found.process.posterior(new / x.std(axis=0)).mean[:, 0] - truth
    assert np.sqrt(np.mean(error**2)) < 0.09, "with all slips believed it is about 1"


def test_the_robust_score_hardly_heeds_slips_and_prefers_small_errors():
    rng = np.random.default_rng(0)
    error = 0.1 * rng.normal(size=(200, 1))
    slips, larger = error.copy(), 1.2 * error
    slips[:4] = 100.0
    assert robust_score(error) < robust_score(slips) < robust_score(2 * error)
    assert robust_score(larger) - robust_score(error) == pytest.approx(np.log(1.2), abs=0.02)
