"""`taylor-sensus fit`: a table in, a model file out."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from taylor_sensus.cli.command import DataFile, Jobs, Json, Quiet
from taylor_sensus.cli.files import check_output, numeric_targets, pick_columns
from taylor_sensus.cli.info import description
from taylor_sensus.cli.screen import show_json, wrote


def fit(
    ctx: typer.Context,
    data: DataFile,
    target: Annotated[list[str], typer.Option(metavar="COLUMN", help="Column to predict; may be repeated.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="MODEL", help="Model file to write (.tsnet).")],
    drop: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="Column to leave out; may be repeated.")
    ] = None,
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
    seed: Annotated[int, typer.Option(metavar="N", help="The same seed gives the same model.")] = 0,
    jobs: Jobs = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Fit a model to DATA and write it to a file."""
    named = {"members": members, "epochs": epochs, "width": width, "depth": depth}
    arguments = _constructor_arguments({n: v for n, v in named.items() if v is not None}, set_ or [], paper)
    check_output(output, [data, *([validation] if validation else [])])

    from taylor_sensus.data.table import read_table, split_target

    table = split_target(read_table(data), target, drop or [])
    y = numeric_targets(table.targets, file=data)
    X_val = y_val = None
    if validation:
        held_out = read_table(validation)
        X_val = pick_columns(held_out, list(table.features.columns), file=validation)
        y_val = numeric_targets(pick_columns(held_out, target, file=validation), file=validation)

    from taylor_sensus import TSNetRegressor

    began = time.perf_counter()
    model = TSNetRegressor(**arguments, random_state=seed, n_jobs=jobs, verbose=not quiet)
    model.fit(table.features, y, X_val=X_val, y_val=y_val)
    seconds = time.perf_counter() - began
    model.save(output)
    wrote(ctx, output)
    if as_json:
        show_json({**description(model, output), "seconds": round(seconds, 3)})
    else:
        typer.echo(model.summary())


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
