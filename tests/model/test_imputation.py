"""Missing cells are filled from the rest of their row, and the doubt about them is told."""

import numpy as np
import pytest

from taylor_sensus.model.imputation import MOST_COLUMNS, learn_imputer

RNG = np.random.default_rng(0)
COVARIANCE = np.array([[1.0, 0.9, 0.0], [0.9, 1.0, 0.0], [0.0, 0.0, 1.0]])
X = RNG.multivariate_normal(np.zeros(3), COVARIANCE, 2000)


def with_gaps(x, share, seed=1):
    return np.where(np.random.default_rng(seed).uniform(size=x.shape) < share, np.nan, x)


def test_rows_without_gaps_are_left_alone():
    filled, variance = learn_imputer(X)(X[:5])
    assert filled is not None and (filled == X[:5]).all() and variance is None


@pytest.mark.parametrize("share", [0.0, 0.3])
def test_a_gap_gets_its_conditional_mean_and_variance(share):
    imputer = learn_imputer(with_gaps(X, share))
    filled, variance = imputer(np.array([[2.0, np.nan, 0.5], [1.0, 0.0, np.nan]]))
    assert variance is not None
    assert filled[0, 1] == pytest.approx(1.8, abs=0.1) and variance[0, 1] == pytest.approx(0.19, abs=0.03)
    assert filled[1, 2] == pytest.approx(0.0, abs=0.15) and variance[1, 2] == pytest.approx(1.0, abs=0.1)
    assert (variance[:, 0] == 0).all() and filled[0, 0] == 2.0


def test_the_doubt_is_honest():
    gaps = with_gaps(X, 0.3)
    filled, variance = learn_imputer(gaps)(gaps)
    there = np.isnan(gaps)
    z = (filled - X)[there] / np.sqrt(variance[there])
    assert z.std() == pytest.approx(1, abs=0.05) and np.abs(z.mean()) < 0.05


def test_a_row_of_nothing_but_gaps_is_an_average_row():
    filled, variance = learn_imputer(X)(np.full((1, 3), np.nan))
    np.testing.assert_allclose(filled, 0, atol=0.1)
    np.testing.assert_allclose(variance, 1, atol=0.1)


def test_filled_cells_stay_within_what_was_seen():
    filled, _ = learn_imputer(X)(np.array([[1e5, np.nan, 0.0]]))
    assert filled[0, 1] <= X[:, 1].max()


def test_very_many_columns_are_taken_by_themselves():
    wide = RNG.normal(0.5, 1, (50, MOST_COLUMNS + 1))
    imputer = learn_imputer(wide)
    filled, variance = imputer(np.where(np.arange(MOST_COLUMNS + 1) == 4, np.nan, wide[:1]))
    assert imputer.covariance.ndim == 1
    assert filled[0, 4] == pytest.approx(wide[:, 4].mean(), abs=0.01)
    assert variance[0, 4] == pytest.approx(np.clip(wide[:, 4], -6, 6).var(), rel=0.01)


def test_a_column_of_nothing_but_gaps_does_no_harm():
    filled, variance = learn_imputer(np.where(np.arange(3) == 1, np.nan, X))(X[:2] * [1, np.nan, 1])
    assert np.isfinite(filled).all() and np.isfinite(variance).all()
