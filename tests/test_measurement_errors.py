"""Declared errors, gaps and repeats from the user's table to the prediction: small fits, checked against the truth."""

import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy.stats import spearmanr
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from taylor_sensus import TSNetRegressor, load
from taylor_sensus.errors import DataError, SettingError, TaylorSensusWarning

ERROR = 0.15


def table(rows: int, seed: int) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """x0 is recorded with an error; y is what the true x0 gives. The last is the true standard deviation of y."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-2, 2, (rows, 3))
    y = np.sin(2 * x[:, 0]) + 0.5 * x[:, 1] ** 2 + rng.normal(0, 0.05, rows)
    x[:, 0] += rng.normal(0, ERROR, rows)
    return pd.DataFrame(x, columns=list("abc")), y, np.hypot(0.05, 2 * np.cos(2 * x[:, 0]) * ERROR)


X, Y, _ = table(120, 0)
NEW, _, TRUE = table(300, 1)


def small(**settings) -> TSNetRegressor:
    return TSNetRegressor(members=2, epochs=60, random_state=0, n_jobs=1, **settings)


@pytest.fixture(scope="module")
def declared() -> TSNetRegressor:
    """The table is one of set points: the system works at recorded + error."""
    return small(X_err_kind="setting").fit(X, Y, X_err={"a": ERROR, "b": 0, "c": 0})


@pytest.fixture(scope="module")
def plain() -> TSNetRegressor:
    return small().fit(X, Y)


# ------------------------------------------------------------------------------------------ declared errors


def test_declared_errors_show_where_the_noise_is(declared):
    prediction = declared.predict_distribution(NEW)
    assert spearmanr(prediction.feature_noise, TRUE)[0] > 0.8
    assert np.median(prediction.feature_noise) == pytest.approx(np.median(TRUE), rel=0.35)


def test_exact_inputs_have_no_noise_of_their_own(declared):
    noisy, exact = declared.predict_distribution(NEW), declared.predict_distribution(NEW, X_err=0)
    assert (exact.feature_noise == 0).all() and (noisy.feature_noise > 0).all()
    assert np.ptp(exact.mean) > np.ptp(noisy.mean)  # the law, which errors of set points have smoothed
    like_training = declared.predict_distribution(NEW, X_err={"a": ERROR})
    np.testing.assert_allclose(like_training.std, noisy.std, rtol=1e-5)
    twice = declared.predict_distribution(NEW, X_err={"a": 2 * ERROR})
    np.testing.assert_allclose(twice.feature_noise, 2 * noisy.feature_noise, rtol=1e-4)
    one_cell = np.full(NEW.shape, np.nan)
    one_cell[7, 0] = 0
    mixed = declared.predict_distribution(NEW, X_err=one_cell)
    assert mixed.feature_noise[7] == 0 and (np.delete(mixed.feature_noise, 7) > 0).all()


def test_units_do_not_matter(declared):
    factor = np.array([2.0**20, 2.0**-10, 4.0])  # powers of two keep every digit, and the order of the rows
    other = small(X_err_kind="setting").fit(X * factor, Y * 2.0**13, X_err={"a": ERROR * factor[0], "b": 0, "c": 0})
    ours, theirs = declared.predict_distribution(NEW), other.predict_distribution(NEW * factor)
    np.testing.assert_allclose(theirs.std, 2.0**13 * ours.std, rtol=1e-4)


def test_declared_errors_of_the_target_are_a_known_part():
    rng = np.random.default_rng(2)
    x = rng.uniform(-2, 2, (150, 1))
    error = np.where(rng.uniform(size=150) < 0.5, 0.02, 1.0)
    y = 3 * np.sin(2 * x[:, 0]) + rng.normal(0, error)
    model = small().fit(x, y, y_err=error)
    new = np.linspace(-1.8, 1.8, 50)[:, None]
    whole, without = model.predict_distribution(new), model.predict_distribution(new, y_err=0)
    typical = np.mean(error**2)
    np.testing.assert_allclose(whole.system_noise**2 - without.system_noise**2, typical, rtol=0.01)
    assert np.sqrt(np.mean((whole.mean - 3 * np.sin(2 * new[:, 0])) ** 2)) < 0.3
    unaware = small().fit(x, y).predict(new)
    assert np.mean((whole.mean - 3 * np.sin(2 * new[:, 0])) ** 2) < np.mean((unaware - 3 * np.sin(2 * new[:, 0])) ** 2)
    budget = model.noise_budget(new).mean(every=True)
    assert dict(zip(budget["source"], budget["origin"], strict=True))["target_error"] == "declared"


@pytest.mark.slow
def test_the_method_as_printed_takes_declared_errors_too():
    from taylor_sensus.settings import paper

    model = TSNetRegressor(**paper(epochs=20, members=1), random_state=0).fit(X, Y, X_err={"a": ERROR, "b": 0, "c": 0})
    exact = model.predict_distribution(NEW, X_err=0)
    assert (exact.feature_noise == 0).all() and (model.predict_distribution(NEW).feature_noise > 0).all()


def test_validation_rows_have_errors_too():
    few = {"X_val": X[:40], "y_val": Y[:40]}
    cells = np.tile([ERROR, 0.0, 0.0], (80, 1))
    model = small().fit(X[40:], Y[40:], X_err=cells, X_val_err=cells[:40], **few)
    assert model.predict_distribution(NEW, X_err=0).feature_noise.max() == 0
    with pytest.raises(DataError, match="which are not given"):
        small().fit(X, Y, X_val_err=0.1)


# ------------------------------------------------------------------------------------------ scikit-learn


@pytest.mark.slow
def test_errors_are_routed_through_cross_validation_and_pipelines():
    cells = np.tile([ERROR, 0.0, 0.0], (len(X), 1))
    with sklearn.config_context(enable_metadata_routing=True), warnings.catch_warnings():
        warnings.simplefilter("error", TaylorSensusWarning)
        model = small().set_fit_request(X_err=True, y_err=True).set_score_request(X_err=True)
        scores = cross_val_score(model, X, Y, cv=3, params={"X_err": cells, "y_err": np.zeros(len(Y))})
        assert len(scores) == 3 and scores.min() > 0.4
        search = GridSearchCV(model, {"width": [32, 48]}, cv=2).fit(X, Y, X_err=cells)
        assert search.best_estimator_.fitted_.fit_summary.declared["a"] == (1.0, pytest.approx(ERROR))
    with sklearn.config_context(enable_metadata_routing=True):
        steps = make_pipeline(StandardScaler(), small().set_fit_request(X_err=True))
        with pytest.warns(TaylorSensusWarning, match="an earlier step had rescaled it"):
            steps.fit(X, Y, X_err=cells)


# ------------------------------------------------------------------------------------------ missing values


def test_rows_with_gaps_are_less_certain_and_still_right(plain):
    gaps = NEW.to_numpy().copy()
    gaps[:100, 0] = np.nan  # matters much
    gaps[100:200, 2] = np.nan  # does not matter at all
    prediction, whole = plain.predict_distribution(gaps), plain.predict_distribution(NEW)
    assert np.median(prediction.feature_noise[:100]) > 2 * np.median(whole.feature_noise[:100])
    assert np.median(prediction.std[100:200]) < 1.3 * np.median(whole.std[100:200])
    np.testing.assert_array_equal(prediction.std[200:], whole.std[200:])
    y = np.sin(2 * NEW["a"]) + 0.5 * NEW["b"] ** 2
    assert np.mean(np.abs(y - prediction.mean)[:100] < 1.645 * prediction.std[:100]) > 0.75


def test_gaps_in_training_and_in_categories():
    rng = np.random.default_rng(3)
    frame = X.assign(kind=np.where(rng.uniform(size=len(X)) < 0.5, "old", "new"))
    y = Y + (frame["kind"] == "old")
    frame = frame.mask(rng.uniform(size=frame.shape) < 0.1)
    model = small().fit(frame, y)
    assert model.fitted_.fit_summary.missing_cells > 20 and "cells are missing" in model.summary()
    prediction = model.predict_distribution(frame.assign(kind=None))
    assert np.isfinite(prediction.mean).all()
    assert np.median(prediction.feature_noise) > np.median(model.predict_distribution(frame).feature_noise)


def test_a_column_of_nothing_but_gaps_is_left_out():
    with pytest.warns(TaylorSensusWarning, match="without a single value: 'c'"):
        model = small().fit(X.assign(c=np.nan), Y)
    assert model.fitted_.fit_summary.constant_columns == ("c",)
    assert np.isfinite(model.predict(X.assign(c=np.nan))).all()


# ------------------------------------------------------------------------------------------ budget


def test_budget_adds_up_and_tells_declared_from_learned(declared, plain):
    for model, kind in ((declared, "declared"), (plain, "learned")):
        prediction = model.predict_distribution(NEW)
        budget = prediction.noise_budget()
        parts = budget.parts
        whole = parts.contribution.sum(axis=2) + parts.system + parts.target_error + parts.epistemic
        np.testing.assert_allclose(whole[:, 0], prediction.variance, rtol=1e-9)
        frame = budget.to_frame()
        assert set(frame.loc[frame["source"] == "a", "origin"]) == {kind}
    slopes = declared.noise_budget(NEW).parts.sensitivity[:, 0, 0]
    assert spearmanr(slopes, 2 * np.cos(2 * NEW["a"]))[0] > 0.8
    step = 1e-3
    up, down = (declared.predict(NEW.assign(a=NEW["a"] + d)) for d in (step, -step))
    known = prediction.familiarity > 0.99  # elsewhere the members give way to the process, which has a slope of its own
    assert known.mean() > 0.8
    np.testing.assert_allclose(slopes[known], ((up - down) / (2 * step))[known], rtol=0.05, atol=0.05)


def test_the_split_is_flagged_where_it_cannot_be_known():
    """Along a straight line any split explains the rows as well; declared errors settle it."""
    rng = np.random.default_rng(5)
    x = rng.uniform(-2, 2, (150, 2))
    y = 2 * x[:, 0] - x[:, 1] + rng.normal(0, 0.2, 150)
    model = small().fit(x, y)
    assert not model.fitted_.fit_summary.split_identifiable and not model.noise_budget(x).identifiable
    assert "cannot be separated" in model.summary()
    assert small().fit(x, y, X_err=[0.1, 0]).noise_budget(x).identifiable


# ------------------------------------------------------------------------------------------ repeats


def test_repeated_inputs_give_a_pure_error():
    rng = np.random.default_rng(6)
    x = np.repeat(rng.uniform(-2, 2, (40, 1)), 3, axis=0)
    model = small().fit(x, 2 * x[:, 0] + rng.normal(0, 0.3, 120))
    found = model.fitted_.fit_summary
    assert found.repeated_inputs == 40 and found.pure_error_freedom == 80
    assert found.pure_error[0] == pytest.approx(0.3, rel=0.2)
    assert "40, between them a scatter of" in model.summary()
    assert not found.split_identifiable  # repeats tell the sum of all sources, not its parts


# ------------------------------------------------------------------------------------------ intervals


def test_intervals_by_rank(declared):
    prediction = declared.predict_distribution(NEW)
    low, high = declared.predict_interval(NEW)
    ratio = (high - low) / prediction.std
    np.testing.assert_allclose(ratio, ratio[0])  # one factor on the model's own standard deviation
    np.testing.assert_allclose(declared.predict_interval(NEW, 0.9, "gaussian"), prediction.interval(0.9))
    assert ((low - high) < 0).all()
    narrow = declared.predict_interval(NEW, X_err=0)
    assert np.mean(narrow.upper - narrow.lower) < np.mean(high - low)  # less noise, but the law is less certain
    scores = declared.fitted_.conformal_scores
    assert scores is declared.fitted_.held_out.score, "predicting fits nothing"
    with pytest.raises(SettingError, match="'conformal', 'gaussian'"):
        declared.predict_interval(NEW, method="bootstrap")


def test_too_few_rows_give_infinite_bounds():
    model = small().fit(X[:8], Y[:8])
    with pytest.warns(TaylorSensusWarning, match="Measure at least 9 rows"):
        low, high = model.predict_interval(NEW)
    assert np.isneginf(low).all() and np.isposinf(high).all()


# ------------------------------------------------------------------------------------------ files and updates


def test_all_of_it_is_in_the_file(declared, tmp_path):
    gaps = NEW.mask(np.random.default_rng(0).uniform(size=NEW.shape) < 0.2)
    declared.save(tmp_path / "m.tsnet")
    again = load(tmp_path / "m.tsnet")
    for one, other in zip(declared.predict_interval(gaps), again.predict_interval(gaps), strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(
        declared.noise_budget(gaps).parts.contribution, again.noise_budget(gaps).parts.contribution
    )
    assert again.fitted_.rows is not None
    declared.save(tmp_path / "few.tsnet", keep_rows=False)
    without = load(tmp_path / "few.tsnet")
    assert (
        without.fitted_.rows is None and (tmp_path / "few.tsnet").stat().st_size < (tmp_path / "m.tsnet").stat().st_size
    )
    with pytest.raises(DataError, match="does not hold its training rows"):
        without.update(pd.DataFrame())


def test_new_results_join_the_training_rows(tmp_path):
    model = small().fit(X[:25], Y[:25], X_err={"a": ERROR, "b": 0, "c": 0})
    before = np.mean((model.predict(NEW) - np.sin(2 * NEW["a"]) - 0.5 * NEW["b"] ** 2) ** 2)
    form = model.suggest(X[25:], n=75).table
    form["y"] = Y[
        [int(np.flatnonzero((X[["a", "b", "c"]] == row).all(axis=1))[0]) for row in form[["a", "b", "c"]].to_numpy()]
    ]
    model.save(tmp_path / "m.tsnet")
    updated = load(tmp_path / "m.tsnet").update(form)
    assert updated.fitted_.fit_summary.rows == 100
    assert updated.fitted_.fit_summary.declared["a"] == (1.0, pytest.approx(ERROR))  # still holds for whole columns
    assert np.mean((updated.predict(NEW) - np.sin(2 * NEW["a"]) - 0.5 * NEW["b"] ** 2) ** 2) < before
    with pytest.raises(DataError, match="no row of the form has a result yet"):
        updated.update(form.assign(y=np.nan))


def test_a_model_reports_on_itself(declared, tmp_path):
    declared.report(tmp_path / "report.html", data=(X, Y))
    page = (tmp_path / "report.html").read_text()
    assert page.startswith("<!doctype html>") or page.startswith("<!DOCTYPE html>")
    assert "<script" not in page and len(page) < 400_000


def test_a_model_of_arrays_is_updated_without_complaint():
    model = small().fit(X[:40].to_numpy(), Y[:40])
    form = model.suggest(X[40:].to_numpy(), n=5).table
    form["y"] = 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.update(form).fitted_.fit_summary.rows == 45
