import numpy as np
from scipy.stats import t

from taylor_sensus.fit.scales import (
    SPREAD_FACTORS,
    ensemble_gain,
    noise_level,
    safest_familiarity,
)
from taylor_sensus.model.combine import combine
from taylor_sensus.model.ensemble import FamiliarityScale


def test_noise_scale_finds_the_missing_factor():
    rng = np.random.default_rng(0)
    noise = rng.uniform(0.5, 2, (20_000, 1))
    residual = np.sqrt(3 * noise + 0.2) * rng.standard_normal((20_000, 1))
    found = noise_level(residual, noise, np.full((20_000, 1), 0.2), np.ones(20_000))
    assert abs(found.scale[0] - 3) < 0.15
    assert found.freedom[0] > 5000


def test_noise_scale_treats_targets_apart():
    rng = np.random.default_rng(0)
    residual = rng.standard_normal((5000, 2)) * [1, 2]
    scale = noise_level(residual, np.ones((5000, 2)), np.zeros((5000, 2)), np.ones(5000)).scale
    assert np.allclose(scale, [1, 4], rtol=0.1)


def test_a_few_rows_that_are_explained_already_do_not_say_that_there_is_no_noise():
    rng = np.random.default_rng(1)
    residual, known = 0.3 * rng.standard_normal((12, 1)), np.full((12, 1), 0.2)
    found = noise_level(residual, np.full((12, 1), 1e-6), known, np.ones(12))
    assert 0.003 < found.scale[0] * 1e-6 < 0.2
    many = noise_level(np.tile(residual, (20, 1)), np.full((240, 1), 1e-6), np.tile(known, (20, 1)), np.ones(240))
    assert 8 < found.freedom[0] < 200 < many.freedom[0], "freedom grows with the rows that tell the size"


def test_rows_that_a_model_was_chosen_on_count_as_those_of_a_regression():
    """Against the textbook: three numbers fitted to twelve rows, and a new row; intervals by Student's t."""
    rng, rows, asked = np.random.default_rng(0), 12, 2000
    basis = np.linalg.qr(rng.standard_normal((rows, 3)))[0]
    one, held = np.ones((rows, 1)), {True: 0, False: 0}
    for _ in range(asked):
        y, new = 0.3 * rng.standard_normal((rows, 1)), 0.3 * rng.standard_normal()
        residual = y - basis @ (basis.T @ y)
        for chosen_on in held:
            found = noise_level(residual, 0.09 * one, 0 * one, one[:, 0], chosen_on=chosen_on)
            nu = found.freedom[0]
            spread = np.sqrt(0.09 * found.scale[0] * max(nu - 2, 0.5) / nu)
            held[chosen_on] += abs(new) < t.ppf(0.95, nu) * spread
    assert 0.86 < held[False] / asked < 0.9 < held[True] / asked < 0.95


def test_shrinkage_predicts_the_error_of_the_whole_ensemble():
    rng = np.random.default_rng(0)
    members, rows = 8, 20_000
    y = np.zeros((rows, 1))
    means = 0.5 * rng.standard_normal((1, rows, 1)) + 0.4 * rng.standard_normal((members, rows, 1))
    unseen = np.zeros((members, rows), bool)
    unseen[np.arange(rows) % members, np.arange(rows)] = True
    one = np.mean(means[np.arange(rows) % members, np.arange(rows)] ** 2)
    shrinkage = ensemble_gain(means, unseen, y, np.ones(rows))[0]
    assert abs(shrinkage * one - np.mean(means.mean(axis=0) ** 2)) < 0.02


def calibration_case(network_error):
    """Half of the rows stand alone; there the network errs by `network_error`, the prior by 1."""
    rng = np.random.default_rng(0)
    density = np.concatenate([np.zeros(500), np.full(500, -4.5)])[:, None]
    y = rng.standard_normal((1000, 1))
    mean = y + np.concatenate([np.full(500, 0.1), np.full(500, network_error)])[:, None]

    def cost(caution):
        k = FamiliarityScale(np.array([-caution]), np.array([caution / 12]))(density)[:, None]
        combined = combine("mixture", k, mean, 0.0, 0.0, 1.0)
        variance = 0.02 * combined.aleatoric_weight + combined.epistemic_variance
        return float(np.mean(np.log(variance) + (y - combined.mean) ** 2 / variance))

    return safest_familiarity(SPREAD_FACTORS, cost)


def test_a_network_that_is_right_where_data_are_thin_is_trusted_there():
    assert calibration_case(0.1) > 4.5


def test_a_network_that_is_wrong_where_data_are_thin_is_not():
    assert calibration_case(3.0) == SPREAD_FACTORS[0]
