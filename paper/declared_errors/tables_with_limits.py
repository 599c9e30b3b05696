"""Cells that tell only a bound: inputs below a detection limit, and a target of which a fifth lies below one."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd

from paper.declared_errors.methods import COMPARED, DECLARED, EXACT, HALF, UNDECLARED
from taylor_sensus import read_measurements
from taylor_sensus.prediction import Prediction

ROWS, NEW = 200, 1000
LIMIT, NOISE, TARGET_NOISE, SHARE = 0.5, 0.2, 0.3, 0.2
WAYS = {DECLARED: "expected", UNDECLARED: "missing", HALF: "half"}
"""What the reader makes of a cell such as <0.5."""


def censored_inputs(method: str, seed: int, *, quick: bool) -> dict[str, Any]:
    """A concentration that cannot be read below a limit: error on the rows below it, in training and in use."""
    rng = np.random.default_rng([seed, ROWS])
    amount, x = np.exp(rng.standard_normal(ROWS + NEW)), rng.uniform(-2, 2, ROWS + NEW)
    y = amount + np.sin(2 * x) + NOISE * rng.standard_normal(ROWS + NEW)
    below = amount < LIMIT
    exact = pd.DataFrame({"amount": amount, "x": x})
    if method == EXACT:
        X, X_err = exact, None
    else:
        cells = np.where(below, f"<{LIMIT}", [f"{value:.12g}" for value in amount])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it says what becomes of such cells
            X, X_err = read_measurements(exact.assign(amount=cells), censored=WAYS[method]).inputs(["amount", "x"])
    rows, new = np.arange(50 if quick else ROWS), np.arange(ROWS, ROWS + NEW)
    told = [{} if X_err is None else {"X_err": X_err.iloc[part]} for part in (rows, new)]
    model = _ours(method, seed, quick).fit(X.iloc[rows], y[rows], **told[0])
    found = model.predict_distribution(X.iloc[new], **told[1])
    return _scores(found, y[new], below[new])


def censored_target(method: str, seed: int, *, quick: bool) -> dict[str, Any]:
    """A fifth of the targets is only known to lie below a limit: marked, dropped, or known after all."""
    rng = np.random.default_rng(seed)
    rows = 60 if quick else ROWS
    x, new = rng.uniform(-2, 2, (rows, 2)), rng.uniform(-2, 2, (NEW, 2))
    law = [2 * at[:, 0] + np.sin(2 * at[:, 1]) for at in (x, new)]
    y, y_new = (f + TARGET_NOISE * rng.standard_normal(len(f)) for f in law)
    limit = np.quantile(y, SHARE)
    measured, low = y >= limit, law[1] < limit
    model = _ours(method, seed, quick)
    if method == DECLARED:
        model.fit(x, np.maximum(y, limit), y_limit=np.where(measured, 0, -1))
    else:
        kept = measured if method == UNDECLARED else slice(None)
        model.fit(x[kept], y[kept])
    found = model.predict_distribution(new)
    return {**_scores(found, y_new, low), "bias": float(np.mean(found.mean[low] - law[1][low]))}


def _ours(method: str, seed: int, quick: bool) -> Any:
    base = COMPARED[method].base
    assert base is not None, "limits are asked of TSNet alone"
    return base.make(random_state=seed, n_jobs=1, quick=quick)


def _scores(found: Prediction, y: np.ndarray, low: np.ndarray) -> dict[str, Any]:
    """Error and coverage of the rows below the limit, and coverage of all."""
    lower, upper = found.interval(0.9)
    inside = (y >= lower) & (y <= upper)
    return {
        "rmse_low": float(np.sqrt(np.mean((found.mean - y)[low] ** 2))),
        "rmse": float(np.sqrt(np.mean((found.mean - y) ** 2))),
        "coverage_low": float(inside[low].mean()),
        "coverage": float(inside.mean()),
        "nll": -float(np.mean(found.logpdf(y))),
    }
