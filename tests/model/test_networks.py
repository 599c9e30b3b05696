"""The bricks: smooth twice over, silent when new, bounded where it matters."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from taylor_sensus.model.networks import (
    ACTIVATIONS,
    Constant,
    Dense,
    MeanNetwork,
    Perceptron,
    PeriodicEmbedding,
    PlainEmbedding,
    PositionalEmbedding,
    VarianceNetwork,
    trainable,
    wave,
)
from taylor_sensus.model.squash import squash

EVERYWHERE = np.concatenate([np.linspace(-4, 4, 41), [-1e3, -30, 30, 1e3]]).astype(np.float32)


def second_derivative(function):
    return jax.jit(jax.vmap(jax.grad(jax.grad(function))))


def spoken(perceptron: Perceptron, seed: int) -> Perceptron:
    """The same network with a random output layer, where a new one has zeros."""
    weight = np.random.default_rng(seed).standard_normal(perceptron.layers[-1].weight.shape).astype(np.float32)
    return eqx.tree_at(lambda p: p.layers[-1].weight, perceptron, weight)


def embedding(name: str, features: int):
    rng = np.random.default_rng(3)
    if name == "periodic":
        return PeriodicEmbedding.initial(rng, features, 4, 0.5)
    if name == "positional":
        return PositionalEmbedding(Constant(np.full(features, 0.3)), Constant(np.full(features, 0.7)), 2)
    return PlainEmbedding()


# ---------------------------------------------------------------------------------- smoothness


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations_are_twice_differentiable(name):
    curvature = second_derivative(ACTIVATIONS[name])
    assert np.all(np.isfinite(curvature(EVERYWHERE)))
    fine = np.asarray(curvature(np.linspace(-3, 3, 6001, dtype=np.float32)))
    assert np.mean(np.abs(fine) > 1e-3) > 0.95, "a piecewise linear activation has none"
    assert np.max(np.abs(np.diff(fine))) < 0.01, "and it does not jump"


def test_smooth_clip_is_the_identity_near_zero_and_bounded_far_away():
    assert squash(np.float32(1e-3)) == pytest.approx(1e-3, rel=1e-6)
    x = np.linspace(-50, 50, 1001, dtype=np.float32)
    clipped = np.asarray(squash(x, 3.0))
    assert np.all(np.diff(clipped) > 0) and np.all(np.abs(clipped) < 3)
    assert squash(np.float32(1e6)) == pytest.approx(3, rel=1e-4)
    assert np.all(np.isfinite(second_derivative(squash)(EVERYWHERE)))


@pytest.mark.parametrize("name", ["periodic", "positional"])
def test_embeddings_are_twice_differentiable(name):
    hessian = jax.jit(jax.hessian(embedding(name, 2)))
    near, far = hessian(jnp.array([0.4, -0.7])), hessian(jnp.array([1e3, -1e3]))
    assert np.all(np.isfinite(near)) and np.all(np.isfinite(far))
    assert np.max(np.abs(near)) > 0.1


@pytest.mark.parametrize(
    ("name", "activation"),
    [("none", "sigmoid"), ("positional", "sigmoid"), ("periodic", "silu"), ("periodic", "mish"), ("none", "tanh")],
)
def test_training_can_differentiate_the_mean_s_jacobian(name, activation):
    waves = embedding(name, 2)
    sizes = [waves.size(2), 8, 8, 1]
    net = MeanNetwork(waves, spoken(Perceptron.initial(np.random.default_rng(0), sizes, activation), 1))
    hessian = jax.jit(jax.hessian(lambda x: net(x)[0]))(jnp.array([0.3, -0.6]))
    assert np.all(np.isfinite(hessian)) and np.all(np.abs(hessian) > 1e-6)


# ----------------------------------------------------------------------------------- the bricks


def test_dense_divides_by_the_root_of_the_fan_in():
    layer = Dense(np.ones((4, 1), np.float32), np.array([0.5], np.float32))
    assert layer(jnp.array([1.0, 2.0, 3.0, 4.0])) == pytest.approx(10 / 2 + 0.5)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_a_new_perceptron_says_nothing_and_keeps_the_size_of_its_signal(activation):
    net = Perceptron.initial(np.random.default_rng(0), [5, 256, 256, 2], activation)
    x = np.random.default_rng(1).standard_normal((200, 5)).astype(np.float32)
    assert np.all(jax.vmap(net)(x) == 0)
    spread = np.std(jax.vmap(spoken(net, 2))(x), axis=0)
    assert np.all(spread > 0.02) and np.all(spread < 3), "it must neither fade nor blow up with depth"


def test_masks_silence_neurons():
    net = spoken(Perceptron.initial(np.random.default_rng(0), [3, 6, 4, 1], "tanh"), 1)
    x = jnp.array([0.2, -0.4, 1.0])
    ones = (np.ones(6), np.ones(4))
    assert np.array_equal(net(x, ones), net(x))
    assert net(x, (np.ones(6), np.zeros(4))) == net.layers[-1].bias
    assert net(x, (np.array([0.0, 1, 1, 1, 1, 1]), np.ones(4))) != net(x)


@pytest.mark.parametrize("name", ["none", "periodic", "positional"])
@pytest.mark.parametrize("features", [1, 3])
def test_embeddings_have_the_size_they_say(name, features):
    part = embedding(name, features)
    assert part(jnp.linspace(-1, 1, features)).shape == (part.size(features),)


def test_positional_embedding_by_hand():
    """Raw feature 0.25 at octaves 0 and 1: angles pi/4 and pi/2."""
    part = PositionalEmbedding(Constant(np.array([0.05])), Constant(np.array([0.1])), 1)
    root = np.sqrt(0.5)
    assert np.asarray(part(jnp.array([2.0]))) == pytest.approx([2.0, root, 1.0, root, 0.0], abs=1e-6)


def test_positional_embedding_keeps_features_apart():
    part = embedding("positional", 2)
    jacobian = jax.jacobian(part)(jnp.array([0.4, -0.7]))
    assert np.all(np.count_nonzero(jacobian, axis=1) == 1)


def test_periodic_embedding_by_hand():
    part = PeriodicEmbedding(np.array([2.0]), np.array([[0.5, 1.0]]), np.array([[0.0, 0.3]]))
    x = 0.2 / np.sqrt(1 + (0.2 / 3) ** 2)
    expected = [x, np.cos(np.pi * x), np.cos(2 * np.pi * (x + 0.3))]
    assert np.asarray(part(jnp.array([0.1]))) == pytest.approx(expected, abs=1e-6)


# ------------------------------------------------------------------------------------ variances


def test_a_new_variance_network_gives_its_level():
    level = np.array([-3.0, 1.0], np.float32)
    net = VarianceNetwork(Perceptron.initial(np.random.default_rng(0), [3, 8, 2], "silu"), Constant(level), 4.0)
    assert np.asarray(net(jnp.array([1.0, -2.0, 0.5]))) == pytest.approx(np.exp(level))


@pytest.mark.parametrize("size", [1.0, 1e3])
def test_variances_stay_positive_and_within_reach(size):
    perceptron = spoken(Perceptron.initial(np.random.default_rng(0), [1, 16, 2], "silu"), 1)
    perceptron = eqx.tree_at(lambda p: p.layers[-1].weight, perceptron, replace_fn=lambda w: w * np.float32(size))
    net = VarianceNetwork(perceptron, Constant(np.array([-2.0, 0.5], np.float32)), 4.0)
    log_variance = np.log(jax.vmap(net)(EVERYWHERE[:, None])) - np.array([-2.0, 0.5])
    assert np.all(np.abs(log_variance) <= 4.0 + 1e-4)
    assert np.std(log_variance) > 0.1, "it still varies"


def test_constants_are_not_trained():
    net = MeanNetwork(embedding("positional", 2), Perceptron.initial(np.random.default_rng(0), [14, 4, 1], "tanh"))
    trained, fixed = trainable(net)
    assert len(jax.tree.leaves(fixed)) == 2, "centre and scale of the embedding"
    assert len(jax.tree.leaves(trained)) == 4, "two layers of weights and biases"
    joined = eqx.combine(trained, fixed)
    assert jax.tree.all(jax.tree.map(lambda a, b: a is b, net, joined))


def test_wave_is_a_cosine_with_its_first_two_derivatives():
    turns = np.linspace(-3.2, 3.2, 1001).astype(np.float32)
    angle = 2 * np.pi * turns.astype(np.float64)
    first, second = jax.grad(wave), jax.grad(jax.grad(wave))
    np.testing.assert_allclose(wave(turns), np.cos(angle), atol=2e-6)
    np.testing.assert_allclose(jax.vmap(first)(turns), -2 * np.pi * np.sin(angle), atol=1e-4)
    np.testing.assert_allclose(jax.vmap(second)(turns), -((2 * np.pi) ** 2) * np.cos(angle), atol=5e-3)
