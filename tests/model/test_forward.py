"""The two backends of the arithmetic agree: NumPy, which predicts, and JAX, which training differentiates."""

from dataclasses import replace

import jax
import numpy as np
import pytest

from taylor_sensus.fit.initial import Shape, new_block
from taylor_sensus.model.density import DensityPerception
from taylor_sensus.model.ensemble import stacked
from taylor_sensus.model.forward import ReadyBlocks, log_density, mean_of, raw_log_variances, variances
from taylor_sensus.model.squash import squash
from taylor_sensus.settings import DEFAULTS

RNG = np.random.default_rng(0)
X = np.concatenate([RNG.normal(size=(20, 4)), 50 * RNG.normal(size=(4, 4))]).astype(np.float32)
SHAPE = Shape(4, 2, np.full(4, 0.3), np.full(4, 1.7))


def block(**settings):
    new = new_block(SHAPE, replace(DEFAULTS, width=16, noise_width=8, octaves=2, **settings), RNG, -1.0, -2.0)
    return jax.tree.map(lambda a: (a + 0.3 * RNG.standard_normal(a.shape)).astype(np.float32), new)


@pytest.mark.parametrize("embedding", ["periodic", "positional", "none"])
@pytest.mark.parametrize("activation", ["silu", "mish", "tanh", "sigmoid"])
def test_a_block_says_the_same(embedding, activation):
    members = [block(embedding=embedding, activation=activation) for _ in range(2)]
    found = ReadyBlocks(stacked(members))(X)
    for number, tried in enumerate(members):
        wanted = jax.vmap(tried)(X)
        for name in found._fields:
            a, b = getattr(found, name)[:, number], np.asarray(getattr(wanted, name))
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5 * np.abs(b).max(), err_msg=name)
        np.testing.assert_array_equal(mean_of(tried.mean_net, X), found.mean[:, number])
        np.testing.assert_allclose(variances(tried.system_noise_net, X), found.system_variance[:, number], rtol=1e-6)


def test_noise_that_was_made_flat_is_the_same_everywhere():
    nets = [block().system_noise_net.flattened(np.float32([0.3, -0.2]), 0.0) for _ in range(2)]
    members = [replace(block(), system_noise_net=net) for net in nets]
    found = ReadyBlocks(stacked(members))(X).system_variance
    for number, net in enumerate(nets):
        np.testing.assert_allclose(found[:, number], jax.vmap(net)(X), rtol=1e-6)


def test_without_feature_noise():
    tried = ReadyBlocks(stacked([block(taylor=False)]))(X)
    assert tried.input_variance.shape == (len(X), 1, 4)
    assert (tried.input_variance == 0).all()


def test_means_that_nobody_needs_are_not_asked():
    ready = ReadyBlocks(stacked([block(), block()]))
    whole, noise = ready(X), ready(X, means=False)
    for name in ("input_variance", "system_variance"):
        np.testing.assert_array_equal(getattr(noise, name), getattr(whole, name))
    for name in ("mean", "jacobian"):
        assert getattr(noise, name).shape == getattr(whole, name).shape and not getattr(noise, name).any()


def test_raw_variances_are_those_before_they_saturate():
    net = block().system_noise_net
    np.testing.assert_allclose(raw_log_variances(net, X), jax.vmap(net.raw)(X), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("leave_out", [False, True])
def test_densities_are_the_same(leave_out):
    rows = squash(X, tail="root")
    perception = DensityPerception.initial(rows, 16, np.random.default_rng(1), size=20)
    wanted = jax.vmap(lambda row: perception(row, leave_out_self=leave_out))(rows)
    np.testing.assert_allclose(log_density(perception, X, leave_out_self=leave_out), wanted, rtol=1e-4, atol=1e-4)
