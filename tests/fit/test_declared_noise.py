"""How far declared errors are borne out by unseen rows."""

from __future__ import annotations

import numpy as np
import pytest

from taylor_sensus.fit.declared_noise import borne_out, tempered


def scatter(rows: int, declared: np.ndarray, left: float, seed: int) -> np.ndarray:
    """Residuals with the declared variance and some of the system's own."""
    return np.sqrt(declared + left**2) * np.random.default_rng(seed).standard_normal((rows, 1))


def test_errors_that_differ_as_declared_are_taken_as_they_are():
    declared = np.random.default_rng(0).uniform(0.1, 2.0, (2000, 1)) ** 2
    nothing = np.zeros_like(declared)
    found = borne_out(scatter(2000, declared, 0.3, 1), np.ones(2000), nothing, declared, nothing, 1.0)
    assert found.target_agreement == 1.0


def test_errors_that_say_nothing_of_the_row_count_with_their_usual_size():
    """Then what is left for the system is the mean squared residual without the mean declared variance."""
    rng = np.random.default_rng(0)
    declared = rng.uniform(0.1, 2.0, (2000, 1)) ** 2
    usual = np.full_like(declared, declared.mean())
    residual, nothing = scatter(2000, usual, 0.3, 1), np.zeros_like(declared)
    found = borne_out(residual, np.ones(2000), nothing, declared, nothing, 1.0)
    assert found.target_agreement == 0.0
    kept = tempered(declared, np.ones(2000), found.target_agreement)
    assert kept.mean() == pytest.approx(declared.mean())


def test_the_laws_factor_is_taken_where_the_scatter_does_not_tell():
    through, nothing = np.full((300, 1), 0.5), np.zeros((300, 1))
    found = borne_out(scatter(300, through, 0.3, 0), np.ones(300), through, nothing, nothing, 0.83)
    assert found.factor == 0.83


def test_exact_cells_stay_exact():
    variance = np.array([[0.0], [1.0], [3.0]])
    np.testing.assert_allclose(tempered(variance, np.ones(3), 0.0), [[0.0], [2.0], [2.0]])


def test_readings_keep_the_laws_factor_where_only_the_targets_errors_fail():
    rng = np.random.default_rng(0)
    through, target = rng.uniform(0.1, 1.0, (3000, 1)), rng.uniform(0.1, 2.0, (3000, 1)) ** 2
    residual = scatter(3000, through + target.mean(), 0.3, 1)
    found = borne_out(residual, np.ones(3000), through, target, np.zeros_like(target), 1.0)
    assert found.factor == 1.0
    assert found.target_agreement == 0.0


def test_correct_errors_are_seldom_thrown_away_by_chance():
    """Sixty rows, of which the declared errors make most of the scatter: taken as declared in nearly all tables."""
    through, nothing = np.random.default_rng(0).uniform(0.1, 1.0, (60, 1)), np.zeros((60, 1))
    found = [borne_out(scatter(60, through, 0.2, k), np.ones(60), through, nothing, nothing, 1.0) for k in range(40)]
    assert np.mean([one.factor == 1.0 for one in found]) > 0.9


def test_where_errors_are_far_too_large_the_factor_next_to_them_that_will_do_is_taken():
    through, nothing = np.random.default_rng(0).uniform(0.1, 1.0, (2000, 1)), np.zeros((2000, 1))
    found = borne_out(scatter(2000, 0.3 * through, 0.01, 1), np.ones(2000), through, nothing, nothing, 1.0)
    assert found.factor in (0.2, 0.35)
