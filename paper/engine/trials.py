"""One method on one set of rows: made, fitted, timed and judged, the same way in every study."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np

from paper.engine.ledger import plain
from taylor_sensus.baselines.networks import NeuralBaseline
from taylor_sensus.baselines.registry import Method
from taylor_sensus.datasets.catalogue import SplitDataset
from taylor_sensus.prediction import Prediction
from taylor_sensus.regressor import TSNetRegressor
from taylor_sensus.scores import evaluate, mae, mse, r2, rmse
from taylor_sensus.settings import CONSTRUCTOR, resolve

NOT_SETTINGS = ("random_state", "n_jobs", "verbose")
NOT_OF_RIVALS = ("kernel", "kernel_rows", "kernel_limit", "kernel_search_rows", "repeats", "taylor", "contrast_weight",
                 "robust", "interval_fits")  # fmt: skip
"""Settings of parts that TSNet alone has: a change there does not touch the rivals that share its network."""
ACCURACY = {"mse": mse, "mae": mae, "rmse": rmse, "r2": r2}
DISTRIBUTION = (
    *("nll", "nll_paper", "crps", "coverage_50", "coverage_80", "coverage_90", "coverage_95"),
    *("width_90", "coverage_90_low", "coverage_90_mid", "coverage_90_high", "std_error_spearman"),
)


class Fitted(NamedTuple):
    """A model, and what it took."""

    model: Any
    seconds: float


class Judged(NamedTuple):
    """What a model says of the test rows, its scores there, and what it took."""

    prediction: Prediction
    scores: Mapping[str, float | None]
    seconds: float


def fit(model: Any, parts: SplitDataset) -> Fitted:
    """Fit to the training rows; validation rows are given if there are any."""
    given = {"X_val": parts.X_val, "y_val": parts.y_val} if len(parts.y_val) else {}
    started = time.perf_counter()
    model.fit(parts.X_train, parts.y_train, **given)
    return Fitted(model, time.perf_counter() - started)


def judge(model: Any, parts: SplitDataset, *, gives_std: bool) -> Judged:
    """Predict the test rows and score; scores that the method does not allow are None."""
    started = time.perf_counter()
    prediction = model.predict_distribution(parts.X_test)
    seconds = time.perf_counter() - started
    y = np.asarray(parts.y_test, np.float64)
    found = {name: score(y, prediction.mean) for name, score in ACCURACY.items()}
    found |= evaluate(y, prediction) if gives_std else {}
    return Judged(prediction, {name: found.get(name) for name in (*ACCURACY, *DISTRIBUTION)}, seconds)


def fit_and_judge(kind: Method, seed: int, parts: SplitDataset, n_jobs: int | None, quick: bool) -> dict[str, Any]:
    """The values of a study that wants no more than scores and seconds."""
    fitted = fit(kind.make(random_state=seed, n_jobs=n_jobs, quick=quick), parts)
    return values_of(fitted, judge(fitted.model, parts, gives_std=kind.gives_std))


def values_of(fitted: Fitted, judged: Judged) -> dict[str, Any]:
    """Number of test rows, scores and seconds."""
    seconds = {"fit_seconds": fitted.seconds, "predict_seconds": judged.seconds}
    return {"rows": len(judged.prediction), **judged.scores, **seconds}


def row_errors(parts: SplitDataset, prediction: Prediction) -> dict[str, np.ndarray]:
    """Target minus mean of each test row. No targets: they belong to the authors of the data, not ours to publish."""
    error = np.asarray(parts.y_test, np.float64) - prediction.mean
    return {"row": np.asarray(parts.X_test.index, np.int32), "error": error.astype(np.float32)}


def settings_of(kind: Method, quick: bool) -> dict[str, Any]:
    """All of a method's constructor arguments, and for networks every setting behind them, as JSON values."""
    made = kind.make(random_state=0, quick=quick)
    given = {key: value for key, value in made.get_params(deep=False).items() if key not in NOT_SETTINGS}
    if isinstance(made, TSNetRegressor):
        given |= asdict(resolve({key: given[key] for key in CONSTRUCTOR}, made.details))
    elif isinstance(made, NeuralBaseline):
        given |= {name: value for name, value in asdict(made.settings()).items() if name not in NOT_OF_RIVALS}
    return plain(given)
