"""`taylor-sensus report`: a model and a table in, one page to read out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from taylor_sensus.cli.command import TABLES, Censored, Decimal, Id, Json, ModelFile, Ordinary, Sheet, XErr
from taylor_sensus.cli.files import check_output, read_rows
from taylor_sensus.cli.screen import note, show_json, wrote
from taylor_sensus.errors import DataError

if TYPE_CHECKING:
    from taylor_sensus.storage.opening import OpenedModel
    from taylor_sensus.tables.wanted import Reading

ENDINGS = (".html", ".htm")


def report(
    ctx: typer.Context,
    model: ModelFile,
    data: Annotated[
        Path | None,
        typer.Argument(metavar="[DATA]", help=f"Table that the model was fitted on, or another: {TABLES}."),
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Page to write.")] = Path(
        "report.html"
    ),
    candidates: Annotated[
        Path | None, typer.Option(metavar="TABLE", help="Settings that could be measured next, to get suggestions.")
    ] = None,
    id_: Id = None,
    sheet: Sheet = None,
    x_err: XErr = None,
    ordinary: Ordinary = None,
    decimal: Decimal = None,
    censored: Censored = "missing",
    as_json: Json = False,
) -> None:
    """Write a page that says how good a model is, whether its error bars hold, and where the error comes from.

    With the table that the model was fitted on it is evaluated by predictions that its networks made without seeing
    the row. The page needs no network and no scripts.
    """
    given = [path for path in (model, data, candidates) if path is not None]
    check_output(output, given, ENDINGS)

    from taylor_sensus.storage.opening import open_model
    from taylor_sensus.tables.wanted import Reading

    opened = open_model(model)
    reading = Reading(x_err, None, ordinary, None, decimal, censored, sheet=sheet, id=id_)
    table = None if data is None else _read(data, reading, opened)
    choices = None if candidates is None else read_rows(candidates, Reading(decimal=decimal), opened).X

    from taylor_sensus.report import make_report

    name = None if data is None else data.name
    made = make_report(opened.restore(), output, table, choices, model_name=model.name, data_name=name)
    wrote(ctx, output)
    if as_json:
        show_json({"output": str(output), "bytes": output.stat().st_size, "answers": made.text.splitlines()})
    else:
        typer.echo(made.text)


def _read(path: Path, reading: Reading, model: OpenedModel) -> tuple[Any, Any, Any]:
    """Features, targets and declared errors; without targets if the table has none that can be read."""
    from taylor_sensus.tables.wanted import check_header_for_model, columns_known

    check_header_for_model(path, reading, columns_known(model.columns, model.targets))

    from taylor_sensus.tables.reading import open_table

    opened = open_table(path, reading)
    try:
        table = read_rows(opened, reading, model, with_targets=True)
    except DataError as problem:
        table = read_rows(opened, reading, model)
        note(f"the report has no measured values to evaluate the model by, because {problem}")
    return table.X, table.y, table.X_err
