"""Errors of columns as texts: `temp=0.5`, `p=2%`, `p=p_unc`, `2%`. What can be read in two ways is refused.

An error is a number in the column's unit, a percentage of the value, or the name of a column of errors; `col:NAME` is
always a column. Columns may be named without their units.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from taylor_sensus.errors import SettingError, did_you_mean, quoted
from taylor_sensus.tables.alignment import headers_meant
from taylor_sensus.tables.error_size import ErrorSize, read_size

COLUMN = "col:"


class ColumnErrors(NamedTuple):
    """What was declared about the errors of columns; all by their headers."""

    sizes: dict[str, ErrorSize]
    columns: dict[str, str]
    """Columns that hold the errors of others."""
    everywhere: ErrorSize | None
    """The size for all columns that have no other."""


def read_assignments(
    texts: Sequence[str], *, option: str, among: Sequence[str], headers: Sequence[str], one_unit: bool
) -> ColumnErrors:
    """Read the errors of the columns `among`; columns of errors may be any of the `headers`.

    An error without a column counts for all; with `one_unit` it may be anything, else a percentage or 0.
    """
    sizes: dict[str, ErrorSize] = {}
    columns: dict[str, str] = {}
    everywhere = None
    for text in texts:
        column, value = parted(text, option, among)
        if column is None and not one_unit and not _without_unit(value):
            example = f"{among[0] if among else 'COLUMN'}={value}"
            raise SettingError(
                f"{option} {text}: which column is meant? Write {option} {example!r}; only a percentage or 0 may "
                "stand alone, since columns have different units"
            )
        size, errors = _size_or_column(value, option, text, headers)
        named = [column] if column else list(among) if one_unit else []
        if any(name in sizes or name in columns for name in named) or (not named and everywhere is not None):
            raise SettingError(
                f"{option} {text}: an error of {quoted(named) if named else 'all columns'} is given twice"
            )
        if errors in named:
            raise SettingError(f"{option} {text}: a column cannot hold its own errors")
        sizes |= dict.fromkeys(named, size) if size is not None else {}
        columns |= dict.fromkeys(named, errors) if errors is not None else {}
        everywhere = everywhere if named else size
    return ColumnErrors(sizes, columns, everywhere)


def parted(text: str, option: str, among: Sequence[str]) -> tuple[str | None, str]:
    """Column and what is declared of it; names may hold equals signs, so all are tried. None: no column is named."""
    places = [place for place, sign in enumerate(text) if sign == "="]
    found = []
    for place in places:
        meant = headers_meant(text[:place].strip(), among)
        if len(meant) > 1:
            raise SettingError(f"{option} {text}: {text[:place]!r} may be {quoted(meant)}; write the unit too")
        found += [(name, text[place + 1 :].strip()) for name in meant]
    if len(found) > 1:
        raise SettingError(f"{option} {text}: this may mean {quoted(name for name, _ in found)}; rename one of them")
    if not found and places:
        name = text[: places[0]].strip()
        hint = did_you_mean(name, among, "it may be")
        raise SettingError(f"{option} {text}: there is no such column {name!r}{hint}")
    return found[0] if found else (None, text.strip())


def parted_all(texts: Sequence[str], option: str, among: Sequence[str], example: str) -> dict[str, str]:
    """What is declared of columns, each of which must be named, and once."""
    found: dict[str, str] = {}
    for text in texts:
        column, value = parted(text, option, among)
        if column is None or not value:
            raise SettingError(f"{option} {text}: expected {example}")
        if column in found:
            raise SettingError(f"{option} {text}: {column!r} is given twice")
        found[column] = value
    return found


def _without_unit(value: str) -> bool:
    number = _number(value.removesuffix("%"))
    return number is not None and (value.endswith("%") or number == 0)


def _size_or_column(value: str, option: str, text: str, headers: Sequence[str]) -> tuple[ErrorSize | None, str | None]:
    wanted = value.removeprefix(COLUMN)
    meant = headers_meant(wanted, headers)
    is_size = wanted == value and _number(value.removesuffix("%")) is not None
    if is_size and meant:
        raise SettingError(
            f"{option} {text}: {value!r} is a size and the name of a column; write {COLUMN}{value} for the column, "
            f"or the number in another way, such as {value.removesuffix('%')}e0"
        )
    if is_size:
        return read_size(value), None
    if len(meant) > 1:
        raise SettingError(f"{option} {text}: {wanted!r} may be {quoted(meant)}; write the unit too")
    if not meant:
        comma = "; decimals are written with a point" if _number(wanted.replace(",", ".").removesuffix("%")) else ""
        raise SettingError(
            f"{option} {text}: {wanted!r} is neither a number, nor a percentage, nor a column of the table"
            f"{comma or did_you_mean(wanted, headers)}"
        )
    return None, meant[0]


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
