"""Error bars take the size that new rows show, means stay, and the summary judges by the new rows."""

import numpy as np
import pytest

from taylor_sensus import DataError, load
from tests.tiny import numbers, tiny


@pytest.fixture
def model():
    return tiny(kernel=False).fit(*numbers(60))


@pytest.mark.parametrize("size", [0.3, 4.0])
def test_a_noisier_or_quieter_instrument(model, size):
    X, _ = numbers(400, seed=1)
    before = model.predict_distribution(X)
    rng = np.random.default_rng(2)
    y = before.mean + size * before.std * rng.standard_normal(400)
    model.recalibrate(X, y)
    after = model.predict_distribution(X)
    assert np.array_equal(after.mean, before.mean)
    new = after.mean + size * before.std * rng.standard_normal(400)
    held = np.mean((after.interval(0.9).lower <= new) & (new <= after.interval(0.9).upper))
    # What too little data leaves open is not rescaled, so quieter rows only shrink the noise.
    assert held == pytest.approx(0.9, abs=0.05) or (size < 1 and held > 0.9 and (after.std < before.std).all())
    conformal = model.predict_interval(X)
    assert np.mean((conformal.lower <= new) & (new <= conformal.upper)) == pytest.approx(0.9, abs=0.05)


def test_the_summary_judges_by_the_new_rows_and_survives_a_file(model, tmp_path):
    X, y = numbers(50, seed=1)
    model.recalibrate(X, y)
    assert model.fitted_.fit_summary.held_out_rows == 50 and "of 50 unseen rows" in model.summary()
    model.save(tmp_path / "m.tsnet")
    again = load(tmp_path / "m.tsnet")
    assert again.summary() == model.summary()
    assert np.array_equal(again.predict_interval(X), model.predict_interval(X))


def test_declared_variances_are_not_rescaled(model):
    X, _ = numbers(200, seed=1)
    before = model.predict_distribution(X, y_err=3.0)
    y = before.mean + np.random.default_rng(0).normal(0, 3.0, 200)
    model.recalibrate(X, y, y_err=3.0)
    after = model.predict_distribution(X, y_err=3.0)
    assert after.target_error_variance == pytest.approx(before.target_error_variance)
    assert model.predict_distribution(X, y_err=0.0).std.mean() < 3.0


def test_too_few_rows_and_other_shapes_are_refused(model):
    X, y = numbers(9)
    with pytest.raises(DataError, match="at least 10"):
        model.recalibrate(X, y)
    with pytest.raises(DataError, match="targets"):
        model.recalibrate(*numbers(20)[:1], np.zeros((20, 2)))
