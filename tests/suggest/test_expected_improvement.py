"""Expected improvement against random draws, and far out where its value is too small for a number."""

import numpy as np
import pytest

from taylor_sensus.suggest.expected_improvement import (
    expected_distance,
    log_excess,
    log_expected_approach,
    log_expected_improvement,
)

DRAWS = np.random.default_rng(0).standard_normal(1_000_000)


@pytest.mark.parametrize(("mean", "std", "best"), [(1.0, 0.5, 1.2), (0.0, 2.0, -1.0), (3.0, 0.3, 3.5)])
def test_improvement(mean, std, best):
    drawn = np.maximum(mean + std * DRAWS - best, 0)
    said = np.exp(log_expected_improvement(np.array([mean]), np.array([std]), best))[0]
    assert said == pytest.approx(drawn.mean(), abs=5 * drawn.std() / 1000)


@pytest.mark.parametrize(
    ("mean", "std", "distance"), [(1.0, 0.5, 0.4), (4.0, 1.0, 2.0), (2.0, 0.1, 1.0), (2.3, 3.0, 0.2)]
)
def test_approach_to_a_target(mean, std, distance):
    drawn = np.maximum(distance - np.abs(mean + std * DRAWS - 2.0), 0)
    said = np.exp(log_expected_approach(np.array([mean]), np.array([std]), 2.0, distance))[0]
    assert said == pytest.approx(drawn.mean(), abs=5 * drawn.std() / 1000)
    assert expected_distance(np.array([mean]), np.array([std]), 2.0)[0] == pytest.approx(
        np.abs(mean + std * DRAWS - 2.0).mean(), rel=0.01
    )


def test_far_out_the_logarithm_still_ranks():
    z = np.array([-1e5, -2000.0, -1000.1, -999.9, -40.0, -5.0, -1.01, -0.99, 0.0, 5.0, 1e5])
    found = log_excess(z)
    assert np.isfinite(found).all() and (np.diff(found) > 0).all()
    assert found[-1] == pytest.approx(np.log(1e5))
    near = log_expected_approach(np.array([50.0, 20.0, 5.0]), np.full(3, 0.1), 0.0, 0.5)
    assert np.isfinite(near).all() and (np.diff(near) > 0).all()


def test_small_distances_join_smoothly():
    mean, std = np.array([0.3]), np.array([1.0])
    below, above = (log_expected_approach(mean, std, 0.0, d)[0] for d in (0.999e-3, 1.001e-3))
    assert above - below == pytest.approx(2 * np.log(1.001 / 0.999), rel=0.01)
