"""The table, the model and the work under way. There is one workbench a server: the app is for one person."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from taylor_sensus.app.choices import Choices, as_command, constructor_arguments
from taylor_sensus.app.job import Job
from taylor_sensus.app.uploads import Uploads, named
from taylor_sensus.errors import DataError, TaylorSensusWarning
from taylor_sensus.storage.atomic import replacing
from taylor_sensus.tables.columns import is_time
from taylor_sensus.tables.companions import Pairing, find_pairings
from taylor_sensus.tables.files import beside, read_table, write_table
from taylor_sensus.tables.reading import (
    OpenedTable,
    ReadTable,
    open_table,
    table_for_model,
    table_to_fit,
    with_names,
)
from taylor_sensus.tables.wanted import Reading, columns_known

if TYPE_CHECKING:
    import pandas as pd

    from taylor_sensus.regressor import TSNetRegressor
    from taylor_sensus.report import Report
    from taylor_sensus.suggest import Suggestions

COVERAGE = 0.9
LOOKED_AT = 200
"""Rows by which the kind of a column is guessed."""
MODEL, REPORT, PREDICTIONS, SUGGESTIONS = "model.tsnet", "report.html", "predictions.csv", "suggestions.csv"
"""Names of the files that can be downloaded, and under which they are kept."""


class ChosenTable(NamedTuple):
    """A table that was chosen: where it is kept, what the user calls it, and its cells."""

    path: Path
    name: str
    frame: pd.DataFrame
    pairings: list[Pairing]
    """Columns that seem to hold the errors of others."""
    labels: list[str]
    """Columns in which every cell is another word: names of rows, from which nothing can be learned."""
    dates: list[str]
    """Columns of dates and times, which are no inputs as they are."""
    notes: list[str]
    """What the user should know of how it was found, a sentence each."""

    @property
    def exact(self) -> dict[str, str]:
        """Columns of numbers that look exact, and why."""
        from taylor_sensus.model.exact import few_levels

        numbers = self.frame.select_dtypes("number")
        found = {str(name): few_levels(cells.to_numpy(dtype=float)) for name, cells in numbers.items()}
        return {name: why for name, why in found.items() if why is not None}

    @property
    def headers(self) -> list[str]:
        """The names of its columns."""
        return [str(name) for name in self.frame.columns]


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


class Candidates(NamedTuple):
    """Where suggestions may come from: a file, if there is one, else the bounds."""

    file: BinaryIO | None
    name: str
    decimal: str | None
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
        self.asked: dict[str, str] = {}
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
            opened = open_table(path)
            frame = opened.frame
            headers = [str(column) for column in frame.columns]
            try:
                pairings = find_pairings(headers)
            except DataError:  # names that can be read in two ways are the user's to choose in the form
                pairings = []
            notes = [note.replace(path.name, name) for note in opened.notes]
            dates = [str(column) for column in frame if is_time(frame[column])]
            labels = [column for column in _labels(frame) if column not in dates]
            taken = ChosenTable(path, name, frame, pairings, labels, dates, notes)
        with self._lock:
            before, self.table, self.chosen = self.table, taken, None
            if before is not None and (self.job is None or not self.job.running):  # else it may be at work on it
                before.path.unlink(missing_ok=True)
        return taken

    def fit(self, choices: Choices) -> Job:
        """Begin to fit the table."""
        table = self.table
        if table is None:
            raise DataError("Choose a table first.")

        def work(job: Job) -> None:
            from taylor_sensus import TSNetRegressor

            job.doing("Reading the table")
            with named(table.path, table.name):
                opened = with_names(OpenedTable(table.name, table.frame), choices.reading.id)
                if choices.reading.decimal is not None:  # cells are read as they are written, not by guess
                    opened = open_table(table.path, choices.reading)
                reading = table_to_fit(opened, choices.reading, target=choices.target, drop=choices.drop)
            job.doing("Fitting")
            model = TSNetRegressor(**constructor_arguments(choices))
            model.fit(reading.X, reading.y, X_err=reading.X_err, y_err=reading.y_err)
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

            job.doing("Fitting")
            model = load(self.folder / MODEL)  # another object: should this fail, the model before is untouched
            model.update(read_table(path))
            self._open(job, model, f"{opened.name}, with the results of {name}")

        return self._begin_with(file, name, "form", f"Fitting with the results of {name}", work, back="/suggestions")

    def has_last(self) -> bool:
        """Whether there is one."""
        return (self.folder / MODEL).is_file()

    def predict(self, file: BinaryIO, name: str, *, exact: bool, decimal: str | None) -> Job:
        """Begin to predict the rows of an uploaded table; predictions are written beside its columns."""
        opened = self._model()

        def work(job: Job, path: Path) -> None:
            job.doing("Reading the rows")
            table = _read(path, Reading(decimal=decimal, exact=exact), opened)
            job.doing(f"Predicting {len(table.X):,} rows")
            prediction = opened.model.predict_distribution(table.X, X_err=table.X_err)
            predicted = prediction.to_frame(COVERAGE, prediction.conformal_interval(COVERAGE))
            job.doing("Writing the predictions")
            write_table(beside(table.written, predicted), self.folder / PREDICTIONS)
            self.predicted = Predicted(name, len(predicted), table.ignored())

        return self._begin_with(
            file, name, "rows", f"Predicting {name}", work, back="/model", then="/model#predictions"
        )

    def suggest(self, source: Candidates, n: int, goal: Any, target: str) -> Job:
        """Begin to look for what to measure next."""
        opened = self._model()

        def work(job: Job, path: Path | None = None) -> None:
            job.doing("Weighing candidates")
            candidates = None if path is None else _read(path, Reading(decimal=source.decimal), opened).X
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

    def _model(self) -> Opened:
        if self.opened is None:
            raise DataError("Fit or open a model first.")
        return self.opened

    def _begin(self, title: str, work: Callable[[Job], None], *, back: str, then: str = "/model") -> Job:
        with self._lock:
            if self.job is not None and self.job.running:
                raise DataError(f"{self.job.title} is still under way; wait for it, or stop it.")
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
        self.suggestions, self.predicted, self.asked = None, None, {}
        self.opened = Opened(model, name, report, rows, command, job.warnings)


def _read(path: Path, reading: Reading, opened: Opened) -> ReadTable:
    """A table with the columns of the model; its notes are left out, because the form shows what there is to tell."""
    fitted = opened.model.fitted_
    known = columns_known(fitted.columns, fitted.target_names)
    return table_for_model(open_table(path, reading), reading, known)


def _labels(frame: pd.DataFrame) -> list[str]:
    """Columns of words that are all different; whether a column holds words is judged by its first rows."""
    from pandas.api.types import is_numeric_dtype

    from taylor_sensus.tables.measurements import read_measurements

    first = frame.head(LOOKED_AT).set_axis([str(name) for name in frame.columns], axis=1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TaylorSensusWarning)
            values = read_measurements(first, ordinary=list(first)).values
    except DataError:  # what cannot be read is told when the columns have been chosen
        return []
    found = [name for name in values if not is_numeric_dtype(values[name])]
    whole = frame.set_axis(list(first), axis=1)
    return [name for name in found if len(whole) > 1 and whole[name].nunique() == len(whole)]
