"""What the theory promises of noise that passes through a function: exact for linear means, close for small noise.

Averages over Gaussian noise are taken by Gauss-Hermite quadrature where that is exact, by Monte Carlo otherwise.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from taylor_sensus.model.networks import (
    Constant,
    Dense,
    MeanNetwork,
    Perceptron,
    PlainEmbedding,
    VarianceNetwork,
)
from taylor_sensus.model.taylor_block import DeepTaylorBlock, propagated_covariance, value_and_jacobian

A = np.array([[1.5, -0.7, 0.2], [0.3, 2.0, -1.1]])
"""Slopes of a linear mean with three features and two targets."""
OFFSET = np.array([0.4, -3.0])
FEATURE_VARIANCE = np.array([0.3, 2.0, 0.05])
SYSTEM_VARIANCE = np.array([0.1, 0.7])
ROW = jnp.array([0.8, -0.3, 1.7])


def constant_variance(variance: np.ndarray, features: int) -> VarianceNetwork:
    """A noise network that gives the same variances everywhere."""
    silent = Perceptron.initial(np.random.default_rng(0), [features, 4, len(variance)], "silu")
    return VarianceNetwork(silent, Constant(np.log(variance).astype(np.float32)), 4.0)


def linear_mean() -> MeanNetwork:
    """F_mu(x) = A x + offset, as a perceptron without hidden layers."""
    weight = (A.T * np.sqrt(A.shape[1])).astype(np.float32)
    return MeanNetwork(PlainEmbedding(), Perceptron((Dense(weight, OFFSET.astype(np.float32)),), "tanh"))


def curved_mean(seed: int = 0) -> MeanNetwork:
    rng = np.random.default_rng(seed)
    net = Perceptron.initial(rng, [2, 16, 1], "tanh")
    weight = rng.standard_normal((16, 1)).astype(np.float32)
    return MeanNetwork(PlainEmbedding(), eqx.tree_at(lambda p: p.layers[-1].weight, net, weight))


def quadrature(std: np.ndarray, nodes: int = 9) -> tuple[np.ndarray, np.ndarray]:
    """Points and weights that average polynomials of independent Gaussian noise exactly."""
    points, weights = np.polynomial.hermite_e.hermegauss(nodes)
    grid = np.stack(np.meshgrid(*[points] * len(std), indexing="ij"), axis=-1).reshape(-1, len(std))
    product = np.prod(np.stack(np.meshgrid(*[weights] * len(std), indexing="ij"), axis=-1).reshape(-1, len(std)), 1)
    return grid * std, product / product.sum()


# ---------------------------------------------------------------------------------- linear mean


def test_linear_mean_propagates_feature_noise_exactly():
    block = DeepTaylorBlock(
        linear_mean(), constant_variance(FEATURE_VARIANCE, 3), constant_variance(SYSTEM_VARIANCE, 3)
    )
    estimate = eqx.filter_jit(block)(ROW)
    expected = A @ np.diag(FEATURE_VARIANCE) @ A.T + np.diag(SYSTEM_VARIANCE)
    assert np.asarray(estimate.mean) == pytest.approx(A @ np.asarray(ROW) + OFFSET, rel=1e-5)
    assert np.asarray(estimate.jacobian) == pytest.approx(A, rel=1e-5)
    assert np.asarray(estimate.variance) == pytest.approx(np.diag(expected), rel=1e-5)
    full = propagated_covariance(estimate.jacobian, estimate.input_variance, estimate.system_variance)
    assert np.asarray(full) == pytest.approx(expected, rel=1e-5)


def test_linear_mean_is_exact_for_noise_of_any_size():
    """The average of F over the noise itself, not the formula, gives the same covariance."""
    net = linear_mean()
    for size in (0.1, 10.0):
        noise, weight = quadrature(size * np.sqrt(FEATURE_VARIANCE))
        response = np.asarray(jax.vmap(net)(jnp.asarray(np.asarray(ROW) + noise, jnp.float32)), np.float64)
        centred = response - weight @ response
        _, jacobian = value_and_jacobian(net, ROW)
        expected = propagated_covariance(jacobian, jnp.asarray(size**2 * FEATURE_VARIANCE), jnp.zeros(2))
        assert np.asarray(expected) == pytest.approx(centred.T @ (weight[:, None] * centred), rel=1e-4)


# ------------------------------------------------------------------------------- quadratic mean


class Quadratic(eqx.Module):
    """F_mu(x) = x^T C x + b x, one target."""

    curvature: np.ndarray
    slope: np.ndarray

    def __call__(self, x, masks=None):
        return jnp.atleast_1d(x @ self.curvature @ x + self.slope @ x)


def quadratic_response(draws: np.ndarray, curvature: np.ndarray, slope: np.ndarray) -> np.ndarray:
    return np.einsum("ni,ij,nj->n", draws, curvature, draws) + draws @ slope


@pytest.mark.parametrize(("std", "close"), [(0.02, True), (1.5, False)])
def test_quadratic_mean_agrees_with_monte_carlo_for_small_noise_only(std, close):
    curvature, slope, row = np.array([[0.8, 0.3], [0.3, -0.5]]), np.array([1.0, -2.0]), np.array([0.5, 0.4])
    variance = np.array([std**2, 2 * std**2])
    block = DeepTaylorBlock(
        Quadratic(curvature, slope), constant_variance(variance, 2), constant_variance(np.array([0.1 * std**2]), 2)
    )
    propagated = float(block(jnp.asarray(row, jnp.float32)).variance[0])
    rng = np.random.default_rng(0)
    draws = row + rng.standard_normal((1_000_000, 2)) * np.sqrt(variance)
    noise = np.sqrt(0.1) * std * rng.standard_normal(1_000_000)
    monte_carlo = np.var(quadratic_response(draws, curvature, slope) + noise)
    # What first order leaves out is known in closed form: 2 tr((C Sigma)^2).
    missing = 2 * np.trace(np.linalg.matrix_power(curvature @ np.diag(variance), 2))
    assert propagated + missing == pytest.approx(monte_carlo, rel=0.02)
    assert (abs(propagated / monte_carlo - 1) < 0.02) == close


# --------------------------------------------------------------------- the Gaussian of the sum


def test_the_sum_of_both_noises_has_the_moment_generating_function_of_the_propagated_gaussian():
    """E exp(t N) for N = J N_i + N_o, against exp(t Sigma t / 2) with Sigma from the block's formula."""
    rng = np.random.default_rng(1)
    feature_variance, system_variance = 0.1 * FEATURE_VARIANCE, 0.1 * SYSTEM_VARIANCE
    from_features = rng.standard_normal((1_000_000, 3)) * np.sqrt(feature_variance)
    from_system = rng.standard_normal((1_000_000, 2)) * np.sqrt(system_variance)
    noise = from_features @ A.T + from_system
    _, jacobian = value_and_jacobian(linear_mean(), ROW)
    covariance = propagated_covariance(jacobian, jnp.asarray(feature_variance), jnp.asarray(system_variance))
    covariance = np.asarray(covariance, np.float64)
    for t in ([1.0, 0.0], [0.0, -0.7], [0.8, 0.5], [0.8, -0.5]):
        t = np.array(t)
        expected = np.exp(t @ covariance @ t / 2)
        assert np.mean(np.exp(noise @ t)) == pytest.approx(expected, rel=0.01)
        # Independence: the product of the two parts' functions, that of the features taken at J^T t.
        of_features = np.exp((A.T @ t) @ np.diag(feature_variance) @ (A.T @ t) / 2)
        of_system = np.exp(t @ np.diag(system_variance) @ t / 2)
        assert np.mean(np.exp(from_features @ (A.T @ t))) == pytest.approx(of_features, rel=0.01)
        assert np.mean(np.exp(from_system @ t)) == pytest.approx(of_system, rel=0.01)
        assert of_features * of_system == pytest.approx(expected, rel=1e-5)
        assert expected > 1.02, "far enough from 1 to tell covariances apart"


