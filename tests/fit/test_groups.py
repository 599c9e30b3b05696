"""Groups of rows: a variance component from unseen groups, intercepts of known ones, folds that keep groups whole."""

import numpy as np
import pandas as pd
import pytest

from taylor_sensus import DataError, TSNetSearch, load
from taylor_sensus.fit.groups import GroupMeans, between_variance, learn_groups, within_groups
from taylor_sensus.fit.prepare import kept_together
from taylor_sensus.model.tails import Tails
from tests.tiny import SMALL, tiny


def batches(groups=12, rows=10, tau=1.0, seed=0):
    rng = np.random.default_rng(seed)
    code = np.repeat(np.arange(groups), rows)
    return code, tau * rng.normal(size=groups)[code] + 0.3 * rng.normal(size=len(code))


def table(groups=12, rows=5, tau=1.0, seed=0):
    rng = np.random.default_rng(seed)
    code = np.repeat(np.arange(groups), rows)
    X = pd.DataFrame(rng.normal(size=(len(code), 4)), columns=list("abcd"))
    labels = pd.Series([f"batch {number}" for number in code], name="batch")
    intercepts = tau * rng.normal(size=groups)
    return X, X["a"].to_numpy() + intercepts[code] + 0.1 * rng.normal(size=len(code)), labels, intercepts


@pytest.fixture(scope="module")
def fitted():
    X, y, labels, intercepts = table()
    return tiny(members=4, details={"folds": 4}).fit(X, y, groups=labels), X, y, labels, intercepts


def test_the_variance_between_groups_is_found():
    found = []
    for seed in range(40):
        code, residual = batches(seed=seed)
        means = GroupMeans.of(residual, np.full(len(code), 0.09), code, np.ones(len(code)))
        found.append(between_variance(means.mean, means.variance))
    assert 1.0 < np.mean(found) < 1.5  # expected given 12 groups: 11 / 9 of the truth


def test_groups_that_do_not_differ_get_less_variance_than_their_rows_noise():
    found = []
    for seed in range(20):
        code, residual = batches(tau=0.0, seed=seed)
        means = GroupMeans.of(residual, np.full(len(code), 0.09), code, np.ones(len(code)))
        found.append(between_variance(means.mean, means.variance))
    assert np.mean(found) < 0.09 / 10
    assert max(found) < 0.09 / 3


def test_a_new_group_is_held_as_often_as_promised():
    """Residuals of twelve groups from which three numbers were fitted away are too small; intervals hold new ones."""
    held = []
    for seed in range(400):
        rng = np.random.default_rng(seed)
        effects, new = rng.normal(size=12), rng.normal(size=200)
        basis, _ = np.linalg.qr(rng.normal(size=(12, 3)))
        left = (effects - basis @ (basis.T @ effects))[:, None]
        few, one = np.full((12, 1), 1e-4), np.ones(12)
        found = learn_groups(left, left, few, 0 * few, np.arange(12), one, np.array([True]), 12)
        half = np.sqrt(found.variance[0]) * Tails(found.freedom, np.float64(1)).quantile(np.array(0.95))
        held.append(np.mean(np.abs(new) < half))
    assert np.mean(held) == pytest.approx(0.9, abs=0.02)


def test_noise_inside_groups_is_left_when_intercepts_are_taken_away():
    code, residual = batches(groups=30)
    found = within_groups(
        residual[:, None], np.zeros((len(code), 1)), code, np.ones(len(code)), np.ones(len(code), bool)
    )
    assert found.differ.all()
    assert (found.residual**2 + found.common).mean() == pytest.approx(0.09, rel=0.15)


def test_rows_without_a_group_stay_as_they_are():
    code, residual = batches()
    code[:10] = -1
    found = within_groups(
        residual[:, None], np.zeros((len(code), 1)), code, np.ones(len(code)), np.ones(len(code), bool)
    )
    np.testing.assert_array_equal(found.residual[:10, 0], residual[:10])
    assert not np.allclose(found.residual[10:, 0], residual[10:])


def test_intercepts_shrink_the_fewer_rows_a_group_has():
    code = np.array([0] * 20 + [1] + [2] * 5 + [3] * 5)
    residual = np.where(code == 2, -1.0, np.where(code == 3, 0.0, 1.0))[:, None]
    noise, nothing = np.full((len(code), 1), 0.5), np.zeros((len(code), 1))
    found = learn_groups(residual, residual, noise, nothing, code, np.ones(len(code)), np.array([True]), 5)
    assert 0 < found.intercept[1, 0] < found.intercept[0, 0] < 1
    assert found.left[0, 0] < found.left[1, 0] < found.variance[0]
    assert found.intercept[4, 0] == 0 and found.left[4, 0] == found.variance[0]  # a group without rows
    assert found.freedom == 2  # of four groups one gives the mean, and one was spent on choices


