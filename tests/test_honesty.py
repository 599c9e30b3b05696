"""No verdict is better than its evidence: extreme fits, offsets, and for which rows a budget is."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from taylor_sensus import load
from taylor_sensus.budget_mean import added, budget_sums
from taylor_sensus.model.exact import few_levels
from taylor_sensus.model.scaling import learn_scaling
from taylor_sensus.words.summary import statuses
from taylor_sensus.words.warnings import warnings_of
from tests import tiny


@pytest.fixture(scope="module")
def extremes():
    """Fits that no summary may call good: five rows, a constant target, networks that diverge."""
    X, y = tiny.numbers()
    quick = tiny.tiny(kernel=False)
    return {
        "five rows": clone(quick).fit(X[:5], y[:5]),
        "constant": clone(quick).fit(X, np.full(40, 3.0)),
        "diverged": clone(quick).set_params(learning_rate=1e5).fit(X, y),
    }


@pytest.mark.parametrize("case", ["five rows", "constant", "diverged"])
def test_no_summary_calls_an_extreme_fit_good(extremes, case, tmp_path):
    model = extremes[case]
    accuracy, bars, *_ = statuses(model.fitted_)
    assert accuracy.word != "good" and bars.word != "good", (accuracy, bars)
    model.save(tmp_path / "m.tsnet")
    again = load(tmp_path / "m.tsnet")
    assert again.summary() == model.summary()


def test_a_constant_target_and_divergence_are_warned_of(extremes):
    assert "constant_target" in [one.code for one in warnings_of(extremes["constant"].fitted_)]
    assert "not_learned" in [one.code for one in warnings_of(extremes["diverged"].fitted_)]


def test_a_large_offset_is_no_constant():
    X, y = tiny.numbers()
    spread = y.std()
    plain, moved = (tiny.tiny(kernel=False).fit(X, y + offset).predict(X) for offset in (0.0, 1e12 * spread))
    assert moved - 1e12 * spread == pytest.approx(plain, abs=0.02 * spread)
    assert learn_scaling(X, np.full((40, 1), 0.1), np.ones(40)).target_scale[0] == pytest.approx(1e-7)


def test_the_budget_says_for_which_rows_it_is():
    X, y = tiny.numbers()
    model = tiny.tiny().fit(X, y)
    seen, new = model.noise_budget(X), model.noise_budget(X + 0.01)
    assert seen.rows_trained_on == 40 and new.rows_trained_on == 0
    assert model.noise_budget(np.vstack([X[:3], X[:2] + 0.01])).rows([0, 3]).rows_trained_on == 1
    assert "that the model was fitted on" in str(seen) and "fitted on" not in str(new)
    unseen = float(model.fitted_.unseen_lacking[0])
    assert f"{100 * unseen:.0f} % of the variance comes from it at such rows as long as they are unseen" in str(seen)


# --- missing cells ------------------------------------------------------------------------------------------


def test_missing_cells_are_a_source_of_their_own_and_no_columns_noise():
    X, y = tiny.numbers(60)
    X[::12, 0] = np.nan
    model = tiny.tiny().fit(X, y)
    budget, whole = model.noise_budget(X), model.predict_distribution(X)
    assert budget.sources == ("x0", "x1", "x2", "x3", "missing_cells", "system_noise", "epistemic")
    assert budget.total_variance[:, 0] == pytest.approx(whole.variance), "variances still add up"
    gaps = np.isnan(X[:, 0])
    at = budget.sources.index("missing_cells")
    assert (budget.variance[gaps, 0, at] > 0).all() and (budget.variance[~gaps, 0, at] == 0).all()
    assert (budget.variance[gaps, 0, 0] == 0).all()
    table = budget.mean(every=True).set_index("source")
    complete = budget.rows(~gaps).mean(every=True).set_index("source")
    assert table.loc["x0", "std"] == pytest.approx(complete.loc["x0", "std"]), "no error of its own from gaps"
    assert "missing cells" in str(budget) and "missing_cells" not in complete.index
    both = added(budget_sums(budget.rows(~gaps)), budget_sums(budget.rows(gaps)))
    assert both.sources == budget.sources and both.variance == pytest.approx(budget_sums(budget).variance)


# --- exact inputs -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [int, float])
def test_columns_of_few_levels_look_exact_whole_numbers_or_not(kind):
    rng = np.random.default_rng(0)
    levels = rng.choice([1, 3, 7, 28, 90], 200).astype(kind) / (1 if kind is int else 7)
    assert few_levels(levels.astype(float)) == "5 levels in 200 rows"
    assert few_levels(rng.integers(0, 10_000, 200).astype(float)) is None
    assert few_levels(np.full(200, 2.0)) is None and few_levels(levels[:20].astype(float)) is None


def test_the_guess_is_told_until_an_error_of_0_is_declared():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"age": rng.choice([1.0, 3, 7], 40), "load": rng.normal(size=40), "kind": rng.choice(["a", "b"], 40)}
    )
    y = X["age"] + X["load"]
    model = tiny.tiny(kernel=False).fit(X, y)
    assert model.fitted_.fit_summary.probably_exact == {"age": "3 levels in 40 rows", "kind": "categories"}
    assert "Probably exact: age (3 levels in 40 rows)" in str(model.noise_budget(X))
    told = tiny.tiny(kernel=False).fit(X, y, X_err={"age": 0, "kind": 0})
    assert told.fitted_.fit_summary.probably_exact == {}
    assert told.noise_budget(X).mean(every=True).set_index("source").loc["age", "variance"] == 0


# --- declared measuring errors of the target ----------------------------------------------------------------


@pytest.mark.parametrize(("factor", "code"), [(1.0, None), (4.0, "large_target_error"), (0.2, "small_target_error")])
def test_declared_errors_of_the_target_are_checked(factor, code):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 4))
    y = X[:, 0] + 0.5 * rng.normal(size=60)
    found = tiny.tiny().fit(X, y, y_err=factor * 0.5)
    told = [one.code for one in warnings_of(found.fitted_) if "target_error" in one.code]
    assert told == ([] if code is None else [code])


def test_rows_without_a_declared_error_are_counted_as_such():
    X, y = tiny.numbers()
    errors = np.where(np.arange(40) < 10, 0.3, np.nan)
    model = tiny.tiny(kernel=False).fit(X, y, y_err=errors)
    fit = model.fitted_.fit_summary
    assert fit.declared_targets == pytest.approx((0.3,)) and fit.declared_target_shares == (0.25,)
    assert fit.declared_target_checks[0].rows == 10
    assert "y 0.3 (25% of the rows)" in model.summary()


def test_intervals_take_the_measuring_error_of_the_target():
    X, y = tiny.numbers()
    model = tiny.tiny(kernel=False).fit(X, y)
    plain, wide = (model.predict_interval(X, y_err=error) for error in (None, 5.0))
    assert ((wide.upper - wide.lower) > 2 * (plain.upper - plain.lower)).all()


# --- shares with intervals ----------------------------------------------------------------------------------


def test_shares_of_the_budget_have_intervals_and_identifiable_means_narrow():
    X, y = tiny.numbers()
    model = tiny.tiny().fit(X, y, X_err=[np.nan, 0.1, np.nan, np.nan])
    budget = model.noise_budget(X)
    table = budget.mean(every=True).set_index("source")
    bounds = np.array(model.fitted_.fit_summary.noise_share_bounds[0])
    learned = table.loc[["x0", "x2", "x3", "system_noise"], "share"].sum()
    assert table.loc[["x0", "x2", "x3"], "share_low"].to_numpy() == pytest.approx(bounds[[0, 2, 3], 0] * learned)
    assert table.loc["system_noise", "share_high"] == pytest.approx(bounds[-1, 1] * learned)
    assert table.loc[["x1", "epistemic"], "share_low"].isna().all(), "declared, or no noise"
    assert budget.identifiable == (np.ptp(bounds[-1]) <= 0.5)
    narrow = np.ptp(bounds[:-1], axis=1) <= 0.5
    assert budget.parts.identifiable.tolist() == (narrow | [False, True, False, False]).tolist()
    low, high = table.loc["system_noise", ["share_low", "share_high"]]
    assert f"{100 * low:.0f} to {100 * high:.0f} %" in str(budget)
