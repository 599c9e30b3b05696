"""Coverage of simulated data within binomial bounds; terciles for any number of rows, with ties too."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from taylor_sensus.errors import DataError, SettingError
from taylor_sensus.scores import (
    calibration_curve,
    check_bounds,
    coverage_by_tercile,
    interval_coverage,
    interval_score,
    interval_width,
    std_error_correlation,
)
from taylor_sensus.scores.calibration import tercile_shares

ROWS = 12_000


def honest(rows=ROWS, seed=0, shape=None):
    """Truth drawn from the predicted Gaussians themselves."""
    rng = np.random.default_rng(seed)
    shape = shape or (rows,)
    mean = rng.normal(size=shape) * 10
    std = rng.lognormal(size=shape)
    return mean + std * rng.normal(size=shape), mean, std


def binomial_bounds(rows, share):
    return stats.binom.ppf([1e-6, 1 - 1e-6], rows, share) / rows


@pytest.mark.parametrize("coverage", [0.01, 0.5, 0.8, 0.9, 0.95, 0.999])
@pytest.mark.parametrize("shape", [(ROWS,), (ROWS // 3, 3)])
def test_honest_error_bars_cover_what_they_promise(coverage, shape):
    low, high = binomial_bounds(ROWS, coverage)
    assert low <= interval_coverage(*honest(shape=shape), coverage) <= high


def test_overconfidence_shows():
    y, mean, std = honest()
    expected = 2 * stats.norm.cdf(stats.norm.ppf(0.95) / 2) - 1
    low, high = binomial_bounds(ROWS, expected)
    assert low <= interval_coverage(y, mean, std / 2, 0.9) <= high < 0.7


def test_coverage_by_hand():
    assert interval_coverage([0, 1, 2, 3], [0, 0, 0, 0], [1, 1, 1, 1], 0.9) == 0.5
    assert interval_coverage([5.0], [5.0], [1e-9], 0.01) == 1


def test_width_is_that_of_the_interval():
    _, mean, std = honest(50)
    low, high = stats.norm(mean, std).interval(0.9)
    assert interval_width(std, 0.9) == pytest.approx(np.mean(high - low))
    # with the truth always inside, the interval score is the width
    assert interval_width(std, 0.9) == pytest.approx(interval_score(mean, low, high, 0.9))


# Terciles


def test_terciles_of_honest_error_bars_all_cover():
    low, high = binomial_bounds(ROWS // 3, 0.9)
    assert all(low <= share <= high for share in coverage_by_tercile(*honest(), 0.9))


def test_terciles_show_where_a_model_is_overconfident():
    y, mean, std = honest()
    claimed = np.where(std < np.quantile(std, 1 / 3), std / 3, std)
    terciles = coverage_by_tercile(y, mean, claimed)
    assert terciles.low < 0.5 and terciles.mid > 0.88 and terciles.high > 0.88


def test_terciles_by_hand():
    y = np.array([0, 0, 9, 0, 9, 9, 0, 9, 0])
    std = np.array([1, 2, 3, 4, 4.1, 4.2, 4.3, 4.4, 4.5])
    terciles = coverage_by_tercile(y, np.zeros(9), std, 0.9)
    assert terciles == pytest.approx((2 / 3, 1 / 3, 2 / 3))
    order = np.random.default_rng(0).permutation(9)
    assert coverage_by_tercile(y[order], np.zeros(9), std[order], 0.9) == pytest.approx(terciles)


def test_without_ties_and_with_rows_divisible_by_three_each_row_belongs_to_one_third():
    shares = tercile_shares(np.array([6.0, 1, 5, 2, 4, 3]))
    np.testing.assert_array_equal(shares, [[0, 1, 0, 1, 0, 0], [0, 0, 0, 0, 1, 1], [1, 0, 1, 0, 0, 0]])


def test_a_row_on_a_border_is_shared():
    shares = tercile_shares(np.array([1.0, 2, 3, 4]))  # cuts at 4/3 and 8/3
    np.testing.assert_allclose(shares, [[1, 1 / 3, 0, 0], [0, 2 / 3, 2 / 3, 0], [0, 0, 1 / 3, 1]])


def test_one_and_two_rows():
    assert coverage_by_tercile([0], [0], [1]) == (1, 1, 1)
    assert coverage_by_tercile([9], [0], [1]) == (0, 0, 0)
    assert coverage_by_tercile([0, 9], [0, 0], [1, 2]) == pytest.approx((1, 0.5, 0))


def test_equal_error_bars_give_the_overall_coverage_three_times():
    y, mean, _ = honest(100)
    std = np.full(100, 2.0)
    assert coverage_by_tercile(y, mean, std) == pytest.approx((interval_coverage(y, mean, std),) * 3)


def test_tied_rows_do_not_depend_on_their_order():
    y, std = np.array([0, 9, 0, 9, 0, 9, 9]), np.array([1, 1, 1, 1, 2, 2, 3.0])
    first = coverage_by_tercile(y, np.zeros(7), std)
    assert coverage_by_tercile(y[::-1], np.zeros(7), std[::-1]) == pytest.approx(first)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(1, 6), min_size=1, max_size=40))
def test_thirds_weigh_the_same_and_share_out_every_row(values):
    shares = tercile_shares(np.array(values, dtype=float))
    n = len(values)
    np.testing.assert_allclose(shares.sum(axis=1), n / 3)
    np.testing.assert_allclose(shares.sum(axis=0), 1)
    assert np.all(shares >= 0)
    for value in set(values):  # equal values count equally
        assert np.ptp(shares[:, np.array(values) == value], axis=1).max() == 0


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 30), st.integers(0, 100))
def test_terciles_average_to_the_overall_coverage(rows, seed):
    y, mean, std = honest(rows, seed)
    assert np.mean(coverage_by_tercile(y, mean, std, 0.5)) == pytest.approx(interval_coverage(y, mean, std, 0.5))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(1, 6), min_size=1, max_size=40), st.booleans())
def test_rounding_never_leads_outside_zero_and_one(values, inside):
    y = np.zeros(len(values)) if inside else np.full(len(values), 1e3)
    assert coverage_by_tercile(y, np.zeros(len(values)), values) == (float(inside),) * 3


# Curve


def test_curve_is_the_coverage_at_each_level():
    y, mean, std = honest(500, shape=(250, 2))
    curve = calibration_curve(y, mean, std, [0.9, 0.5, 0.2])
    assert curve.nominal.tolist() == [0.9, 0.5, 0.2]
    assert curve.observed.tolist() == [interval_coverage(y, mean, std, level) for level in (0.9, 0.5, 0.2)]


def test_curve_of_honest_error_bars_is_the_diagonal():
    y, mean, std = honest()
    curve = calibration_curve(y, mean, std)
    assert len(curve.nominal) == 19 and curve.nominal[0] == 0.05 and curve.nominal[-1] == 0.95
    assert curve.error < 0.01 < 0.1 < calibration_curve(y, mean, std / 2).error
    assert np.all(np.diff(curve.observed) >= 0)


# Rank correlation


def test_correlation_is_scipys_spearman():
    y, mean, std = honest(200)
    std = np.round(std, 1) + 0.1  # ties
    assert std_error_correlation(y, mean, std) == pytest.approx(stats.spearmanr(std, np.abs(y - mean)).statistic)


def test_correlation_by_hand():
    assert std_error_correlation([1, 2, 3], [0, 0, 0], [1, 4, 9]) == pytest.approx(1)
    assert std_error_correlation([1, 2, 3], [0, 0, 0], [9, 4, 1]) == pytest.approx(-1)


def test_correlation_of_what_cannot_be_ranked_is_not_a_number():
    assert np.isnan(std_error_correlation([1, 2, 3], [0, 0, 0], [1, 1, 1]))
    assert np.isnan(std_error_correlation([1, 1, 1], [0, 0, 0], [1, 2, 3]))
    assert np.isnan(std_error_correlation([1], [0], [1]))


# Units


@pytest.mark.parametrize("unit", [1e-6, 3.7, 1e6])
def test_scaling_the_target_changes_only_the_width(unit):
    y, mean, std = honest(301)
    scaled = (y + 2) * unit, (mean + 2) * unit, std * unit
    assert interval_coverage(*scaled) == interval_coverage(y, mean, std)
    assert coverage_by_tercile(*scaled) == pytest.approx(coverage_by_tercile(y, mean, std))
    assert std_error_correlation(*scaled) == pytest.approx(std_error_correlation(y, mean, std))
    assert calibration_curve(*scaled).error == pytest.approx(calibration_curve(y, mean, std).error)
    assert interval_width(scaled[2]) == pytest.approx(unit * interval_width(std))


def test_the_unit_of_one_target_does_not_matter():
    y, mean, std = honest(shape=(200, 2))
    units = np.array([1.0, 1e5])
    scaled = y * units, mean * units, std * units
    assert coverage_by_tercile(*scaled) == pytest.approx(coverage_by_tercile(y, mean, std))
    assert std_error_correlation(*scaled) == pytest.approx(std_error_correlation(y, mean, std))


# Wrong input


@pytest.mark.parametrize("coverage", [0, 1, 90, -0.1, float("nan"), None, "x"])
def test_impossible_coverages_are_refused(coverage):
    for ask in (
        lambda: interval_coverage([1], [1], [1], coverage),
        lambda: coverage_by_tercile([1], [1], [1], coverage),
        lambda: interval_width([1], coverage),
        lambda: calibration_curve([1], [1], [1], [0.5, coverage]),
    ):
        with pytest.raises(SettingError, match="between 0 and 1"):
            ask()


def test_no_levels_and_bad_std_are_refused():
    with pytest.raises(SettingError, match="empty"):
        calibration_curve([1], [1], [1], [])
    for score in (interval_coverage, coverage_by_tercile, calibration_curve, std_error_correlation):
        with pytest.raises(DataError, match="above zero"):
            score([1, 2], [1, 2], [1, 0])
    with pytest.raises(DataError, match="above zero"):
        interval_width([0.0])


def test_bounds_of_any_kind_are_judged_like_gaussian_ones():
    y, mean, std = honest(rows=500)
    half = stats.norm.ppf(0.95) * std
    found = check_bounds(y, mean - half, mean + half, std)
    assert found.coverage == interval_coverage(y, mean, std, 0.9)
    assert (found.low, found.mid, found.high) == coverage_by_tercile(y, mean, std, 0.9)
    assert found.width == pytest.approx(interval_width(std, 0.9))


def test_infinite_bounds_hold_everything():
    y, _, std = honest(rows=9)
    endless = np.full(9, np.inf)
    assert check_bounds(y, -endless, endless, std) == (1, 1, 1, 1, np.inf)
    assert check_bounds(y, y + 1, endless, std).coverage == 0
    with pytest.raises(DataError, match="lower has 9 missing"):
        check_bounds(y, np.full(9, np.nan), endless, std)
    with pytest.raises(DataError, match="upper has shape"):
        check_bounds(y, -endless, endless[:3], std)
