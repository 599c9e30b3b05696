"""Displays in the manner of scikit-learn: models, pipelines and searches in, figures of the plot functions out."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from taylor_sensus.errors import DataError, SettingError
from taylor_sensus.plots import BudgetDisplay, CalibrationDisplay, ParityDisplay, ResidualsDisplay
from taylor_sensus.plots.measured import measured, predicted
from tests.tiny import tiny

JUDGED = (ParityDisplay, CalibrationDisplay, ResidualsDisplay)
ALL = (*JUDGED, BudgetDisplay)


def table(rows=60):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"temp [degC]": rng.uniform(200, 400, rows), "time [s]": rng.uniform(1, 9, rows)},
        index=[f"sample {at}" for at in range(rows)],
    )
    strength = 0.1 * X["temp [degC]"] + 3 * X["time [s]"] + rng.normal(0, 1, rows)
    return X, pd.DataFrame({"strength / MPa": strength, "hardness [HV]": 200 - 2 * strength})


X, Y = table()
y = Y["strength / MPa"]


@pytest.fixture(scope="module")
def model():
    return tiny().fit(X, y)


@pytest.fixture(scope="module")
def both():
    return tiny().fit(X, Y)


@pytest.fixture(scope="module")
def framed():
    """A pipeline whose first step gives a frame with the names of the columns."""
    return make_pipeline(StandardScaler().set_output(transform="pandas"), tiny()).fit(X, y)


@pytest.fixture
def ax():
    return Figure(layout="constrained").subplots()


def lines(ax):
    return [np.asarray(line.get_xydata()) for line in ax.lines]


@pytest.mark.parametrize("kind", ALL)
def test_given_axes_are_used_and_kept(kind, model, ax):
    display = kind.from_estimator(model, X, y, ax=ax)
    assert isinstance(display, kind) and display.ax_ is ax and display.figure_ is ax.figure
    other = Figure().subplots()
    assert display.plot(other) is display and display.ax_ is other


@pytest.mark.parametrize("kind", ALL)
def test_without_axes_a_new_figure_is_made(kind, model):
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    display = kind.from_estimator(model, X, y)
    assert display.figure_.number in plt.get_fignums()
    plt.close(display.figure_)


@pytest.mark.parametrize("kind", JUDGED)
def test_from_predictions_draws_the_same(kind, model, ax):
    other = Figure(layout="constrained").subplots()
    kind.from_estimator(model, X, y, ax=ax)
    kind.from_predictions(y, model.predict_distribution(X), ax=other)
    assert len(ax.lines) > 1
    for one, same in zip(lines(ax), lines(other), strict=True):
        np.testing.assert_array_equal(one, same)


def test_units_stand_on_the_axes(model):
    def labels(kind, **options):
        ax = kind.from_estimator(model, X, y, ax=Figure().subplots(), **options).ax_
        return ax.get_xlabel(), ax.get_ylabel()

    assert labels(ParityDisplay) == ("measured strength [MPa]", "predicted strength [MPa]")
    assert labels(ResidualsDisplay)[0] == "predicted strength [MPa]"
    assert labels(BudgetDisplay, rows="all")[1] == "std of strength [MPa]"
    assert labels(BudgetDisplay, rows="mean")[0] == "std of strength [MPa]"


def test_surprising_rows_get_the_labels_of_the_table(model, ax):
    odd = y.copy()
    odd.iloc[7] += 500
    ResidualsDisplay.from_estimator(model, X, odd, ax=ax, named=1)
    assert [text.get_text() for text in ax.texts] == ["sample 7"]


def test_options_are_passed_on(model, ax):
    ParityDisplay.from_estimator(model, X, y, coverage=0.5, ax=ax)
    assert ax.get_legend().get_title().get_text() == "50 % error bars, 60 rows"
    bars = BudgetDisplay.from_estimator(model, X, rows=[3, 5], ax=Figure().subplots())
    assert [tick.get_text() for tick in bars.ax_.get_xticklabels()] == ["sample 3", "sample 5"]


# --------------------------------------------------------------------------------- pipelines and searches


def test_a_pipeline_is_drawn_through_its_earlier_steps(framed, ax):
    ParityDisplay.from_estimator(framed, X, y, ax=ax)
    drawn = np.concatenate([bars[0].get_xydata() for bars in ax.containers])
    expected = np.column_stack([y, framed.predict(X)])
    np.testing.assert_allclose(np.sort(drawn, axis=0), np.sort(expected, axis=0))


def test_names_of_columns_are_kept_where_transformers_give_frames(framed):
    display = BudgetDisplay.from_estimator(framed, X, ax=Figure().subplots())
    assert display.budget.sources[:2] == ("temp [degC]", "time [s]")
    arrays = make_pipeline(StandardScaler(), tiny()).fit(X, y)
    named = BudgetDisplay.from_estimator(arrays, X, ax=Figure().subplots()).budget.sources[:2]
    assert "temp [degC]" not in named and len(named) == 2


def test_pipelines_inside_pipelines_and_of_one_step(framed, model):
    inner = ColumnTransformer([("same", "passthrough", list(X.columns))], verbose_feature_names_out=False)
    nested = Pipeline([("same", inner.set_output(transform="pandas").fit(X)), ("rest", framed)])
    np.testing.assert_array_equal(predicted(nested, X).mean, predicted(framed, X).mean)
    np.testing.assert_array_equal(predicted(Pipeline([("only", model)]), X).mean, model.predict(X))


def test_a_search_is_drawn_by_its_winner(ax):
    search = GridSearchCV(make_pipeline(StandardScaler(), tiny()), {"tsnetregressor__width": [8]}, cv=2).fit(X, y)
    CalibrationDisplay.from_estimator(search, X, y, ax=ax)
    assert len(ax.lines) == 2
    np.testing.assert_array_equal(predicted(search, X).mean, search.predict(X))


def test_declared_errors_are_passed_on(model, framed):
    for estimator, wide in ((model, {"time [s]": 3.0}), (framed, {"time [s]": 1.5})):
        usual = BudgetDisplay.from_estimator(estimator, X, ax=Figure().subplots()).budget
        given = BudgetDisplay.from_estimator(estimator, X, X_err=wide, ax=Figure().subplots()).budget
        at = usual.sources.index("time [s]")
        assert (given.variance[:, 0, at] > usual.variance[:, 0, at]).all()
        assert given.parts.input_std[:, at] == pytest.approx(wide["time [s]"])
    exact, noisy = (
        kind.from_estimator(model, X, y, X_err=err, ax=Figure().subplots())
        for kind, err in ((ParityDisplay, 0), (ParityDisplay, {"time [s]": 3.0}))
    )
    assert (exact.measured.prediction.std < noisy.measured.prediction.std).all()


# ----------------------------------------------------------------------------------------- several targets


@pytest.mark.parametrize("kind", ALL)
def test_of_several_targets_one_is_chosen(kind, both, ax):
    with pytest.raises(SettingError, match="choose one with target="):
        kind.from_estimator(both, X, Y, ax=ax)
    with pytest.raises(SettingError, match="there is no target 'colour'"):
        kind.from_estimator(both, X, Y, target="colour", ax=ax)
    kind.from_estimator(both, X, Y, target="hardness [HV]", ax=ax)
    if kind is not CalibrationDisplay:
        assert "hardness [HV]" in ax.get_xlabel() + ax.get_ylabel()


def test_the_measured_values_are_those_of_the_target(both):
    prediction = both.predict_distribution(X)
    shuffled = Y[["hardness [HV]", "strength / MPa"]].assign(more=0)
    for given in (Y, shuffled, Y.to_numpy(), Y["hardness [HV]"], Y[["hardness [HV]"]]):
        found = measured(given, prediction, "hardness [HV]")
        np.testing.assert_array_equal(found.y, Y["hardness [HV]"])
        assert found.target == "hardness [HV]"
        np.testing.assert_array_equal(found.prediction.mean, prediction.mean[:, 1])


# -------------------------------------------------------------------------------------------------- mistakes


def test_mistakes_are_named(model, ax):
    with pytest.raises(SettingError, match="LinearRegression gives no predict_distribution; use a TSNetRegressor"):
        ParityDisplay.from_estimator(LinearRegression().fit(X, y), X, y, ax=ax)
    with pytest.raises(DataError, match="expected one column of 60 rows"):
        CalibrationDisplay.from_estimator(model, X, y[:9], ax=ax)
    with pytest.raises(DataError, match="1 missing or infinite values, the first in row 3"):
        ResidualsDisplay.from_estimator(model, X, y.where(np.arange(60) != 3), ax=ax)
    with pytest.raises(SettingError, match="does not know its model"):
        BudgetDisplay.from_predictions(model.predict_distribution(X).target("strength / MPa"), ax=ax)
    for estimator in (tiny(), make_pipeline(StandardScaler(), tiny())):
        with pytest.raises(NotFittedError):
            ParityDisplay.from_estimator(estimator, X, y, ax=ax)
