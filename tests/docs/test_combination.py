"""The formulas of docs/theory/combination.md: the two rules, how they run, and where they end."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from theory_pages import formula

from taylor_sensus.model.combine import combine

NETWORK, PRIOR = (2.0, 0.3), (-1.0, 4.0)
"""Mean and variance."""


def total(rule: str, k, network=NETWORK, prior=PRIOR):
    """The whole variance, for a network of one member."""
    combined = combine(rule, k, network[0], 0.0, *prior)
    return combined.aleatoric_weight * network[1] + combined.epistemic_variance


def draws(seed: int, size: int = 400_000):
    rng = np.random.default_rng(seed)
    return (*(rng.normal(mean, np.sqrt(variance), size) for mean, variance in (NETWORK, PRIOR)), rng.uniform(size=size))


@formula("eq-co-1", r"\Sigma = k^2\,\Sigma_n + (1 - k)^2\,\Sigma_p")
def test_printed_is_the_average_of_two_independent_draws():
    network, prior, _ = draws(0)
    for k in (0.2, 0.5, 0.9):
        averaged = k * network + (1 - k) * prior
        assert total("printed", k) == pytest.approx(np.var(averaged), rel=0.01)
        assert combine("printed", k, 2.0, 0.0, -1.0, 4.0).mean == pytest.approx(np.mean(averaged), abs=0.01)
    assert total("printed", 0.5, (9.0, 0.3)) == total("printed", 0.5), "disagreement does not matter to it"


@formula("eq-co-2", r"\Sigma = k\,\Sigma_n + (1 - k)\,\Sigma_p + k(1 - k)(\mu_n - \mu_p)^2")
def test_mixture_is_one_draw_from_the_one_or_the_other():
    network, prior, coin = draws(1)
    for k in (0.2, 0.5, 0.9):
        chosen = np.where(coin < k, network, prior)
        assert total("mixture", k) == pytest.approx(np.var(chosen), rel=0.01)
        assert combine("mixture", k, 2.0, 0.0, -1.0, 4.0).mean == pytest.approx(np.mean(chosen), abs=0.02)


@formula(
    "eq-co-3",
    r"\Sigma_{\text{mixture}} - \Sigma_{\text{printed}} = k(1 - k)\bigl(\Sigma_n + \Sigma_p + (\mu_n - \mu_p)^2\bigr)",
)
def test_the_mixture_is_never_surer():
    """The right side is k(1-k) times the mean squared gap of a network draw and a prior draw."""
    network, prior, _ = draws(2)
    apart = np.mean((network - prior) ** 2)
    for k in (0.0, 0.2, 0.5, 0.9, 1.0):
        more = total("mixture", k) - total("printed", k)
        assert more == pytest.approx(k * (1 - k) * apart, rel=0.01, abs=1e-12)
        assert more == pytest.approx(k * (1 - k) * (0.3 + 4.0 + 9.0), abs=1e-12)


@formula("eq-co-4", r"\min_k \Sigma_{\text{printed}} = \frac{\Sigma_n \Sigma_p}{\Sigma_n + \Sigma_p}")
def test_printed_treats_the_prior_as_a_second_measurement():
    best = minimize_scalar(lambda k: total("printed", k), bounds=(0, 1), method="bounded", options={"xatol": 1e-9})
    assert best.fun == pytest.approx(1 / (1 / 0.3 + 1 / 4.0)), "the textbook's weighted average"
    assert best.fun == pytest.approx(0.3 * 4.0 / (0.3 + 4.0))
    assert best.x == pytest.approx(4.0 / 4.3, abs=1e-6)
    assert total("printed", 0.5, (1.0, 3.0), (1.0, 3.0)) == pytest.approx(1.5)
    assert total("printed", 0.97) < total("printed", 1.0), "a little less familiar, and surer"
    assert (total("printed", 1.0) - total("printed", 1 - 1e-6)) / 1e-6 == pytest.approx(2 * 0.3, rel=1e-4)


@formula(
    "eq-co-5",
    r"\frac{\mathrm{d}\Sigma}{\mathrm{d}k} = \Sigma_n - \Sigma_p + (1 - 2k)(\mu_n - \mu_p)^2",
)
def test_slope_of_the_mixture():
    for k in (0.05, 0.5, 0.95):
        slope = (total("mixture", k + 1e-5) - total("mixture", k - 1e-5)) / 2e-5
        assert slope == pytest.approx(0.3 - 4.0 + (1 - 2 * k) * 9.0, rel=1e-6)
    k = np.linspace(0, 1, 1001)
    assert np.all(np.diff(total("mixture", k, (0.9, 0.3))) < 0), "gap 1.9, squared 3.61, below 3.7: falls throughout"
    assert total("mixture", 0.999) > total("mixture", 1.0), "however much they disagree, it widens at once"
    assert not np.all(np.diff(total("mixture", k, (1.0, 0.3))) < 0), "squared gap 4, above 3.7"


@formula("eq-co-6", r"k = \tfrac12 - \frac{\Sigma_p - \Sigma_n}{2 (\mu_n - \mu_p)^2}")
def test_the_bar_is_widest_in_between_if_the_sources_disagree():
    k = np.linspace(0, 1, 100_001)
    variance = total("mixture", k)
    assert k[np.argmax(variance)] == pytest.approx(0.5 - 3.7 / 18, abs=1e-4)
    assert variance.max() > PRIOR[1]


@formula(
    "eq-co-7",
    r"\Sigma = \underbrace{k\,\Sigma_{\text{noise}}}_{\text{aleatoric}} + \underbrace{k\,D + (1 - k)\,\Sigma_p"
    r" + k(1 - k)(\mu_n - \mu_p)^2}_{\text{epistemic}}",
)
def test_noise_and_ignorance_add_up_as_variances():
    """A member is drawn and then its noise, or else the prior; without noise only the ignorance is left."""
    rng, size, k = np.random.default_rng(3), 400_000, 0.7
    members = np.array([1.0, 2.0, 4.0])
    center, coin = rng.choice(members, size), rng.uniform(size=size) < k
    prior = rng.normal(-1.0, 2.0, size)
    combined = combine("mixture", k, members.mean(), members.var(), -1.0, 4.0)
    ignorance = np.var(np.where(coin, center, prior))
    assert combined.epistemic_variance == pytest.approx(ignorance, rel=0.01)
    everything = np.var(np.where(coin, center + rng.normal(0, np.sqrt(0.8), size), prior))
    assert combined.aleatoric_weight * 0.8 + combined.epistemic_variance == pytest.approx(everything, rel=0.01)
    assert combined.aleatoric_weight * 0.8 == pytest.approx(k * 0.8)


@formula("eq-co-8", r"\mu \to \mu_p, \qquad \Sigma \to \Sigma_p")
@pytest.mark.parametrize("rule", ["printed", "mixture"])
def test_far_away_the_prior_is_left(rule):
    """However wild the network is there, and however small the familiarity has become, if only it is small enough."""
    for k, network in ((1e-6, (30.0, 50.0)), (1e-12, (-1e4, 1e6))):
        combined = combine(rule, k, network[0], 0.1, *PRIOR)
        assert combined.mean == pytest.approx(PRIOR[0], abs=1e-4)
        assert combined.aleatoric_weight * network[1] + combined.epistemic_variance == pytest.approx(PRIOR[1], abs=2e-3)
