"""Heteroscedastic MSE in its sampled and its expected form, and the total."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import multivariate_normal

from taylor_sensus.model.loss import heteroscedastic_mse, reparameterise, total_loss

Y, MEAN, VARIANCE = jnp.array([1.0, -0.5]), jnp.array([0.4, 0.1]), jnp.array([0.5, 3.0])


def test_by_hand():
    expected = np.log(0.5) + 0.36 / 0.5 + np.log(3.0) + 0.36 / 3.0
    assert heteroscedastic_mse(Y, MEAN, VARIANCE) == pytest.approx(expected, rel=1e-5)
    weighted = 0.3 * (np.log(0.5) + np.log(3.0)) + 0.36 / 0.5 + 0.36 / 3.0
    assert heteroscedastic_mse(Y, MEAN, VARIANCE, 0.3) == pytest.approx(weighted, rel=1e-5)


def test_expected_form_is_twice_the_negative_log_likelihood():
    """Up to the constant, which the paper drops too."""
    density = multivariate_normal(np.asarray(MEAN), np.diag(np.asarray(VARIANCE)))
    expected = -2 * density.logpdf(np.asarray(Y)) - 2 * np.log(2 * np.pi)
    assert heteroscedastic_mse(Y, MEAN, VARIANCE) == pytest.approx(expected, rel=1e-5)


def test_reparameterised_draws_have_the_mean_and_the_variance():
    draws = jax.vmap(lambda key: reparameterise(key, MEAN, VARIANCE))(jax.random.split(jax.random.key(0), 50_000))
    assert np.mean(draws, axis=0) == pytest.approx(np.asarray(MEAN), abs=0.03)
    assert np.var(draws, axis=0) == pytest.approx(np.asarray(VARIANCE), rel=0.03), "a variance, not a std, goes in"
    covariance = np.cov(np.asarray(draws).T)[0, 1]
    assert abs(covariance) < 0.03, "targets are drawn apart"


def test_draws_carry_the_gradient():
    def draw(mean, variance):
        return reparameterise(jax.random.key(1), mean, variance).sum()

    to_mean, to_variance = jax.grad(draw, (0, 1))(MEAN, VARIANCE)
    eps = (reparameterise(jax.random.key(1), MEAN, VARIANCE) - MEAN) / jnp.sqrt(VARIANCE)
    assert np.allclose(to_mean, 1)
    assert np.asarray(to_variance) == pytest.approx(np.asarray(eps / (2 * jnp.sqrt(VARIANCE))), rel=1e-4)


@pytest.mark.parametrize("log_weight", [1.0, 0.4])
def test_expected_form_is_the_average_of_sampled_draws(log_weight):
    """And so is its gradient; the difference is one a target."""
    keys = jax.random.split(jax.random.key(2), 100_000)

    def sampled(mean, variance):
        draws = jax.vmap(lambda key: reparameterise(key, mean, variance))(keys)
        return jnp.mean(jax.vmap(lambda draw: heteroscedastic_mse(Y, draw, variance, log_weight))(draws))

    def expected(mean, variance):
        return heteroscedastic_mse(Y, mean, variance, log_weight)

    assert sampled(MEAN, VARIANCE) - len(Y) == pytest.approx(float(expected(MEAN, VARIANCE)), abs=0.03)
    for rough, exact in zip(
        jax.grad(sampled, (0, 1))(MEAN, VARIANCE), jax.grad(expected, (0, 1))(MEAN, VARIANCE), strict=True
    ):
        assert np.asarray(rough) == pytest.approx(np.asarray(exact), abs=0.03)


def test_single_draws_scatter_around_the_expected_form():
    """Why the expected form is the better estimator: the sampled one has the same mean and much noise."""
    keys = jax.random.split(jax.random.key(3), 2000)
    values = jax.vmap(lambda key: heteroscedastic_mse(Y, reparameterise(key, MEAN, VARIANCE), VARIANCE))(keys)
    assert np.std(values) > 1


def test_full_matrix_equals_diagonal_after_rotating_to_eigenvectors():
    rng = np.random.default_rng(0)
    root = rng.standard_normal((3, 3))
    covariance = root @ root.T + 0.1 * np.eye(3)
    y, guess = rng.standard_normal(3), rng.standard_normal(3)
    full = np.linalg.slogdet(covariance)[1] + (y - guess) @ np.linalg.solve(covariance, y - guess)
    eigenvalues, vectors = np.linalg.eigh(covariance)
    assert np.allclose(vectors @ np.diag(eigenvalues) @ vectors.T, covariance)
    rotated = heteroscedastic_mse(jnp.array(vectors.T @ y), jnp.array(vectors.T @ guess), jnp.array(eigenvalues))
    assert rotated == pytest.approx(full, rel=1e-4)
    unrotated = heteroscedastic_mse(jnp.array(y), jnp.array(guess), jnp.array(np.diag(covariance)))
    assert abs(unrotated - full) > 0.1, "without the rotation, correlation is lost"


@pytest.mark.parametrize("error", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("log_weight", [1.0, 0.5])
def test_the_best_variance_is_the_squared_error(error, log_weight):
    """Divided by lambda_H: neither zero nor infinite variance pays."""
    best = error**2 / log_weight

    def at(variance):
        return heteroscedastic_mse(jnp.array([error]), jnp.zeros(1), jnp.array([variance]), log_weight)

    assert jax.grad(at)(best) * best == pytest.approx(0, abs=1e-5)
    assert at(best) < at(best * 1.2) and at(best) < at(best / 1.2)


@pytest.mark.parametrize("beta", [0.0, 0.5, 1.0])
def test_beta_gives_badly_fitted_rows_their_gradient_back(beta):
    """With beta = 0, as printed, a large variance starves the mean; with 1 its gradient is that of a squared error."""

    def at(mean, variance):
        return heteroscedastic_mse(jnp.array([3.0]), mean[None], variance[None], 1.0, beta)

    for variance in (0.1, 1.0, 100.0):
        to_mean, to_variance = jax.grad(at, (0, 1))(jnp.array(1.0), jnp.array(variance))
        assert to_mean == pytest.approx(-4 * variance ** (beta - 1), rel=1e-4)
        assert to_variance == pytest.approx(variance**beta * (1 / variance - 4 / variance**2), rel=1e-3), "no more"


def test_total_loss():
    ten = jnp.array(10.0)
    assert total_loss(ten, 2.0, 3.0, 0.5, 0.1) == pytest.approx(0.5 * 2 + 0.1 * 3 + 10)
    assert total_loss(ten, 2.0, 3.0, 0.0, 0.0) == 10
