"""`taylor-sensus update`: a model and a form with new results in, a better model out."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from taylor_sensus.cli.assignments import Assignments, read_assignments
from taylor_sensus.cli.command import TABLES, Jobs, Json, ModelFile, Quiet, WithoutRows, XErr, YErr
from taylor_sensus.cli.files import check_output
from taylor_sensus.cli.info import description
from taylor_sensus.cli.screen import note, show_json, wrote

if TYPE_CHECKING:
    import pandas as pd


def update(
    ctx: typer.Context,
    model: ModelFile,
    filled: Annotated[
        Path, typer.Argument(metavar="FILLED", help=f"Form of `suggest` with results filled in ({TABLES}).")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="MODEL", help="Model file to write (.tsnet).")],
    x_err: XErr = None,
    y_err: YErr = None,
    without_rows: WithoutRows = False,
    jobs: Jobs = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Fit again with new results added.

    Rows without a result, and those whose status says that they failed or are only planned, are left out. Results may
    be written with their errors, as in 14.2 ± 0.3. Errors of inputs have to be told again: in the cells, or here.
    """
    check_output(output, [model, filled])

    from taylor_sensus import load
    from taylor_sensus.tables.alignment import align
    from taylor_sensus.tables.table import read_table

    fitted = load(model)
    before = fitted.fitted_.fit_summary.rows
    names = [column.name for column in fitted.fitted_.columns]
    targets = list(fitted.fitted_.target_names)
    form = align(read_table(filled), [*names, *targets])
    headers, one = [str(name) for name in form.columns], len(targets) == 1
    numbers = [column.name for column in fitted.fitted_.columns if column.categories is None]
    said_x = read_assignments(x_err or (), option="--x-err", among=numbers, headers=headers, one_unit=False)
    said_y = read_assignments(y_err or (), option="--y-err", among=targets, headers=headers, one_unit=one)
    form = _with_errors(_with_errors(form, said_x, numbers), said_y, targets)
    began = time.perf_counter()
    fitted.set_params(n_jobs=jobs, verbose=not quiet)
    fitted.update(form)
    seconds = time.perf_counter() - began
    fitted.save(output, keep_rows=not without_rows)
    wrote(ctx, output)
    added = fitted.fitted_.fit_summary.rows - before
    note(f"{added} of {len(form)} rows of {filled.name} were added; the model now knows {before + added}")
    if as_json:
        show_json({**description(fitted, output), "added_rows": added, "seconds": round(seconds, 3)})
    else:
        typer.echo(fitted.summary())


def _with_errors(form: pd.DataFrame, said: Assignments, among: list[str]) -> pd.DataFrame:
    """The form with declared errors written into cells that are bare numbers, and columns of errors named as such."""
    from taylor_sensus.tables.column_errors import read_size
    from taylor_sensus.tables.companions import find_pairings

    sizes = dict(said.sizes)
    if said.everywhere is not None:
        have = {pairing.column for pairing in find_pairings(list(form), ordinary=among)}
        sizes = dict.fromkeys([name for name in among if name not in have], said.everywhere) | sizes
    for column, given in sizes.items():
        size, percent = read_size(str(given))
        form = form.assign(**{column: [_with_error(cell, f"{size!r}{'%' * percent}") for cell in form[column]]})
    return form.rename(columns={errors: f"u({column})" for column, errors in said.columns.items()})


def _with_error(cell: Any, error: str) -> Any:
    try:
        number = float(cell)
    except (TypeError, ValueError):
        return cell
    return cell if number != number else f"{number:.16e} ± {error}"
