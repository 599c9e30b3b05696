"""The assembly: one batch through Algorithm 1, in every combination of its parts."""

import itertools
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from taylor_sensus.model.density import DensityPerception, density_targets, familiarity, reference_of
from taylor_sensus.model.network import TaylorSensusNetwork, Variant, Weights, algorithm_1
from taylor_sensus.model.networks import (
    Constant,
    MeanNetwork,
    Perceptron,
    PeriodicEmbedding,
    VarianceNetwork,
    trainable,
)
from taylor_sensus.model.squash import squash
from taylor_sensus.model.taylor_block import DeepTaylorBlock

pytestmark = pytest.mark.slow

FEATURES, ROWS = 2, 12
KEY = jax.random.key(0)
WEIGHTS = Weights(
    contrast=1.0, contrast_mean=1.0, contrast_spread=0.5, contrast_noise=0.6, density=1.0, log=1.0, beta=0.0
)
COMBINATIONS = [
    Variant(*choice)
    for choice in itertools.product(
        ("off", "printed", "bounded", "theory"), ("expected", "sampled"), ("printed", "mixture"), (True, False)
    )
]
HALF = [c for c in COMBINATIONS if (c.loss == "sampled") ^ (c.combination == "printed") ^ c.density]
"""A half of them, in which any two parts meet in every way."""
PAIRS = [c for c in COMBINATIONS if (c.loss == "sampled") == (c.combination == "printed") == c.density]
"""A quarter of them, in which each contrast meets each kind of density."""


class Rows(NamedTuple):
    x: jax.Array
    y: jax.Array
    weight: jax.Array
    prior_mean: jax.Array
    prior_variance: jax.Array
    errors: tuple[jax.Array, jax.Array] | None = None
    target_error: jax.Array | None = None


def perceptron(seed: int, into: int, out: int) -> Perceptron:
    rng = np.random.default_rng(seed)
    net = Perceptron.initial(rng, [into, 6, out], "silu")
    return eqx.tree_at(lambda p: p.layers[-1].weight, net, rng.standard_normal((6, out)).astype(np.float32))


@jax.jit
def call(part, x):
    return part(x)


class Compiled(eqx.Module):
    """A part that runs as one program: the same numbers, far fewer compilations in these tests."""

    part: eqx.Module

    def __call__(self, x):
        return call(self.part, x)


def network(targets: int) -> TaylorSensusNetwork:
    waves = PeriodicEmbedding.initial(np.random.default_rng(5), FEATURES, 2, 0.3)
    block = DeepTaylorBlock(
        MeanNetwork(waves, perceptron(0, waves.size(FEATURES), targets)),
        VarianceNetwork(perceptron(1, FEATURES, FEATURES), Constant(np.full(FEATURES, -3, np.float32)), 4.0),
        VarianceNetwork(perceptron(2, FEATURES, targets), Constant(np.full(targets, -1, np.float32)), 4.0),
    )
    density = DensityPerception.initial(squash(table()[1:], tail="root"), 16, np.random.default_rng(0))
    return TaylorSensusNetwork(Compiled(block), Compiled(density))


def table() -> np.ndarray:
    """Ordinary rows after a first one that lies apart and is no landmark, so that it is less familiar."""
    rows = np.random.default_rng(9).standard_normal((ROWS, FEATURES)).astype(np.float32)
    rows[0] = 3.5
    return rows


def batch(targets: int) -> Rows:
    rng = np.random.default_rng(8)
    return Rows(
        x=jnp.asarray(table()),
        y=jnp.asarray(rng.standard_normal((ROWS, targets)), jnp.float32),
        weight=jnp.asarray(rng.uniform(0.5, 2.0, ROWS), jnp.float32),
        prior_mean=jnp.asarray(0.1 * rng.standard_normal((ROWS, targets)), jnp.float32),
        prior_variance=jnp.full((ROWS, targets), 1.5),
    )


def points():
    found = density_targets(squash(table(), tail="root"), 4, np.random.default_rng(0))
    return jax.tree.map(lambda a: jnp.asarray(a, jnp.float32), found)


def loss(parts: Variant, targets: int = 1, *, key=KEY, weights=WEIGHTS, rows=None, net=None) -> float:
    rows = batch(targets) if rows is None else rows
    net = network(targets) if net is None else net
    return float(algorithm_1(net, rows, points() if parts.density else None, key, parts, weights))


def parts(contrast="off", kind="expected", combination="printed", density=False) -> Variant:
    return Variant(contrast, kind, combination, density)


