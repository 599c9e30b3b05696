"""What is particular to each neural rival: its likelihood, its moments, its masks and members."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from taylor_sensus.baselines.deep_ensemble import calibrated_likelihood
from taylor_sensus.baselines.mc_dropout import noise_variance
from taylor_sensus.baselines.normal_inverse_gamma import (
    NormalInverseGamma,
    aleatoric_variance,
    alpha_threshold,
    epistemic_variance,
    evidence,
    lipschitz_squared_error,
    negative_log_likelihood,
    nu_threshold,
)
from taylor_sensus.baselines.registry import method

pytestmark = pytest.mark.slow

SMALL = {"width": 32, "depth": 2, "epochs": 60, "batch_size": 32, "embedding": "none"}
NAMES = ("mc_dropout", "evidential", "mt_enet", "deep_ensemble", "mean_then_variance")
SAID = NormalInverseGamma(*(np.float32(v) for v in (0.3, 0.7, 2.5, 0.4)))


def table(noise, count: int = 300, seed: int = 0):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1.5, 1.5, (count, 1))
    return x, np.sin(3 * x[:, 0]) + noise(x[:, 0]) * rng.standard_normal(count)


def fitted(name: str, data, n_jobs=None, **changes):
    return method(name).make(random_state=0, n_jobs=n_jobs, **{**SMALL, **changes}).fit(*data)


@pytest.fixture(scope="module")
def even():
    """Every method fitted to rows with the same noise everywhere."""
    data = table(lambda x: 0.3 + 0 * x)
    return data, {name: fitted(name, data) for name in NAMES}


@pytest.mark.parametrize("nu", [0.05, 1.0, 30.0])
@pytest.mark.parametrize("alpha", [1.2, 3.0, 80.0])
def test_the_evidential_likelihood_is_a_student_t(nu, alpha):
    y = np.linspace(-4, 5, 13)
    said = NormalInverseGamma(0.3, nu, alpha, 0.4)
    expected = -stats.t.logpdf(y, df=2 * alpha, loc=0.3, scale=np.sqrt(0.4 * (1 + nu) / (nu * alpha)))
    np.testing.assert_allclose(negative_log_likelihood(said, y), expected, rtol=2e-4, atol=2e-4)


def test_the_evidential_variances_are_those_of_the_distribution():
    rng = np.random.default_rng(0)
    said = NormalInverseGamma(0.3, 0.7, 4.0, 2.0)
    variance = stats.invgamma.rvs(4.0, scale=2.0, size=400_000, random_state=rng)
    mean = 0.3 + np.sqrt(variance / 0.7) * rng.standard_normal(len(variance))
    assert aleatoric_variance(said) == pytest.approx(variance.mean(), rel=0.02)
    assert epistemic_variance(said) == pytest.approx(mean.var(), rel=0.02)


def test_extreme_outputs_keep_finite_variances_and_slopes():
    raw = jnp.array([[0.0, -200, -200, -200], [50, 200, 200, 200], [0, -200, 50, 200]], jnp.float32)
    said = evidence(raw)
    assert np.all(np.isfinite(aleatoric_variance(said) + epistemic_variance(said)))
    slope = jax.grad(lambda r: negative_log_likelihood(evidence(r), 1.0).sum())(raw)
    assert np.all(np.isfinite(slope))


@pytest.mark.parametrize(("field", "threshold"), [("nu", nu_threshold), ("alpha", alpha_threshold)])
def test_above_its_threshold_the_likelihood_lowers_evidence(field, threshold):
    def slope(squared_error):
        def loss(value):
            return negative_log_likelihood(SAID._replace(**{field: value}), SAID.gamma + jnp.sqrt(squared_error))

        return float(jax.grad(loss)(getattr(SAID, field)))

    limit = float(threshold(SAID))
    assert slope(0.98 * limit) < 0 < slope(1.02 * limit)
    assert abs(slope(limit)) < 1e-4


def test_the_bounded_squared_error_has_no_step_and_no_kink():
    limit = float(min(nu_threshold(SAID), alpha_threshold(SAID)))
    at = float(np.sqrt(limit))

    def loss(error):
        return lipschitz_squared_error(SAID, SAID.gamma + error)

    slope = jax.grad(loss)
    assert float(loss(at * 0.9999)) == pytest.approx(float(loss(at * 1.0001)), rel=1e-3)
    assert float(slope(at * 0.9999)) == pytest.approx(float(slope(at * 1.0001)), rel=1e-3)
    assert float(loss(0.5 * at)) == pytest.approx(0.25 * limit, rel=1e-4)
    assert float(slope(9 * at)) == pytest.approx(2 * at, rel=1e-4)
    assert float(jax.grad(lambda beta: lipschitz_squared_error(SAID._replace(beta=beta), 9.0))(SAID.beta)) == 0


def test_the_calibrated_likelihood_ignores_the_unit_of_the_variance():
    rng = np.random.default_rng(0)
    squared, variance, weight = rng.random((3, 40)).astype(np.float32) + 0.1
    plain = calibrated_likelihood(squared, variance, weight)
    assert calibrated_likelihood(squared, 7 * variance, weight) == pytest.approx(float(plain), abs=1e-5)


def test_the_noise_beside_dropout_is_recovered():
    rng = np.random.default_rng(0)
    doubt = rng.uniform(0.1, 3, 20_000)
    error = np.sqrt(doubt + 0.5) * rng.standard_normal(len(doubt))
    assert noise_variance(error, doubt) == pytest.approx(0.5, rel=0.15)


def test_dropout_draws_depend_on_nothing_but_the_row(even):
    (x, _), models = even
    model = models["mc_dropout"]
    together, again, alone = (model.predict_distribution(rows) for rows in (x[:50], x[:50], x[7:8]))
    np.testing.assert_array_equal(together.std, again.std)
    np.testing.assert_allclose(alone.mean, together.mean[7:8], rtol=1e-5)
    np.testing.assert_allclose(alone.std, together.std[7:8], rtol=1e-5)
    assert np.all(together.epistemic > 0)


def test_without_dropout_there_is_no_doubt():
    x, y = table(lambda x: 0.3 + 0 * x)
    said = fitted("mc_dropout", (x, y), dropout=0.0, draws=4).predict_distribution(x)
    np.testing.assert_allclose(said.epistemic, 0, atol=1e-6)
    assert np.ptp(said.std) < 1e-6


@pytest.mark.parametrize("name", NAMES)
def test_even_noise_is_recovered(even, name):
    x, _ = table(lambda x: 0 * x, seed=1)
    mean, std = even[1][name].predict(x, return_std=True)
    assert np.sqrt(np.mean((mean - np.sin(3 * x[:, 0])) ** 2)) < 0.2
    assert np.sqrt(np.mean(std**2)) == pytest.approx(0.3, rel=0.25)


@pytest.mark.parametrize("name", ["evidential", "mt_enet", "deep_ensemble", "mean_then_variance"])
def test_noisy_regions_are_told_from_quiet_ones(name):
    model = fitted(name, table(lambda x: np.where(x > 0, 0.5, 0.05)))
    _, std = model.predict(np.linspace(-1.2, 1.2, 80)[:, None], return_std=True)
    assert std[50:].mean() > 1.5 * std[:30].mean()


@pytest.mark.parametrize("name", NAMES)
def test_same_seed_same_result_whatever_the_threads(even, name):
    (x, y), models = even
    one = models[name].predict(x, return_std=True)
    other = fitted(name, (x, y), n_jobs=1).predict(x, return_std=True)
    np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", ["deep_ensemble", "mean_then_variance"])
def test_members_differ(even, name):
    (x, _), models = even
    assert len(models[name].networks_) == 5
    assert np.all(models[name].predict_distribution(x).epistemic > 0)
