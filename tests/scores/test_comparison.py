"""evaluate names every score once; the paired bootstrap agrees with theory and is reproducible."""

import numpy as np
import pytest
from scipy import stats

from taylor_sensus import scores
from taylor_sensus.errors import DataError, SettingError
from taylor_sensus.prediction import Prediction
from taylor_sensus.scores import PairedDifference, evaluate, paired_bootstrap
from taylor_sensus.scores import comparison as comparison_module

NAMES = [
    *("mse", "rmse", "mae", "r2"),
    *("nll", "nll_paper", "crps"),
    *("coverage_50", "coverage_80", "coverage_90", "coverage_95", "width_90"),
    *("coverage_90_low", "coverage_90_mid", "coverage_90_high"),
    "std_error_spearman",
]


def prediction(shape, seed=0, unit=1.0):
    rng = np.random.default_rng(seed)
    mean = rng.normal(size=shape) * unit
    parts = rng.uniform(0.1, 1, size=(3, *shape)) * unit**2
    guess = Prediction(mean, *parts, familiarity=np.ones(shape[0]))
    return mean + guess.std * rng.normal(size=shape), guess


@pytest.mark.parametrize("shape", [(300,), (150, 2)])
def test_every_score_under_its_name(shape):
    y, guess = prediction(shape)
    found = evaluate(y, guess)
    assert list(found) == NAMES
    assert all(type(value) is float and np.isfinite(value) for value in found.values())
    for name in ("nll", "nll_paper", "crps"):
        assert found[name] == pytest.approx(getattr(scores, name)(y, guess.mean, guess.std), rel=1e-9)
    for name in ("mse", "rmse", "mae", "r2"):
        assert found[name] == getattr(scores, name)(y, guess.mean)
    lower, upper = guess.interval(0.9)
    assert found["coverage_90"] == np.mean((lower <= y) & (y <= upper))
    assert found["width_90"] == pytest.approx(np.mean(upper - lower))
    assert np.mean([found[f"coverage_90_{third}"] for third in ("low", "mid", "high")]) == pytest.approx(
        found["coverage_90"]
    )


def test_scaling_the_target():
    plain, scaled = evaluate(*prediction((200,))), evaluate(*prediction((200,), unit=1000.0))
    powers = {"mse": 2, "rmse": 1, "mae": 1, "crps": 1, "width_90": 1}
    for name in NAMES:
        shift = np.log(1000) if name.startswith("nll") else 0
        assert scaled[name] == pytest.approx(plain[name] * 1000 ** powers.get(name, 0) + shift)


def test_one_row_gives_every_name():
    y, guess = prediction((1,))
    found = evaluate(y, guess)
    assert list(found) == NAMES
    assert [name for name, value in found.items() if np.isnan(value)] == ["r2", "std_error_spearman"]


def test_a_column_is_not_broadcast():
    y, guess = prediction((5,))
    with pytest.raises(DataError, match="ravel"):
        evaluate(y[:, None], guess)


# Paired bootstrap


def test_interval_is_about_that_of_the_t_test():
    rng = np.random.default_rng(5)
    b = rng.exponential(size=400) * 10
    a = b + rng.normal(0.3, 1, size=400)
    found = paired_bootstrap(a, b, random_state=0, resamples=5000)
    expected = stats.ttest_rel(a, b).confidence_interval(0.95)
    assert found.difference == pytest.approx(np.mean(a - b))
    assert (found.lower, found.upper) == pytest.approx((expected.low, expected.high), abs=0.01)
    assert found.lower > 0, "pairing cancels the large common part"


def test_the_interval_holds_the_truth_as_often_as_it_says():
    rng = np.random.default_rng(6)
    hits = 0
    for repeat in range(300):
        difference = rng.normal(0.5, 1, size=60)
        found = paired_bootstrap(difference, np.zeros(60), random_state=repeat, level=0.8, resamples=400)
        hits += found.lower <= 0.5 <= found.upper
    low, high = stats.binom.ppf([1e-4, 1 - 1e-4], 300, 0.8)
    assert low - 6 <= hits <= high  # a percentile interval of 60 rows is a little narrow


def test_same_seed_same_result_whatever_the_memory(monkeypatch):
    a, b = np.random.default_rng(7).normal(size=(2, 50))
    first = paired_bootstrap(a, b, random_state=3)
    assert first == paired_bootstrap(a, b, random_state=np.random.default_rng(3))
    assert first != paired_bootstrap(a, b, random_state=4)
    monkeypatch.setattr(comparison_module, "_DRAWS_AT_ONCE", 1000)
    assert first == paired_bootstrap(a, b, random_state=3)


def test_swapping_mirrors_and_a_wider_level_contains():
    a, b = np.random.default_rng(8).normal(size=(2, 30))
    found, mirrored = paired_bootstrap(a, b, random_state=1), paired_bootstrap(b, a, random_state=1)
    assert (mirrored.lower, mirrored.upper) == pytest.approx((-found.upper, -found.lower))
    wider = paired_bootstrap(a, b, random_state=1, level=0.99)
    assert wider.lower < found.lower < found.difference < found.upper < wider.upper


def test_rows_of_several_targets_are_drawn_whole():
    a = np.random.default_rng(9).normal(size=(40, 3))
    many = paired_bootstrap(a, np.zeros_like(a), random_state=2)
    one = paired_bootstrap(a.mean(axis=1), np.zeros(40), random_state=2)
    assert many == one


def test_equal_methods_differ_by_nothing():
    a = np.arange(10.0)
    assert paired_bootstrap(a, a, random_state=0) == PairedDifference(0.0, 0.0, 0.0)


def test_wrong_input_is_refused():
    with pytest.raises(DataError, match="at least two"):
        paired_bootstrap([1.0], [2.0], random_state=0)
    with pytest.raises(DataError, match="b has shape"):
        paired_bootstrap([1, 2], [1, 2, 3], random_state=0)
    with pytest.raises(SettingError, match="level must lie"):
        paired_bootstrap([1, 2], [1, 2], random_state=0, level=95)
    for resamples in (0, 2.5, True, "many"):
        with pytest.raises(SettingError, match="resamples"):
            paired_bootstrap([1, 2], [1, 2], random_state=0, resamples=resamples)
