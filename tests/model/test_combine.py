"""Uncertainty combination: the printed rule, its defect, and the mixture rule against draws."""

import jax.numpy as jnp
import numpy as np
import pytest

from taylor_sensus.model.combine import combine

RULES = pytest.mark.parametrize("rule", ["printed", "mixture"])
FAMILIARITIES = pytest.mark.parametrize("k", [0.0, 0.2, 0.5, 0.9, 1.0])


def total(rule, k, mean_n, noise_n, mean_p, variance_p, doubt_n=0.0):
    combined = combine(rule, k, mean_n, doubt_n, mean_p, variance_p)
    return combined.mean, combined.aleatoric_weight * noise_n + combined.epistemic_variance


@FAMILIARITIES
def test_printed_rule_is_the_closed_form(k):
    mean, variance = total("printed", k, 2.0, 0.3, -1.0, 4.0)
    assert mean == pytest.approx(k * 2.0 + (1 - k) * -1.0)
    assert variance == pytest.approx(k**2 * 0.3 + (1 - k) ** 2 * 4.0)


@FAMILIARITIES
def test_printed_rule_is_that_of_a_weighted_sum_of_independent_draws(k):
    rng = np.random.default_rng(0)
    network, prior = rng.normal(2.0, np.sqrt(0.3), 400_000), rng.normal(-1.0, 2.0, 400_000)
    draws = k * network + (1 - k) * prior
    mean, variance = total("printed", k, 2.0, 0.3, -1.0, 4.0)
    assert draws.mean() == pytest.approx(mean, abs=0.02)
    assert draws.var() == pytest.approx(variance, rel=0.02)
    for t in (-0.5, 0.4):  # the moment-generating function, as the paper derives it
        assert np.mean(np.exp(t * draws)) == pytest.approx(np.exp(t * mean + t**2 * variance / 2), rel=0.02)


@FAMILIARITIES
def test_mixture_rule_is_that_of_one_or_the_other(k):
    rng = np.random.default_rng(1)
    network, prior = rng.normal(2.0, np.sqrt(0.3), 400_000), rng.normal(-1.0, 2.0, 400_000)
    draws = np.where(rng.uniform(size=400_000) < k, network, prior)
    mean, variance = total("mixture", k, 2.0, 0.3, -1.0, 4.0)
    assert draws.mean() == pytest.approx(mean, abs=0.02)
    assert draws.var() == pytest.approx(variance, rel=0.02)


def test_mixture_rule_counts_the_members_disagreement():
    """Network of several members: a member is drawn, then its noise."""
    rng = np.random.default_rng(2)
    members = np.array([1.0, 2.0, 4.0])
    network = rng.choice(members, 400_000) + rng.normal(0, np.sqrt(0.3), 400_000)
    draws = np.where(rng.uniform(size=400_000) < 0.7, network, rng.normal(-1.0, 2.0, 400_000))
    mean, variance = total("mixture", 0.7, members.mean(), 0.3, -1.0, 4.0, doubt_n=members.var())
    assert draws.mean() == pytest.approx(mean, abs=0.02)
    assert draws.var() == pytest.approx(variance, rel=0.02)


def test_printed_rule_is_surer_than_both_its_sources():
    """The known defect: halfway between two equal beliefs of variance v it claims v/2. The mixture keeps v."""
    _, printed = total("printed", 0.5, 1.0, 3.0, 1.0, 3.0)
    _, mixture = total("mixture", 0.5, 1.0, 3.0, 1.0, 3.0)
    assert printed == pytest.approx(1.5)
    assert mixture == pytest.approx(3.0)


@RULES
def test_full_familiarity_is_the_network_and_none_the_prior(rule):
    assert combine(rule, 1.0, 2.0, 0.1, -1.0, 4.0) == pytest.approx((2.0, 1.0, 0.1))
    assert combine(rule, 0.0, 2.0, 0.1, -1.0, 4.0) == pytest.approx((-1.0, 0.0, 4.0))


def test_mixture_is_never_surer_than_the_surer_source():
    rng = np.random.default_rng(3)
    k, noise, prior = rng.uniform(size=1000), rng.exponential(size=1000), rng.exponential(size=1000)
    _, variance = total("mixture", k, rng.normal(size=1000), noise, rng.normal(size=1000), prior)
    assert np.all(variance >= np.minimum(noise, prior) - 1e-12)


def test_mixture_widens_where_network_and_prior_disagree():
    _, agree = total("mixture", 0.5, 1.0, 0.3, 1.0, 4.0)
    _, differ = total("mixture", 0.5, 1.0, 0.3, 4.0, 4.0)
    assert differ - agree == pytest.approx(0.25 * 9)


@RULES
def test_noise_parts_are_weighted_and_the_rest_is_epistemic(rule):
    """The network's noise does not enter the epistemic part, and all of it carries one weight."""
    combined = combine(rule, 0.6, 2.0, 0.0, -1.0, 0.0)
    assert combined.aleatoric_weight == pytest.approx({"printed": 0.36, "mixture": 0.6}[rule])
    assert combined.epistemic_variance == pytest.approx({"printed": 0.0, "mixture": 0.24 * 9}[rule])


@RULES
def test_numpy_and_jax_alike_for_rows_and_targets(rule):
    rng = np.random.default_rng(4)
    k, mean_n, mean_p = rng.uniform(size=(5, 1)), rng.normal(size=(5, 2)), rng.normal(size=(5, 2))
    plain = combine(rule, k, mean_n, 0.1, mean_p, np.array([1.0, 2.0]))
    traced = combine(rule, jnp.array(k), jnp.array(mean_n), 0.1, jnp.array(mean_p), jnp.array([1.0, 2.0]))
    assert plain.mean.shape == plain.epistemic_variance.shape == (5, 2)
    for ours, theirs in zip(plain, traced, strict=True):
        assert np.asarray(theirs) == pytest.approx(ours, rel=1e-5)
