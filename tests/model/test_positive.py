"""Shapes of positive targets: the wanted mean and standard deviation, and one distribution in all its functions."""

import numpy as np
import pytest
from scipy.stats import lognorm, norm

from taylor_sensus import DataError
from taylor_sensus.model.positive import POWERS, PositiveShape, learn_positive, positive_mean
from tests.tiny import numbers, tiny

MEAN, STD = np.array([1.0, 1.0, 5.0, 0.3]), np.array([0.02, 0.5, 1.0, 0.3])
MANY = ((np.arange(4000) + 0.5) / 4000)[:, None]


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("freedom", [30.0, 1e6])
def test_mean_and_std_are_those_of_the_row(power, freedom):
    drawn = PositiveShape(MEAN, STD, power, freedom).quantile(MANY)
    assert (drawn >= 0).all()
    np.testing.assert_allclose(drawn.mean(axis=0), MEAN, rtol=0.01)
    np.testing.assert_allclose(drawn.std(axis=0), STD, rtol=0.05)


@pytest.mark.parametrize("power", POWERS)
def test_cdf_density_and_quantiles_agree(power):
    shape = PositiveShape(MEAN, STD, power, 30.0)
    y = shape.quantile(np.float64(0.83))
    np.testing.assert_allclose(shape.cdf(y), 0.83)
    step = 1e-5 * STD
    np.testing.assert_allclose(
        np.exp(shape.logpdf(y)), (shape.cdf(y + step) - shape.cdf(y - step)) / (2 * step), rtol=1e-4
    )
    drawn = shape.quantile(MANY)
    spread = np.abs(drawn[:, None] - drawn[None, ::37]).mean(axis=(0, 1)) / 2
    np.testing.assert_allclose(shape.crps(y), np.abs(drawn - y).mean(axis=0) - spread, rtol=0.05)


def test_the_power_0_is_the_log_normal():
    sigma = np.sqrt(np.log(1.25))
    shape = PositiveShape(np.array([2.0]), np.array([1.0]), 0.0, 1e6)
    expected = lognorm(sigma, scale=2 * np.exp(-(sigma**2) / 2))
    np.testing.assert_allclose(shape.quantile(np.float64(0.95)), expected.ppf(0.95), rtol=0.01)
    np.testing.assert_allclose(shape.logpdf(np.array([1.5])), expected.logpdf(1.5), atol=0.02)


def test_far_from_0_it_is_the_normal():
    shape = PositiveShape(np.array([100.0]), np.array([1.0]), 1.0, 1e6)
    np.testing.assert_allclose(shape.quantile(np.float64(0.95)), 100 + norm.ppf(0.95), atol=0.02)


def test_zeros_have_a_probability_where_there_may_be_some():
    half = PositiveShape(np.array([0.4]), np.array([0.58]), 1.0, 1e6)
    assert 0.4 < half.cdf(np.zeros(1))[0] < 0.6
    assert half.logpdf(np.zeros(1))[0] == pytest.approx(np.log(half.cdf(np.zeros(1))[0]))
    assert PositiveShape(*half[:2], 0.0, 1e6).logpdf(np.zeros(1))[0] == -np.inf
    assert half.cdf(np.array([-1.0]))[0] == 0


def test_the_power_is_found():
    rng = np.random.default_rng(0)
    mean = rng.uniform(1, 5, 500)
    sigma = np.sqrt(np.log(1.25))
    y = mean * np.exp(sigma * rng.normal(size=500) - sigma**2 / 2)
    assert learn_positive(y, mean, mean / 2, np.ones(500), 500.0)[0] == 0.0
    y = np.maximum(mean + 0.5 * rng.normal(size=500), 0.0)
    assert learn_positive(y, mean, np.full(500, 0.5), np.ones(500), 500.0)[0] == 1.0


def test_means_are_bent_only_near_0():
    bent = positive_mean(np.array([-1.0, 0.0, 1.0, 5.0]), np.ones(4))
    assert (bent > 0).all() and (np.diff(bent) > 0).all()
    np.testing.assert_allclose(bent[2:], [1, 5], rtol=1e-4)


def test_nothing_of_a_positive_model_is_negative(tmp_path):
    from taylor_sensus import load

    X, y = numbers()
    y = np.exp(0.5 * y)
    model = tiny(positive=True).fit(X, y)
    model.save(tmp_path / "m.tsnet")
    far = load(tmp_path / "m.tsnet").predict_distribution(10 * X)
    for found in (far.mean, far.interval(0.99).lower, far.sample(50, random_state=0), far.quantile([0.001, 0.5]),
                  far.conformal_interval(0.9).lower):  # fmt: skip
        assert (found >= 0).all()
    np.testing.assert_array_equal(far.std, model.predict(10 * X, return_std=True)[1])
    np.testing.assert_allclose(far.cdf(far.quantile(0.7)), 0.7)
    with pytest.raises(DataError, match="negative"):
        tiny(positive=True).fit(X, y - 5)
    two = tiny(positive=True).fit(X, np.c_[y, y**2]).predict_distribution(X)
    assert (two.interval(0.95).lower >= 0).all() and two.crps(np.c_[y, y**2]).shape == two.mean.shape
    assert two.sample(3, random_state=0).shape == (3, *two.mean.shape)
