"""The formulas of docs/theory/loss.md: optima found by search, averages over draws by quadrature or by drawing."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from averages import average
from scipy.optimize import brentq, minimize_scalar
from scipy.stats import multivariate_normal, norm
from theory_pages import formula

from taylor_sensus.model.loss import heteroscedastic_mse, reparameterise
from taylor_sensus.scores import nll
from taylor_sensus.scores.proper import nll_paper

compiled_loss = jax.jit(heteroscedastic_mse)


def loss(error, variance, log_weight=1.0, beta=0.0, mean=0.0) -> float:
    """Of one row and one target, with the mean in it."""
    return float(compiled_loss(*np.float32([[error], [mean], [variance]]), log_weight, beta))


def best_variance(cost) -> float:
    """The variance with the smallest cost, by search on a log scale."""
    return float(np.exp(minimize_scalar(lambda u: cost(np.exp(u)), bounds=(-8, 8), method="bounded").x))


MANY = 200_000
"""Draws at once, as so many targets of one row: their losses add up, and each has a gradient of its own."""


def sampled_loss(mean, variance, errors, key, held: bool = False, log_weight: float = 1.0):
    """Sum over `errors` of the sampled loss; `held` keeps the gradient out of the draws."""
    guess = reparameterise(key, mean, variance)
    return heteroscedastic_mse(errors, jax.lax.stop_gradient(guess) if held else guess, variance, log_weight)


# ------------------------------------------------------------------------------ loss and Gaussian


@formula("eq-lo-1", r"L = \lambda_H \log \Sigma + \frac{e^2}{\Sigma}")
def test_the_loss_by_hand():
    assert loss(0.6, 0.5, 0.3) == pytest.approx(0.3 * np.log(0.5) + 0.72, rel=1e-5)
    assert loss(-3.0, np.e, 2.0) == pytest.approx(2 + 9 / np.e, rel=1e-5)


@formula("eq-lo-2", r"L = -2 \log \mathcal{N}(y;\,\mu, \Sigma) - \log 2\pi")
def test_the_loss_is_a_likelihood():
    for y, mean, variance in ((1.0, 0.4, 0.5), (-2.0, 1.0, 7.0)):
        ours = loss(y, variance, mean=mean)
        assert ours == pytest.approx(-2 * norm(mean, np.sqrt(variance)).logpdf(y) - np.log(2 * np.pi), rel=1e-5)


@formula("eq-lo-3", r"\Sigma = \frac{\overline{e^2}}{\lambda_H}")
@pytest.mark.parametrize("log_weight", [0.5, 1.0, 2.0])
def test_the_best_variance_is_the_mean_squared_error_only_for_weight_one(log_weight):
    errors = np.random.default_rng(0).normal(0, 1.7, 200)

    def cost(variance):
        return float(compiled_loss(np.float32(errors), np.zeros(200, np.float32), np.full(200, variance), log_weight))

    assert best_variance(cost) == pytest.approx(np.mean(errors**2) / log_weight, rel=0.01)


# ------------------------------------------------------------------ a draw where the mean belongs


@formula("eq-lo-4", r"\mathbb{E}_\varepsilon (y - \tilde y)^2 = e^2 + \Sigma")
def test_a_draw_adds_its_own_scatter():
    draws = reparameterise(jax.random.key(0), jnp.full(MANY, 0.4), jnp.full(MANY, 0.5))
    assert np.mean((1.0 - np.asarray(draws, np.float64)) ** 2) == pytest.approx(0.36 + 0.5, rel=0.01)
    noisy = np.random.default_rng(1).normal(0.4, np.sqrt(0.5), MANY)
    assert np.mean((noisy - draws) ** 2) == pytest.approx(2 * 0.5, rel=0.01), "with honest bars twice the noise"


@formula(
    "eq-lo-5",
    r"\mathbb{E}_\varepsilon \Bigl[\lambda_H \log \Sigma + \frac{(y - \tilde y)^2}{\Sigma}\Bigr] ="
    r" \lambda_H \log \Sigma + \frac{e^2}{\Sigma} + 1",
)
def test_in_the_sampled_loss_the_scatter_of_the_draw_is_a_constant():
    zeros, errors = jnp.zeros(MANY), jnp.full(MANY, 0.6)

    @jax.jit
    def sampled(variance):
        return sampled_loss(zeros, jnp.full(MANY, variance), errors, jax.random.key(1), log_weight=0.7) / MANY

    for variance in (0.1, 0.36, 3.0):
        expected = 0.7 * np.log(variance) + 0.36 / variance + 1
        assert float(sampled(jnp.array(variance))) == pytest.approx(expected, abs=0.05)
    slope = float(jax.jit(jax.grad(sampled))(jnp.array(0.36 / 0.7)))
    assert slope == pytest.approx(0, abs=0.02), "the same best variance as without a draw"


@formula("eq-lo-6", r"\Sigma = \tfrac12 \Bigl(\sqrt{\lambda_H^2 + 4 e^2} - \lambda_H\Bigr)")
def test_a_variance_where_a_standard_deviation_is_meant_makes_it_too_small():
    for error, weight in ((1.0, 1.0), (0.3, 1.0), (2.0, 0.5)):

        def printed(variance, error=error, weight=weight):
            return weight * np.log(variance) + average(lambda n: (error - variance * n[:, 0]) ** 2, [[1.0]]) / variance

        best = best_variance(printed)
        assert best == pytest.approx((np.sqrt(weight**2 + 4 * error**2) - weight) / 2, rel=1e-3)
        assert best < error**2 / weight
        assert printed(0.7) == pytest.approx(weight * np.log(0.7) + error**2 / 0.7 + 0.7)
    assert f"{(np.sqrt(5) - 1) / 2:.3f}" == "0.618"


@formula("eq-lo-7", r"\mathbb{E}_\varepsilon\,\mathcal{N}(y;\,\tilde y, \Sigma) = \mathcal{N}(y;\,\mu, 2\Sigma)")
def test_a_gaussian_around_a_draw_has_twice_the_variance():
    def density(error, variance):
        return average(lambda n: norm(np.sqrt(variance) * n[:, 0], np.sqrt(variance)).pdf(error), [[1.0]], nodes=60)

    for error, variance in ((0.0, 0.5), (1.1, 0.5), (2.0, 3.0)):
        assert density(error, variance) == pytest.approx(norm(0, np.sqrt(2 * variance)).pdf(error), rel=1e-6)
    most_likely = best_variance(lambda variance: -np.log(density(1.1, variance)))
    assert most_likely == pytest.approx(1.1**2 / 2, rel=1e-3)


@formula(
    "eq-lo-8",
    r"\frac{\partial}{\partial \Sigma} \Bigl[\log \Sigma + \frac{e^2 + \Sigma'}{\Sigma}\Bigr]_{\Sigma' = \Sigma} ="
    r" -\frac{e^2}{\Sigma^2}",
)
def test_without_a_gradient_through_the_draw_the_variance_never_stops_growing():
    zeros, errors = jnp.zeros(MANY), jnp.full(MANY, 0.6)
    slopes = jax.jit(jax.grad(lambda variance: sampled_loss(zeros, variance, errors, jax.random.key(2), held=True)))
    for variance in (0.1, 0.36, 1.0):
        assert np.mean(slopes(jnp.full(MANY, variance))) * variance**2 == pytest.approx(-0.36, abs=0.02)


@formula(
    "eq-lo-9",
    r"\operatorname{Var}\Bigl[\frac{\partial L}{\partial \mu}\Bigr] = \frac{4 \sigma^2}{\Sigma^2} + \frac{4}{\Sigma}",
)
def test_sampling_adds_noise_to_the_gradient_of_the_mean():
    errors = jnp.array(np.random.default_rng(2).uniform(-1, 1, MANY))  # not Gaussian, variance 1/3
    zeros, slopes = jnp.zeros(MANY), jax.jit(jax.grad(sampled_loss))
    for variance in (1 / 3, 2.0):
        to_mean = slopes(zeros, jnp.full(MANY, variance), errors, jax.random.key(3))
        assert np.var(to_mean) == pytest.approx(4 / 3 / variance**2 + 4 / variance, rel=0.02)
    without = jax.grad(lambda mean: heteroscedastic_mse(errors, mean, jnp.full(MANY, 1 / 3)))(zeros)
    assert np.var(without) == pytest.approx(4 / 3 * 9, rel=0.02), "the data's part; the draw doubles it"


@formula("eq-lo-10", r"\operatorname{Var}\Bigl[\frac{\partial L}{\partial \log \Sigma}\Bigr] = 2 + 1")
def test_sampling_adds_noise_to_the_gradient_of_the_variance():
    errors = jnp.array(np.random.default_rng(3).normal(0, np.sqrt(0.7), MANY))
    zeros, here = jnp.zeros(MANY), jnp.full(MANY, np.log(0.7))
    sampled = jax.jit(jax.grad(lambda u: sampled_loss(zeros, jnp.exp(u), errors, jax.random.key(4))))(here)
    assert np.var(sampled) == pytest.approx(3, rel=0.03)
    without = jax.grad(lambda u: heteroscedastic_mse(errors, zeros, jnp.exp(u)))(here)
    assert np.var(without) == pytest.approx(2, rel=0.03)


# ----------------------------------------------------------------------------------- starved means


def slope_in_mean(error: float, variance: float, beta: float) -> float:
    """By differences, at a mean of 0."""
    step = 0.05 * abs(error)
    return (loss(error, variance, 1.0, beta, step) - loss(error, variance, 1.0, beta, -step)) / (2 * step)


@formula("eq-lo-11", r"\frac{\partial L}{\partial \mu} = -2\,e\,\Sigma^{\beta - 1}")
def test_gradient_of_the_mean():
    for error in (0.5, -3.0):
        for variance in (0.2, 5.0):
            for beta in (0.0, 0.5, 1.0):
                expected = -2 * error * variance ** (beta - 1)
                assert slope_in_mean(error, variance, beta) == pytest.approx(expected, rel=1e-3)


@formula("eq-lo-12", r"\Bigl|\frac{\partial L}{\partial \mu}\Bigr| = 2\,|e|^{2\beta - 1}")
def test_a_variance_that_explains_the_error_starves_the_mean():
    for beta, more in ((0.0, 0.1), (0.5, 1.0), (1.0, 10.0)):
        small, large = (abs(slope_in_mean(e, best_variance(lambda v, e=e: loss(e, v)), beta)) for e in (0.3, 3.0))
        assert large / small == pytest.approx(more, rel=0.02)
        assert small == pytest.approx(2 * 0.3 ** (2 * beta - 1), rel=0.02)


@formula(
    "eq-lo-13",
    r"\frac{\partial L}{\partial \log \Sigma} = \Sigma^\beta \Bigl(\lambda_H - \frac{e^2}{\Sigma}\Bigr)",
)
def test_weights_do_not_move_the_best_variance():
    @jax.jit
    @jax.grad
    def slope(log_variance, error, weight, beta):
        return heteroscedastic_mse(error[None], jnp.zeros(1), jnp.exp(log_variance)[None], weight, beta)

    for error, weight in ((0.5, 1.0), (2.0, 0.6)):
        for beta in (0.0, 0.5, 1.0):
            for u in (-1.0, 0.4):
                plain = (loss(error, np.exp(u + 0.01), weight) - loss(error, np.exp(u - 0.01), weight)) / 0.02
                assert slope(u, error, weight, beta) == pytest.approx(np.exp(u * beta) * plain, rel=0.01)
                by_hand = np.exp(u) ** beta * (weight - error**2 / np.exp(u))
                assert slope(u, error, weight, beta) == pytest.approx(by_hand, rel=1e-4)
            best = brentq(slope, -6, 6, args=(error, weight, beta), xtol=1e-4)
            assert np.exp(best) == pytest.approx(error**2 / weight, rel=0.01)


# ---------------------------------------------------------------------- several targets, and scores


@formula(
    "eq-lo-14",
    r"\min_{\text{diagonal}} \mathbb{E} L - \min_{\text{full}} \mathbb{E} L = -\log |R|",
)
def test_what_a_diagonal_covariance_loses():
    covariance = np.array([[2.0, 1.1, -0.3], [1.1, 1.0, 0.2], [-0.3, 0.2, 0.5]])
    errors = np.random.default_rng(5).multivariate_normal(np.zeros(3), covariance, 50_000)
    seen = np.cov(errors.T, bias=True)
    full = np.mean(-2 * multivariate_normal(np.mean(errors, axis=0), seen).logpdf(errors)) - 3 * np.log(2 * np.pi)
    mean = np.broadcast_to(np.mean(errors, axis=0), errors.shape)

    def with_diagonal(variance):
        spread = jnp.array(np.broadcast_to(variance, errors.shape))
        return float(compiled_loss(jnp.array(errors), jnp.array(mean), spread)) / len(errors)

    expected = -np.linalg.slogdet(np.corrcoef(errors.T))[1]
    diagonal = with_diagonal(np.diag(seen))
    assert diagonal - full == pytest.approx(expected, abs=2e-3)
    assert expected > 0.5
    assert with_diagonal(1.1 * np.diag(seen)) > diagonal, "the true variances are the best diagonal"
    assert with_diagonal(0.9 * np.diag(seen)) > diagonal


@formula("eq-lo-15", r"\mathrm{NLL} = \log \sigma + \frac{e^2}{2 \sigma^2} + \tfrac12 \ln 2\pi")
def test_printed_and_full_likelihood():
    rng = np.random.default_rng(6)
    y, mean, std = rng.normal(size=50), rng.normal(size=50), rng.uniform(0.2, 3, 50)
    full = -np.mean(norm(mean, std).logpdf(y))
    assert nll(y, mean, std) == pytest.approx(full)
    assert f"{nll(y, mean, std) - nll_paper(y, mean, std):.4f}" == "0.9189"
    assert nll_paper(y, mean, std) + 0.5 * np.log(2 * np.pi) == pytest.approx(full)
    half = np.mean([loss(e, s**2) for e, s in zip(y - mean, std, strict=True)]) / 2
    assert nll_paper(y, mean, std) == pytest.approx(half, rel=1e-4), "half the training loss"
    assert nll(1000 * y, 1000 * mean, 1000 * std) - full == pytest.approx(np.log(1000))
