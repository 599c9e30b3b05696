"""Errors of whole columns, declared beside the table: `0.5` in the column's unit, or `2%` of each value; and errors
that stand in a column of their own.

A cell that declares its own error keeps it; a missing cell has none.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from taylor_sensus.errors import DataError
from taylor_sensus.tables.columns import MOST_NAMED
from taylor_sensus.tables.companions import Pairing
from taylor_sensus.tables.error_size import ErrorSize, percent_of, read_size
from taylor_sensus.tables.notation import Cells
from taylor_sensus.tables.row_names import named_row, shown


def with_declared(
    errors: pd.DataFrame, values: pd.DataFrame, sizes: Mapping[str, float | str | ErrorSize]
) -> pd.DataFrame:
    """The errors of a table, filled where cells declare none; columns go by their headers. Words can be exact only."""
    filled, problems = {}, []
    for column, given in sizes.items():
        error = read_size(given)
        if column not in errors and column in values and error.size == 0:
            filled[column] = np.where(values[column].isna(), np.nan, 0.0)
            continue
        if column not in errors:
            words = "holds words, which have no standard error; it can only be exact (0)"
            problems.append(f"column {column!r} {words if column in values else 'is not in the table'}")
            continue
        numbers = values[column].to_numpy(dtype=float, na_value=np.nan)
        before = errors[column].to_numpy()
        open_cells = np.isnan(before) & ~np.isnan(numbers)
        if not open_cells.any() and not np.isnan(numbers).all():
            problems.append(
                f"an error of {error} is declared for column {column!r}, but all its cells have errors of their own "
                "(written in them, or in a column of errors); leave one of the two out"
            )
        filled[column] = np.where(open_cells, error.of(numbers), before)
    if problems:
        raise DataError("; ".join(problems))
    return errors.assign(**filled)


def join_errors(index: pd.Index, base: Cells, companion: np.ndarray, pairing: Pairing) -> tuple[np.ndarray, list[str]]:
    """Errors from the cells and from the column of errors; where both declare one, they must be equal."""
    if pairing.relative:
        companion = percent_of(base.values, companion)
    both = ~np.isnan(base.errors) & ~np.isnan(companion)
    unequal = both & ~np.isclose(base.errors, companion, rtol=1e-9, atol=0)
    listed_rows = [f"{named_row(index, r)} ({base.errors[r]:g} and {companion[r]:g})" for r in _first(unequal)]
    why = "declare two different errors, in the cell and in the companion column; keep one of them"
    problems = _named(f"columns {pairing.column!r} and {pairing.errors!r}", listed_rows, unequal, why)
    return np.where(np.isnan(companion), base.errors, companion), problems


def bad_errors(column: pd.Series, cells: Cells, header: str) -> list[str]:
    """Complaints about a column of errors: only finite numbers from 0 on can be errors."""
    ordinary = "ordinary= (--ordinary)"
    rules = {
        f"negative, which no error can be; correct it, or name the column in {ordinary}": cells.values < 0,
        "infinite; leave the cell empty where the error is not known": np.isinf(cells.values),
        "an error with an error of its own; write the error alone": ~np.isnan(cells.errors),
        "only a bound, not an error; leave the cell empty where the error is not known": cells.sides != 0,
    }
    problems = []
    for why, bad in rules.items():
        listed_rows = [named_row(column.index, r, shown(column.iloc[r])) for r in _first(bad)]
        problems += _named(f"column {header!r}", listed_rows, bad, f"is {why}")
    return problems


def _first(bad: np.ndarray) -> list[int]:
    return np.flatnonzero(bad)[:MOST_NAMED].tolist()


def _named(where: str, listed_rows: list[str], bad: np.ndarray, why: str) -> list[str]:
    if not listed_rows:
        return []
    more = int(bad.sum()) - len(listed_rows)
    rows = ", ".join(listed_rows) + (f" and {more} more" if more else "")
    return [f"{where}: row{'s' if more or len(listed_rows) > 1 else ''} {rows}: {why}"]
