"""`taylor-sensus predict`: a model and a table in, predictions with error bars out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from taylor_sensus.cli.command import DataFile, Json, ModelFile
from taylor_sensus.cli.files import check_output, ignored_columns, ignored_note, pick_columns
from taylor_sensus.cli.screen import note, quoted, show_json, wrote
from taylor_sensus.errors import DataError

if TYPE_CHECKING:
    import pandas as pd


def predict(
    ctx: typer.Context,
    model: ModelFile,
    data: DataFile,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Table to write: .csv, .tsv or .parquet.")
    ],
    coverage: Annotated[float, typer.Option(help="Share of true values that the intervals should hold.")] = 0.9,
    keep: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="Column of DATA to copy; may be repeated.")
    ] = None,
    keep_all: Annotated[bool, typer.Option("--keep-all", help="Copy all columns of DATA.")] = False,
    as_json: Json = False,
) -> None:
    """Predict each row of DATA.

    Writes mean, error bar and where it comes from to a table. Columns of DATA may come in any order; those
    that the model does not know are ignored.
    """
    from taylor_sensus.data.table import WRITABLE, read_table, write_table
    from taylor_sensus.scores.inputs import fraction

    check_output(output, [model, data], WRITABLE)
    fraction("coverage", coverage)
    frame = read_table(data)
    kept = frame if keep_all else pick_columns(frame, keep or [], file=data)

    from taylor_sensus import load

    fitted = load(model)
    names = [column.name for column in fitted.fitted_.columns]
    features = pick_columns(frame, names, file=data)
    ignored = ignored_columns(frame, [*names, *kept.columns])
    if ignored:
        note(ignored_note(ignored, file=data))
    prediction = fitted.predict_distribution(features)
    write_table(_beside(kept, prediction.to_frame(coverage)), output)
    wrote(ctx, output)
    if as_json:
        show_json(
            {
                "output": str(output),
                "rows": len(prediction),
                "targets": prediction.target_names,
                "coverage": coverage,
                "kept_columns": [str(name) for name in kept.columns],
                "ignored_columns": ignored,
            }
        )


def _beside(kept: pd.DataFrame, predicted: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    shared = [name for name in map(str, kept.columns) if name in predicted.columns]
    if shared:
        raise DataError(
            f"the kept column(s) {quoted(shared)} have the name of a column of the prediction; "
            "rename them, or name the others with --keep"
        )
    return pd.concat([kept, predicted], axis=1)