# ----------------------------------------------------------------------------- all combinations


@pytest.mark.parametrize(("targets", "choices"), [(2, HALF), (1, PAIRS)])
def test_every_combination_of_parts_has_a_finite_loss_and_gradient(targets, choices):
    trained, fixed = trainable(network(targets))
    rows, found = batch(targets), points()
    values = set()
    for choice in choices:

        def of(trained, choice=choice):
            net = eqx.combine(trained, fixed)
            return algorithm_1(net, rows, found if choice.density else None, KEY, choice, WEIGHTS)

        value, slope = jax.value_and_grad(of)(trained)
        assert np.isfinite(value), choice
        for path, leaf in jax.tree_util.tree_leaves_with_path(slope):
            name = jax.tree_util.keystr(path)
            assert np.all(np.isfinite(leaf)), (choice, name)
            reached = choice.density or ".density" not in name
            assert bool(np.any(leaf != 0)) == reached, (choice, name)
        values.add(float(value))
    assert len(values) == len(choices), "every choice makes a difference"


# ----------------------------------------------------------------------------- against pieces


@pytest.mark.parametrize("targets", [1, 2])
def test_without_contrast_and_density_it_is_the_weighted_likelihood_of_the_block(targets):
    rows = batch(targets)
    e = jax.vmap(network(targets).block)(rows.x)
    variance = np.einsum("rtf,rf->rt", np.asarray(e.jacobian) ** 2, e.input_variance) + e.system_variance
    expected = np.sum(np.log(variance) + np.asarray(rows.y - e.mean) ** 2 / variance, axis=1)
    for combination in ("printed", "mixture"):  # full familiarity: the prior plays no part
        value = loss(parts(combination=combination), targets)
        assert value == pytest.approx(np.average(expected, weights=rows.weight), rel=1e-4)


@pytest.mark.parametrize("combination", ["printed", "mixture"])
def test_density_moves_rows_to_the_prior_and_adds_its_divergence(combination):
    net, rows, found = network(1), batch(1), points()
    attention = np.asarray(jax.vmap(net.density)(squash(rows.x, tail="root")))
    k = np.asarray(familiarity(attention, reference_of(jnp.array(attention))))[:, None]
    estimate = jax.vmap(net.block)(rows.x)
    noise = np.asarray(jax.vmap(lambda e: e.variance)(estimate))
    mean_n, mean_p = np.asarray(estimate.mean), np.asarray(rows.prior_mean)
    mean = k * mean_n + (1 - k) * mean_p
    variance = {
        "printed": k**2 * noise + (1 - k) ** 2 * 1.5,
        "mixture": k * noise + (1 - k) * 1.5 + k * (1 - k) * (mean_n - mean_p) ** 2,
    }[combination]
    accuracy = np.average((np.log(variance) + (rows.y - mean) ** 2 / variance)[:, 0], weights=rows.weight)
    learned = np.asarray(jax.vmap(net.density)(found.x))
    log_k = learned - np.logaddexp.reduce(learned)
    log_rho = np.asarray(found.log_density) - np.logaddexp.reduce(np.asarray(found.log_density))
    divergence = np.sum(np.exp(log_k) * (log_k - log_rho))
    weights = WEIGHTS._replace(density=0.7)
    value = loss(parts(combination=combination, density=True), weights=weights)
    assert value == pytest.approx(accuracy + 0.7 * divergence, rel=1e-4)
    assert divergence > 0.01 and 0.01 < k.min() < 0.99


def test_contrast_enters_with_its_weights():
    """Linear in each lambda, and nothing at zero."""

    def with_weights(**changes):
        return loss(parts(contrast="bounded"), weights=WEIGHTS._replace(**changes))

    plain = loss(parts())
    assert with_weights(contrast=0.0) == pytest.approx(plain, rel=1e-6)
    once, twice = with_weights(contrast=1.0) - plain, with_weights(contrast=2.0) - plain
    assert twice == pytest.approx(2 * once, rel=1e-3) and abs(once) > 1e-4
    pull = with_weights(contrast=1.0, contrast_spread=0.0) - plain
    push = with_weights(contrast=1.0, contrast_mean=0.0) - plain
    assert pull > 0 > push
    assert pull + push == pytest.approx(once, abs=1e-5)


def test_contrast_grows_with_the_added_noise():
    def pull(size):
        weights = WEIGHTS._replace(contrast=1.0, contrast_spread=0.0, contrast_noise=size)
        return loss(parts(contrast="bounded"), weights=weights) - loss(parts())

    assert pull(0.0) == pytest.approx(0, abs=1e-6) and 1e-6 < pull(0.01) < pull(0.1) < pull(0.5)


