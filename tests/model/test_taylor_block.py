"""Deep Taylor Block: the Jacobian is right in both modes, and noise travels through it."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from taylor_sensus.model.networks import Constant, MeanNetwork, Perceptron, PlainEmbedding, VarianceNetwork
from taylor_sensus.model.taylor_block import (
    DeepTaylorBlock,
    propagated_covariance,
    propagated_variance,
    value_and_jacobian,
)

SIZES = pytest.mark.parametrize(("features", "targets"), [(3, 1), (3, 2), (2, 2), (2, 5), (1, 3)])


def perceptron(seed: int, features: int, outputs: int) -> Perceptron:
    rng = np.random.default_rng(seed)
    net = Perceptron.initial(rng, [features, 8, 8, outputs], "tanh")
    return eqx.tree_at(lambda p: p.layers[-1].weight, net, rng.standard_normal((8, outputs)).astype(np.float32))


def random_block(features: int, targets: int) -> DeepTaylorBlock:
    return DeepTaylorBlock(
        MeanNetwork(PlainEmbedding(), perceptron(0, features, targets)),
        VarianceNetwork(perceptron(1, features, features), Constant(np.full(features, -2, np.float32)), 4.0),
        VarianceNetwork(perceptron(2, features, targets), Constant(np.full(targets, -3, np.float32)), 4.0),
    )


def some_row(features: int):
    return jnp.array(np.random.default_rng(7).standard_normal(features), jnp.float32)


@SIZES
def test_forward_and_reverse_jacobian_agree(features, targets):
    net = random_block(features, targets).mean_net

    @jax.jit
    def three_ways(x):
        return *value_and_jacobian(net, x), net(x), jax.jacfwd(net)(x), jax.jacrev(net)(x)

    value, jacobian, plain, forward, reverse = three_ways(some_row(features))
    assert jacobian.shape == (targets, features)
    assert np.allclose(value, plain)
    assert np.allclose(jacobian, forward, atol=1e-6) and np.allclose(jacobian, reverse, atol=1e-6)


@SIZES
def test_jacobian_is_the_slope(features, targets):
    net, x, step = random_block(features, targets).mean_net, some_row(features), 1e-2
    _, jacobian = value_and_jacobian(net, x)
    for feature in range(features):
        move = step * np.eye(features, dtype=np.float32)[feature]
        slope = (net(x + move) - net(x - move)) / (2 * step)
        assert np.asarray(jacobian[:, feature]) == pytest.approx(np.asarray(slope), abs=1e-3)


def test_the_cheaper_mode_is_taken():
    """One function can only be differentiated in reverse, the other only forward."""

    @jax.custom_vjp
    def reverse_only(x):
        return jnp.sum(x**2)[None]

    reverse_only.defvjp(lambda x: (reverse_only(x), x), lambda x, slope: (2 * x * slope[0],))

    def forward_only(x):
        return jax.lax.while_loop(lambda v: jnp.sum(v) < 10, lambda v: 2 * v, jnp.concatenate([x, 3 * x]))

    assert np.allclose(value_and_jacobian(reverse_only, jnp.array([1.0, 2.0]))[1], [[2.0, 4.0]])
    assert np.allclose(value_and_jacobian(forward_only, jnp.array([1.0]))[1], [[4.0], [12.0]])


@SIZES
def test_block_by_hand(features, targets):
    block, x = random_block(features, targets), some_row(features)
    estimate = eqx.filter_jit(block)(x)
    J = np.asarray(jax.jit(jax.jacobian(block.mean_net))(x), np.float64)
    feature_noise = np.asarray(block.feature_noise_net(x), np.float64)
    system_noise = np.asarray(block.system_noise_net(x), np.float64)
    covariance = J @ np.diag(feature_noise) @ J.T + np.diag(system_noise)
    assert np.allclose(estimate.mean, block.mean_net(x))
    assert np.allclose(estimate.variance, np.diag(covariance), rtol=1e-5)
    assert np.allclose(estimate.feature_variance, np.diag(covariance) - system_noise, rtol=1e-5, atol=1e-7)
    full = propagated_covariance(estimate.jacobian, estimate.input_variance, estimate.system_variance)
    assert np.allclose(full, covariance, rtol=1e-5, atol=1e-7)


@SIZES
def test_covariance_is_symmetric_positive_and_has_the_variances_on_its_diagonal(features, targets):
    e = eqx.filter_jit(random_block(features, targets))(some_row(features))
    covariance = np.asarray(propagated_covariance(e.jacobian, e.input_variance, e.system_variance), np.float64)
    assert covariance.shape == (targets, targets)
    assert np.allclose(covariance, covariance.T, rtol=1e-6, atol=1e-8)
    assert np.linalg.eigvalsh(covariance).min() >= 0.99 * np.min(e.system_variance), "never below the system's noise"
    assert np.allclose(np.diag(covariance), e.variance, rtol=1e-6)


def test_shared_feature_noise_correlates_the_targets():
    """Two targets that hang on one noisy feature move together, or against each other."""
    covariance = propagated_covariance(jnp.array([[2.0], [-3.0]]), jnp.array([0.5]), jnp.array([0.1, 0.2]))
    assert np.allclose(covariance, [[2.1, -3.0], [-3.0, 4.7]])


def test_a_feature_without_influence_brings_no_noise():
    jacobian = jnp.array([[0.0, 1.0]])
    assert propagated_variance(jacobian, jnp.array([1e6, 0.25])) == pytest.approx(0.25)


def test_training_reaches_the_mean_through_its_jacobian():
    """The variance alone, without any error of the mean, has a gradient in the mean network's weights."""

    def variance(net):
        return eqx.tree_at(lambda b: b.mean_net, random_block(3, 2), net)(some_row(3)).variance.sum()

    slope = eqx.filter_jit(eqx.filter_grad(variance))(random_block(3, 2).mean_net)
    sizes = [float(jnp.abs(leaf).max()) for leaf in jax.tree.leaves(slope)]
    assert np.all(np.isfinite(sizes))
    assert all(size > 1e-6 for size in sizes[:-1]) and sizes[-1] == 0, "only the last bias does not matter"


def test_masks_reach_the_mean_and_its_jacobian():
    block, x = random_block(3, 2), some_row(3)
    silenced = block(x, (np.zeros(8), np.ones(8)))
    assert np.all(silenced.jacobian == 0)
    assert np.allclose(silenced.variance, silenced.system_variance)
    assert np.any(block(x).jacobian != 0)
