"""`taylor-sensus info`: what is in a model file?"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from taylor_sensus.cli.command import Json, ModelFile
from taylor_sensus.cli.screen import file_size, show_json, show_table

if TYPE_CHECKING:
    from taylor_sensus.regressor import TSNetRegressor

SHOWN_CATEGORIES = 8


def info(model: ModelFile, as_json: Json = False) -> None:
    """Show the columns, settings, errors and warnings of a model file."""
    from taylor_sensus.storage.opening import open_model

    fitted = open_model(model).restore()
    content = description(fitted, model)
    if as_json:
        show_json(content)
        return
    typer.echo(f"{model} ({file_size(model)}), written by taylor-sensus {content['written_by']}\n")
    typer.echo(fitted.summary())
    rows = [[column["name"], _kind(column["categories"])] for column in content["columns"]]
    rows += [[name, "target"] for name in content["targets"]]
    show_table("\nColumns", ["name", "holds"], rows, numbers=False)


def description(model: TSNetRegressor, path: Path) -> dict[str, Any]:
    """A saved model as plain values."""
    from taylor_sensus.storage.container import read_model_file
    from taylor_sensus.storage.summary_json import summary_to_json
    from taylor_sensus.words.warnings import warnings_of

    fitted = model.fitted_
    return {
        "model": str(path),
        "bytes": path.stat().st_size,
        "written_by": read_model_file(path).header["written_by"],
        "columns": [{"name": c.name, "categories": c.categories} for c in fitted.columns],
        "targets": fitted.target_names,
        "settings": asdict(fitted.settings),
        "facts": summary_to_json(fitted.fit_summary),
        "warnings": [str(one) for one in warnings_of(fitted)],
    }


def _kind(categories: tuple[str, ...] | None) -> str:
    if categories is None:
        return "number"
    more = ", ..." if len(categories) > SHOWN_CATEGORIES else ""
    return f"{len(categories)} categories: {', '.join(categories[:SHOWN_CATEGORIES])}{more}"
