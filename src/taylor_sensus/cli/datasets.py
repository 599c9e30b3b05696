"""`taylor-sensus datasets`: which public datasets are there, where are they from, and may they be used?"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from taylor_sensus.cli.command import OUTPUTS, Json
from taylor_sensus.cli.files import check_output, write_output
from taylor_sensus.cli.screen import show_json, show_table

if TYPE_CHECKING:
    from taylor_sensus.datasets.sources import DatasetInfo


def datasets(
    ctx: typer.Context,
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="One dataset; with the ending _distinct, without repeated rows."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "--out", "-o", metavar="FILE", help=f"Table to write: {OUTPUTS}."),
    ] = None,
    as_json: Json = False,
) -> None:
    """List the public datasets of the paper, show one, or write it as a table.

    Files come from the folder that TAYLOR_SENSUS_DATA names; if it is not set, they are downloaded once from
    their original source. Their SHA-256 is checked either way.
    """
    if output and not name:
        raise typer.BadParameter("--output needs the NAME of a dataset")

    from taylor_sensus.datasets.catalogue import DATASETS, data_folder, find_info

    chosen = [find_info(name)] if name else list(DATASETS.values())
    if name and output:
        written = _write(ctx, name, output)
        if as_json:
            show_json({**description(chosen[0]), **written})
    elif as_json:
        shown = [description(info) for info in chosen]
        show_json(shown[0] if name else {"folder": str(data_folder()), "datasets": shown})
    else:
        _show(chosen, folder=data_folder())


def description(info: DatasetInfo) -> dict[str, Any]:
    """What is known of a dataset, as plain values."""
    from taylor_sensus.datasets.catalogue import whereabouts

    return {**asdict(info), "preparation": info.preparation, "available": whereabouts(info)}


def _show(chosen: list[DatasetInfo], *, folder: Path) -> None:
    from taylor_sensus.datasets.catalogue import whereabouts

    rows = [[i.name, f"{i.rows:,} x {i.features}", f"{i.target} ({i.unit})", i.licence, whereabouts(i)] for i in chosen]
    header = ["name", "rows x features", "target (unit)", "licence", "file"]
    show_table(f"Datasets in {folder}", header, rows, numbers=False)
    for info in chosen:
        typer.echo(f"{info.name}: {info.title}")
        typer.echo(f"  columns   {info.preparation}")
        typer.echo(f"  source    {info.source}")
        typer.echo(f"  cite      {info.citation}")
        typer.echo(f"  doi       {info.doi}")
        if len(chosen) == 1:
            for file in info.files:
                typer.echo(f"  file      {file.path}, SHA-256 {file.sha256}")
                if file.download:
                    typer.echo(f"  download  {file.download.url}")
        typer.echo()


def _write(ctx: typer.Context, name: str, output: Path) -> dict[str, Any]:
    from taylor_sensus.datasets.catalogue import load_dataset
    from taylor_sensus.tables.file_header import WRITABLE

    check_output(output, [], WRITABLE)
    dataset = load_dataset(name)
    table = dataset.table
    write_output(ctx, table, output)
    return {
        "output": str(output),
        "key": dataset.key,
        "sha256": dataset.sha256,
        "rows": len(table),
        "columns": list(table.columns),
    }
