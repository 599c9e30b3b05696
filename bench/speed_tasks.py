"""What `bench.speed` measures in a fresh process: `python -m bench.speed_tasks '{"task": "fit", ...}'` prints JSON.

Seconds are those of the call alone: a table is made and packages are imported before the clock starts, unless the
import is what is measured.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

DIABETES = (442, 10)
TINY: dict[str, Any] = {
    "depth": 1,
    "embedding": "none",
    "details": {
        "boosting": 0,
        "folds": 2,
        "noise_epochs": 4,
        "kernel_search_rows": 50,
        "kernel_rows": 100,
    },
}
"""Besides what the registry makes smaller."""
WITHOUT_COUNTING = 2
"""Predictions before the one that counts."""


class Seconds(NamedTuple):
    """What a call took."""

    cpu: float
    wall: float


def timed(function: Callable[[], Any]) -> Seconds:
    """Seconds of a call, of all threads of the process and by the clock."""
    cpu, wall = time.process_time(), time.perf_counter()
    function()
    return Seconds(time.process_time() - cpu, time.perf_counter() - wall)


def table(rows: int, columns: int) -> tuple[Any, Any]:
    """Diabetes for its own shape, else noise around a smooth function of four columns.

    Diabetes with other columns loses its last ones, or gets columns of noise.
    """
    import numpy as np
    from sklearn.datasets import load_diabetes

    rng = np.random.default_rng(0)
    if rows == DIABETES[0]:
        X, y = load_diabetes(return_X_y=True)
        more = 0.05 * rng.standard_normal((rows, max(0, columns - X.shape[1])))
        return np.hstack([X, more])[:, :columns], y
    X = rng.uniform(-2, 2, (rows, columns))
    first = X[:, :4]
    y = np.sin(2 * first[:, 0]) + first[:, 1 % columns] ** 2 + first.sum(axis=1)
    return X, y + (0.1 + 0.2 * np.abs(first[:, 0])) * rng.standard_normal(rows)


def model(quick: bool, method: str = "tsnet", **changes: Any) -> Any:
    """A new estimator: the default, or a tiny one."""
    from taylor_sensus.baselines.registry import method as named

    tiny = TINY if quick and method == "tsnet" else {}
    return named(method).make(random_state=0, quick=quick, **{**tiny, **changes})


def fit(rows: int, columns: int, quick: bool, repeats: int, method: str = "tsnet") -> dict[str, Any]:
    """A first fit in this process, the best of some repeats, and the steps that the mean networks made."""
    X, y = table(rows, columns)
    if method == "catboost":
        import_module("catboost")  # loading it is not fitting
    models = [model(quick, method) for _ in range(1 + repeats)]
    taken = [timed(lambda one=one: one.fit(X, y)) for one in models]
    found: dict[str, Any] = {"first": taken[0], "repeat": min(taken[1:], default=None)}
    if method == "tsnet":
        history = models[0].history_
        means = history[history["stage"] == "mean"]
        found["steps"] = int(means.groupby("member")["step"].max().sum())
    return found


def bare_step(rows: int, columns: int, quick: bool) -> dict[str, Any]:
    """Seconds of CPU of one bare step of the mean network: gradient and Adam."""
    import jax

    from bench import steps

    if quick:
        steps.STEPS = 20
    batch = steps.BATCH
    while batch > rows / 2:
        batch //= 2
    run = steps.bare_mean_step(columns, batch)
    jax.block_until_ready(run())
    taken = min(timed(lambda: jax.block_until_ready(run())) for _ in range(3))
    return {"step": taken.cpu / steps.STEPS}


def predict(train_rows: int, columns: int, rows: int, quick: bool, epochs: int | None) -> dict[str, Any]:
    """Means and error bars of new rows; how long the model was trained makes no difference to that."""
    import numpy as np

    X, y = table(train_rows, columns)
    fitted = model(quick, **({} if epochs is None else {"epochs": epochs})).fit(X, y)
    new = X[np.random.default_rng(1).integers(len(X), size=rows)]
    taken = [timed(lambda: fitted.predict(new, return_std=True)) for _ in range(WITHOUT_COUNTING + 1)]
    return {"predict": taken[-1]}


def imports() -> dict[str, Any]:
    """CPU seconds of importing the estimator, beyond those of scikit-learn's base and pandas."""

    others = timed(lambda: [import_module(name) for name in ("sklearn.base", "pandas")])
    return {"others": others, "ours": timed(lambda: import_module("taylor_sensus").TSNetRegressor)}


def model_file(folder: str, quick: bool) -> dict[str, Any]:
    """Write a model of 400 rows and a table of 60 new ones into a folder: concrete if it is there."""
    from pathlib import Path

    import pandas as pd

    from taylor_sensus.datasets.catalogue import load_dataset
    from taylor_sensus.errors import TaylorSensusError

    try:
        data = load_dataset("concrete")
        X, y, name = data.X, data.y, "concrete"
    except TaylorSensusError:
        cells, y = table(460, 8)
        X, name = pd.DataFrame(cells).add_prefix("x"), "460 x 8"
    order = pd.Series(range(len(X))).sample(460, random_state=0)
    X, y = X.iloc[order].reset_index(drop=True), pd.Series(y).iloc[order].reset_index(drop=True)
    model(quick).fit(X[:400], y[:400]).save(Path(folder) / "model.tsnet")
    X[400:].to_csv(Path(folder) / "new.csv", index=False)
    X[400:].iloc[:, 1:].to_csv(Path(folder) / "narrow.csv", index=False)
    return {"name": name}


TASKS: dict[str, Callable[..., dict[str, Any]]] = {
    each.__name__: each for each in (fit, bare_step, predict, imports, model_file)
}


def main() -> None:
    """Run one task."""
    asked = json.loads(sys.argv[1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = TASKS[asked.pop("task")](**asked)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