# -------------------------------------------------------------------------- expansion, augmentation


def test_the_expansion_errs_by_third_order():
    """Value, Jacobian and Hessian explain F(x + delta) up to a rest that shrinks eightfold when delta halves."""
    net, x, direction = curved_mean(), np.array([0.3, -0.5]), np.array([0.6, 0.8])
    value, jacobian = value_and_jacobian(net, jnp.asarray(x, jnp.float32))
    hessian = np.asarray(jax.hessian(net)(jnp.asarray(x, jnp.float32)), np.float64)[0]

    def rest(size: float, order: int) -> float:
        step = size * direction
        moved = float(net(jnp.asarray(x + step, jnp.float32))[0])
        linear = float(value[0]) + np.asarray(jacobian, np.float64)[0] @ step
        return abs(moved - linear - (step @ hessian @ step / 2 if order == 2 else 0))

    assert rest(0.4, 1) / rest(0.2, 1) == pytest.approx(4, rel=0.35)
    assert rest(0.4, 2) / rest(0.2, 2) == pytest.approx(8, rel=0.35)
    assert rest(0.2, 2) < 0.3 * rest(0.2, 1)


def test_noise_augmentation_shifts_by_the_hessian_and_spreads_by_the_jacobian():
    """Averaging f(x + delta) adds tr(H Sigma) / 2 to f, with variance J Sigma J^T: the same expansion."""
    net, x = curved_mean(), np.array([0.3, -0.5])
    std = np.array([0.08, 0.12])
    value, jacobian = value_and_jacobian(net, jnp.asarray(x, jnp.float32))
    hessian = np.asarray(jax.hessian(net)(jnp.asarray(x, jnp.float32)), np.float64)[0]
    noise, weight = quadrature(std)
    response = np.asarray(jax.vmap(net)(jnp.asarray(x + noise, jnp.float32)), np.float64)[:, 0]
    shift = weight @ response - float(value[0])
    assert shift == pytest.approx(np.trace(hessian @ np.diag(std**2)) / 2, rel=0.05)
    spread = weight @ (response - weight @ response) ** 2
    expected = propagated_covariance(jacobian, jnp.asarray(std**2), jnp.zeros(1))[0, 0]
    assert spread == pytest.approx(float(expected), rel=0.05)
    assert abs(shift) > 1e-4
