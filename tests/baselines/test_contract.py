"""What every method of the registry promises, checked for each of them with a tiny budget."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from taylor_sensus.baselines.registry import METHODS, method
from taylor_sensus.errors import SettingError
from taylor_sensus.prediction import Prediction

QUICK = ("gprmk", "mcrf", "catboost", "extra_trees", "ngboost")
"""Methods without networks, which take long to compile."""
ALL = [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in METHODS]
PAPERS_TEN = {"gprmk", "mcrf", "mlp", "mc_dropout", "bnn_elbo", "bnn_mcmc", "bbp", "vaer", "evidential", "mt_enet"}


def table(rows: int = 90, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 4))
    return X, 50 + 10 * X[:, 0] - 6 * X[:, 1] + rng.normal(size=rows)


X, Y = table()
FIT, HELD, NEW = slice(0, 40), slice(40, 50), slice(70, 90)
BOTH = slice(0, 50)  # without validation rows a fifth is held out: the same shapes, so nothing is compiled anew


@cache
def fitted(name: str):
    model = method(name).make(random_state=3, quick=True)
    return model.fit(X[FIT], Y[FIT], X_val=X[HELD], y_val=Y[HELD])


def test_the_papers_ten_rivals_are_there_and_labels_differ():
    assert {name for name, m in METHODS.items() if m.origin == "paper"} == PAPERS_TEN
    labels = [m.label for m in METHODS.values()]
    assert len(set(labels)) == len(labels)


def test_a_wrong_name_gets_a_hint():
    with pytest.raises(SettingError, match="did you mean 'mcrf'"):
        method("mrcf")


@pytest.mark.parametrize("name", ALL)
def test_grid_and_quick_settings_exist(name):
    model = method(name).make(random_state=0)
    known = model.get_params()
    assert set(METHODS[name].grid) <= set(known) and METHODS[name].grid
    assert set(METHODS[name].quick) <= set(known)


@pytest.mark.parametrize("name", ALL)
def test_clone_keeps_settings_and_not_the_fit(name):
    copy = clone(fitted(name))
    assert copy.get_params() == fitted(name).get_params()
    with pytest.raises(NotFittedError):
        copy.predict(X)


@pytest.mark.parametrize("name", ALL)
def test_mean_std_and_distribution_agree(name):
    model = fitted(name)
    mean, std = model.predict(X[NEW], return_std=True)
    said = model.predict_distribution(X[NEW])
    assert isinstance(said, Prediction)
    assert mean.shape == std.shape == (20,)
    np.testing.assert_array_equal(mean, said.mean)
    np.testing.assert_array_equal(mean, model.predict(X[NEW]))
    np.testing.assert_array_equal(std, said.std)
    assert np.isfinite(mean).all()
    if METHODS[name].gives_std:
        assert (std > 0).all() and np.isfinite(std).all()
    else:
        assert np.isnan(std).all()


@pytest.mark.parametrize("name", ALL)
def test_a_row_does_not_depend_on_its_company(name):
    model = fitted(name)
    mean, std = model.predict(X[NEW], return_std=True)
    alone_mean, alone_std = model.predict(X[NEW][4:5], return_std=True)
    np.testing.assert_allclose(alone_mean, mean[4:5], rtol=1e-6)
    np.testing.assert_allclose(alone_std, std[4:5], rtol=1e-5)


@pytest.mark.parametrize("name", ALL)
def test_same_seed_same_result_whatever_the_jobs(name):
    again = method(name).make(random_state=3, n_jobs=1, quick=True)
    again.fit(X[FIT], Y[FIT], X_val=X[HELD], y_val=Y[HELD])
    np.testing.assert_array_equal(again.predict(X[NEW], return_std=True), fitted(name).predict(X[NEW], return_std=True))


@pytest.mark.parametrize("name", ALL)
def test_units_of_the_target_scale_everything(name):
    model = method(name).make(random_state=3, quick=True)
    model.fit(X[FIT], 1000 * Y[FIT], X_val=X[HELD], y_val=1000 * Y[HELD])
    mean, std = fitted(name).predict(X[NEW], return_std=True)
    new_mean, new_std = model.predict(X[NEW], return_std=True)
    np.testing.assert_allclose(new_mean, 1000 * mean, rtol=2e-3)
    np.testing.assert_allclose(new_std, 1000 * std, rtol=2e-2)


@pytest.mark.parametrize("name", ALL)
def test_tables_with_names_and_without_validation_rows(name):
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"], index=np.arange(100, 190))
    model = method(name).make(random_state=0, quick=True).fit(frame[BOTH], pd.Series(Y[BOTH]))
    said = model.predict_distribution(frame[NEW])
    assert list(said.to_frame().index) == list(range(170, 190))
    with pytest.raises(ValueError, match=r"(?i)feature names"):
        model.predict(frame[["b", "a", "c", "d"]])


@pytest.mark.parametrize("name", ALL)
def test_validation_rows_are_given_as_a_pair(name):
    with pytest.raises(ValueError, match="belong together"):
        method(name).make(random_state=0, quick=True).fit(X[FIT], Y[FIT], X_val=X[HELD])


@pytest.mark.parametrize("name", ALL)
def test_awkward_tables_are_fitted_or_refused(name):
    """A constant column, duplicates and far values are fine; missing values are refused."""
    awkward = X.copy()
    awkward[:, 2] = 7.0
    awkward[:10] = awkward[0]
    awkward[:, 3] *= 1e9
    model = method(name).make(random_state=0, quick=True)
    model.fit(awkward[FIT], Y[FIT], X_val=awkward[HELD], y_val=Y[HELD])
    assert np.isfinite(model.predict(awkward[NEW])).all()
    awkward[3, 1] = np.nan
    if name in ("tsnet", "tsnet_paper"):  # ours fill gaps
        assert np.isfinite(
            method(name).make(random_state=0, quick=True).fit(awkward[BOTH], Y[BOTH]).predict(awkward)
        ).all()
        return
    with pytest.raises(ValueError, match=r"NaN|missing"):
        method(name).make(random_state=0, quick=True).fit(awkward[FIT], Y[FIT])
