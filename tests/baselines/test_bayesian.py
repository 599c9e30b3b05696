"""The Bayesian networks and the autoencoder: their formulas against closed forms, their doubt, their repeatability."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from taylor_sensus.baselines.bbp import Posterior, Prior, divergence, loss
from taylor_sensus.baselines.bnn_mcmc import plan_chain, sample_chain, step_size
from taylor_sensus.baselines.networks import FitRows, in_chunks
from taylor_sensus.baselines.registry import method
from taylor_sensus.baselines.vaer import decoded, encoded
from taylor_sensus.baselines.weights import as_perceptron, as_vector
from taylor_sensus.model.networks import Constant, Perceptron
from taylor_sensus.model.squash import squash

pytestmark = pytest.mark.slow

SMALL = {"width": 32, "depth": 2, "epochs": 30}
NAMES = ["bnn_elbo", "bnn_mcmc", "bbp", "vaer"]
PACKAGES = {"bnn_elbo": "numpyro", "bnn_mcmc": "blackjax"}


def sine(count: int, seed: int, noise: float = 0.3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1.5, 1.5, (count, 1))
    return x, np.sin(3 * x[:, 0]) + noise * rng.standard_normal(count)


def plane(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((count, 4))
    x[:, 3] = x[:, 0] - x[:, 1] + 0.1 * x[:, 3]
    return x, x[:, 0] + np.tanh(x[:, 1]) + 0.1 * rng.standard_normal(count)


def fitted(name: str, data, **changes):
    pytest.importorskip(PACKAGES.get(name, "jax"))
    arguments = {**SMALL, "random_state": 0, **changes}
    return method(name).make(**arguments).fit(*data(300, 1), X_val=data(100, 2)[0], y_val=data(100, 2)[1])


@pytest.fixture(scope="module")
def models() -> dict:
    return {}


@pytest.fixture(params=NAMES)
def model(request, models):
    if request.param not in models:
        models[request.param] = fitted(request.param, plane)
    return SimpleNamespace(name=request.param, fitted=models[request.param])


# --- promises of every method ------------------------------------------------------------------------


def test_same_seed_gives_the_same_numbers_whatever_the_number_of_jobs(model):
    x, _ = plane(50, 3)
    again = fitted(model.name, plane, n_jobs=1)
    for first, second in zip(model.fitted.predict(x, return_std=True), again.predict(x, return_std=True), strict=True):
        np.testing.assert_array_equal(first, second)


def test_a_row_is_predicted_alike_alone_and_among_others(model):
    x, _ = plane(40, 4)
    together = model.fitted.predict(x, return_std=True)
    alone = model.fitted.predict(x[17:18], return_std=True)
    for all_rows, one_row in zip(together, alone, strict=True):
        np.testing.assert_array_equal(all_rows[17:18], one_row)


def test_the_method_has_learned_the_plane(model):
    x, y = plane(200, 5)
    mean, std = model.fitted.predict(x, return_std=True)
    assert np.mean((y - mean) ** 2) < 0.15 * y.var()
    if model.fitted.gives_std:
        assert 0.7 < np.mean(np.abs(y - mean) < 1.645 * std) <= 1.0
    else:
        assert np.isnan(std).all()


# --- weights as a vector -----------------------------------------------------------------------------


def test_weights_survive_the_way_to_a_vector_and_back():
    perceptron = Perceptron.initial(np.random.default_rng(0), [3, 5, 1], "silu")
    again = as_perceptron(as_vector(perceptron), perceptron)
    for one, other in zip(jax.tree.leaves(perceptron), jax.tree.leaves(again), strict=True):
        np.testing.assert_array_equal(one, other)


# --- Bayes by Backprop -------------------------------------------------------------------------------


def small_posterior() -> Posterior:
    rng = np.random.default_rng(0)
    perceptron = Perceptron.initial(rng, [2, 3, 1], "silu")
    size = len(as_vector(perceptron))
    return Posterior(rng.normal(0, 1, size), rng.normal(-1, 0.5, size), np.float32(-0.7), Constant(perceptron))  # pyright: ignore[reportArgumentType]


def test_bbp_divergence_agrees_with_the_closed_form_when_the_prior_is_one_gaussian():
    posterior, scale = small_posterior(), 1.3
    noise = jax.random.normal(jax.random.key(0), (20_000, len(posterior.mean)))
    drawn = jax.vmap(lambda n: divergence(posterior, n, Prior(1.0, scale, 0.1, 1.0)))(noise)
    std = np.log1p(np.exp(posterior.rho))
    exact = np.sum(np.log(scale / std) + (std**2 + posterior.mean**2) / (2 * scale**2) - 0.5)
    assert abs(drawn.mean() - exact) < 4 * drawn.std() / np.sqrt(len(drawn))


def test_bbp_loss_is_what_the_formula_says():
    """With no spread in the weights the draw does not matter, and all terms can be written down."""
    posterior = small_posterior()
    posterior = Posterior(posterior.mean, np.full_like(posterior.rho, -25.0), posterior.log_noise, posterior.like)
    rng = np.random.default_rng(1)
    rows = FitRows(rng.normal(size=(6, 2)), rng.normal(size=(6, 1)), np.ones(6))
    without = Prior(0.4, 1.0, 0.1, 0.0)
    network = as_perceptron(jnp.asarray(posterior.mean), posterior.like.value)
    error = rows.y - np.asarray(jax.vmap(network)(rows.x))
    expected = -0.7 + np.mean(error**2) / (2 * np.exp(-1.4))
    unused: Any = None
    priors = (without, Prior(0.4, 1.0, 0.1, 0.5))
    got = [loss(posterior, rows, prior, jax.random.key(2), unused, unused, unused) for prior in priors]
    assert got[0] == pytest.approx(expected, rel=1e-4)
    w = posterior.mean
    density = 0.4 * np.exp(-(w**2) / 2) + 0.6 * np.exp(-(w**2) / 0.02) / 0.1
    noise = jax.random.normal(jax.random.key(jax.random.bits(jax.random.key(2))), w.shape)
    log_q = -np.log(np.log1p(np.exp(-25.0))) - 0.5 * noise**2
    assert got[1] - got[0] == pytest.approx(float(0.5 * np.sum(log_q - np.log(density))), rel=1e-4)


# --- mean-field variational inference ----------------------------------------------------------------


def test_bnn_elbo_recovers_the_noise_and_doubts_more_away_from_the_data():
    model = fitted("bnn_elbo", sine, epochs=120)
    near, far = model.predict_distribution(np.linspace(-1.2, 1.2, 41)[:, None]), model.predict_distribution([[4.0]])
    assert np.sqrt(near.system_variance[0]) == pytest.approx(0.3, rel=0.3)
    assert far.epistemic_variance[0] > 1.5 * near.epistemic_variance.mean()


# --- cyclical chain ----------------------------------------------------------------------------------


def test_step_sizes_follow_the_cycles():
    plan = plan_chain(cycles=3, draws=4, steps=300, largest_step=0.2, temperature=1.0)
    sizes = np.array([step_size(np.int32(step), plan) for step in range(300)])
    assert sizes[[0, 100, 200]] == pytest.approx(0.2)
    assert sizes[50] == pytest.approx(0.1)
    for cycle in sizes.reshape(3, 100):
        assert (np.diff(cycle) < 0).all() and cycle[-1] < 1e-3
    assert len(plan.stops) == 12 and (np.diff(plan.stops) > 0).all() and plan.stops[-1] == 300
    assert (plan.stops % 100).reshape(3, 4)[:, 0].min() > 50


def test_the_chain_samples_the_posterior_of_a_linear_model():
    """Conjugate: rows y = x w + noise and a standard Gaussian prior have a Gaussian posterior."""
    pytest.importorskip("blackjax")
    rng = np.random.default_rng(0)
    x = jnp.asarray(rng.normal(size=(20, 2)) * [1.0, 0.5], jnp.float32)
    y = x @ jnp.array([1.0, -1.0]) + 0.5 * rng.normal(size=20)
    precision = np.asarray(x.T @ x / 0.25 + np.eye(2))
    truth, mean = np.linalg.inv(precision), np.linalg.solve(precision, np.asarray(x.T @ y / 0.25))

    def gradient(w, rows):
        return rows.x.T @ (rows.y - rows.x @ w) / 0.25 - w

    plan = plan_chain(cycles=150, draws=4, steps=60_000, largest_step=0.002, temperature=1.0)
    rows = FitRows(x, y, None)
    draws = jax.jit(lambda key: sample_chain(gradient, jnp.zeros(2), lambda _: rows, plan, key))(jax.random.key(0))
    draws = np.asarray(draws)
    np.testing.assert_allclose(draws.mean(axis=0), mean, atol=4 * np.sqrt(np.diag(truth).max() / 150))
    np.testing.assert_allclose(draws.var(axis=0), np.diag(truth), rtol=0.4)


def test_cycles_of_a_network_give_different_draws():
    model = fitted("bnn_mcmc", plane, cycles=2, draws=2)
    first, second = model.weights_[:2], model.weights_[2:]
    within = np.abs(first[0] - first[1]).mean()
    assert len(model.weights_) == 4
    assert np.abs(first.mean(axis=0) - second.mean(axis=0)).mean() > 0.5 * within > 0


# --- the autoencoder ---------------------------------------------------------------------------------


def test_vaer_rebuilds_rows_and_orders_its_latent_space_by_the_target():
    model = fitted("vaer", plane, epochs=120)
    x, y = plane(200, 6)
    scaled = model.scaler_.features(x)
    code = in_chunks(encoded, scaled, 1, model.network_)
    target = np.asarray(squash(scaled))
    rebuilt = in_chunks(decoded, code.latent_mean, 1, model.network_)
    assert np.mean((target - rebuilt) ** 2) < 0.6 * target.var(axis=0).mean()
    assert np.corrcoef(code.latent_mean @ model.network_.direction, y)[0, 1] > 0.9


@pytest.mark.parametrize("name", ["bnn_elbo", "bbp"])
def test_noisy_rows_are_told_from_quiet_ones(name):
    """Noise of 0.05 on the left and 0.5 on the right."""

    def fan(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(seed)
        x = rng.uniform(-1.5, 1.5, (count, 1))
        return x, x[:, 0] + np.where(x[:, 0] > 0, 0.5, 0.05) * rng.standard_normal(count)

    said = fitted(name, fan, epochs=100, embedding="none").predict_distribution(np.array([[-1.0], [1.0]]))
    assert said.system_noise[1] > 2 * said.system_noise[0]