def test_log_weight_scales_the_log_term():
    values = [loss(parts(), weights=WEIGHTS._replace(log=w)) for w in (0.0, 1.0, 2.0)]
    assert values[2] - values[1] == pytest.approx(values[1] - values[0], rel=1e-4)
    assert values[0] != values[1]


def test_beta_weighs_rows_by_their_variance():
    net, rows = network(2), batch(2)
    estimate = jax.vmap(net.block)(rows.x)
    variance = np.asarray(jax.vmap(lambda e: e.variance)(estimate))
    terms = np.sqrt(variance) * (np.log(variance) + np.asarray(rows.y - estimate.mean) ** 2 / variance)
    value = loss(parts(), 2, weights=WEIGHTS._replace(beta=0.5))
    assert value == pytest.approx(np.average(terms.sum(axis=1), weights=rows.weight), rel=1e-4)


def test_known_errors_take_the_place_of_learned_ones():
    net, rows = network(2), batch(2)
    estimate = jax.vmap(net.block)(rows.x)
    known = jnp.zeros((ROWS, FEATURES)).at[:, 0].set(1.0)
    told, target = known * 0.3, jnp.full((ROWS, 2), 0.2)
    inputs = np.where(np.asarray(known) == 1, 0.3, np.asarray(estimate.input_variance))
    arriving = np.einsum("rtf,rf->rt", np.asarray(estimate.jacobian) ** 2, inputs)
    variance = arriving + np.asarray(estimate.system_variance) + 0.2
    terms = np.log(variance) + np.asarray(rows.y - estimate.mean) ** 2 / variance
    value = loss(parts(), 2, rows=rows._replace(errors=(known, told), target_error=target))
    assert value == pytest.approx(np.average(terms.sum(axis=1), weights=rows.weight), rel=1e-4)


# ------------------------------------------------------------------------------ rows and chance


def test_only_sampling_and_contrast_depend_on_the_key():
    other = jax.random.key(1)
    assert loss(parts()) == loss(parts(), key=other)
    for choice in (parts(kind="sampled"), parts(contrast="theory")):
        assert loss(choice) == loss(choice), "same key, same loss"
        assert loss(choice) != loss(choice, key=other)


def test_sampled_loss_averages_to_the_expected_one():
    keys = jax.random.split(KEY, 4000)
    net, rows = network(2), batch(2)
    many = jax.jit(jax.vmap(lambda key: algorithm_1(net, rows, None, key, parts(kind="sampled"), WEIGHTS)))
    values = np.asarray(many(keys))
    error = values.std() / np.sqrt(len(keys))
    assert values.mean() - 2 == pytest.approx(loss(parts(), 2), abs=5 * error), "one more a target"


@pytest.mark.parametrize("choice", [parts(), parts("off", "expected", "mixture", True)])
def test_a_weight_of_two_is_the_row_twice(choice):
    twin = jax.tree.map(lambda a: a.at[5].set(a[3]), batch(1))
    once = twin._replace(weight=jnp.ones(ROWS).at[5].set(0.0))
    twice = twin._replace(weight=jnp.ones(ROWS))
    heavy = once._replace(weight=once.weight.at[3].set(2.0))
    assert loss(choice, rows=heavy) == pytest.approx(loss(choice, rows=twice), rel=1e-5)
    assert loss(choice, rows=heavy) != pytest.approx(loss(choice, rows=once), rel=1e-4)


def test_a_row_without_weight_does_not_count():
    rows = batch(1)
    silent = rows._replace(weight=rows.weight.at[0].set(0.0))
    wild = silent._replace(y=rows.y.at[0].set(1e3))
    assert loss(parts(), rows=silent) == pytest.approx(loss(parts(), rows=wild), rel=1e-6)


def test_a_row_through_the_network_is_the_block_and_the_density():
    net, rows = network(2), table()
    estimates, attention = jax.vmap(net)(jnp.asarray(rows))
    alone, its_attention = net(jnp.asarray(rows[4]))
    assert np.allclose(estimates.mean[4], alone.mean, atol=1e-6)
    assert np.allclose(alone.mean, net.block(jnp.asarray(rows[4])).mean)
    assert attention[4] == pytest.approx(float(its_attention), rel=1e-5)
    assert its_attention == pytest.approx(float(net.density(squash(jnp.asarray(rows[4]), tail="root"))))
