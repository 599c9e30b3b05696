"""How the process is weighed against the networks."""

import numpy as np
import pytest

from taylor_sensus.fit.share import WHOLE_SHARE, best_share, imputed_scale
from taylor_sensus.model.ensemble import rescaled


def share_case(network_error, kernel_error, rows=4000, members=4):
    rng = np.random.default_rng(1)
    y = rng.normal(size=(rows, 1))
    means = y + network_error * rng.normal(size=(members, rows, 1))
    unseen = np.zeros((members, rows), bool)
    unseen[np.arange(rows) % members, np.arange(rows)] = True
    return best_share(means, y + kernel_error * rng.normal(size=(rows, 1)), unseen, y, np.ones(rows))[0]


def test_share_is_that_of_the_whole_ensemble():
    # Four members of error 1 average to 1/2: as good as a process of error 1/2, though each alone is worse.
    assert share_case(1.0, 0.5) == pytest.approx(0.5, abs=0.04)
    assert share_case(0.1, 2.0) < 0.02
    assert share_case(2.0, 0.1) == 1.0


def test_next_to_the_whole_share_is_the_whole():
    assert 0.9 < share_case(1.0, 0.15) < WHOLE_SHARE
    assert share_case(1.0, 0.05) == 1.0


def test_validation_and_held_out_rows_count_alike():
    y = np.zeros((300, 1))
    rng = np.random.default_rng(3)
    means = rng.normal(size=(1, 300, 1)) * np.where(np.arange(300) < 250, 3.0, 0.01)[None, :, None]
    other = rng.normal(size=(300, 1)) * np.where(np.arange(300) < 250, 0.01, 3.0)[:, None]
    unseen = np.array([[True] * 300, [False] * 250 + [True] * 50])
    both = best_share(np.concatenate([means, means]), other, unseen, y, np.ones(300))
    assert both[0] == pytest.approx(0.5, abs=0.05)


def test_filled_gaps_count_as_much_as_they_explain():
    rng = np.random.default_rng(0)
    gaps = np.where(rng.uniform(size=(6000, 1)) < 0.3, np.exp(rng.normal(size=(6000, 1))), 0.0)
    residual = np.sqrt(0.1 + 0.25 * gaps) * rng.normal(size=(6000, 1))
    assert imputed_scale(residual, gaps, np.ones(6000), np.zeros((6000, 1))) == pytest.approx(0.25, abs=0.1)


def test_a_factor_moves_what_is_little_known_and_never_the_prior():
    variance = np.array([0.0, 0.01, 0.5, 1.0, 3.0])
    for factor in (0.0, 1e-300, 0.5, 1.0, 4.0):
        found = rescaled(variance, 1.0, factor)
        assert np.isfinite(found).all() and found[0] == 0 and (np.diff(found) >= 0).all()
        assert found[4] - found[3] == pytest.approx(2.0)
    np.testing.assert_allclose(rescaled(variance, 1.0, 1.0), variance)
    assert rescaled(variance, 1.0, 4.0)[3] == pytest.approx(1.0) and rescaled(variance, 1.0, 4.0)[1] > 0.03
