"""Tables beyond `LARGE` rows: gone through in blocks, judged on some rows, and as honest as small ones."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pandas as pd
import pytest

from taylor_sensus import TSNetRegressor
from taylor_sensus.fit.padding import LARGE
from taylor_sensus.fit.prepare import prepare
from taylor_sensus.records import EncodedTable
from taylor_sensus.rows import BLOCK
from taylor_sensus.settings import Settings, paper

pytestmark = pytest.mark.slow

TINY: dict[str, Any] = {"members": 2, "width": 16, "depth": 1, "epochs": 1}
DETAILS = {"frequency_multiples": (0.25,), "most_steps": 800, "frequencies": 2, "noise_width": 64,
           "boosting": 40, "kernel_rows": 200}  # fmt: skip
ROWS = LARGE + 5000


def draw(rows: int, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(rows, 3)).astype(np.float32), columns=["a", "b", "c"])
    return X, (truth(X) + (0.3 + 0.5 * (X.c > 0)) * rng.normal(size=rows)).to_numpy()


def truth(X: pd.DataFrame) -> pd.Series:
    return np.sin(2 * X.a) + X.b


@pytest.fixture(scope="module")
def fitted() -> TSNetRegressor:
    X, y = draw(ROWS)
    return TSNetRegressor(**TINY, details=DETAILS, random_state=0).fit(X, y)


def test_a_large_table_is_learned_with_its_noise(fitted):
    X, y = draw(4000, seed=1)
    p = fitted.predict_distribution(X)
    assert np.mean((p.mean - truth(X)) ** 2) < 0.03
    for noisy, std in ((X.c > 0.3, 0.8), (X.c < -0.3, 0.3)):
        assert np.median(p.std[noisy]) == pytest.approx(std, rel=0.25)
    low, high = p.interval(0.9)
    assert np.mean((low < y) & (y < high)) == pytest.approx(0.9, abs=0.03)
    assert fitted.fitted_.fit_summary.distinct_rows == ROWS and fitted.fitted_.fit_summary.held_out_rows <= LARGE


def test_precision_of_the_table_does_not_matter(fitted):
    X, y = draw(ROWS)
    other = TSNetRegressor(**TINY, details=DETAILS, random_state=0).fit(X.astype(np.float64), y)
    assert np.array_equal(other.predict(X[:100].astype(np.float64)), fitted.predict(X[:100]))


def test_many_rows_are_predicted_as_few_at_a_time(fitted):
    X, _ = draw(BLOCK + 300, seed=2)
    p = fitted.predict_distribution(X.set_axis(range(7, 7 + len(X))))
    assert len(p) == len(X) and p.index is not None and p.index[0] == 7
    last = fitted.predict_distribution(X[BLOCK:])
    np.testing.assert_allclose(p.mean[BLOCK:], last.mean, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(p.std[BLOCK:], last.std, rtol=1e-4)


def test_the_printed_method_with_validation_rows():
    X, y = draw(ROWS)
    model = TSNetRegressor(**{**paper(width=16, depth=1, epochs=1, most_steps=400), "random_state": 0})
    model.fit(X[:-600], y[:-600], X_val=X[-600:], y_val=y[-600:])
    assert model.fitted_.fit_summary.held_out_rows == 600
    assert np.isfinite(model.predict(X[:100], return_std=True)).all()


def test_only_a_copy_in_single_precision_stays_of_a_table():
    """Memory of a table twice as large: a little more than the cells that were added, in single precision."""
    peaks, sizes = [], (2 * LARGE, 4 * LARGE)
    for rows in sizes:
        rng = np.random.default_rng(0)
        x = rng.standard_normal((rows, 40), np.float32)
        table = EncodedTable(x, x[:, :1].astype(np.float64), np.ones(rows))
        tracemalloc.start()
        prepare(table, None, Settings())
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] - peaks[0] < 1.5 * (sizes[1] - sizes[0]) * 40 * 4
