"""From a user's file to what a model takes: values, declared errors, targets; and notes on what was found there."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from taylor_sensus.cli.assignments import Assignments, read_assignments
from taylor_sensus.cli.screen import note, quoted
from taylor_sensus.errors import SettingError

if TYPE_CHECKING:
    import pandas as pd

    from taylor_sensus.fitted import FittedModel
    from taylor_sensus.tables.measurements import Measurements


class Reading(NamedTuple):
    """How tables are to be read: what the options of a command say."""

    x_err: Sequence[str] | None = None
    y_err: Sequence[str] | None = None
    ordinary: Sequence[str] | None = None
    text: Sequence[str] | None = None
    decimal: str | None = None
    censored: str = "missing"


class KnownColumns(NamedTuple):
    """The columns that a table must have: for each feature whether it holds words; and the targets."""

    features: Mapping[str, bool]
    targets: Sequence[str]


class ReadTable(NamedTuple):
    """A table as it was written, and as a model takes it."""

    written: pd.DataFrame
    X: pd.DataFrame
    X_err: pd.DataFrame | None
    y: Any
    """A Series if there is one target, a table if there are several, None if none was asked for."""
    y_err: Any
    used: list[str]
    """Columns of the table that found a use, as they were written."""
    facts: dict[str, Any]
    """Which columns held errors, and how many cells of each column have a declared error."""

    @property
    def columns(self) -> KnownColumns:
        """The columns of this table, for another one that is to be read in the same way."""
        from pandas.api.types import is_bool_dtype, is_numeric_dtype

        words = {str(n): not (is_numeric_dtype(self.X[n]) or is_bool_dtype(self.X[n])) for n in self.X}
        return KnownColumns(words, [self.y.name] if self.y.ndim == 1 else list(self.y))


def columns_of(fitted: FittedModel) -> KnownColumns:
    """The columns of a model."""
    return KnownColumns({c.name: c.categories is not None for c in fitted.columns}, fitted.target_names)


def read_to_fit(
    path: Path, reading: Reading, *, target: Sequence[str], drop: Sequence[str], tell: Callable[[str], None] = note
) -> ReadTable:
    """A table to learn from; all columns that are neither targets, dropped nor errors are features."""
    from taylor_sensus.tables.measurements import headers_of
    from taylor_sensus.tables.table import read_table, split_target

    written = read_table(path, decimal=reading.decimal)
    headers = [str(name) for name in written.columns]
    targets, dropped = headers_of(target, headers), headers_of(drop, headers)
    features = list(split_target(written, targets, dropped).features)
    frame = written.set_axis(headers, axis=1).drop(columns=dropped)
    read = _read(frame, reading, features, targets)
    X, y, X_err, y_err = read.split(targets[0] if len(targets) == 1 else targets)
    _tell(read, tell)
    return ReadTable(written, X, X_err, y, y_err, headers, _facts(read))


def read_for_model(
    path: Path, reading: Reading, known: KnownColumns, *, with_targets: bool = False, tell: Callable[[str], None] = note
) -> ReadTable:
    """A table with the columns of a model, by the model's names and in its order; others are not looked at."""
    from taylor_sensus.tables.alignment import align
    from taylor_sensus.tables.table import pick_columns, read_table, split_target

    written = read_table(path, decimal=reading.decimal)
    features, targets = list(known.features), list(known.targets) if with_targets else []
    frame = align(written.set_axis([str(name) for name in written.columns], axis=1), [*features, *targets])
    pick_columns(frame, features, where=path.name)
    if targets:
        split_target(frame, targets)
    words = [name for name, holds_words in known.features.items() if holds_words]
    read = _read(frame, reading, features, targets, known_words=words)
    X, X_err = read.inputs(features)
    y = y_err = None
    if targets:
        _, y, _, y_err = read.split(targets[0] if len(targets) == 1 else targets)
    _tell(read, tell)
    errors = [pairing.errors for pairing in read.pairings]
    places = [place for place, name in enumerate(frame) if name in (*features, *targets, *errors)]
    return ReadTable(written, X, X_err, y, y_err, [str(written.columns[p]) for p in places], _facts(read))


