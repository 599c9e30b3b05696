"""The stage that finds the process: its answers are those of unseen rows, and large tables do without."""

from dataclasses import replace

import numpy as np
import pytest

from taylor_sensus import TSNetRegressor
from taylor_sensus.fit.process import find_again, find_process
from taylor_sensus.fit.records import Table
from taylor_sensus.settings import DEFAULTS

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 3)) * [1, 3, 10]
Y = np.stack([np.sin(X[:, 0]) + 0.1 * X[:, 1], np.arctan(X[:, 2])], axis=1) + 0.05 * RNG.normal(size=(90, 2))
FOLD = np.arange(70) % 5
PLAIN = replace(DEFAULTS, robust=False)


def table(y=Y) -> Table:
    return Table(X, y, np.ones(90), np.zeros_like(y), np.ones(2), 70, np.arange(70))


@pytest.fixture(scope="module")
def found():
    return find_process(table(), np.zeros(90), FOLD, PLAIN, seed=0, n_jobs=1)


def test_answers_are_those_of_unseen_rows(found):
    """A row's own target must not enter its answer, nor those of its fold."""
    from taylor_sensus.fit.process import _answers, _process_rows
    from taylor_sensus.model.gaussian_process import GaussianProcess

    moved = Y.copy()
    moved[:70:5] += 100  # the rows of fold 0
    moved[70:] += 100  # validation rows
    numbers = found.process.numbers

    def again(y):
        rows = _process_rows(table(y), np.zeros(90), found.process.coordinates)
        process = GaussianProcess.condition(numbers.theta, found.process.coordinates, rows.take(np.arange(70)))
        return _answers(process, rows, np.arange(70), FOLD).unseen_mean

    np.testing.assert_allclose(again(moved)[:70:5], again(Y)[:70:5], atol=1e-6)
    assert np.abs(again(moved)[1:70:5] - again(Y)[1:70:5]).max() > 1


def test_validation_rows_are_answered_by_the_process_itself(found):
    np.testing.assert_allclose(found.unseen_mean[70:], found.process.posterior(X[70:]).mean, rtol=1e-9)


def test_a_search_goes_on_where_it_had_ended(found):
    again = find_again(found.process.numbers, table(), np.zeros(90), FOLD, PLAIN, seed=0)
    assert again.process.numbers.log_range == found.process.numbers.log_range
    miss = [np.mean((Y[:70] - one.unseen_mean[:70]) ** 2) for one in (found, again)]
    assert miss[1] < 1.1 * miss[0]


def test_few_rows_are_kept_when_told_so():
    few = find_process(table(), np.zeros(90), FOLD, replace(PLAIN, kernel_rows=20), seed=0, n_jobs=1)
    assert len(few.process.numbers.centres) == 20
    assert np.isfinite(few.unseen_mean).all()


def test_large_tables_leave_the_process_out():
    def share(limit):
        details = {"folds": 2, "noise_epochs": 1, "density_steps": 1, "pilots": 1, "kernel_limit": limit}
        model = TSNetRegressor(members=2, epochs=1, width=8, random_state=0, details=details)
        return model.fit(X, Y).fitted_.ensemble.process_share

    assert share(90) is not None
    assert share(89) is None
