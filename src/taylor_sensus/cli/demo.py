"""`taylor-sensus demo`: the whole way from a messy table to the next experiment, in a simulated laboratory.

Its truth is known and the case was fixed before it was looked at: the sixty runs that come with the package to learn
from, two hundred new ones of the same laboratory (seed 4) to test on.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from taylor_sensus.cli.command import Jobs, Json, Quiet
from taylor_sensus.cli.screen import score_text, show_json, show_table, wrote
from taylor_sensus.errors import DataError, TaylorSensusWarning

if TYPE_CHECKING:
    from taylor_sensus.prediction import Prediction
    from taylor_sensus.tables.reading import ReadTable

SEED = 0
NEW_RUNS, NEW_SEED = 200, 4
SHOWN = {"rmse": "RMSE", "nll": "NLL", "coverage_90": "90 % intervals hold", "width_90": "their mean width"}


def demo(
    ctx: typer.Context,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the report, predictions and the form.")] = Path(
        "demo-output"
    ),
    jobs: Jobs = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Fit sixty runs of a simulated reactor, written down as laboratories do.

    Shows how good predictions and error bars are on new runs, where the errors come from and what to measure next, and
    writes a report to open in a browser. Needs no network and takes half a minute.
    """
    if out.exists() and not out.is_dir():
        raise DataError(f"{out} is a file; give the name of a folder")

    from taylor_sensus import TSNetRegressor
    from taylor_sensus.scores import evaluate

    table, new = _tables()
    model = TSNetRegressor(random_state=SEED, n_jobs=jobs, verbose=not quiet)
    model.fit(table.X, table.y, X_err=table.X_err, y_err=table.y_err)
    prediction = model.predict_distribution(new.X, X_err=new.X_err, y_err=new.y_err)
    measured = new.y.to_numpy()
    methods = {"Taylor-Sensus": prediction, **_references(table, new)}
    budget = prediction.noise_budget()
    form = model.suggest(n=3, goal="max", random_state=SEED)
    result = {
        "rows": len(table.y),
        "test_rows": len(measured),
        "scores": {name: evaluate(measured, each) for name, each in methods.items()},
        "sources": budget.mean(every=True).to_dict("records"),
        "suggestions": form.table.to_dict("records"),
    }
    if not as_json:
        _show(result["scores"], len(table.y), len(measured))
        typer.echo(f"{budget}\n")
        typer.echo("What to measure next for a higher yield, from the ranges of the sixty runs:")
        settings = [name for name in form.table if name in list(table.X)]
        shown = form.table[["id", *settings, "predicted mean", "predicted std"]].round(2)
        typer.echo(shown.to_string(index=False) + "\n")
    files = _write(ctx, out, model, table, new, prediction, form)
    if as_json:
        show_json({**result, "files": files})
    else:
        typer.echo(f"Open {out / 'report.html'} in a browser.")
        typer.echo("Your own table: taylor-sensus fit table.csv --target COLUMN -o model.tsnet, or: taylor-sensus app")


def _tables() -> tuple[ReadTable, ReadTable]:
    """The sixty runs of the file, and new ones of the same laboratory."""
    from taylor_sensus.datasets.reactor import TABLE, simulated_table
    from taylor_sensus.tables.reading import OpenedTable, open_table, table_for_model, table_to_fit, with_names
    from taylor_sensus.tables.wanted import Reading

    reading = Reading(x_err=["catalyst=0"], censored="half", id="run")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TaylorSensusWarning)  # of cells such as <5, which are chosen to be 2.5
        table = table_to_fit(open_table(TABLE, reading), reading, target=["yield"], drop=[])
        opened = with_names(OpenedTable("new runs", simulated_table(NEW_SEED, NEW_RUNS)), "run")
        return table, table_for_model(opened, reading, table.columns, with_targets=True)


def _show(scores: dict[str, Any], rows: int, new: int) -> None:
    show_table(
        f"A simulated reactor: {rows} runs to learn from, {new} new ones to test on (yield in %)",
        ["method", *SHOWN.values()],
        [[name, *[score_text(key, found[key]) for key in SHOWN]] for name, found in scores.items()],
    )


def _references(table: ReadTable, new: ReadTable) -> dict[str, Prediction]:
    """What a forest, a straight line and the mean alone would say, with one error bar for all rows."""
    import numpy as np
    from sklearn.dummy import DummyRegressor
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import RidgeCV
    from sklearn.model_selection import cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from taylor_sensus.prediction import Prediction
    from taylor_sensus.tables.columns import encode, learn_columns

    columns = learn_columns(table.X)
    x, x_new, y = encode(table.X, columns), encode(new.X, columns), table.y.to_numpy()
    methods = {
        "random forest": RandomForestRegressor(300, random_state=SEED),
        "ridge regression": make_pipeline(StandardScaler(), RidgeCV(np.logspace(-2, 3, 11))),
        "predict the mean": DummyRegressor(),
    }
    found = {}
    for name, method in methods.items():
        whole = make_pipeline(SimpleImputer(strategy="median"), method)
        variance = float(np.mean((y - np.asarray(cross_val_predict(whole, x, y))) ** 2))
        mean = np.asarray(whole.fit(x, y).predict(x_new))
        none = np.zeros_like(mean)
        found[name] = Prediction(mean, none, none + variance, none, none + 1)
    return found


def _write(
    ctx: typer.Context, out: Path, model: Any, table: ReadTable, new: ReadTable, prediction: Prediction, form: Any
) -> list[str]:
    """The report, the predictions beside what was measured, and the form of the next runs."""
    from taylor_sensus.tables.files import write_table

    out.mkdir(parents=True, exist_ok=True)
    report, predictions, next_runs = paths = [out / n for n in ("report.html", "predictions.csv", "next_runs.csv")]
    model.report(report, (table.X, table.y, table.X_err))
    shown = prediction.to_frame(0.9, inputs=True)
    shown.insert(shown.columns.get_loc("mean"), "measured", new.y.to_numpy())
    write_table(shown, predictions)
    form.to_csv(next_runs)
    for path in paths:
        wrote(ctx, path)
    return [str(path) for path in paths]
