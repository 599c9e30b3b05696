"""Proper scores against scipy's densities and numerical integration; the truth must score best."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

from taylor_sensus.errors import DataError, SettingError
from taylor_sensus.scores import crps, interval_score, mae, nll, nll_paper

RNG = np.random.default_rng(2)
MEAN = RNG.normal(size=(30, 2)) * 5
STD = RNG.uniform(0.1, 4, size=(30, 2))
Y = MEAN + 1.5 * STD * RNG.normal(size=(30, 2))


def test_nll_is_scipys_log_density():
    expected = -stats.norm(MEAN, STD).logpdf(Y).mean()
    assert nll(Y, MEAN, STD) == pytest.approx(expected, rel=1e-12)
    assert nll(Y[:, 0], MEAN[:, 0], STD[:, 0]) == pytest.approx(
        -stats.norm(MEAN[:, 0], STD[:, 0]).logpdf(Y[:, 0]).mean()
    )


def test_nll_paper_lacks_only_the_constant():
    assert nll_paper(Y, MEAN, STD) == pytest.approx(nll(Y, MEAN, STD) - 0.5 * math.log(2 * math.pi))
    assert nll_paper([3.0], [1.0], [2.0]) == pytest.approx(math.log(2) + 0.5)


@pytest.mark.parametrize(
    ("y", "mean", "std"),
    [(0, 0, 1), (1.3, 0.2, 0.7), (-4, 1, 2), (10, 0, 0.5), (1, 1.001, 30), (-200, 100, 3)],
)
def test_crps_is_the_integral(y, mean, std):
    cdf = stats.norm(mean, std).cdf
    points = [mean - 10 * std, mean, y, mean + 10 * std]
    low, high = min(points), max(points)
    cuts = sorted({low, mean, y, high})
    expected = sum(
        quad(lambda t: (cdf(t) - (t >= y)) ** 2, a, b, epsabs=1e-10, limit=200)[0] for a, b in pairwise(cuts)
    )
    assert crps([y], [mean], [std]) == pytest.approx(expected, rel=1e-6)


def test_crps_becomes_the_absolute_error_for_tiny_error_bars():
    assert crps(Y, MEAN, np.full_like(Y, 1e-12)) == pytest.approx(mae(Y, MEAN))


def test_crps_is_never_negative():
    assert crps(MEAN, MEAN, STD) == pytest.approx(STD.mean() * (math.sqrt(2 / math.pi) - 1 / math.sqrt(math.pi)))
    assert crps([0.0], [0.0], [1e-300]) >= 0


def test_crps_is_the_mean_of_interval_scores():
    """Twice the mean pinball loss over all levels is the CRPS; intervals are pairs of quantiles."""
    y, mean, std = Y[:, 0], MEAN[:, 0], STD[:, 0]
    alphas = (np.arange(4000) + 0.5) / 4000
    total = 0.0
    for alpha in alphas:
        half = stats.norm.ppf(1 - alpha / 2) * std
        total += alpha / 2 * interval_score(y, mean - half, mean + half, 1 - alpha)
    assert total / 4000 == pytest.approx(crps(y, mean, std), rel=2e-3)


def test_interval_score_by_hand():
    assert interval_score([0.5], [0], [1], 0.9) == pytest.approx(1)
    assert interval_score([-0.1], [0], [1], 0.9) == pytest.approx(1 + 2 / 0.1 * 0.1)
    assert interval_score([1.2], [0], [1], 0.8) == pytest.approx(1 + 2 / 0.2 * 0.2)
    assert interval_score([0.5, -0.1], [0, 0], [1, 1]) == pytest.approx(2)
    assert interval_score([[2.0]], [[2.0]], [[2.0]], 0.5) == 0


@pytest.mark.parametrize("score", [nll, nll_paper, crps])
def test_the_true_distribution_scores_best(score):
    rng = np.random.default_rng(3)
    n = 20_000
    mean, std = rng.normal(size=n), rng.uniform(0.5, 2, size=n)
    y = mean + std * rng.normal(size=n)
    honest = score(y, mean, std)
    assert honest < score(y, mean, 0.8 * std)
    assert honest < score(y, mean, 1.25 * std)
    assert honest < score(y, mean + 0.2, std)


def test_the_true_quantiles_have_the_best_interval_score():
    y = np.random.default_rng(4).normal(size=20_000)
    half = np.full_like(y, stats.norm.ppf(0.95))
    honest = interval_score(y, -half, half, 0.9)
    for factor in (0.8, 1.25):
        assert honest < interval_score(y, -factor * half, factor * half, 0.9)


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_scaling_the_target(unit):
    y, mean, std = (Y + 3) * unit, (MEAN + 3) * unit, STD * unit
    assert crps(y, mean, std) == pytest.approx(unit * crps(Y, MEAN, STD))
    assert nll(y, mean, std) == pytest.approx(nll(Y, MEAN, STD) + math.log(unit))
    assert nll_paper(y, mean, std) == pytest.approx(nll_paper(Y, MEAN, STD) + math.log(unit))
    assert interval_score(y, mean - std, mean + std, 0.7) == pytest.approx(
        unit * interval_score(Y, MEAN - STD, MEAN + STD, 0.7)
    )


@pytest.mark.parametrize("score", [nll, nll_paper, crps])
@pytest.mark.parametrize(
    ("std", "says"),
    [
        ([1, 0, -1], r"2 values are not, the first \(0.0\) at row 1"),
        ([1, np.nan, 1], "std has 1 missing"),
        ([1, 1], r"std has shape \(2,\)"),
        (1.0, r"std has shape \(\)"),
    ],
)
def test_unusable_std_is_refused(score, std, says):
    with pytest.raises(DataError, match=says):
        score([1, 2, 3], [1, 2, 3], std)


def test_unusable_intervals_are_refused():
    with pytest.raises(DataError, match="lower is above upper in 1 places"):
        interval_score([1, 2], [0, 3], [1, 2], 0.9)
    with pytest.raises(SettingError, match=r"for 90 % write 0\.9"):
        interval_score([1], [0], [2], 90)
    with pytest.raises(SettingError, match="coverage"):
        interval_score([1], [0], [2], "wide")
