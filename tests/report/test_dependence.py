"""Curves are averages of real predictions, over the values that the table holds."""

import numpy as np
import pandas as pd
import pytest

from taylor_sensus.budget_mean import budget_sums
from taylor_sensus.report import dependence as dependence_module
from taylor_sensus.report.dependence import CURVES, POINTS, ROWS


def dependence(model, features):
    return dependence_module.dependence(model, features, budget_sums(model.noise_budget(features)))


def test_a_curve_is_the_average_of_changed_rows(model, table):
    features = table.iloc[:, :3]
    found = dependence(model, features)
    curve = {c.column: c for c in found.curves}["time [s]"]
    assert (found.rows, found.of_rows, found.columns) == (120, 120, 3)
    for at in (0, 11, POINTS - 1):
        changed = model.predict_distribution(features.assign(**{"time [s]": curve.at[at]}))
        assert curve.average.mean[at] == pytest.approx(changed.mean.mean(), rel=1e-5)
        assert curve.average.variance[at] == pytest.approx(changed.variance.mean(), rel=1e-4)
    low, high = np.quantile(features["time [s]"], [0.01, 0.99])
    assert curve.at[0] == pytest.approx(low) and curve.at[-1] == pytest.approx(high)


def test_categories_and_columns_of_few_values_are_taken_as_they_are(model, table):
    features = table.iloc[:, :3].assign(**{"time [s]": np.tile([1.0, 2.0, 5.0], 40)})
    curves = {c.column: c for c in dependence(model, features).curves}
    assert sorted(curves["alloy"].at) == ["brass", "steel"]
    assert curves["time [s]"].at.tolist() == [1, 2, 5]


def test_the_column_that_moves_most_comes_first_and_constant_ones_are_left_out(model, table):
    features = table.iloc[:, :3].assign(alloy="steel")
    found = dependence(model, features)
    moved = [np.ptp(curve.average.mean) for curve in found.curves]
    assert moved == sorted(moved, reverse=True) and "alloy" not in [curve.column for curve in found.curves]


@pytest.mark.slow
def test_many_rows_and_columns_are_reduced_and_counted(make_model):
    rng = np.random.default_rng(0)
    x = pd.DataFrame(rng.normal(size=(ROWS + 50, CURVES + 4)), columns=[f"c{at}" for at in range(CURVES + 4)])
    model = make_model().fit(x, 9 * x["c7"] + rng.normal(0, 0.1, len(x)))
    found = dependence(model, x)
    assert (found.rows, found.of_rows, found.columns) == (ROWS, ROWS + 50, CURVES + 4)
    assert len(found.curves) == CURVES and found.curves[0].column == "c7"


def test_gaps_are_left_aside(model, table):
    features = table.iloc[:, :3].copy()
    features.iloc[:100, 0] = np.nan
    curve = {c.column: c for c in dependence(model, features).curves}["temp [degC]"]
    assert np.isfinite(curve.at).all() and np.isfinite(curve.average.mean).all()
