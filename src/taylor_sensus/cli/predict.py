"""`taylor-sensus predict`: a model and a table, or a folder of files, in; predictions with error bars out."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from taylor_sensus.cli.command import (
    OUTPUTS,
    Censored,
    Data,
    Decimal,
    Exact,
    Id,
    Json,
    ModelFile,
    Ordinary,
    Quiet,
    Sheet,
    XErr,
)
from taylor_sensus.cli.files import STANDARD, check_output, read_rows, write_output
from taylor_sensus.cli.screen import note, show_json
from taylor_sensus.errors import DataError, quoted

if TYPE_CHECKING:
    from taylor_sensus.out_of_core.predict import PredictOptions
    from taylor_sensus.tables.companions import Pairing
    from taylor_sensus.tables.wanted import Reading


def predict(
    ctx: typer.Context,
    model: ModelFile,
    data: Data,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help=f"Table to write: {OUTPUTS}; or a folder, which takes DATA of any size.",
        ),
    ],
    coverage: Annotated[float, typer.Option(help="Share of true values that the intervals should hold.")] = 0.9,
    interval: Annotated[
        str,
        typer.Option(
            metavar="WAY",
            help="conformal: width from errors on unseen rows, whatever the noise; gaussian: from std and shape.",
        ),
    ] = "conformal",
    groups: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column that names the batch or sample of each row; the one of the fit by default, if DATA has it.",
        ),
    ] = None,
    id_: Id = None,
    sheet: Sheet = None,
    x_err: XErr = None,
    exact: Exact = False,
    keep: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="Column of DATA to copy; may be repeated.")
    ] = None,
    keep_all: Annotated[bool, typer.Option("--keep-all", help="Copy all columns of DATA.")] = False,
    ordinary: Ordinary = None,
    decimal: Decimal = None,
    censored: Censored = "missing",
    jobs: Annotated[
        int | None,
        typer.Option(metavar="N", help="Into a folder: processes at the same time; 1 by default, -1: all cores."),
    ] = None,
    file_format: Annotated[
        str | None,
        typer.Option("--format", metavar="KIND", help="Into a folder: parquet or csv; that of DATA by default."),
    ] = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Predict each row of DATA.

    Writes mean, error bar and where it comes from to a table. Columns of DATA may come in any order and without
    units; those that the model does not know are ignored. Inputs that declare no error are taken to be as noisy as
    in training.

    With a folder as PATH, DATA may be larger than memory: a Parquet or CSV file, or a folder of such files. It is
    predicted part by part, in the order of its rows, and the same command goes on where it was broken off.
    """
    from taylor_sensus.tables.wanted import Reading

    reading = Reading(x_err, None, ordinary, None, decimal, censored, exact, sheet, id_)
    if output != STANDARD and (data.is_dir() or output.is_dir() or not output.suffix):
        from taylor_sensus.out_of_core.predict import PredictOptions

        copied = [*([id_] if id_ and id_ not in (keep or []) else []), *(keep or [])]
        options = PredictOptions(
            keep="all" if keep_all else copied,
            coverage=coverage,
            interval=interval,
            n_jobs=1 if jobs is None else jobs,
            file_format=file_format,
            verbose=not quiet,
        )
        if groups is not None:
            raise typer.BadParameter("groups are not read from files that are predicted into a folder")
        if sheet is not None:
            raise typer.BadParameter("books are not predicted into a folder; give the name of a table to write")
        _predict_files(ctx, model, data, output, reading._replace(id=None), options, as_json)
        return
    if jobs is not None or file_format is not None:
        raise typer.BadParameter("--jobs and --format need a folder as output, such as -o predicted/")
    from taylor_sensus.tables.file_header import WRITABLE

    check_output(output, [model, data], WRITABLE, as_json=as_json)

    from taylor_sensus.model.intervals import METHODS, check_coverage

    check_coverage(coverage)
    if interval not in METHODS:
        raise typer.BadParameter(f"expected {' or '.join(METHODS)}, not {interval!r}", param_hint="--interval")

    from taylor_sensus.storage.opening import open_model

    opened = open_model(model)
    table = read_rows(data, reading, opened, also=[*(keep or []), *([] if groups is None else [groups])])

    from taylor_sensus.tables.alignment import pick_columns
    from taylor_sensus.tables.files import with_predictions
    from taylor_sensus.tables.groups import group_column
    from taylor_sensus.tables.reading import naming_columns

    kept = table.written if keep_all else pick_columns(table.written, keep or [], where=data.name)
    restored = opened.restore()
    column = group_column(restored.fitted_.group_names, list(table.written), groups)
    ignored = table.ignored([*kept, *([] if column is None else [column])])
    if ignored:
        naming = naming_columns(table.written[ignored]) if id_ is None else []
        names = f"; --id {shlex.quote(naming[0])} would name the rows of the predictions" if naming else ""
        note(f"columns of {data.name} that the model does not use: {quoted(ignored)}{names}")
    labels = None if column is None else table.written[column]
    prediction = restored.predict_distribution(table.X, X_err=table.X_err, groups=labels)
    bounds = prediction.conformal_interval(coverage) if interval == "conformal" else prediction.interval(coverage)
    write_output(ctx, with_predictions(kept, prediction.to_frame(coverage, bounds)), output)
    if as_json:
        show_json(
            {
                "output": str(output),
                "rows": len(prediction),
                "targets": prediction.target_names,
                "coverage": coverage,
                "interval": interval,
                **table.details,
                "kept_columns": [str(name) for name in kept.columns],
                "ignored_columns": ignored,
            }
        )


def _predict_files(
    ctx: typer.Context, model: Path, data: Path, output: Path, reading: Reading, options: PredictOptions, as_json: bool
) -> None:
    if data.is_dir() and output.suffix and not output.is_dir():
        raise DataError(f"{data} is a folder, so {output} must be one too: give a name without an ending")
    if not data.exists():
        raise DataError(f"there is no file or folder {data}")

    from taylor_sensus.out_of_core.predict import predict_files

    def begun(pairings: list[Pairing], parts: int, parts_before: int) -> None:
        for pairing in pairings:
            note(f"{pairing}; if it does not: --ordinary {shlex.quote(pairing.errors)}")
        if parts_before:
            note(f"{parts_before} of {parts} parts are there already")
        ctx.obj.append(f"a part of {output}")

    found = predict_files(model, data, output, reading, options, begun)
    typer.echo(f"wrote {output} ({len(found.files)} parts)", err=True)
    if as_json:
        show_json(
            {
                "output": str(output),
                "rows": found.rows,
                "parts": len(found.files),
                "parts_before": found.parts_before,
                "coverage": options.coverage,
                "interval": options.interval,
                "error_columns": {pairing.column: pairing.errors for pairing in found.pairings},
                "kept_columns": found.kept,
                "seconds": found.seconds,
            }
        )
