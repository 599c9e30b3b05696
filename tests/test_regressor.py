"""The estimator at its door: bad tables are refused by row and column, odd ones give finite answers, promises hold."""

import pickle
import warnings
from dataclasses import replace
from inspect import signature

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from taylor_sensus import DataError, SettingError, TSNetRegressor, load
from taylor_sensus.errors import TaylorSensusWarning
from taylor_sensus.settings import CONSTRUCTOR, paper
from tests.tiny import numbers, tiny

PARTS = ("mean", "std", "feature_noise", "system_noise", "aleatoric", "epistemic", "familiarity")
X, Y = numbers()
TABLE = pd.DataFrame(X, columns=list("abcd"))
TEXTS = TABLE[["a", "b"]].assign(c=["steel", "brass"] * 20)
BOTH = pd.DataFrame({"strength": Y, "strain": 3 - X[:, 2]})


def same(one, other) -> None:
    for part in PARTS:
        np.testing.assert_array_equal(getattr(one, part), getattr(other, part), err_msg=part)


def with_cell(table, row, column, value):
    changed = np.array(table, dtype=object if isinstance(value, str) else float)
    changed[row, column] = value
    return changed


@pytest.fixture(scope="module")
def fitted():
    return tiny().fit(X, Y)


@pytest.fixture(scope="module")
def fitted_both():
    return tiny().fit(TABLE, BOTH)


@pytest.fixture(scope="module")
def fitted_texts():
    return tiny().fit(TEXTS, Y)


@pytest.fixture(autouse=True)
def no_warning_escapes():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


# ------------------------------------------------------------------------------- tables that are refused