def test_splits_keep_groups_together_and_rows_without_one_by_their_input():
    kept = kept_together(np.array([1, 0, 1, -1, -1, -1]), np.array([0, 1, 2, 3, 3, 4]))
    assert kept[0] == kept[2] and kept[3] == kept[4]
    assert len(set(kept)) == 4


def test_a_known_group_has_its_intercept_and_less_variance(fitted):
    model, X, _, labels, intercepts = fitted
    new, known = model.predict_distribution(X), model.predict_distribution(X, groups=labels)
    moved = (known.mean - new.mean)[::5]
    assert np.corrcoef(moved, intercepts)[0, 1] > 0.9
    assert (known.group < 0.5 * new.group).all()
    np.testing.assert_allclose(new.variance, new.aleatoric**2 + new.epistemic**2 + new.group**2)
    unknown = model.predict_distribution(X, groups=["never seen"] * 30 + [None] * 30)
    np.testing.assert_array_equal(unknown.mean, new.mean)
    np.testing.assert_array_equal(unknown.std, new.std)


def test_budget_and_summary_tell_of_groups(fitted):
    model, X, _, labels, _ = fitted
    mean = model.noise_budget(X).mean(every=True).set_index("source")
    assert mean.loc["group", "share"] > 0.3
    assert mean["share"].sum() == pytest.approx(1)
    assert model.noise_budget(X, groups=labels).mean().set_index("source").loc["group", "share"] < 0.3
    assert "12 of batch; folds go by them, between them an expected standard deviation of" in model.summary()
    assert "group" in model.predict_distribution(X).to_frame()


def test_one_distribution_for_every_row(fitted):
    """Quantiles, cdf, density, score and draws agree where each row has tails of its own."""
    model, X, y, labels, _ = fitted
    p = model.predict_distribution(X[::7], groups=[*labels[::7][:5], None, None, None, None])
    np.testing.assert_allclose(p.cdf(p.quantile(0.83)), 0.83)
    step = 1e-4 * p.std
    slope = (p.cdf(p.mean + step) - p.cdf(p.mean - step)) / (2 * step)
    np.testing.assert_allclose(np.exp(p.logpdf(p.mean)), slope, rtol=1e-4)
    draws = p.sample(4000, random_state=0)
    assert np.abs((draws < p.quantile(0.9)).mean(axis=0) - 0.9).max() < 0.03
    y = y[::7]
    halves = np.abs(draws[:2000] - draws[2000:]).mean(axis=0) / 2
    np.testing.assert_allclose(p.crps(y), np.abs(draws - y).mean(axis=0) - halves, rtol=0.08, atol=0.01)


def test_groups_survive_a_model_file(fitted, tmp_path):
    model, X, _, labels, _ = fitted
    model.save(tmp_path / "a.tsnet")
    again = load(tmp_path / "a.tsnet")
    one, other = (m.predict_distribution(X, groups=labels) for m in (model, again))
    np.testing.assert_array_equal(one.mean, other.mean)
    np.testing.assert_array_equal(one.std, other.std)
    assert again.fitted_.group_names == model.fitted_.group_names
    assert again.summary() == model.summary()


def test_no_group_is_held_out_in_part(fitted):
    model, _, _, labels, _ = fitted
    held = model.fitted_.held_out
    folds = pd.Series(held.fold).groupby(labels.to_numpy()[held.rows]).nunique()
    assert (folds == 1).all()


def test_groups_go_through_scikit_learns_routing(fitted):
    from sklearn import config_context
    from sklearn.model_selection import GroupKFold, cross_val_score

    _, X, y, labels, _ = fitted
    with config_context(enable_metadata_routing=True):
        model = tiny().set_fit_request(groups=True).set_score_request(groups=False)
        scores = cross_val_score(model, X, y, cv=GroupKFold(2), params={"groups": labels})
    assert np.isfinite(scores).all()


def test_a_search_keeps_groups_whole(fitted):
    _, X, y, labels, _ = fitted
    search = TSNetSearch(tiny(), {"width": [8, 16]}, trials=1, cv=2, random_state=0).fit(X, y, groups=labels)
    assert search.best_estimator_.fitted_.fit_summary.groups == 12
    assert SMALL["width"] == 8


def test_groups_without_labels_or_with_too_few_are_refused(fitted):
    model, X, y, _, _ = fitted
    with pytest.raises(DataError, match="no label"):
        tiny().fit(X, y, groups=[None] * len(X))
    with pytest.raises(DataError, match="one label for each of the 60 rows"):
        tiny().fit(X, y, groups=[1, 2])
    with pytest.raises(DataError, match="fitted without groups"):
        tiny().fit(X, y).predict(X, groups=[1] * len(X))
    assert model.predict(X[:1], groups=["batch 3"]).shape == (1,)
