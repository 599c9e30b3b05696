"""The table, the model and the work under way. There is one workbench a server: the app is for one person."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from taylor_sensus.app.choices import Choices, as_command, constructor_arguments
from taylor_sensus.app.chosen_table import ChosenTable, look_at
from taylor_sensus.app.job import FITTING, Job
from taylor_sensus.app.uploads import Uploads, named
from taylor_sensus.errors import DataError
from taylor_sensus.storage.atomic import replacing
from taylor_sensus.tables.files import read_table, with_predictions, write_table
from taylor_sensus.tables.reading import (
    OpenedTable,
    ReadTable,
    open_table,
    table_for_model,
    table_to_fit,
    with_names,
)
from taylor_sensus.tables.row_names import only_counts
from taylor_sensus.tables.wanted import Reading, columns_known

if TYPE_CHECKING:
    import pandas as pd

    from taylor_sensus.regressor import TSNetRegressor
    from taylor_sensus.report import Report
    from taylor_sensus.suggest import Suggestions

COVERAGE = 0.9
PREVIEWED = 10
"""Predictions that are shown."""
PARTS = ("feature_noise", "system_noise", "aleatoric", "epistemic", "missing_cells", "target_error")
"""Columns that are left out there, because the file has them."""
MODEL, REPORT, PREDICTIONS, SUGGESTIONS = "model.tsnet", "report.html", "predictions.csv", "suggestions.csv"
"""Names of the files that can be downloaded, and under which they are kept."""


class Opened(NamedTuple):
    """A fitted model, and what goes with it."""

    model: TSNetRegressor
    name: str
    """Where it comes from."""
    report: Report
    rows: pd.DataFrame | None
    """The inputs of its training rows, if they are known: where sliders begin and end."""
    command: str | None
    """How to fit it on the command line."""
    warnings: list[str]


class Predicted(NamedTuple):
    """What was predicted last."""

    name: str
    rows: int
    ignored: list[str]
    """Columns of the table that the model does not use."""
    first: pd.DataFrame
    """The first predictions, with the names of their rows."""


class Candidates(NamedTuple):
    """Where suggestions may come from: a file, if there is one, else the bounds."""

    file: BinaryIO | None
    name: str
    decimal: str | None
    sheet: str | None
    bounds: dict[str, Any]


class Workbench:
    """All that the app knows. Its files are in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.table: ChosenTable | None = None
        self.opened: Opened | None = None
        self.job: Job | None = None
        self.predicted: Predicted | None = None
        self.suggestions: Suggestions | None = None
        self.suggest_entries: dict[str, str] = {}
        """The fields of the last question for suggestions, to be shown again."""
        self.chosen: dict[str, str] | None = None
        """The fields of the last fit."""
        self.trouble: str | None = None
        """What the next page should say first."""
        self._lock = threading.Lock()
        self._uploads = Uploads(folder)

    def take_table(self, file: BinaryIO, name: str) -> ChosenTable:
        """Keep an uploaded table and look at it; refused if it cannot be read."""
        with self._uploads.kept(file, name, "table") as path:
            taken = look_at(path, name)
        with self._lock:
            before, self.table, self.chosen = self.table, taken, None
            if before is not None and (self.job is None or not self.job.running):  # else it may be at work on it
                before.path.unlink(missing_ok=True)
        return taken

    def take_sheet(self, sheet: str) -> ChosenTable:
        """Look at another sheet of the book that was chosen."""
        table = self._table()
        with named(table.path, table.name):
            taken = look_at(table.path, table.name, sheet)
        with self._lock:
            self.table, self.chosen = taken, None
        return taken

    def fit(self, choices: Choices) -> Job:
        """Begin to fit the table."""
        table = self._table()
        choices = choices._replace(reading=choices.reading._replace(sheet=table.sheet))

        def work(job: Job) -> None:
            from taylor_sensus import TSNetRegressor

            job.doing("Reading the table")
            with named(table.path, table.name):
                opened = with_names(OpenedTable(table.name, table.frame), choices.reading.id)
                if choices.reading.decimal is not None:  # cells are read as they are written, not by guess
                    opened = open_table(table.path, choices.reading)
                reading = table_to_fit(opened, choices.reading, target=choices.target, drop=choices.drop)
            job.doing(FITTING)
            model = TSNetRegressor(**constructor_arguments(choices))
            groups = None if choices.groups is None else opened.frame[choices.groups]
            model.fit(reading.X, reading.y, X_err=reading.X_err, y_err=reading.y_err, groups=groups)
            data = (reading.X, reading.y, reading.X_err)
            self._open(job, model, table.name, data, as_command(choices, table.name), reading.X)

        return self._begin(f"Fitting {table.name}", work, back="/columns")

    def take_model(self, file: BinaryIO, name: str) -> Job:
        """Begin to open an uploaded model file."""
        from taylor_sensus import load

        def work(job: Job, path: Path) -> None:
            self._open(job, load(path), name)

        return self._begin_with(file, name, "model", f"Opening {name}", work, back="/")

    def open_last(self) -> Job:
        """Begin to open the model that was fitted last, perhaps before the app was started."""
        from taylor_sensus import load

        path = self.folder / MODEL
        what = "the last model"

        def work(job: Job) -> None:
            with named(path, what):
                self._open(job, load(path), what)

        return self._begin(f"Opening {what}", work, back="/")

    def update(self, file: BinaryIO, name: str) -> Job:
        """Begin to fit again with the results of a filled form added."""
        opened = self._model()

        def work(job: Job, path: Path) -> None:
            from taylor_sensus import load

            job.doing(FITTING)
            model = load(self.folder / MODEL)  # another object: should this fail, the model before is untouched
            model.update(read_table(path))
            self._open(job, model, f"{opened.name}, with the results of {name}")

        return self._begin_with(file, name, "form", f"Fitting with the results of {name}", work, back="/suggestions")

    def has_last(self) -> bool:
        """Whether there is one."""
        return (self.folder / MODEL).is_file()

    def predict(self, file: BinaryIO, name: str, reading: Reading) -> Job:
        """Begin to predict the rows of an uploaded table; predictions are written beside its columns."""
        opened = self._model()

        def work(job: Job, path: Path) -> None:
            job.doing("Reading the rows")
            table = _read(path, reading, opened)
            job.doing(f"Predicting {len(table.X):,} rows")
            prediction = opened.model.predict_distribution(table.X, X_err=table.X_err)
            predicted = prediction.to_frame(COVERAGE, prediction.conformal_interval(COVERAGE))
            job.doing("Writing the predictions")
            write_table(with_predictions(table.written, predicted), self.folder / PREDICTIONS)
            named = "row" if only_counts(predicted.index) else predicted.index.name or "row"
            short = [name for name in predicted if not str(name).endswith(PARTS)]
            first = predicted[short].head(PREVIEWED).rename_axis(index=named).reset_index()
            self.predicted = Predicted(name, len(predicted), table.ignored(), first)

        return self._begin_with(file, name, "rows", f"Predicting {name}", work, back="/predict", then="/predict")

    def suggest(self, source: Candidates, n: int, goal: Any, target: str) -> Job:
        """Begin to look for what to measure next."""
        opened = self._model()

        def work(job: Job, path: Path | None = None) -> None:
            job.doing("Weighing candidates")
            candidates = (
                None if path is None else _read(path, Reading(decimal=source.decimal, sheet=source.sheet), opened).X
            )
            bounds = source.bounds if path is None else None
            found = opened.model.suggest(candidates, n, goal, target=target, bounds=bounds, random_state=0)
            found.to_csv(self.folder / SUGGESTIONS)
            self.suggestions = found

        title, place = "Looking for suggestions", "/suggestions"
        if source.file is None:
            return self._begin(title, work, back=place, then=place)
        return self._begin_with(source.file, source.name, "candidates", title, work, back=place, then=place)

    def close(self, seconds: float = 0.0) -> bool:
        """Stop what runs and remove what was uploaded; the last model and its report stay.

        False if the work has not ended within so many seconds.
        """
        if self.job is not None:
            self.job.stop()
            self.job.wait(seconds)
        self._uploads.clear()
        return self.job is None or not self.job.running

    def has(self, name: str) -> bool:
        """Whether a file can be downloaded that belongs to the model that is open."""
        made = {PREDICTIONS: self.predicted, SUGGESTIONS: self.suggestions}.get(name, self.opened)
        return self.opened is not None and made is not None and (self.folder / name).is_file()

    def _table(self) -> ChosenTable:
        if self.table is None:
            raise DataError("Choose a table first.")
        return self.table

    def _model(self) -> Opened:
        if self.opened is None:
            raise DataError("Fit or open a model first.")
        return self.opened

    def _begin(self, title: str, work: Callable[[Job], None], *, back: str, then: str = "/model") -> Job:
        with self._lock:
            if self.job is not None and self.job.running:
                raise DataError(f"{self.job.title} is still running; wait for it, or stop it.")
            self.job = Job(title, work, then=then, back=back)
            return self.job

    def _begin_with(
        self, file: BinaryIO, name: str, use: str, title: str, work: Callable[[Job, Path], None], *,
        back: str, then: str = "/model",
    ) -> Job:  # fmt: skip
        """Begin to work on an uploaded file, which is only kept that long."""
        with self._uploads.kept(file, name, use) as path:

            def on_file(job: Job) -> None:
                try:
                    with named(path, name):
                        work(job, path)
                finally:
                    path.unlink(missing_ok=True)

            return self._begin(title, on_file, back=back, then=then)

    def _open(
        self, job: Job, model: TSNetRegressor, name: str, data: Any = None, command: str | None = None,
        rows: pd.DataFrame | None = None,
    ) -> None:  # fmt: skip
        """The last steps of every way to a model: report, file."""
        from taylor_sensus.report import make_report
        from taylor_sensus.report.table import kept_rows

        if rows is None and (kept := kept_rows(model.fitted_)) is not None:
            rows = kept.features
        job.doing("Writing the report")
        report = make_report(model, None, data, model_name=MODEL, data_name=name if data else None)
        job.doing("Keeping the model")
        with replacing(self.folder / MODEL) as model_file, replacing(self.folder / REPORT) as page:
            model.save(model_file)
            page.write_text(report.html, encoding="utf-8")  # both are there, or both are as they were
        self.suggestions, self.predicted, self.suggest_entries = None, None, {}
        self.opened = Opened(model, name, report, rows, command, job.warnings)


def _read(path: Path, reading: Reading, opened: Opened) -> ReadTable:
    """A table with the columns of the model; its notes are left out, because the form shows what matters."""
    fitted = opened.model.fitted_
    known = columns_known(fitted.columns, fitted.target_names)
    return table_for_model(open_table(path, reading), reading, known)
