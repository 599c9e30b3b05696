"""`taylor-sensus fit`: a table in, a model file out."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from taylor_sensus.cli.command import (
    Censored,
    Data,
    Decimal,
    Force,
    Id,
    Jobs,
    Json,
    Ordinary,
    Quiet,
    Sheet,
    Text,
    WithoutRows,
    XErr,
    YErr,
)
from taylor_sensus.cli.files import check_output, noted
from taylor_sensus.cli.info import description
from taylor_sensus.cli.screen import show_json, wrote

if TYPE_CHECKING:
    from taylor_sensus.regressor import TSNetRegressor


def fit(
    ctx: typer.Context,
    data: Data,
    target: Annotated[list[str], typer.Option(metavar="COLUMN", help="Column to predict; may be repeated.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="MODEL", help="Model file to write (.tsnet).")],
    drop: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="Column to leave out; may be repeated.")
    ] = None,
    groups: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column that names the batch, sample or instrument of each row; it is no input, and rows that share "
            "it are never learned from and held out at the same time.",
        ),
    ] = None,
    id_: Id = None,
    sheet: Sheet = None,
    x_err: XErr = None,
    x_err_kind: Annotated[
        list[str] | None,
        typer.Option(
            "--x-err-kind",
            metavar="[COLUMN=]KIND",
            help="What errors of inputs are: reading (recorded = true + error, as instruments give; the default) or "
            "setting (the system works at recorded + error, as set points do). May be repeated.",
        ),
    ] = None,
    y_err: YErr = None,
    ordinary: Ordinary = None,
    text: Text = None,
    decimal: Decimal = None,
    censored: Censored = "missing",
    validation: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Table with the same columns, for stopping and calibration only."),
    ] = None,
    members: Annotated[int | None, typer.Option(metavar="N", help="Networks in the ensemble.")] = None,
    epochs: Annotated[int | None, typer.Option(metavar="N", help="Passes over the training rows.")] = None,
    width: Annotated[int | None, typer.Option(metavar="N", help="Neurons in a hidden layer.")] = None,
    depth: Annotated[int | None, typer.Option(metavar="N", help="Hidden layers.")] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Any other setting of taylor_sensus.settings, such as dropout=0.2; may be repeated.",
        ),
    ] = None,
    paper: Annotated[bool, typer.Option("--paper", help="The method as printed in the paper.")] = False,
    time_limit: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS", help="Roughly how long the fit may take; it then uses fewer members and steps."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="The same seed gives the same model.")] = 0,
    without_rows: WithoutRows = False,
    force: Force = False,
    jobs: Jobs = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Fit a model to DATA and write it to a file.

    Cells may declare their errors, as in 14.2(3) or 14.2 ± 0.3, and so may a column beside: temp and temp_err. What
    was found is reported. Empty cells of inputs are filled in and widen the error bars; targets must be there.

    DATA may be a folder of Parquet files, of any size; its cells and columns are taken as they are.
    """
    named = {"members": members, "epochs": epochs, "width": width, "depth": depth, "X_err_kind": _kinds(x_err_kind)}
    arguments = _constructor_arguments({n: v for n, v in named.items() if v is not None}, set_ or [], paper)
    arguments["time_limit"] = time_limit
    check_output(output, [data, *([validation] if validation else [])], force=force)
    if data.is_dir():
        given = [x_err, y_err, ordinary, text, decimal, validation, sheet, id_, groups]
        if any(option is not None for option in given) or censored != "missing":
            raise typer.BadParameter("a folder is fitted as it is: only --target, --drop and settings can be given")

        from taylor_sensus import TSNetRegressor

        began = time.perf_counter()
        model = TSNetRegressor(**arguments, random_state=seed, n_jobs=jobs, verbose=not quiet)
        model.fit_dataset(data, target[0] if len(target) == 1 else target, drop=drop or [])
        _finish(ctx, model, output, not without_rows, as_json, {"seconds": round(time.perf_counter() - began, 3)})
        return

    from taylor_sensus.tables.file_header import check_readable
    from taylor_sensus.tables.wanted import Reading, check_header_to_fit

    drop = [*(drop or []), *([] if groups is None else [groups])]
    reading = Reading(x_err, y_err, ordinary, text, decimal, censored, sheet=sheet, id=id_)
    check_header_to_fit(data, reading, target=target, drop=drop)
    if validation:
        check_readable(validation)

    from taylor_sensus.tables.alignment import headers_of
    from taylor_sensus.tables.reading import open_table, table_for_model, table_to_fit

    opened = open_table(data, reading)
    table = noted(table_to_fit(opened, reading, target=target, drop=drop))
    held_out = None
    if validation:
        others = open_table(validation, reading._replace(sheet=None, id=None))
        held_out = noted(table_for_model(others, reading, table.columns, with_targets=True))

    from taylor_sensus import TSNetRegressor

    began = time.perf_counter()
    model = TSNetRegressor(**arguments, random_state=seed, n_jobs=jobs, verbose=not quiet)
    model.fit(
        table.X,
        table.y,
        X_err=table.X_err,
        y_err=table.y_err,
        groups=None if groups is None else opened.frame[headers_of([groups], list(opened.frame))[0]],
        X_val=held_out and held_out.X,
        y_val=held_out and held_out.y,
        X_val_err=held_out and held_out.X_err,
        y_val_err=held_out and held_out.y_err,
    )
    seconds = time.perf_counter() - began
    _finish(ctx, model, output, not without_rows, as_json, {**table.details, "seconds": round(seconds, 3)})


def _finish(
    ctx: typer.Context, model: TSNetRegressor, output: Path, keep_rows: bool, as_json: bool, details: dict[str, Any]
) -> None:
    """Write the model, and say what it is."""
    model.save(output, keep_rows=keep_rows)
    wrote(ctx, output)
    if as_json:
        show_json({**description(model, output), **details})
    else:
        typer.echo(model.summary())


def _kinds(given: list[str] | None) -> str | dict[str, str] | None:
    """One kind for all columns, or a dict by column."""
    if not given:
        return None
    pairs = [text.rpartition("=") for text in given]
    by_column = {name.strip(): kind.strip() for name, sign, kind in pairs if sign}
    for_all = [kind.strip() for _, sign, kind in pairs if not sign]
    if len(for_all) > 1 or (for_all and by_column):
        raise typer.BadParameter("give one kind for all inputs, or COLUMN=KIND for some", param_hint="--x-err-kind")
    return for_all[0] if for_all else by_column


def _constructor_arguments(named: dict[str, Any], assignments: list[str], as_printed: bool) -> dict[str, Any]:
    """Arguments of `TSNetRegressor`, checked before anything slow begins."""
    from taylor_sensus.settings import CONSTRUCTOR, paper, resolve

    changes = dict(named)
    for text in assignments:
        name, sign, value = text.partition("=")
        name = name.strip()
        if not sign or not name:
            raise typer.BadParameter(f"expected NAME=VALUE, not {text!r}", param_hint="--set")
        if name in changes:
            raise typer.BadParameter(f"{name!r} is given twice", param_hint="--set")
        changes[name] = _value(value.strip())
    if as_printed:
        arguments = paper(**changes)
    else:
        arguments = {name: value for name, value in changes.items() if name in CONSTRUCTOR}
        arguments["details"] = {name: value for name, value in changes.items() if name not in CONSTRUCTOR}
    resolve({name: value for name, value in arguments.items() if name != "details"}, arguments["details"])
    return arguments


def _value(text: str) -> Any:
    """A value as JSON writes it (3, 0.1, true, [1, 2]); anything else is text."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return tuple(value) if isinstance(value, list) else value
