"""`taylor-sensus budget`: where does the error of each prediction come from?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from taylor_sensus.cli.command import Censored, DataFile, Decimal, Exact, Id, Json, ModelFile, Ordinary, Sheet, XErr
from taylor_sensus.cli.files import STANDARD, check_output, read_rows, write_output
from taylor_sensus.cli.screen import show_json, wrote
from taylor_sensus.errors import DataError, did_you_mean

if TYPE_CHECKING:
    from taylor_sensus.budget import NoiseBudget

FIGURES = (".png", ".svg", ".pdf")
WIDTH = 8.0


def budget(
    ctx: typer.Context,
    model: ModelFile,
    data: DataFile,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Table to write, a line for each row and source."),
    ] = None,
    row: Annotated[
        str | None,
        typer.Option(metavar="ROW", help="Only this row of DATA: its name (--id), or its number in the spreadsheet."),
    ] = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Figure to write: .png, .svg or .pdf.")] = None,
    id_: Id = None,
    sheet: Sheet = None,
    x_err: XErr = None,
    exact: Exact = False,
    ordinary: Ordinary = None,
    decimal: Decimal = None,
    censored: Censored = "missing",
    as_json: Json = False,
) -> None:
    """Show where the errors of predictions come from: each input's noise, the system, too little data.

    Variances of all sources add up to the variance of the prediction. The average over DATA is shown, or one row.
    """
    from taylor_sensus.tables.file_header import WRITABLE

    if output:
        check_output(output, [model, data], WRITABLE, as_json=as_json)
    if plot:
        check_output(plot, [model, data, *([output] if output else [])], FIGURES)

    from taylor_sensus.storage.opening import open_model
    from taylor_sensus.tables.wanted import Reading

    opened = open_model(model)
    table = read_rows(data, Reading(x_err, None, ordinary, None, decimal, censored, exact, sheet, id_), opened)
    found = opened.restore().noise_budget(table.X, X_err=table.X_err)
    if row is not None:
        found = found.rows([_place(row, [str(name) for name in found.index])])
    if output:
        write_output(ctx, found.to_frame(), output)
    if plot:
        _draw(found, plot)
        wrote(ctx, plot)
    if as_json:
        sources = found.mean(every=True).to_dict("records")
        show_json(
            {
                "rows": len(found),
                "identifiable": found.identifiable,
                "assumes_one_size": found.assumes_one_size,
                **table.details,
                "sources": sources,
            }
        )
    elif output != STANDARD:
        typer.echo(str(found))


def _place(row: str, names: list[str]) -> int:
    if row not in names:
        raise DataError(f"there is no row {row!r}{did_you_mean(row, names, 'rows are')}")
    return names.index(row)


def _draw(budget: NoiseBudget, path: Path) -> None:
    import matplotlib
    from matplotlib.figure import Figure

    from taylor_sensus.plots.budget import MOST_BARS
    from taylor_sensus.plots.style import RC

    settings: Any = dict(RC)
    with matplotlib.rc_context(settings):
        targets = budget.target_names
        height = 4.2 if 1 < len(budget) <= MOST_BARS else 2.2
        figure = Figure(figsize=(WIDTH, height * len(targets)), layout="constrained")
        axes = figure.subplots(len(targets), squeeze=False)
        for name, ax in zip(targets, axes[:, 0], strict=True):
            budget.plot(ax=ax, target=name)
        figure.savefig(path)
