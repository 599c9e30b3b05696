"""`taylor-sensus update`: a model and a form with new results in, a better model out."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from taylor_sensus.cli.command import TABLES, Force, Jobs, Json, ModelFile, Quiet, Sheet, WithoutRows, XErr, YErr
from taylor_sensus.cli.files import check_output, noted
from taylor_sensus.cli.info import description
from taylor_sensus.cli.screen import note, show_json, wrote


def update(
    ctx: typer.Context,
    model: ModelFile,
    filled: Annotated[
        Path, typer.Argument(metavar="FILLED", help=f"Form of `suggest` with results filled in ({TABLES}).")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="MODEL", help="Model file to write (.tsnet).")],
    sheet: Sheet = None,
    x_err: XErr = None,
    y_err: YErr = None,
    without_rows: WithoutRows = False,
    force: Force = False,
    jobs: Jobs = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Fit again with new results added.

    Rows without a result, and those whose status says that they failed or are only planned, are left out. Results may
    be written with their errors, as in 14.2 ± 0.3. Errors of inputs have to be declared again: in the cells, or here.
    """
    check_output(output, [model, filled], force=force)

    from taylor_sensus.storage.opening import open_model
    from taylor_sensus.tables.file_header import check_readable

    opened = open_model(model)
    check_readable(filled)

    from taylor_sensus.tables.reading import open_table
    from taylor_sensus.tables.wanted import Reading

    form = noted(open_table(filled, Reading(sheet=sheet))).frame

    from taylor_sensus.suggest import read_filled

    fitted = opened.restore()
    before = fitted.fitted_.fit_summary.rows
    rows = read_filled(fitted, form, Reading(x_err=x_err, y_err=y_err))
    began = time.perf_counter()
    fitted.set_params(n_jobs=jobs, verbose=not quiet)
    fitted.update(rows)
    seconds = time.perf_counter() - began
    fitted.save(output, keep_rows=not without_rows)
    wrote(ctx, output)
    added = fitted.fitted_.fit_summary.rows - before
    note(f"{added} of {len(form)} rows of {filled.name} were added; the model now knows {before + added}")
    if as_json:
        show_json({**description(fitted, output), "added_rows": added, "seconds": round(seconds, 3)})
    else:
        typer.echo(fitted.summary())
