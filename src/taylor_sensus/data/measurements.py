"""A table as scientists write it becomes values, errors and units: cells, companion columns and headers together."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_complex_dtype, is_numeric_dtype, is_object_dtype, is_string_dtype

from taylor_sensus.data.columns import MOST_NAMED, check_names, named_row, shown
from taylor_sensus.data.companions import Pairing, describe_pairings, find_pairings, header_of
from taylor_sensus.data.notation import Cells, read_cells
from taylor_sensus.data.refusals import looks_meant_as_number, why_refused
from taylor_sensus.errors import DataError, SettingError, TaylorSensusWarning

CENSORED = {
    "missing": "count as missing",
    "bound": "take the value of their bound",
    "half": "take half their bound",
}
"""What can be done with cells such as <0.05, and how a warning says it."""
LOOKED_AT = 300
"""Refused cells that are looked at to tell a column of misspelt numbers from a column of words."""


class Measurements(NamedTuple):
    """What a table says. Columns go by their names without units, or by whole headers where these would be the same."""

    values: pd.DataFrame
    """Columns of numbers and, as they came, columns of other things; columns of errors are not among them."""
    errors: pd.DataFrame
    """Declared standard errors of the columns of numbers, in their units; NaN where none is declared."""
    units: dict[str, str]
    """Units by column, of the columns whose header tells one."""
    pairings: list[Pairing]
    """Which columns held the errors of which, by header."""
    censored: pd.DataFrame
    """Cells that tell only a bound: `row` (from 0), `column`, `side` (below, above), `bound` (NaN where not told)."""

    def __str__(self) -> str:
        declared = self.errors.notna().sum()
        told = [f"{name!r} (in {count} of {len(self.errors)} rows)" for name, count in declared.items() if count]
        return f"{describe_pairings(self.pairings)} Errors are declared for {', '.join(told) or 'no column'}."


def read_measurements(
    frame: pd.DataFrame,
    *,
    decimal: str = ".",
    censored: str = "missing",
    text: Collection[str] = (),
    numbers: Collection[str] = (),
    ordinary: Collection[str] = (),
) -> Measurements:
    """Read a table of texts and numbers; all that cannot be read is refused at once, by row and column.

    A column of texts holds numbers if at least half of its filled cells can be read, or are made of nothing but the
    signs of numbers; else it is left as it is. Columns that are numeric already are passed on untouched.

    Parameters
    ----------
    decimal
        The decimal sign of texts, ``"."`` or ``","``.
    censored
        What cells such as ``<0.05`` become: ``"missing"``; ``"bound"``; or ``"half"`` the bound, which there is
        only below a positive bound. Where there is no such value, the cell is missing.
    text, numbers
        Headers of columns that are words, or numbers, whatever they look like.
    ordinary
        Headers of columns that look like the errors of another column and are not.
    """
    if censored not in CENSORED:
        raise SettingError(f"censored is {censored!r}; expected one of {', '.join(map(repr, CENSORED))}")
    check_names(frame, "the table")
    headers = {str(name): name for name in frame.columns}
    for setting, chosen in {"text": text, "numbers": numbers, "ordinary": ordinary}.items():
        unknown = [name for name in chosen if name not in headers]
        if isinstance(chosen, str) or unknown:
            shown = ", ".join(map(repr, unknown)) if unknown and not isinstance(chosen, str) else "a single text"
            raise SettingError(f"{setting} names {shown}; expected a list of headers of the table, as they are written")

    problems: list[str] = []
    read: dict[str, Cells] = {}
    for header, name in headers.items():
        column = frame[name]
        cells = None if header in text else _read_column(column, decimal, must=header in numbers)
        if cells is not None:
            read[header] = cells
            problems += _refused(column, cells, header, decimal)
    pairings = find_pairings(list(read), ordinary=ordinary)
    errors = {header: cells.errors for header, cells in read.items()}
    for pairing in pairings:
        companion = frame[headers[pairing.errors]]
        problems += _bad_errors(companion, read[pairing.errors], pairing.errors)
        joined, bad = _join_errors(frame.index, read[pairing.column], read[pairing.errors].values, pairing)
        errors[pairing.column] = joined
        problems += bad
    if problems:
        raise DataError("; ".join(problems) + ". Rows count from 0.")

    companions = {pairing.errors for pairing in pairings}
    names = _names([header for header in headers if header not in companions])
    kept = {header: read[header] for header in names if header in read}
    _warn_of_censored(frame, kept, headers, censored)
    values = {}
    for header, name in names.items():
        column = frame[headers[header]]
        untouched = header not in kept or is_numeric_dtype(column)
        values[name] = column if untouched else pd.Series(_filled(kept[header], censored), index=frame.index)
    units = {name: header_of(header).unit for header, name in names.items()}
    return Measurements(
        values=pd.DataFrame(values, index=frame.index),
        errors=pd.DataFrame({names[header]: errors[header] for header in kept}, index=frame.index),
        units={name: unit for name, unit in units.items() if unit is not None},
        pairings=pairings,
        censored=_censored_table({names[header]: cells for header, cells in kept.items()}),
    )


def _names(headers: list[str]) -> dict[str, str]:
    """Names without units; whole headers for columns that only their units tell apart."""
    bare = {header: header_of(header).name for header in headers}
    count = pd.Series(list(bare.values()), dtype=object).value_counts()
    return {header: name if count[name] == 1 else header for header, name in bare.items()}


def _read_column(column: pd.Series, decimal: str, *, must: bool) -> Cells | None:
    """The cells of a column of numbers; None for a column of anything else."""
    if is_numeric_dtype(column) and not is_bool_dtype(column) and not is_complex_dtype(column):
        values = column.to_numpy(dtype=float, na_value=np.nan)
        nothing, no = np.full(len(column), np.nan), np.zeros(len(column), dtype=bool)
        return Cells(values, nothing, no.astype(np.int8), nothing, np.isnan(values), no)
    if not must and not is_object_dtype(column.dtype) and not is_string_dtype(column.dtype):
        return None
    cells = read_cells(column, decimal=decimal)
    return cells if must or _holds_numbers(column, cells) else None


def _holds_numbers(column: pd.Series, cells: Cells) -> bool:
    refused = np.flatnonzero(cells.refused)
    filled = len(column) - int(cells.missing.sum())
    meant = filled - len(refused)
    if 2 * meant < filled:
        chosen = refused[np.linspace(0, len(refused) - 1, min(len(refused), LOOKED_AT)).astype(int)]
        alike = [isinstance(cell, str) and looks_meant_as_number(cell) for cell in column.iloc[chosen]]
        meant += len(refused) * float(np.mean(alike))
    return 2 * meant >= filled


# ---------------------------------------------------------------------------------------------- errors


def _join_errors(index: pd.Index, base: Cells, companion: np.ndarray, pairing: Pairing) -> tuple[np.ndarray, list[str]]:
    """Errors from the cells and from the companion column; where both declare one, they must be equal."""
    if pairing.relative:
        companion = np.abs(base.values) * companion / 100
    both = ~np.isnan(base.errors) & ~np.isnan(companion)
    unequal = both & ~np.isclose(base.errors, companion, rtol=1e-9, atol=0)
    told = [f"{named_row(index, r)} ({base.errors[r]:g} and {companion[r]:g})" for r in _first(unequal)]
    why = "declare two different errors, in the cell and in the companion column; keep one of them"
    problems = _named(f"columns {pairing.column!r} and {pairing.errors!r}", told, unequal, why)
    return np.where(np.isnan(companion), base.errors, companion), problems


def _bad_errors(column: pd.Series, cells: Cells, header: str) -> list[str]:
    """Complaints about a column of errors: only finite numbers from 0 on can be errors."""
    rules = {
        "negative, which no error can be; correct it, or name the column in ordinary=": cells.values < 0,
        "infinite; leave the cell empty where the error is not known": np.isinf(cells.values),
        "an error with an error of its own; write the error alone": ~np.isnan(cells.errors),
        "only a bound, not an error; leave the cell empty where the error is not known": cells.sides != 0,
    }
    problems = []
    for why, bad in rules.items():
        told = [named_row(column.index, r, shown(column.iloc[r])) for r in _first(bad)]
        problems += _named(f"column {header!r}", told, bad, f"is {why}")
    return problems


def _refused(column: pd.Series, cells: Cells, header: str, decimal: str) -> list[str]:
    """Complaints about cells that cannot be read, each with its own reason."""
    told = []
    for r in _first(cells.refused):
        cell = column.iloc[r]
        told.append(f"row {named_row(column.index, r, shown(cell))} {why_refused(cell, decimal=decimal)}")
    if not told:
        return []
    more = int(cells.refused.sum()) - len(told)
    rest = [f"and {more} more cells like these"] if more else []
    labels = " (if the column holds words, name it in text=)"
    return [f"column {header!r}: " + ", ".join(told + rest) + labels]


def _first(bad: np.ndarray) -> list[int]:
    return np.flatnonzero(bad)[:MOST_NAMED].tolist()


def _named(where: str, told: list[str], bad: np.ndarray, why: str) -> list[str]:
    if not told:
        return []
    more = int(bad.sum()) - len(told)
    rows = ", ".join(told) + (f" and {more} more" if more else "")
    return [f"{where}: row{'s' if more or len(told) > 1 else ''} {rows}: {why}"]


# -------------------------------------------------------------------------------------------- censored


def _filled(cells: Cells, censored: str) -> np.ndarray:
    """Values, with what the user chose in place of censored ones."""
    if censored == "bound":
        return np.where(cells.sides != 0, cells.bounds, cells.values)
    if censored == "half":
        return np.where((cells.sides < 0) & (cells.bounds > 0), cells.bounds / 2, cells.values)
    return cells.values


def _censored_table(read: dict[str, Cells]) -> pd.DataFrame:
    parts = []
    for name, cells in read.items():
        rows = np.flatnonzero(cells.sides)
        side = np.where(cells.sides[rows] < 0, "below", "above").astype(object)
        parts.append(pd.DataFrame({"row": rows, "column": name, "side": side, "bound": cells.bounds[rows]}))
    empty = pd.DataFrame({"row": np.array([], dtype=np.int64), "column": [], "side": [], "bound": np.array([])})
    filled = [part for part in parts if len(part)]
    return pd.concat(filled, ignore_index=True) if filled else empty


def _warn_of_censored(frame: pd.DataFrame, read: dict[str, Cells], headers: dict[str, Any], censored: str) -> None:
    told = []
    for header, cells in read.items():
        rows = np.flatnonzero(cells.sides)
        if not len(rows):
            continue
        count = f"{len(rows)} row{'s' if len(rows) > 1 else ''}"
        example = shown(frame[headers[header]].iloc[rows[0]])
        left = int(np.isnan(_filled(cells, censored)[rows]).sum())
        but = f", but {left} of them have none and count as missing" if left and censored != "missing" else ""
        told.append(
            f"column {header!r}: cells with only a bound ({count}, such as {example}) {CENSORED[censored]}{but}"
        )
    if told:
        others = " or ".join(f'"{way}"' for way in CENSORED if way != censored)
        message = "; ".join(told) + f". To treat such cells otherwise, choose censored={others}."
        warnings.warn(message, TaylorSensusWarning, stacklevel=3)
