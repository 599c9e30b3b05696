"""Tails: Student's t with a skew, standardised; and what unseen errors tell of them."""

import numpy as np
import pytest
from scipy.stats import norm, t

from taylor_sensus.model.tails import Tails, learn_tails, normal_tails

SHAPES = [Tails(np.array([f]), np.array([s])) for f, s in ((5.0, 1.0), (4.0, 1.4), (30.0, 0.7))]
LEVELS = ((np.arange(100_000) + 0.5) / 100_000)[:, None]


@pytest.mark.parametrize("shape", SHAPES)
def test_mean_is_0_and_variance_1(shape):
    w = shape.quantile(LEVELS)
    assert w.mean() == pytest.approx(0, abs=1e-3)
    assert w.var() == pytest.approx(1, abs=5e-3)


@pytest.mark.parametrize("shape", SHAPES)
def test_quantile_cdf_and_density_agree(shape):
    w = np.linspace(-4, 6, 2001)[:, None]
    np.testing.assert_allclose(shape.quantile(shape.cdf(w)), w, rtol=1e-6, atol=1e-9)
    slope = np.gradient(shape.cdf(w)[:, 0], w[:, 0])
    np.testing.assert_allclose(np.exp(shape.logpdf(w))[1:-1, 0], slope[1:-1], rtol=5e-3, atol=1e-5)


def test_without_skew_it_is_students_t():
    w = np.linspace(-5, 5, 11)[:, None]
    scale = np.sqrt(3 / 5)
    np.testing.assert_allclose(Tails(np.array([5.0]), np.ones(1)).logpdf(w), t.logpdf(w, 5, scale=scale), rtol=1e-9)


def test_normal_tails_are_normal():
    w = np.linspace(-3, 3, 7)[:, None]
    np.testing.assert_allclose(normal_tails(1).logpdf(w), norm.logpdf(w), rtol=1e-9)
    wanted = w * (2 * norm.cdf(w) - 1) + 2 * norm.pdf(w) - np.pi**-0.5
    np.testing.assert_allclose(normal_tails(1).crps(w), wanted, rtol=1e-9)


@pytest.mark.parametrize("shape", SHAPES)
def test_crps_is_the_mean_pinball_loss_of_all_quantiles(shape):
    w = np.linspace(-3, 5, 9)[:, None]
    miss = w - shape.quantile(LEVELS)[:, 0]
    wanted = 2 * np.maximum(LEVELS[:, 0] * miss, (LEVELS[:, 0] - 1) * miss).mean(axis=1)
    np.testing.assert_allclose(shape.crps(w)[:, 0], wanted, atol=5e-3)
    both = Tails(*[np.concatenate([part, part]) for part in shape[:2]])
    np.testing.assert_allclose(both.crps(np.hstack([w, w])), np.hstack([shape.crps(w)] * 2))


def test_tails_are_learned():
    rng, many = np.random.default_rng(0), np.full(1, 1e6)

    def learned(errors):
        errors = (errors - errors.mean()) / errors.std()
        return learn_tails(errors[:, None], np.ones(len(errors)), many)

    assert learned(rng.standard_normal(2000)).freedom[0] > 20
    assert learned(rng.standard_t(4, 2000)).freedom[0] < 8
    assert learned(np.exp(0.7 * rng.standard_normal(500))).skew[0] > 1.3
    assert 0.9 < learned(rng.standard_normal(40)).skew[0] < 1.1


def test_a_size_from_few_rows_has_tails_of_its_own():
    errors = np.random.default_rng(0).standard_normal((2000, 1))
    assert learn_tails(errors, np.ones(2000), np.array([8.0])).freedom[0] < 8
