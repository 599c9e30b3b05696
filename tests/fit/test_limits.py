"""Targets and inputs that tell only a bound."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from taylor_sensus import load, read_measurements
from taylor_sensus.errors import DataError, TaylorSensusWarning
from taylor_sensus.model.truncated import truncated_normal
from tests.tiny import tiny


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_moments_on_one_side_are_those_of_draws(side: float):
    draws = 1 + 2 * np.random.default_rng(0).standard_normal(400_000)
    inside = draws[side * (draws - 0.5) > 0]
    mean, variance = truncated_normal(np.array([1.0]), np.array([2.0]), np.array([0.5]), np.array([side]))
    assert mean[0] == pytest.approx(inside.mean(), abs=0.02)
    assert variance[0] == pytest.approx(inside.var(), rel=0.02)


def censored(rows: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Inputs, true values, what was recorded, and the marks: the lowest fifth is only known to lie below a limit."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-2, 2, (rows, 1))
    y = 2 * x[:, 0] + 0.5 * rng.standard_normal(rows)
    limit = np.quantile(y, 0.2)
    return x, 2 * x[:, 0], np.maximum(y, limit), np.where(y < limit, -1, 0)


@pytest.mark.slow
def test_a_censored_target_is_not_drawn_to_its_limit(tmp_path):
    x, truth, y, side = censored(200, 0)
    low = truth < np.quantile(truth, 0.15)
    model = tiny().fit(x, y, y_limit=side)
    dropped = tiny().fit(x[side == 0], y[side == 0])
    bias = np.mean(model.predict(x[low]) - truth[low])
    assert abs(bias) < np.mean(y[low] - truth[low]) / 2
    assert abs(bias) < max(abs(np.mean(dropped.predict(x[low]) - truth[low])), 0.3)
    assert model.fitted_.fit_summary.held_out_rows == (side == 0).sum()
    model.save(tmp_path / "m.tsnet")
    np.testing.assert_array_equal(load(tmp_path / "m.tsnet").fitted_.rows.y_limit[:, 0], side)


def test_marks_are_checked():
    x, _, y, side = censored(40, 0)
    with pytest.raises(DataError, match="y_limit"):
        tiny().fit(x, y, y_limit=side[:10])
    with pytest.raises(DataError, match="y_limit"):
        tiny().fit(x, y, y_limit=np.full(40, 2))
    with pytest.raises(DataError, match="measured"):
        tiny().fit(x, y, y_limit=np.full(40, "below"))


def test_inputs_below_a_limit_hold_what_is_expected_there():
    rng = np.random.default_rng(0)
    true = np.exp(rng.standard_normal(2000))
    cells = ["<0.5" if value < 0.5 else f"{value:.6f}" for value in true]
    with pytest.warns(TaylorSensusWarning, match="expected"):
        read = read_measurements(pd.DataFrame({"c": cells, "y": true}), censored="expected")
    below = true < 0.5
    assert read.values["c"][below].nunique() == 1
    assert read.values["c"][below].iloc[0] == pytest.approx(true[below].mean(), abs=0.02)
    assert read.errors["c"][below].iloc[0] == pytest.approx(true[below].std(), abs=0.02)
    with pytest.raises(DataError, match="bound"):
        read.split("c")
