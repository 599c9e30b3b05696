"""`taylor-sensus suggest`: what should be measured next, and why? The answer is also the form to fill in."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from taylor_sensus.cli.command import OUTPUTS, TABLES, Decimal, Id, Json, ModelFile, Sheet
from taylor_sensus.cli.files import STANDARD, check_output, read_rows, write_output
from taylor_sensus.cli.screen import note, show_json
from taylor_sensus.cli.space import SpaceOptions, read_space

MANY = list[str] | None


def suggest(
    ctx: typer.Context,
    model: ModelFile,
    candidates: Annotated[
        Path | None,
        typer.Argument(metavar="[CANDIDATES]", help=f"Table of settings to choose from ({TABLES})."),
    ] = None,
    n: Annotated[int, typer.Option("-n", metavar="N", help="How many measurements.")] = 8,
    goal: Annotated[str, typer.Option(help="learn, max, min, or target=VALUE.")] = "learn",
    target: Annotated[str | None, typer.Option(metavar="COLUMN", help="Which target, if there are several.")] = None,
    bounds: Annotated[MANY, typer.Option(metavar="COLUMN=LOW:HIGH", help="May be repeated.")] = None,
    levels: Annotated[MANY, typer.Option(metavar="COLUMN=A,B", help="Only these values. May be repeated.")] = None,
    fixed: Annotated[MANY, typer.Option(metavar="COLUMN=VALUE", help="Always this value. May be repeated.")] = None,
    step: Annotated[MANY, typer.Option(metavar="COLUMN=SIZE", help="Multiples of it. May be repeated.")] = None,
    constraint: Annotated[
        MANY,
        typer.Option(metavar="TEXT", help="A sum, as in 'a + b <= 1', or any constraint as JSON. May be repeated."),
    ] = None,
    pending: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Table of settings that are being measured already.")
    ] = None,
    diversity: Annotated[float, typer.Option(help="How far suggestions keep from each other; 0: not at all.")] = 1.0,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help=f"Form to write: {OUTPUTS}."),
    ] = None,
    id_: Id = None,
    sheet: Sheet = None,
    decimal: Decimal = None,
    seed: Annotated[int, typer.Option(metavar="N", help="The same seed gives the same suggestions.")] = 0,
    as_json: Json = False,
) -> None:
    """Suggest what to measure next.

    Choose from CANDIDATES, or from a space of --bounds and --levels; without either from the ranges of the training
    rows. The table that is written is also the form: fill in the results and hand it to `taylor-sensus update`.
    """
    inputs = [path for path in (model, candidates, pending) if path]
    if output:
        from taylor_sensus.tables.file_header import WRITABLE

        check_output(output, inputs, WRITABLE, as_json=as_json)
    wanted = _goal(goal)

    from taylor_sensus.storage.opening import open_model
    from taylor_sensus.tables.alignment import headers_of
    from taylor_sensus.tables.wanted import Reading

    opened, reading = open_model(model), Reading(decimal=decimal, sheet=sheet, id=id_)
    space = read_space(SpaceOptions(bounds, levels, fixed, step, constraint), opened.columns)
    rows = read_rows(candidates, reading, opened).X if candidates else None
    under_way = read_rows(pending, Reading(decimal=decimal), opened).X if pending else None
    found = opened.restore().suggest(
        rows,
        n,
        wanted,
        target=headers_of([target], opened.targets)[0] if target else None,
        bounds=space.bounds,
        constraints=space.constraints,
        pending=under_way,
        diversity=diversity,
        random_state=seed,
    )
    if output:
        write_output(ctx, found.table, output)
    if as_json:
        show_json(_content(found, output))
    elif output != STANDARD:
        typer.echo(str(found))
    if output and output != STANDARD:
        note(f"fill in the column {found.target!r}, then: taylor-sensus update {model} {output} -o NEW_MODEL")


def _goal(text: str) -> Any:
    word, sign, value = text.partition("=")
    if word.strip() == "target" and sign:
        try:
            return "target", float(value)
        except ValueError:
            raise typer.BadParameter(f"{value!r} is not a number; write target=5", param_hint="--goal") from None
    if text not in ("learn", "max", "min"):
        raise typer.BadParameter(f"expected learn, max, min or target=VALUE, not {text!r}", param_hint="--goal")
    return text


def _content(found: Any, output: Path | None) -> dict[str, Any]:
    outlook = found.outlook
    return {
        "output": None if output is None else str(output),
        "goal": found.goal,
        "target": found.target,
        "candidates": found.candidates,
        "suggestions": found.table.to_dict("records"),
        "outlook": {
            "median_std": outlook.median_std,
            "expected_median_std": outlook.expected_median_std,
            "noise": outlook.noise,
            "reduction": outlook.reduction,
        },
        "note": found.note,
    }