NAMED_Y = pd.Series(Y.astype(object), name="strength").where(np.arange(40) != 7, "broke")
REFUSED = {
    "infinity": (with_cell(X, 3, 1, -np.inf), Y, r"X contains -inf: row 3, column 'x1'"),
    "huge": (with_cell(X, 3, 1, 1e300), Y, r"beyond ±1e\+120: row 3, column 'x1' \(1e\+300\)"),
    "text in an array": (with_cell(X, 3, 1, "bad"), Y, r"column 'x1': row 3 \('bad'\) is not a number"),
    "text in a list": (with_cell(X, 3, 1, "bad").tolist(), Y, r"column 'x1': row 3 \('bad'\) is not a number"),
    "text in a table": (TABLE.astype(object).mask(X[3, 1] == TABLE, "bad"), Y, r"column 'b': row 3 \('bad'\) is not a"),
    "complex": (X + 1j, Y, "Complex data not supported"),
    "dates": (TABLE.assign(c=pd.date_range("2020", periods=40)), Y, "'c' holds dates or times; turn it into a number"),
    "identifier": (TABLE.assign(c=[f"s{i}" for i in range(40)]), Y, r"'c' looks like .* \(40 of 40 rows .*drop it"),
    "no rows": (X[:0], Y[:0], r"0 sample\(s\)"),
    "one row": (X[:1], Y[:1], "1 sample"),
    "no rows of texts": (TEXTS[:0], Y[:0], "n_samples=0"),
    "one row of texts": (TEXTS[:1], Y[:1], "n_samples=1"),
    "no columns": (X[:, :0], Y, r"0 feature\(s\)"),
    "no named columns": (TABLE[[]], Y, r"0 feature\(s\)"),
    "same rows only": (X[[3] * 40], Y[[3] * 40], "all rows are the same"),
    "same names": (TABLE.set_axis(["a", "b", "a", "d"], axis=1), Y, "several columns of X are named 'a'"),
    "one-dimensional": (X[:, 0], Y, "Expected 2D array"),
    "three-dimensional": (X[None], Y, "dim 3"),
    "text in y": (X, NAMED_Y.to_numpy(), r"column 'y': row 7 \('broke'\) is not a number"),
    "text in a list y": (X, NAMED_Y.to_list(), r"column 'y': row 7 \('broke'\) is not a number"),
    "text in a named y": (TABLE, NAMED_Y, r"column 'strength': row 7 \('broke'\) is not a number"),
    "only text in y": (X, ["good", "bad"] * 20, r"column 'y' holds only text \(such as 'good' and 'bad'\)"),
    "NaN in y": (X, np.where(np.arange(40) == 5, np.nan, Y), "y contains NaN: row 5, column 'y'"),
    "infinity in y": (X, np.where(np.arange(40) == 5, np.inf, Y), "y contains inf: row 5"),
    "huge y": (X, Y * 1e300, r"y contains numbers beyond ±1e\+120: row 0"),
    "complex y": (X, Y + 1j, "Complex data not supported"),
    "no y": (X, None, "requires y to be passed, but the target y is None"),
    "y too short": (X, Y[:-1], "X has 40 rows and y has 39"),
    "y of three dimensions": (X, Y[:, None, None], r"shape is \(40, 1, 1\)"),
    "y without columns": (X, np.zeros((40, 0)), r"shape is \(40, 0\)"),
    "y with the same names": (X, BOTH.set_axis(["s", "s"], axis=1), "several columns of y are named 's'"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_tables_are_refused_in_words(case):
    table, y, says = REFUSED[case]
    with pytest.raises(ValueError, match=says):
        tiny().fit(table, y)


@pytest.mark.parametrize(
    ("weight", "says"),
    [
        (-np.ones(40), "Negative"),
        (np.zeros(40), "non-zero"),
        (np.eye(40)[3], "fewer than 2 rows with a positive weight"),
        (np.where(np.arange(40) == 9, np.nan, 1), "sample_weight contains NaN: row 9"),
        (["heavy", *[1] * 39], r"column 'sample_weight': row 0 \('heavy'\) is not a number"),
        (np.full(40, 1e300), "beyond"),
        (np.ones(3), "expected"),
    ],
)
def test_bad_weights_are_refused(weight, says):
    with pytest.raises(ValueError, match=says):
        tiny().fit(X, Y, sample_weight=weight)


def test_bad_rows_at_prediction_are_refused(fitted, fitted_texts):
    with pytest.raises(ValueError, match="X has 2 features, but TSNetRegressor is expecting 4"):
        fitted.predict(X[:, :2])
    with pytest.raises(DataError, match="row 1, column 'x2'"):
        fitted.predict(with_cell(X, 1, 2, np.inf))
    with pytest.raises(DataError, match=r"column 'x2': row 1 \('oops'\) is not a number"):
        fitted.predict(with_cell(X, 1, 2, "oops"))
    with pytest.raises(DataError, match="must be a table with named columns"):
        fitted_texts.predict(X)
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        fitted.predict(X[:0])
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        fitted_texts.predict(TEXTS[:0])


def test_any_unit_of_the_natural_sciences_will_do(fitted, tmp_path):
    """Luminosities of galaxies in erg/s are beyond single precision, cross sections in km² below it."""
    units = 2.0 ** np.array([200, -200, 0, 330])
    model = tiny().fit(X * units, Y * 2.0**200)
    model.save(tmp_path / "model.tsnet")
    model = load(tmp_path / "model.tsnet")
    found, wanted = model.predict_distribution(X * units), fitted.predict_distribution(X)
    np.testing.assert_allclose(found.mean / 2.0**200, wanted.mean, rtol=1e-6)
    np.testing.assert_allclose(found.std / 2.0**200, wanted.std, rtol=1e-6)
    rows = np.r_[X[:3], X[:3] + 0.5]
    assert model.noise_budget(rows * units).parts.trained_on.tolist() == [True] * 3 + [False] * 3
    assert not model.noise_budget(np.r_[X[:1], [[1e100, 0, 0, 0]]]).parts.trained_on.any(), "no cast overflows"
    model.summary()


def test_names_and_their_order_are_checked_as_scikit_learn_does(fitted_both, fitted_texts):
    for each, table in ((fitted_both, TABLE), (fitted_texts, TEXTS)):
        with pytest.raises(ValueError, match=r"Feature names unseen at fit time:\n- z"):
            each.predict(table.rename(columns={"a": "z"}))
        with pytest.raises(ValueError, match="yet now missing"):
            each.predict(table[["a", "b"]])
        with pytest.raises(ValueError, match="Feature names must be in the same order as they were in fit"):
            each.predict(table[["b", "a", *table.columns[2:]]])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        fitted_both.predict(X)
    assert list(fitted_both.feature_names_in_) == list("abcd")


def test_validation_rows_are_checked(fitted):
    with pytest.raises(DataError, match="belong together"):
        tiny().fit(X, Y, X_val=X)
    with pytest.raises(DataError, match=r"y_val must have the shape of y: 1 target\(s\)"):
        tiny().fit(X, Y, X_val=X, y_val=BOTH)
    with pytest.raises(DataError, match="X_val has 40 rows and y_val has 39"):
        tiny().fit(X, Y, X_val=X, y_val=Y[:-1])
    with pytest.raises(DataError, match="column 'y_val': row 7"):
        tiny().fit(X, Y, X_val=X, y_val=NAMED_Y.to_numpy())
    with pytest.raises(DataError, match=r"row 0, column 'y' .* same unit"):
        tiny().fit(X, Y, X_val=X, y_val=Y * 1e30)
    with pytest.raises(DataError, match="X_val contains inf: row 3"):
        tiny().fit(X, Y, X_val=with_cell(X, 3, 1, np.inf), y_val=Y)


@pytest.mark.parametrize(
    ("prior", "says"),
    [
        (lambda X: X[:, :2], r"shape \(40, 1\); it gave one of shape \(40, 2\)"),
        (lambda X: np.zeros(3), r"it gave one of shape \(3, 1\)"),
        (lambda X: 0.0, r"shape is \(\)"),
        (lambda X: np.full(len(X), np.nan), "contains NaN"),
        (lambda X: np.full(len(X), 1e30), "same unit"),
    ],
)
def test_bad_priors_are_refused(prior, says):
    with pytest.raises(DataError, match=says):
        tiny(prior=prior).fit(X, Y)


def test_settings_are_checked_when_fitting():
    with pytest.raises(SettingError, match="there is no setting 'noise_epoch'; did you mean 'noise_epochs'"):
        tiny(details={"noise_epoch": 3}).fit(X, Y)
    with pytest.raises(SettingError, match="'members' is an argument of its own"):
        tiny(details={"members": 3}).fit(X, Y)
    with pytest.raises(SettingError, match="n_jobs must be"):
        tiny(n_jobs=0).fit(X, Y)


# ------------------------------------------------------------------- odd tables that give finite answers

ODD = {
    "constant target": (X, np.full(40, 7.0)),
    "zero target": (X, np.zeros(40)),
    "constant column": (np.c_[X[:, :3], np.full(40, 5.0)], Y),
    "constant columns only": (np.ones((40, 4)), Y),
    "one feature": (X[:, :1], Y),
    "two rows": (X[:2], Y[:2]),
    "three rows": (X[:3], Y[:3]),
    "more columns than rows": (np.random.default_rng(1).normal(size=(20, 200)), Y[:20]),
    "features of 1e12 and 1e-12": (X * [1e12, 1e-12, 1, 1], Y),
    "large everything": (X * 1e12, Y * 1e12),
    "large features, small target": (X * 1e12, Y * 1e-12),
    "small features, large target": (X * 1e-12, Y * 1e12),
    "small everything": (X * 1e-12, Y * 1e-12),
    "targets of 1e12 and 1e-12": (TABLE, BOTH * [1e12, 1e-12]),
    "far from zero": (X + 1e12, Y + 1e12),
    "denormal cell": (with_cell(X, 3, 1, 5e-324), Y),
    "one outlier": (with_cell(X, 3, 1, 1e30), np.where(np.arange(40) == 3, 1e30, Y)),
    "integers": ((X * 10).astype(np.int8), (Y * 10).astype(int)),
    "booleans": (X > 0, Y > 0),
    "objects": (X.astype(object), Y.astype(object)),
    "numbers as text": (TABLE.astype(str), pd.Series(Y).astype(str)),
    "half precision": (X.astype(np.float16), Y.astype(np.float32)),
    "weights of all sizes": (X, Y),
}


@pytest.mark.parametrize("case", ODD)
def test_odd_tables_give_finite_answers(case):
    table, y = ODD[case]
    weight = 10.0 ** np.random.default_rng(2).uniform(-20, 20, 40) if case == "weights of all sizes" else None
    m = tiny().fit(table, y, sample_weight=weight)
    rows = table if isinstance(table, pd.DataFrame) else np.asarray(table, dtype=float)
    for asked in (rows, np.sign(rows.astype(float)) * 1e30):
        p = m.predict_distribution(asked)
        assert np.isfinite(p.to_frame().to_numpy()).all()
        assert (p.std > 0).all()
    assert m.summary() and m._repr_html_() and repr(p) and p._repr_html_()


def test_far_away_the_prior_speaks(fitted, fitted_both):
    far = np.array([[1e3] * 4, [-1e6, 1e6, 0, 0], [1e30, -1e30, 1e30, 0], [0, 0, 0, 500]])
    for m, rows, y in ((fitted, far, Y), (fitted_both, pd.DataFrame(far, columns=list("abcd")), BOTH.to_numpy())):
        p = m.predict_distribution(rows)
        assert (p.familiarity < 0.05).all()
        assert (p.std >= np.sqrt(1.5) * y.std(axis=0) * (1 - 1e-6)).all()


# ------------------------------------------------------------------------------------------- promises


def test_one_row_alone_and_among_ten_thousand(fitted):
    crowd = np.random.default_rng(3).normal(size=(10_000, 4)) * 3
    crowd[[0, 511, 512, 7_777, 9_999]] = X[:5]
    among = fitted.predict_distribution(crowd)
    for row, position in zip(X[:5], [0, 511, 512, 7_777, 9_999], strict=True):
        alone = fitted.predict_distribution(row[None])
        for part in PARTS:
            np.testing.assert_allclose(getattr(alone, part)[0], getattr(among, part)[position], rtol=1e-6)


def test_variances_of_the_parts_add_up(fitted_both):
    p = fitted_both.predict_distribution(TABLE * 2)
    total = p.feature_noise**2 + p.system_noise**2 + p.epistemic**2
    np.testing.assert_allclose(total, p.std**2, rtol=1e-6)
    np.testing.assert_allclose(p.aleatoric**2 + p.epistemic**2, p.std**2, rtol=1e-6)
    np.testing.assert_allclose(np.einsum("rtt->rt", p.covariance()), p.std**2, rtol=1e-6)


@pytest.mark.parametrize("factor", [-3.7, 1e6, 1e-6])
def test_another_unit_of_the_target_rescales_everything(fitted, factor):
    rows = np.vstack([X, X * 5])
    here, there = fitted.predict_distribution(rows), tiny().fit(X, Y * factor).predict_distribution(rows)
    for part in ("std", "feature_noise", "system_noise", "epistemic"):
        np.testing.assert_allclose(getattr(there, part), getattr(here, part) * abs(factor), rtol=1e-4, err_msg=part)
    np.testing.assert_allclose(there.mean, here.mean * factor, atol=1e-4 * Y.std() * abs(factor))


def test_the_same_seed_gives_the_same_bits_whatever_n_jobs(fitted):
    rows = np.vstack([X, X * 5])
    for jobs in (1, 2, None):
        again = tiny(n_jobs=jobs).fit(X, Y)
        same(again.predict_distribution(rows), fitted.predict_distribution(rows))
    assert not np.array_equal(tiny(random_state=1).fit(X, Y).predict(X), fitted.predict(X))


def test_whole_weights_equal_repeated_rows_and_weight_zero_removal(fitted):
    weight = np.random.default_rng(4).integers(0, 4, 40)
    once = tiny().fit(X, Y, sample_weight=weight)
    repeated = tiny().fit(np.repeat(X, weight, axis=0), np.repeat(Y, weight))
    same(once.predict_distribution(X), repeated.predict_distribution(X))
    kept = weight > 0
    removed = tiny().fit(X[kept], Y[kept], sample_weight=weight[kept])
    same(once.predict_distribution(X), removed.predict_distribution(X))
    same(tiny().fit(X, Y, sample_weight=np.full(40, 2)).predict_distribution(X), fitted.predict_distribution(X))
    assert not np.array_equal(once.predict(X), fitted.predict(X))


def test_the_order_of_rows_does_not_matter(fitted):
    order = np.random.default_rng(5).permutation(40)
    same(tiny().fit(X[order], Y[order]).predict_distribution(X), fitted.predict_distribution(X))


def test_validation_rows_take_part(fitted):
    held = tiny().fit(X[:30], Y[:30], X_val=X[30:], y_val=Y[30:])
    assert held.fitted_.fit_summary.validation_rows == held.fitted_.fit_summary.held_out_rows == 10
    assert "validation rows = 10" in held.summary().replace("  ", "")
    assert (held.predict(X, return_std=True)[1] > 0).all()


def test_priors_speak_far_away():
    far = np.full((1, 4), 1e6)
    flat = tiny(prior="mean").fit(X, Y)
    assert flat.predict(far) == pytest.approx(Y.mean(), rel=1e-6)
    seen = []
    own = tiny(prior=lambda table: seen.append(len(table)) or 2.0 * np.sign(table[:, 0])).fit(X, Y)
    assert own.predict(far) == pytest.approx(2.0, rel=1e-6)
    assert own.predict(-far) == pytest.approx(-2.0, rel=1e-6)
    assert seen == [40, 1, 1]
    with pytest.raises(SettingError, match="prior is a Python function cannot be saved"):
        own.save("never.tsnet")


# ------------------------------------------------------------------------------------- kinds of table


def test_shapes_of_the_target(fitted, fitted_both):
    assert fitted.predict(X).shape == (40,)
    column = tiny().fit(X, Y[:, None])
    assert column.predict(X).shape == (40, 1)
    np.testing.assert_array_equal(column.predict(X)[:, 0], fitted.predict(X))
    mean, std = fitted_both.predict(TABLE, return_std=True)
    assert mean.shape == std.shape == (40, 2)
    p = fitted_both.predict_distribution(TABLE)
    assert p.target_names == ("strength", "strain")
    assert {"strength_mean", "strain_upper_90", "familiarity"} <= set(p.to_frame(0.9).columns)
    assert tiny().fit(X, BOTH.to_numpy()).predict_distribution(X).target_names == ("y0", "y1")
    assert tiny().fit(X, pd.Series(Y, name="strength")).fitted_.target_names == ("strength",)


def test_labels_of_rows_stay_with_the_prediction(fitted_both):
    labels = pd.Index([f"sample {i}" for i in range(40)], name="id")
    assert fitted_both.predict_distribution(TABLE.set_axis(labels)).to_frame().index.equals(labels)


def test_texts_categories_and_booleans_are_the_same(fitted_texts):
    as_category = TEXTS.assign(c=TEXTS["c"].astype("category"))
    same(
        tiny().fit(as_category, Y).predict_distribution(as_category),
        fitted_texts.predict_distribution(TEXTS),
    )
    switches = TABLE.assign(c=TEXTS["c"] == "steel")
    as_numbers = switches.astype(float)
    same(
        tiny().fit(switches, Y).predict_distribution(switches),
        tiny().fit(as_numbers, Y).predict_distribution(as_numbers),
    )
    assert "c (2 categories)" in fitted_texts.summary()


def test_polars_tables_are_the_same_as_pandas(fitted_texts):
    table = pl.from_pandas(TEXTS)
    there = tiny().fit(table, pl.Series("strength", Y))
    same(there.predict_distribution(table), fitted_texts.predict_distribution(TEXTS))
    assert there.fitted_.target_names == ("strength",)
    assert list(there.feature_names_in_) == ["a", "b", "c"]


# ------------------------------------------------------------------------------------ within scikit-learn


def test_clone_pickle_and_parameters(fitted):
    copy = clone(fitted)
    assert not hasattr(copy, "fitted_")
    assert copy.get_params() == fitted.get_params()
    same(pickle.loads(pickle.dumps(fitted)).predict_distribution(X), fitted.predict_distribution(X))  # noqa: S301  pickled here
    assert list(signature(TSNetRegressor).parameters)[: len(CONSTRUCTOR)] == list(CONSTRUCTOR)


@pytest.mark.slow
def test_pipeline_grid_search_and_cross_validation():
    pipeline = make_pipeline(StandardScaler(), tiny())
    assert pipeline.fit(X, Y).predict(X).shape == (40,)
    _, std = pipeline.predict(X, return_std=True)
    assert (std > 0).all()
    search = GridSearchCV(tiny(kernel=False), {"learning_rate": [0.0, 0.02]}, cv=2, n_jobs=1).fit(X, Y)
    assert search.best_params_ == {"learning_rate": 0.02}
    assert np.isfinite(cross_val_predict(tiny(), X, Y, cv=2)).all()


def test_weights_are_routed():
    weight = np.random.default_rng(6).integers(1, 5, 40)
    with sklearn.config_context(enable_metadata_routing=True):
        asking = tiny().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        search = GridSearchCV(asking, {"width": [8]}, cv=2, n_jobs=1).fit(X, Y, sample_weight=weight)
        routed = search.best_estimator_.predict(X)
    np.testing.assert_array_equal(routed, tiny().fit(X, Y, sample_weight=weight).predict(X))


def test_an_unfitted_model_says_so():
    for call in (lambda m: m.predict(X), lambda m: m.summary(), lambda m: m.save("x"), lambda m: m.history_):
        with pytest.raises(sklearn.exceptions.NotFittedError):
            call(tiny())


# --------------------------------------------------------------------------------------------- on screen

HOSTILE = "<script>alert(1)</script>"


def test_hostile_names_are_escaped_on_screen():
    table = TABLE.set_axis([HOSTILE, "b", "c", "d"], axis=1).set_axis([HOSTILE] * 40)
    m = tiny().fit(table, BOTH.set_axis([HOSTILE, "strain"], axis=1))
    p = m.predict_distribution(table)
    for html in (m._repr_html_(), m._repr_mimebundle_()["text/html"], p._repr_html_()):
        assert "&lt;script&gt;alert(1)" in html
        assert HOSTILE not in html
    unfitted = tiny(details={HOSTILE: HOSTILE})
    assert "TSNetRegressor" in unfitted._repr_html_()
    assert HOSTILE not in unfitted._repr_html_()


def test_history_is_a_table(fitted):
    assert list(fitted.history_.columns) == ["stage", "member", "step", "loss", "validation"]
    assert set(fitted.history_["stage"]) == {"mean", "noise"}


def test_verbose_fits_tell_their_progress(fitted, capsys):
    loud = tiny(verbose=True).fit(X, Y)
    same(loud.predict_distribution(X), fitted.predict_distribution(X))
    shown = capsys.readouterr()
    assert "means: done" in shown.err and not shown.out


# ------------------------------------------------------------------------------------------ saved models


@pytest.mark.parametrize("kind", ["default", pytest.param("paper", marks=pytest.mark.slow), "texts", "both"])
def test_a_saved_model_predicts_the_same_bits(kind, fitted, fitted_texts, fitted_both, tmp_path):
    printed = paper(epochs=4, width=8, noise_width=8, embedding="positional")
    m, rows = {
        "default": lambda: (fitted, X),
        "paper": lambda: (TSNetRegressor(**printed, random_state=0).fit(X, Y), X),
        "texts": lambda: (fitted_texts, TEXTS),
        "both": lambda: (fitted_both, TABLE),
    }[kind]()
    m.save(tmp_path / "m.tsnet")
    back = load(tmp_path / "m.tsnet")
    same(back.predict_distribution(rows), m.predict_distribution(rows))
    assert back.summary() == m.summary()
    assert back.fitted_.fit_summary == m.fitted_.fit_summary
    pd.testing.assert_frame_equal(back.history_, m.history_, check_dtype=False, check_exact=True)
    assert (
        getattr(back, "feature_names_in_", np.array([])).tolist()
        == getattr(m, "feature_names_in_", np.array([])).tolist()
    )
    back.save(tmp_path / "again.tsnet")
    assert (tmp_path / "again.tsnet").read_bytes() == (tmp_path / "m.tsnet").read_bytes()
    again = clone(back).set_params(random_state=0).fit(rows, BOTH if kind == "both" else Y)
    same(again.predict_distribution(rows), m.predict_distribution(rows))


def test_settings_from_numpy_can_be_saved(tmp_path):
    m = tiny(members=np.int64(2), dropout=np.float32(0), density=np.bool_(True)).fit(X, Y)
    m.save(tmp_path / "m.tsnet")
    assert load(tmp_path / "m.tsnet").members == 2


def test_a_record_of_a_model_cannot_be_changed(fitted):
    with pytest.raises(AttributeError):
        fitted.fitted_.imputed_scale = 1
    assert replace(fitted.fitted_, imputed_scale=2.0).imputed_scale == 2


def test_a_new_category_widens_the_error_bar_and_is_unfamiliar():
    """Where the categories differ much, little is known of a further one; nobody is refused."""
    rng = np.random.default_rng(0)
    place = rng.integers(3, size=60)
    table = pd.DataFrame({"t": rng.uniform(-1, 1, 60), "alloy": np.array(["a", "b", "c"])[place]})
    y = 3.0 * place + table.t + 0.1 * rng.normal(size=60)
    model = tiny().fit(table, y)
    known, new = table[:5], table[:5].assign(alloy="z")
    with pytest.warns(TaylorSensusWarning, match=r"column 'alloy': rows 0 \('z'\).* are none of the known categories"):
        asked = model.predict_distribution(new)
    usual = model.predict_distribution(known)
    assert (asked.std > 2 * usual.std).all() and (asked.epistemic > 2 * usual.epistemic).all()
    assert (asked.familiarity < 0.5).all() and (usual.familiarity > 0.9).all()
    assert (np.abs(asked.mean - 3) < 3).all(), "amid the known ones"
