"""What is wanted of a table: how it is to be read and which columns it must have. Loads no pandas.

What a table's header shows to be wrong is reported at once, by the same checks that reading the table makes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from taylor_sensus.errors import DataError, SettingError, did_you_mean
from taylor_sensus.tables.alignment import check_there, check_to_fit, headers_of, learned_names
from taylor_sensus.tables.assignments import ColumnErrors, read_assignments
from taylor_sensus.tables.column import Column
from taylor_sensus.tables.file_header import names_at_once


class Reading(NamedTuple):
    """How a table is to be read: what the options of a command, or the fields of a form, say."""

    x_err: Sequence[str] | None = None
    y_err: Sequence[str] | None = None
    ordinary: Sequence[str] | None = None
    text: Sequence[str] | None = None
    decimal: str | None = None
    censored: str = "missing"
    exact: bool = False
    """Whether all inputs are known exactly, whatever the table declares."""
    sheet: str | None = None
    """Which sheet of a book, by its name or its number from 1."""
    id: str | None = None
    """The column that names the rows."""


class KnownColumns(NamedTuple):
    """The columns that a table must have: for each feature whether it holds words; and the targets."""

    features: Mapping[str, bool]
    targets: Sequence[str]


class OptionErrors(NamedTuple):
    """What options say about the errors of inputs and targets."""

    x: ColumnErrors
    y: ColumnErrors


def columns_known(columns: Iterable[Column], targets: Sequence[str]) -> KnownColumns:
    """The columns of a model."""
    return KnownColumns({column.name: column.categories is not None for column in columns}, targets)


def declared_errors(
    reading: Reading, features: Sequence[str], targets: Sequence[str], headers: Sequence[str]
) -> OptionErrors:
    """The errors that options declare, by headers of the table."""
    if reading.exact and reading.x_err:
        raise SettingError("--exact says that all inputs are exact, and --x-err that some are not; give one of them")
    x = read_assignments(reading.x_err or (), option="--x-err", among=features, headers=headers, one_unit=False)
    one = len(targets) == 1
    y = read_assignments(reading.y_err or (), option="--y-err", among=targets, headers=headers, one_unit=one)
    return OptionErrors(x, y)


def check_header_to_fit(path: Path, reading: Reading, *, target: Sequence[str], drop: Sequence[str]) -> None:
    """Refuse a table to learn from if its header shows that it will not do."""
    headers = names_at_once(path)
    if headers is None:
        return
    named = id_column(headers, reading.id, path.name)
    headers = [name for name in headers if name != named]
    targets, dropped = headers_of(target, headers), headers_of(drop, headers)
    features = check_to_fit(headers, targets, dropped)
    declared_errors(reading, features, targets, [name for name in headers if name not in dropped])


def id_column(headers: Sequence[str], wanted: str | None, where: str) -> str | None:
    """The column that names the rows, by its header; refused if it is not there."""
    if wanted is None:
        return None
    found = headers_of([wanted], headers)[0]
    if found not in headers:
        hint = did_you_mean(wanted, headers, "the columns are")
        raise DataError(f"{where} has no column {wanted!r} to name its rows by (--id){hint}")
    return found


def check_header_for_model(
    path: Path, reading: Reading, known: KnownColumns, *, with_targets: bool = False, also: Sequence[str] = ()
) -> None:
    """Refuse a table for a model if its header shows that it will not do; the columns in `also` must be there too."""
    headers = names_at_once(path)
    if headers is None:
        return
    named = id_column(headers, reading.id, path.name)
    headers = [name for name in headers if name != named]
    features, targets = list(known.features), list(known.targets) if with_targets else []
    renamed = learned_names(headers, [*features, *targets])
    names = [renamed.get(name, name) for name in headers]
    check_there(names, features, where=path.name)
    if targets:
        check_to_fit(names, targets)
    declared_errors(reading, features, targets, names)
    check_there(headers, also, where=path.name)
