"""The Gaussian process, the forests and the boosted trees do what each of them is known for."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from sklearn.base import clone

from taylor_sensus.baselines.catboost import CatBoostBaseline
from taylor_sensus.baselines.extra_trees import ExtraTreesBaseline
from taylor_sensus.baselines.forest import FLOORS, fit_spread
from taylor_sensus.baselines.gprmk import GPRMKBaseline
from taylor_sensus.baselines.hist_boosting import HistBoostingBaseline
from taylor_sensus.baselines.mcrf import MCRFBaseline
from taylor_sensus.baselines.ngboost import NGBoostBaseline
from taylor_sensus.baselines.some_rows import SomeRowsGPBaseline
from taylor_sensus.errors import MissingExtraError
from taylor_sensus.model.coordinates import Coordinates
from taylor_sensus.model.gaussian_process import GaussianProcess, ProcessRows

SMALL = {
    "gprmk": GPRMKBaseline(kernel_rows=80, restarts=1, random_state=0),
    "mcrf": MCRFBaseline(trees=30, random_state=0),
    "extra_trees": ExtraTreesBaseline(trees=30, random_state=0),
    "catboost": CatBoostBaseline(iterations=40, depth=3, random_state=0),
    "ngboost": NGBoostBaseline(iterations=30, random_state=0),
    "hist_boosting": HistBoostingBaseline(iterations=40, random_state=0),
    "some_rows": SomeRowsGPBaseline(kernel_rows=80, restarts=0, max_rows=80, random_state=0),
}
each = pytest.mark.parametrize("name", SMALL)


def small(name: str, **changes):
    return clone(SMALL[name]).set_params(**changes)


def smooth(rows: int, features: int = 2, noise: float = 0.1, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A smooth function of the first two features; further ones mean nothing."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, (rows, features))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] ** 2 / 2 + noise * rng.normal(size=rows)


# --- the Gaussian process --------------------------------------------------------------------------


def test_process_recovers_a_smooth_function_and_its_noise():
    X, y = smooth(300)
    model = GPRMKBaseline(kernel_rows=150, random_state=0).fit(X, y)
    new, clean = smooth(200, noise=0.0, seed=1)
    said = model.predict_distribution(new)
    assert np.sqrt(np.mean((said.mean - clean) ** 2)) < 0.05
    np.testing.assert_allclose(said.system_noise, 0.1, rtol=0.25)


def test_process_doubts_what_is_far_away():
    X, y = smooth(100)
    model = GPRMKBaseline(random_state=0).fit(X, y)
    doubt = model.predict_distribution(np.array([[0.0, 0.0], [3.0, 3.0], [6.0, 6.0], [1e6, 1e6]])).epistemic
    assert (np.diff(doubt) > 0).all()
    assert doubt[-1] > 0.7 * y.std()


def test_own_length_scales_see_through_meaningless_features():
    """Six features of noise cost a process of one common length scale most of what it knows."""
    X, y = smooth(120, features=8)
    new, clean = smooth(200, features=8, noise=0.0, seed=1)
    model = GPRMKBaseline(random_state=0).fit(X, y)
    own = np.mean((model.predict(new) - clean) ** 2)
    theta = model.process_.numbers.theta.copy()
    kernels = theta[:-2].reshape(2, 9)
    kernels[:, 1:] = kernels[:, 1:3].mean(axis=1, keepdims=True)  # a view: writes into theta
    x = model.process_.numbers.centres
    seen = ProcessRows(x, seen_targets(model), np.ones(len(x)), np.zeros(len(x)))
    process = GaussianProcess.condition(theta, Coordinates(np.inf), seen)
    common = process.posterior_at(model.scaler_.features(new)).mean[:, 0]
    unit, middle = model.scaler_.target_scale[0], model.scaler_.target_center[0]
    assert own < 0.3 * np.mean((common * unit + middle - clean) ** 2)


def seen_targets(model: GPRMKBaseline) -> np.ndarray:
    """The scaled targets of the rows that the process has seen, found by undoing its solution."""
    process = model.process_
    return process.factor @ (process.factor.T @ process.numbers.coefficients)


def test_process_is_conditioned_on_all_rows_but_tuned_on_few():
    X, y = smooth(200)
    model = GPRMKBaseline(kernel_rows=50, restarts=0, random_state=0).fit(X, y, X_val=X[:20], y_val=y[:20])
    assert len(model.process_.numbers.centres) == 200


# --- the forests -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["mcrf", "extra_trees"])
def test_forest_std_is_the_spread_over_trees_times_a_factor(name):
    X, y = smooth(120, noise=0.5)
    model = small(name).fit(X, y)
    new = smooth(50, seed=1)[0]
    scaled = model.scaler_.features(new)
    trees = np.array([tree.predict(scaled) for tree in model.forest_.estimators_])
    unit, middle = model.scaler_.target_scale[0], model.scaler_.target_center[0]
    mean, std = model.predict(new, return_std=True)
    np.testing.assert_allclose(mean, trees.mean(axis=0) * unit + middle)
    spread = np.maximum(trees.std(axis=0), model.floor_)
    np.testing.assert_allclose(std, spread * model.std_factor_ * unit)
    assert np.ptp(std) > 0


def test_twins_of_training_rows_do_not_get_a_std_of_zero():
    X, y = smooth(60, noise=0.5)
    model = small("extra_trees").fit(X[:40], y[:40], X_val=X[40:], y_val=y[40:])
    trees = model.tree_means(model.scaler_.features(X[:40]))
    assert trees.std(axis=0).max() < 1e-9  # the trees agree on rows they saw
    _, std = model.predict(X[:40], return_std=True)
    errors = y[40:] - model.predict(X[40:])
    assert std.min() >= min(FLOORS) * np.sqrt(np.mean(errors**2)) * model.std_factor_


def test_floor_follows_what_twins_deserve():
    """Errors of 1 where trees agree ask for a large floor, errors of 0.001 for a small one."""
    rng = np.random.default_rng(0)
    spread = np.where(np.arange(200) < 100, 0.0, 1.0)
    wild = rng.normal(size=200)
    tame = np.where(spread == 0, 0.001, 1.0) * wild
    assert fit_spread(tame, spread)[0] < 0.2
    assert fit_spread(wild, spread)[0] > 0.4
    assert fit_spread(wild, np.ones(200))[0] > 0.4  # no row needs a floor: the largest
    scale = fit_spread(3 * wild, np.full(200, 2.0))[1]
    assert scale == pytest.approx(1.5 * np.sqrt(np.mean(wild**2)), rel=1e-6)


# --- the boosted trees -----------------------------------------------------------------------------


def test_boosting_stops_where_validation_rows_say():
    """With validation targets that contradict the training rows any learning makes things worse."""
    X, y = smooth(120)
    against = {"X_val": X[:40], "y_val": 2 * y.mean() - y[:40]}
    agreeing = {"X_val": X[:40], "y_val": y[:40]}
    cat = CatBoostBaseline(iterations=80, depth=3, patience=10, random_state=0)
    assert clone(cat).fit(X, y, **against).mean_model_.tree_count_ < 5
    assert clone(cat).fit(X, y, **agreeing).mean_model_.tree_count_ > 60
    natural = NGBoostBaseline(iterations=60, patience=5, random_state=0)
    stopped = clone(natural).fit(X, y, **against)
    assert stopped.stages_ < 5 and len(stopped.model_.base_models) < 15
    assert clone(natural).fit(X, y, **agreeing).stages_ == 60


def test_kept_stage_has_the_best_validation_likelihood():
    X, y = smooth(100, noise=0.8)
    model = NGBoostBaseline(iterations=150, learning_rate=0.1, patience=30, random_state=0)
    model.fit(X[:70], y[:70], X_val=X[70:], y_val=y[70:])
    x = model.scaler_.features(X[70:])
    target = model.scaler_.targets(y[70:, None])[:, 0]
    scores = [-said.logpdf(target).mean() for said in model.model_.staged_pred_dist(x)]
    assert model.stages_ == int(np.argmin(scores)) + 1 < len(scores)
    wanted = model.model_.staged_pred_dist(x)[model.stages_ - 1]
    np.testing.assert_allclose(model._predict(x).mean, wanted.loc)


def test_boosting_is_silent_and_writes_no_files(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    X, y = smooth(60)
    for name in ("catboost", "ngboost"):
        small(name).fit(X, y).predict(X)
    assert capfd.readouterr() == ("", "")
    assert not list(tmp_path.iterdir())


def test_std_follows_noise_that_changes_with_a_feature():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (300, 2))
    y = X[:, 1] + np.where(X[:, 0] > 0, 1.0, 0.1) * rng.normal(size=300)
    for kind in (CatBoostBaseline, NGBoostBaseline):
        model = kind(iterations=100, learning_rate=0.05, depth=3, random_state=0)
        _, std = model.fit(X, y).predict(X, return_std=True)
        assert np.median(std[X[:, 0] > 0.1]) > 3 * np.median(std[X[:, 0] < -0.1])


@pytest.mark.parametrize("name", ["catboost", "ngboost"])
def test_a_missing_package_is_named_with_its_remedy(name, monkeypatch):
    monkeypatch.setitem(sys.modules, name, None)  # makes Python's import fail
    X, y = smooth(20)
    with pytest.raises(MissingExtraError, match=rf'{name} is needed.*pip install "taylor-sensus\[baselines\]"'):
        small(name).fit(X, y)


# --- all of them -----------------------------------------------------------------------------------


@each
def test_same_seed_same_digits_and_jobs_change_nothing(name):
    X, y = smooth(100, noise=0.3)
    first = small(name, n_jobs=1).fit(X, y).predict(X, return_std=True)
    np.testing.assert_array_equal(small(name, n_jobs=2).fit(X, y).predict(X, return_std=True), first)
    assert not np.array_equal(small(name, random_state=1).fit(X, y).predict(X, return_std=True), first)


@each
@pytest.mark.parametrize("case", ["constant target", "constant features", "five rows", "twins", "outlier"])
def test_poor_tables_get_finite_answers(name, case):
    X, y = smooth(40)
    if case == "constant target":
        y = np.full(40, 3.0)
    elif case == "constant features":
        X = np.ones((40, 2))
    elif case == "five rows":
        X, y = X[:5], y[:5]
    elif case == "twins":
        X, y = np.repeat(X[:8], 5, axis=0), np.repeat(y[:8], 5)
    else:
        X[0, 0] = 1e9
    mean, std = small(name).fit(X, y).predict(np.concatenate([X, 1e3 * X]), return_std=True)
    assert np.isfinite(mean).all() and np.isfinite(std).all()
    assert (std > 0).all()


# --- learning once more from all rows -----------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in SMALL if name not in ("gprmk", "some_rows")])
def test_a_refit_sees_the_held_out_rows(name):
    """It is closer to them than what has not learned from them; validation rows that were given stay apart."""
    X, y = smooth(100)
    held = np.random.RandomState(0).permutation(100)[:20]
    said = small(name).fit(X, y, refit=True).predict(X[held])
    alone = small(name).fit(X, y).predict(X[held])
    assert np.mean((said - y[held]) ** 2) < np.mean((alone - y[held]) ** 2)
    given = small(name).fit(X[20:], y[20:], X_val=X[:20], y_val=y[:20])
    same = small(name).fit(X[20:], y[20:], X_val=X[:20], y_val=y[:20], refit=True)
    np.testing.assert_array_equal(given.predict(X), same.predict(X))


def test_a_process_of_some_rows_holds_no_more():
    X, y = smooth(150)
    model = small("some_rows").fit(X, y, refit=True)
    assert len(model.process_.numbers.centres) == 80
    assert len(small("some_rows", max_rows=500).fit(X, y, refit=True).process_.numbers.centres) == 150


def test_histogram_boosting_widens_where_the_noise_is():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (800, 1))
    y = X[:, 0] + np.where(X[:, 0] > 0, 0.5, 0.05) * rng.normal(size=800)
    std = HistBoostingBaseline(random_state=0).fit(X, y, refit=True).predict(np.array([[-0.5], [0.5]]), True)[1]
    assert std[1] > 3 * std[0]
