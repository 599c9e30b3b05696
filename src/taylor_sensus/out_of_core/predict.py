"""From files to files: predictions for tables of any size, in bounded memory, on several cores, to be gone on with."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sklearn.utils.validation import check_is_fitted

from taylor_sensus._version import __version__
from taylor_sensus.errors import DataError, SettingError, quoted
from taylor_sensus.model.chunks import cores
from taylor_sensus.model.intervals import METHODS, check_coverage
from taylor_sensus.out_of_core.manifest import begin_or_resume, mirrored, part_names
from taylor_sensus.out_of_core.part import PredictionPlan, predict_part, prediction_columns
from taylor_sensus.out_of_core.source import Source, open_source
from taylor_sensus.out_of_core.workers import OpenPart, predict_in_processes
from taylor_sensus.settings import check_jobs
from taylor_sensus.storage.opening import open_model
from taylor_sensus.tables.alignment import check_there
from taylor_sensus.tables.column import Column
from taylor_sensus.tables.companions import Pairing
from taylor_sensus.tables.reading import used_headers
from taylor_sensus.tables.wanted import Reading, columns_known
from taylor_sensus.words.progress import RowsProgress

FORMATS = {"parquet": ".parquet", "csv": ".csv"}
PART_ROWS = 200_000


class PredictedDataset(NamedTuple):
    """What `predict_dataset` has done.

    Parameters
    ----------
    path : Path
        The folder with the predictions.
    files : list of Path
        Its files, in the order of the rows.
    rows : int
        Rows that this call predicted.
    parts_before : int
        Parts that an earlier call had finished.
    kept : list of str
        Columns of the source that were copied.
    pairings : list of Pairing
        Columns that were taken for the errors of others.
    seconds : float
        How long this call took.
    """

    path: Path
    files: list[Path]
    rows: int
    parts_before: int
    kept: list[str]
    pairings: list[Pairing]
    seconds: float


class PredictOptions(NamedTuple):
    """The arguments of `predict_dataset` that have defaults."""

    keep: Sequence[str] | str = ()
    coverage: float = 0.9
    interval: str = "conformal"
    n_jobs: int | None = 1
    part_rows: int = PART_ROWS
    file_format: str | None = None
    verbose: bool = False


class ModelColumns(NamedTuple):
    """The columns of a model, from the estimator or from its file."""

    columns: tuple[Column, ...]
    targets: tuple[str, ...]
    one_dimensional: bool
    fingerprint: str


def predict_dataset(
    model: Any, source: str | os.PathLike[str], target: str | os.PathLike[str], *,
    keep: Sequence[str] | str = (), coverage: float = 0.9, interval: str = "conformal",
    X_err: float | str | Mapping[str, float | str] | None = None, n_jobs: int | None = 1,
    part_rows: int = PART_ROWS, file_format: str | None = None, verbose: bool = False,
) -> PredictedDataset:  # fmt: skip
    """Predict a data set of any size from files to files: same rows, same order, bounded memory.

    The source is gone through in parts, each of which becomes one file of the target. A file appears whole or not at
    all, and the same call goes on where an earlier one was broken off. Read the target as one table with
    ``pyarrow.dataset.dataset(target)`` or ``pandas.read_parquet(target)``.

    Parameters
    ----------
    model : TSNetRegressor or path
        A fitted model, or the file of one.
    source : path
        A Parquet or text (CSV, TSV) file, a folder with such files, or a data set partitioned by folders such as
        ``year=2024``. Files count in the order of their names. ``s3://`` and the like as far as pyarrow knows them.
    target : path
        Folder for the predictions: a new or empty one, or one to go on in.
    keep : list of str or "all", optional
        Columns of the source to copy, such as identifiers; those of text files as they are written.
    coverage : float, default=0.9
        Probability of the intervals, between 0 and 1.
    interval : {"conformal", "gaussian"}, default="conformal"
        Where their width comes from, as in `TSNetRegressor.predict_interval`.
    X_err : float, str or dict, optional
        Declared errors of inputs: 0 if all are exact; a percentage such as ``"2%"``; or by column a number in its unit,
        a percentage, or the name of the column that holds the errors.
    n_jobs : int, optional
        Processes; -1 or None means one for each core. With 1, the default, the work stays in this process, in as many
        threads as the model's own `n_jobs` says. A script that asks for more needs ``if __name__ == "__main__":``.
    part_rows : int, default=200000
        Rows of a part, at least one row group of a Parquet file; of text files about so many.
    file_format : {"parquet", "csv"}, optional
        Of the target; that of the source by default.
    verbose : bool, default=False
        Show how far the work is, and the time left.

    Returns
    -------
    PredictedDataset
        Files, and what was done.

    Examples
    --------
    >>> from taylor_sensus import predict_dataset
    >>> done = predict_dataset("steel.tsnet", "survey/", "predicted/", keep=["id"], n_jobs=-1)  # doctest: +SKIP
    """
    options = PredictOptions(keep, coverage, interval, n_jobs, part_rows, file_format, verbose)
    return predict_files(model, source, target, Reading(x_err=assignments(X_err)), options)


def assignments(errors: float | str | Mapping[str, float | str] | None) -> list[str] | None:
    """Declared errors as they are written in `--x-err`."""
    if errors is None:
        return None
    return [f"{name}={size}" for name, size in errors.items()] if isinstance(errors, Mapping) else [str(errors)]


def predict_files(
    model: Any, source: Any, target: Any, reading: Reading, options: PredictOptions,
    begun: Callable[[list[Pairing], int, int], None] = lambda *_: None,
) -> PredictedDataset:  # fmt: skip
    """The same with all that the command line knows of how tables are read.

    First, `begun` is called with the columns that hold errors, the number of parts, and how many are done already.
    """
    began = time.monotonic()
    _check(options)
    folder = Path(target)
    _check_apart(source, folder)
    columns = _columns(model)
    files = open_source(source, options.part_rows, reading.decimal)
    names = part_names(files, FORMATS[options.file_format or files.kind])
    plan = _plan(columns, files, reading, options, mirrored(names))
    begin_or_resume(folder, _recipe(columns, plan, len(names), options.part_rows))
    parts = [OpenPart(part, folder / name) for part, name in zip(files.parts, names, strict=True)]
    todo = [one for one in parts if not one.path.is_file()]
    for one in todo:
        one.path.parent.mkdir(parents=True, exist_ok=True)
    before = len(parts) - len(todo)
    begun(plan.used.pairings, len(parts), before)
    rows = _predict_all(model, plan, todo, options)
    paths = [one.path for one in parts]
    return PredictedDataset(folder, paths, rows, before, list(plan.keep), plan.used.pairings, time.monotonic() - began)


def _check(options: PredictOptions) -> None:
    check_coverage(options.coverage)
    check_jobs(options.n_jobs)
    if options.interval not in METHODS:
        raise SettingError(f"interval must be {' or '.join(map(repr, METHODS))}, not {options.interval!r}")
    if options.file_format not in (None, *FORMATS):
        raise SettingError(f"file_format must be {' or '.join(map(repr, FORMATS))}, not {options.file_format!r}")
    if not (isinstance(options.part_rows, int) and options.part_rows > 0):
        raise SettingError(f"part_rows must be a whole number of rows, not {options.part_rows!r}")


def _plan(
    columns: ModelColumns, files: Source, reading: Reading, options: PredictOptions, in_folders: bool
) -> PredictionPlan:
    """What is read and copied; partition columns of the target (`in_folders`) are not copied."""
    known = columns_known(columns.columns, columns.targets)
    used = used_headers(files.schema.names, reading, known, where=files.name)
    there = files.schema.names
    kept = there if options.keep == "all" else [options.keep] if isinstance(options.keep, str) else list(options.keep)
    check_there(there, kept, where=files.name)
    kept = [name for name in dict.fromkeys(kept) if not (in_folders and name in files.partitioned_by)]
    file_format = options.file_format or files.kind
    plan = PredictionPlan(files, used, tuple(kept), known, reading, options.coverage, options.interval, file_format)
    predicted = prediction_columns(plan, columns.targets, columns.one_dimensional)
    shared = [name for name in kept if name in predicted]
    if shared:
        raise DataError(f"the kept column(s) {quoted(shared)} have the name of a column of the prediction; rename them")
    return plan


def _predict_all(model: Any, plan: PredictionPlan, todo: Sequence[OpenPart], options: PredictOptions) -> int:
    """Predict the open parts, here or in processes; gives the number of their rows."""
    whole = plan.source.size
    before = whole - sum(part.size for part, _ in todo)
    processes = min(cores(options.n_jobs), len(todo))
    in_rows = plan.source.kind == "parquet"  # else bytes, which are reported when a part is done
    with RowsProgress("predictions", whole, before, show=options.verbose) as progress:
        if processes > 1:
            for part, rows in predict_in_processes(_sent(model), plan, todo, processes):
                progress.advance(part.size, rows)
        elif todo:
            fitted = open_model(model).restore() if isinstance(model, str | os.PathLike) else model
            for part, path in todo:
                predict_part(fitted, plan, part, path, lambda rows: progress.advance(rows if in_rows else 0, rows))
                progress.advance(0 if in_rows else part.size, 0)
    return progress.rows


def _sent(model: Any) -> Path | bytes:
    """What goes to other processes: the path of a file, or what would stand in it."""
    if isinstance(model, str | os.PathLike):
        return Path(model)
    from taylor_sensus.storage.travel import model_to_bytes

    return model_to_bytes(model)


def _columns(model: Any) -> ModelColumns:
    if isinstance(model, str | os.PathLike):
        opened = open_model(model)
        header = opened.checked.header
        return ModelColumns(opened.columns, opened.targets, bool(header["one_dimensional"]), opened.checked.digest)
    check_is_fitted(model, "fitted_")
    from taylor_sensus.storage.travel import fingerprint

    fitted = model.fitted_
    return ModelColumns(fitted.columns, fitted.target_names, fitted.one_dimensional, fingerprint(model))


def _recipe(columns: ModelColumns, plan: PredictionPlan, parts: int, part_rows: int) -> dict[str, Any]:
    """All that the predictions depend on."""
    options = {"keep": plan.keep, "coverage": plan.coverage, "interval": plan.interval, "part_rows": part_rows}
    read = {name: value for name, value in plan.reading._asdict().items() if value}
    source = {"files": plan.source.files, "parts": parts}
    return {
        "version": __version__,
        "model": columns.fingerprint,
        "source": source,
        "options": {**options, **read, "file_format": plan.file_format},
    }


def _check_apart(source: Any, folder: Path) -> None:
    """The predictions must not become rows of the source."""
    if "://" not in str(source) and (folder.resolve() / "x").is_relative_to(Path(source).resolve()):
        raise DataError(f"{folder} is inside {source}, which is being read; choose a folder outside")
