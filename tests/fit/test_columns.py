"""Padded columns change nothing: neither what a network says, nor a step of its training."""

import equinox as eqx
import jax
import numpy as np
import pytest

from taylor_sensus.fit.columns import column_class, resized
from taylor_sensus.fit.initial import Shape, new_mean, new_noise
from taylor_sensus.fit.objectives import NoiseRows, RunOptions, stage
from taylor_sensus.fit.padding import TrainingRows
from taylor_sensus.model.forward import mean_of
from taylor_sensus.model.network import Variant, Weights
from taylor_sensus.model.networks import trainable
from taylor_sensus.settings import Settings

pytestmark = pytest.mark.slow

FEATURES, COLUMNS, ROWS = 3, 8, 32
SETTINGS = Settings(width=16, depth=2, frequencies=2, noise_width=8)
VARIANT = Variant("off", "expected", "mixture", True)
OPTIONS = RunOptions(0.02, 0.0, 0.1, 0.0, 64, 8, 64, Weights(1.0, 1.0, 0.1, 0.1, 1.0, 1.0, 0.5))


def random_weights(network, rng):
    return jax.tree.map(lambda a: a + 0.3 * rng.standard_normal(np.shape(a)).astype(np.float32), network)


def case(name, embedding="periodic"):
    rng = np.random.default_rng(0)
    shape = Shape(FEATURES, 2, np.zeros(FEATURES), np.ones(FEATURES))
    x, y, weight = rng.standard_normal((ROWS, FEATURES)), rng.standard_normal((ROWS, 2)), rng.uniform(0.5, 2, ROWS)
    if name == "mean":
        network = new_mean(shape, Settings(width=16, depth=2, frequencies=2, embedding=embedding), rng, 0.5)
        rows = TrainingRows(x, y, weight, 0 * y, 0 * y + 1)
    else:
        network = new_noise(shape, SETTINGS, rng, np.full(FEATURES, -1.0), np.zeros(2))
        rows = NoiseRows(x, y, rng.uniform(0, 1, (ROWS, 2, FEATURES)), 0.1 + 0 * y, weight)
    return random_weights(network, rng), type(rows)(*[None if a is None else a.astype(np.float32) for a in rows])


def loss_and_gradient(name, network, rows):
    kind = stage(name, VARIANT)
    trained, fixed = trainable(network)

    def loss(weights):
        return kind.loss(
            eqx.combine(weights, fixed), rows, None, jax.random.key(0), OPTIONS, jax.numpy.ones(()), VARIANT
        )

    return jax.value_and_grad(loss)(trained), fixed


@pytest.mark.parametrize(("name", "embedding"), [("mean", "periodic"), ("mean", "none"), ("noise", "periodic")])
def test_loss_and_gradient_are_the_same(name, embedding):
    network, rows = case(name, embedding)
    (loss, slope), _ = loss_and_gradient(name, network, rows)
    (wide_loss, wide_slope), fixed = loss_and_gradient(name, resized(network, FEATURES, COLUMNS), rows.widened(COLUMNS))
    assert float(wide_loss) == pytest.approx(float(loss), rel=1e-5)
    back = resized(eqx.combine(wide_slope, fixed), COLUMNS, FEATURES)
    for a, b in zip(jax.tree.leaves(trainable(back)[0]), jax.tree.leaves(slope), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
    size = sum(float(np.abs(a).sum()) for a in jax.tree.leaves(wide_slope))
    assert size == pytest.approx(sum(float(np.abs(a).sum()) for a in jax.tree.leaves(slope)), rel=1e-4), "no more"


def test_there_and_back_is_the_same_network():
    for name in ("mean", "noise"):
        network, _ = case(name)
        back = resized(resized(network, FEATURES, COLUMNS), COLUMNS, FEATURES)
        assert jax.tree.structure(back) == jax.tree.structure(network)
        for a, b in zip(jax.tree.leaves(back), jax.tree.leaves(network), strict=True):
            np.testing.assert_array_equal(a, b)


def test_numpy_asks_a_padded_network_too():
    network, rows = case("mean")
    wide = mean_of(resized(network, FEATURES, COLUMNS), rows.widened(COLUMNS).x)
    np.testing.assert_allclose(wide, mean_of(network, rows.x), rtol=1e-5, atol=1e-6)


def test_classes():
    assert [column_class(n) for n in (1, 8, 9, 16, 17, 200)] == [8, 8, 16, 16, 32, 256]
