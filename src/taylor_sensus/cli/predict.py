"""`taylor-sensus predict`: a model and a table in, predictions with error bars out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from taylor_sensus.cli.command import Censored, DataFile, Decimal, Exact, Json, ModelFile, Ordinary, XErr
from taylor_sensus.cli.files import check_output, ignored_columns, ignored_note
from taylor_sensus.cli.reading import Reading, columns_of, errors_of_inputs, read_for_model
from taylor_sensus.cli.screen import note, quoted, show_json, wrote
from taylor_sensus.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

    from taylor_sensus.prediction import Interval, Prediction


def predict(
    ctx: typer.Context,
    model: ModelFile,
    data: DataFile,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Table to write: .csv, .tsv or .parquet.")
    ],
    coverage: Annotated[float, typer.Option(help="Share of true values that the intervals should hold.")] = 0.9,
    interval: Annotated[
        str,
        typer.Option(
            metavar="WAY",
            help="conformal: width from errors on unseen rows, whatever the noise; gaussian: from the std alone.",
        ),
    ] = "conformal",
    x_err: XErr = None,
    exact: Exact = False,
    keep: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="Column of DATA to copy; may be repeated.")
    ] = None,
    keep_all: Annotated[bool, typer.Option("--keep-all", help="Copy all columns of DATA.")] = False,
    ordinary: Ordinary = None,
    decimal: Decimal = None,
    censored: Censored = "missing",
    as_json: Json = False,
) -> None:
    """Predict each row of DATA.

    Writes mean, error bar and where it comes from to a table. Columns of DATA may come in any order and without
    units; those that the model does not know are ignored. Inputs that declare no error are taken to be as noisy as
    in training.
    """
    from taylor_sensus.model.intervals import METHODS
    from taylor_sensus.scores.inputs import fraction
    from taylor_sensus.tables.table import WRITABLE, pick_columns, write_table

    check_output(output, [model, data], WRITABLE)
    fraction("coverage", coverage)
    if interval not in METHODS:
        raise typer.BadParameter(f"expected {' or '.join(METHODS)}, not {interval!r}", param_hint="--interval")

    from taylor_sensus import load

    fitted = load(model)
    table = read_for_model(data, Reading(x_err, None, ordinary, None, decimal, censored), columns_of(fitted.fitted_))
    kept = table.written if keep_all else pick_columns(table.written, keep or [], where=data.name)
    ignored = ignored_columns(table.written, [*table.used, *map(str, kept.columns)])
    if ignored:
        note(ignored_note(ignored, file=data))
    X_err = errors_of_inputs(table, exact=exact, x_err=x_err)
    prediction = fitted.predict_distribution(table.X, X_err=X_err)
    bounds = fitted.predict_interval(table.X, coverage, interval, X_err=X_err)
    write_table(beside(kept, with_bounds(prediction, bounds, coverage)), output)
    wrote(ctx, output)
    if as_json:
        show_json(
            {
                "output": str(output),
                "rows": len(prediction),
                "targets": prediction.target_names,
                "coverage": coverage,
                "interval": interval,
                **table.facts,
                "kept_columns": [str(name) for name in kept.columns],
                "ignored_columns": ignored,
            }
        )


def with_bounds(prediction: Prediction, bounds: Interval, coverage: float) -> pd.DataFrame:
    """The prediction as a table, with these bounds in place of its own."""
    frame = prediction.to_frame(coverage)
    for word, values in (("lower", bounds.lower), ("upper", bounds.upper)):
        columns = [name for name in frame if name.endswith(f"{word}_{coverage * 100:g}")]
        frame[columns] = values.reshape(len(frame), -1)
    return frame


def beside(kept: pd.DataFrame, predicted: pd.DataFrame) -> pd.DataFrame:
    """Columns of the user's table, then those of the prediction."""
    import pandas as pd

    shared = [name for name in map(str, kept.columns) if name in predicted.columns]
    if shared:
        raise DataError(
            f"the kept column(s) {quoted(shared)} have the name of a column of the prediction; "
            "rename them, or name the others with --keep"
        )
    return pd.concat([kept, predicted], axis=1)