def errors_of_inputs(table: ReadTable, *, exact: bool, x_err: Sequence[str] | None) -> Any:
    """What a prediction is told about the errors of its inputs: those of the table, or that there are none."""
    if exact and x_err:
        raise SettingError("--exact says that all inputs are exact, and --x-err that some are not; give one of them")
    if exact and table.X_err is not None:
        note(f"--exact leaves aside the errors that the table declares for {quoted(table.X_err)}")
    return 0 if exact else table.X_err


def _read(
    frame: pd.DataFrame,
    reading: Reading,
    features: list[str],
    targets: list[str],
    known_words: list[str] | None = None,
) -> Measurements:
    """The table's cells and errors. Where it is known which features hold words, only what has a use is read."""
    from pandas.api.types import is_bool_dtype

    from taylor_sensus.tables.companions import header_of, spoken_of
    from taylor_sensus.tables.measurements import headers_of, read_measurements

    headers = list(frame)
    x = read_assignments(reading.x_err or (), option="--x-err", among=features, headers=headers, one_unit=False)
    one = len(targets) == 1
    y = read_assignments(reading.y_err or (), option="--y-err", among=targets, headers=headers, one_unit=one)
    told = x.columns | y.columns
    text, ordinary = headers_of(reading.text or (), headers), headers_of(reading.ordinary or (), headers)
    numbers = []
    if known_words is not None:
        wanted = [*features, *targets]
        names = {header_of(name).name for name in wanted}
        speaking = {header: spoken_of(header) for header in headers if header not in (*wanted, *told.values())}
        errors = [header for header, of in speaking.items() if of is not None and of.name in names]
        frame = frame[[header for header in headers if header in (*wanted, *errors, *told.values())]]
        ordinary = [*wanted, *(name for name in ordinary if name in errors)]
        text = list(dict.fromkeys([*(name for name in text if name in wanted), *known_words]))
        numbers = [name for name in wanted if name not in text and not is_bool_dtype(frame[name])]
    read = read_measurements(
        frame,
        decimal=reading.decimal,
        censored=reading.censored,
        text=text,
        numbers=numbers,
        ordinary=ordinary,
        error_columns=told,
    )
    return read.declare({**x.sizes, **y.sizes, **_everywhere(read, x, features), **_everywhere(read, y, targets)})


def _everywhere(read: Measurements, said: Assignments, among: list[str]) -> dict[str, str]:
    """The size for all columns, for those that have cells without an error and are not named themselves."""
    if said.everywhere is None:
        return {}
    from taylor_sensus.tables.column_errors import read_size

    exact = read_size(said.everywhere)[0] == 0
    columns = [name for name in among if name in read.values and name not in said.sizes]
    lacking = [n for n in columns if n in read.errors and (read.errors[n].isna() & read.values[n].notna()).any()]
    words = [name for name in columns if name not in read.errors and exact]
    return dict.fromkeys([*lacking, *words], said.everywhere)


def _tell(read: Measurements, tell: Callable[[str], None]) -> None:
    """Which columns were taken for errors and how to undo it; missing words; which errors are declared."""
    from pandas.api.types import is_numeric_dtype

    for pairing in read.pairings:
        tell(f"{pairing}; if it does not: --ordinary {shlex.quote(pairing.errors)}")
    for name in read.values:
        empty = 0 if is_numeric_dtype(read.values[name]) else int(read.values[name].isna().sum())
        if empty:
            tell(
                f"column {name!r} holds words; its {empty} empty cells (NA and None count as empty) are taken as "
                "missing; if they are a category of their own, write another word there"
            )
    declared = _facts(read)["declared_errors"]
    if declared:
        told = ", ".join(f"{name!r} (in {count} of {len(read.values)} rows)" for name, count in declared.items())
        tell(f"errors are declared for {told}")


def _facts(read: Measurements) -> dict[str, Any]:
    declared = read.errors.notna().sum()
    return {
        "error_columns": {pairing.column: pairing.errors for pairing in read.pairings},
        "declared_errors": {name: int(count) for name, count in declared.items() if count},
    }
