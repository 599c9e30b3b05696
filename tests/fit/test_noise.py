"""Noise networks keep the differences that unseen rows bear out, and lose the others."""

import numpy as np
import pytest

from taylor_sensus.fit.noise import FLATNESS, flattened, noise_cost, simplest_noise
from taylor_sensus.fit.objectives import NoiseRows
from taylor_sensus.model.networks import Constant, Dense, Perceptron, VarianceNetwork
from taylor_sensus.model.squash import squash
from taylor_sensus.model.taylor_block import NoFeatureNoise

ROWS = 200
X = np.random.default_rng(0).uniform(-1.5, 1.5, (ROWS, 1)).astype(np.float32)
SLOPE = 1.5


def sloping(level: float = -1.0) -> VarianceNetwork:
    """Log-variance `level` + SLOPE x, all but exactly."""
    line = Perceptron((Dense(np.full((1, 1), SLOPE, np.float32), np.zeros(1, np.float32)),), "silu")
    return VarianceNetwork(line, Constant(np.array([level], np.float32)), log_range=50.0)


def rows(uneven: bool, seed: int = 1) -> NoiseRows:
    """Residuals whose log-variance has that slope, or none."""
    log_variance = -1.0 + SLOPE * np.asarray(squash(X)) * uneven
    residual = np.exp(log_variance / 2) * np.random.default_rng(seed).standard_normal(X.shape)
    weight = np.ones(ROWS, np.float32)
    nothing = np.zeros((ROWS, 1), np.float32)
    return NoiseRows(X, residual.astype(np.float32), np.zeros((ROWS, 1, 1), np.float32), nothing, weight)


def chosen(pairs, of_member, unseen) -> VarianceNetwork:
    """The first member's system noise, as flat as unseen rows bear out."""
    flatter = [[flattened(pair, its, share) for share in FLATNESS] for pair, its in zip(pairs, of_member, strict=True)]
    costs = [[noise_cost(one, its) for one in ones] for ones, its in zip(flatter, of_member, strict=True)]
    return flatter[0][simplest_noise(np.array(costs), unseen, np.ones(ROWS))][1]


def result(uneven: bool) -> VarianceNetwork:
    pair, unseen = (NoFeatureNoise(), sloping()), np.ones((2, ROWS), bool)
    return chosen([pair, pair], [rows(uneven), rows(uneven)], unseen)


def test_differences_that_show_are_kept():
    np.testing.assert_array_equal(result(True)(X[0]), sloping()(X[0]))


def test_differences_that_do_not_show_are_lost():
    flat = result(False)
    values = np.array([flat(x)[0] for x in X[:ROWS]])
    assert np.ptp(np.log(values)) < 1e-5
    middle = np.mean([np.log(sloping()(x)[0]) for x in X[:ROWS]])
    assert np.log(values[0]) == pytest.approx(middle, abs=1e-3), "the overall level stays"


def test_rows_that_were_seen_do_not_count():
    pair, unseen = (NoFeatureNoise(), sloping()), np.zeros((1, ROWS), bool)
    unseen[0, :100] = True
    told = rows(True)
    told.residual[:100] = rows(False).residual[:100]
    flat = chosen([pair], [told], unseen)
    assert float(flat(X[0])[0]) == pytest.approx(float(flat(X[1])[0]))


def test_cost_is_twice_the_negative_log_likelihood():
    told = rows(True)
    variance = np.array([sloping()(x) for x in X])
    wanted = (np.log(variance) + told.residual**2 / variance).sum(axis=1)
    np.testing.assert_allclose(noise_cost((NoFeatureNoise(), sloping()), told), wanted, rtol=1e-4, atol=1e-4)
