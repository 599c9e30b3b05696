"""`taylor-sensus predict`: a model and a table in, predictions with error bars out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from taylor_sensus.cli.command import Censored, DataFile, Decimal, Exact, Json, ModelFile, Ordinary, XErr
from taylor_sensus.cli.files import check_output, read_rows
from taylor_sensus.cli.screen import note, show_json, wrote
from taylor_sensus.errors import quoted


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
            help="conformal: width from errors on unseen rows, whatever the noise; gaussian: from std and shape.",
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
    from taylor_sensus.tables.file_header import WRITABLE

    check_output(output, [model, data], WRITABLE)

    from taylor_sensus.model.intervals import METHODS, check_coverage

    check_coverage(coverage)
    if interval not in METHODS:
        raise typer.BadParameter(f"expected {' or '.join(METHODS)}, not {interval!r}", param_hint="--interval")

    from taylor_sensus.storage.opening import open_model
    from taylor_sensus.tables.wanted import Reading

    opened = open_model(model)
    reading = Reading(x_err, None, ordinary, None, decimal, censored, exact)
    table = read_rows(data, reading, opened, also=keep or [])

    from taylor_sensus.tables.alignment import pick_columns
    from taylor_sensus.tables.files import beside, write_table

    kept = table.written if keep_all else pick_columns(table.written, keep or [], where=data.name)
    ignored = table.ignored(list(kept))
    if ignored:
        note(f"columns of {data.name} that the model does not use: {quoted(ignored)}")
    prediction = opened.restore().predict_distribution(table.X, X_err=table.X_err)
    bounds = prediction.conformal_interval(coverage) if interval == "conformal" else prediction.interval(coverage)
    write_table(beside(kept, prediction.to_frame(coverage, bounds)), output)
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
