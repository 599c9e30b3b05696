"""`taylor-sensus demo`: the whole way from a table to error bars, on data that come with scikit-learn."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from taylor_sensus.cli.command import Jobs, Json, Quiet
from taylor_sensus.cli.screen import score_text, show_json, show_table, wrote
from taylor_sensus.errors import DataError

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from taylor_sensus.prediction import Prediction

SEED = 0
SHOWN = {"rmse": "RMSE", "mae": "MAE", "r2": "R2", "nll": "NLL", "coverage_90": "90 % intervals hold"}


def demo(
    ctx: typer.Context,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the figure and the predictions.")] = Path(
        "demo-output"
    ),
    jobs: Jobs = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Fit a table that comes with scikit-learn.

    Shows errors, error bars and where they come from, and writes a figure and the predictions. Takes half
    a minute.
    """
    if out.exists() and not out.is_dir():
        raise DataError(f"{out} is a file; give the name of a folder")

    from sklearn.datasets import load_diabetes
    from sklearn.model_selection import train_test_split

    from taylor_sensus import TSNetRegressor
    from taylor_sensus.scores import evaluate

    table: Any = load_diabetes(as_frame=True, scaled=False)
    target = table.target.rename("progression")
    split: Any = train_test_split(table.data, target, test_size=0.2, random_state=SEED)
    X, X_test, y, y_test = split
    model = TSNetRegressor(random_state=SEED, n_jobs=jobs, verbose=not quiet).fit(X, y)
    prediction = model.predict_distribution(X_test)
    methods = {"Taylor-Sensus": prediction, **_references(X, y, X_test)}
    result = {
        "rows": len(y),
        "test_rows": len(y_test),
        "scores": {name: evaluate(y_test, each) for name, each in methods.items()},
        "sources": _sources(prediction),
    }
    if not as_json:
        _show(**result)
    files = _write(ctx, out, X_test, y_test, prediction)
    if as_json:
        show_json({**result, "files": files})
    else:
        typer.echo("Your own table: taylor-sensus fit table.csv --target COLUMN -o model.tsnet")


def _show(rows: int, test_rows: int, scores: dict[str, Any], sources: dict[str, Any]) -> None:
    show_table(
        f"Diabetes: progression after a year; {rows} patients to learn from, {test_rows} held out",
        ["method", *SHOWN.values()],
        [[name, *[score_text(key, found[key]) for key in SHOWN]] for name, found in scores.items()],
    )
    show_table(
        "Where the error bars come from",
        ["source", "mean std", "share of variance"],
        [[name, f"{part['mean_std']:#.4g}", f"{part['share_of_variance']:.0%}"] for name, part in sources.items()],
    )


def _references(X: pd.DataFrame, y: pd.Series, X_test: pd.DataFrame) -> dict[str, Prediction]:
    """What a straight line and the mean alone would say, with one error bar for all rows."""
    import numpy as np
    from sklearn.dummy import DummyRegressor
    from sklearn.linear_model import RidgeCV
    from sklearn.model_selection import cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    methods = {
        "ridge regression": make_pipeline(StandardScaler(), RidgeCV(np.logspace(-2, 3, 11))),
        "predict the mean": DummyRegressor(),
    }
    found = {}
    for name, method in methods.items():
        unseen_error = y.to_numpy() - np.asarray(cross_val_predict(method, X, y))
        found[name] = _even_noise(method.fit(X, y).predict(X_test), float(np.mean(unseen_error**2)))
    return found


def _even_noise(mean: np.ndarray, variance: float) -> Prediction:
    import numpy as np

    from taylor_sensus.prediction import Prediction

    none = np.zeros_like(mean)
    return Prediction(mean, none, none + variance, none, none + 1)


def _sources(prediction: Prediction) -> dict[str, dict[str, float]]:
    """Mean std of each source of error, and its share of the variance."""
    stds = {
        "feature noise": prediction.feature_noise,
        "system noise": prediction.system_noise,
        "epistemic (too little data)": prediction.epistemic,
        "total": prediction.std,
    }
    whole = prediction.variance.mean()
    return {
        name: {"mean_std": float(std.mean()), "share_of_variance": float((std**2).mean() / whole)}
        for name, std in stds.items()
    }


def _write(ctx: typer.Context, out: Path, X: pd.DataFrame, y: pd.Series, prediction: Prediction) -> list[str]:
    """The predictions as a table and a figure."""
    import matplotlib
    import pandas as pd
    from matplotlib.figure import Figure

    from taylor_sensus.plots import plot_parity
    from taylor_sensus.plots.style import RC
    from taylor_sensus.tables.files import write_table

    out.mkdir(parents=True, exist_ok=True)
    settings: Any = dict(RC)
    with matplotlib.rc_context(settings):
        figure = Figure(figsize=(4.9, 4.7), layout="constrained")
        plot_parity(y, prediction, ax=figure.subplots())
        table, *images = paths = [out / name for name in ("predictions.csv", "parity.png", "parity.svg")]
        write_table(pd.concat([X, y.rename("measured"), prediction.to_frame(0.9)], axis=1), table)
        wrote(ctx, table)
        for path in images:
            figure.savefig(path)
            wrote(ctx, path)
    return [str(path) for path in paths]
