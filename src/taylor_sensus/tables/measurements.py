"""A table as scientists write it becomes values, errors and units: cells, companion columns and headers together."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_complex_dtype, is_numeric_dtype, is_object_dtype, is_string_dtype

from taylor_sensus.errors import DataError, SettingError
from taylor_sensus.tables.alignment import align, headers_of, pick_columns, split_target
from taylor_sensus.tables.asymmetric import asymmetric_headers, split_normal
from taylor_sensus.tables.censored import CENSORED, censored_table, filled, warn_of_censored
from taylor_sensus.tables.column_errors import ErrorSize, bad_errors, join_errors, with_declared
from taylor_sensus.tables.columns import MOST_NAMED, as_frame, check_names
from taylor_sensus.tables.companions import Pairing, describe_pairings, find_pairings, header_of
from taylor_sensus.tables.covariances import as_covariances, covariance_headers
from taylor_sensus.tables.dates import holds_dates
from taylor_sensus.tables.files import read_table
from taylor_sensus.tables.limit_flags import limit_headers, read_flags, with_flags
from taylor_sensus.tables.limits import expected_cells
from taylor_sensus.tables.missing_words import is_missing_word, without_missing_words
from taylor_sensus.tables.notation import Cells, empty_cells, read_cells
from taylor_sensus.tables.refusals import looks_meant_as_number, why_refused
from taylor_sensus.tables.row_names import counting, named_row, shown

LOOKED_AT = 300
"""Refused cells that are looked at to separate columns of misspelt numbers from columns of words."""


class Inputs(NamedTuple):
    """Rows ready for `predict_distribution(X, X_err=X_err)` and the like.

    Parameters
    ----------
    X : DataFrame
        The model's columns.
    X_err : DataFrame or None
        Errors of the columns that declare some; NaN where a cell declares none. None if no column declares any.
    """

    X: pd.DataFrame
    X_err: pd.DataFrame | None


class Split(NamedTuple):
    """A table ready for `TSNetRegressor.fit(X, y, X_err=X_err, y_err=y_err)`.

    Parameters
    ----------
    X : DataFrame
        Features.
    y : Series or DataFrame
        A Series for one target by its name, a table for a list of targets.
    X_err : DataFrame, ndarray or None
        Errors of the columns of X that declare some; NaN where a cell declares none. None if no column declares any.
        With columns ``cov(a,b)`` covariance matrices.
    y_err : Series, DataFrame or None
        The same of y.
    """

    X: pd.DataFrame
    y: pd.Series | pd.DataFrame
    X_err: pd.DataFrame | None
    y_err: pd.Series | pd.DataFrame | None


class Measurements(NamedTuple):
    """What a table says. Columns go by their headers as written, with units.

    Parameters
    ----------
    values : DataFrame
        Columns of numbers and, as they came, columns of other things; columns of errors are not among them.
    errors : DataFrame
        Declared standard errors of the columns of numbers, in their units; NaN where none is declared. Columns of words
        are there only if they were declared to be exact.
    units : dict of str
        Units by column, of the columns whose header has one.
    pairings : list of Pairing
        Which columns held the errors of which, by header.
    censored : DataFrame
        Cells that give only a bound: `row` (from 0), `column`, `side` (below, above), `bound` (NaN where not given).
    covariances : dict
        Covariances of errors in a row, from columns ``cov(a,b)``, by the two columns' headers.
    expected : bool
        Whether censored cells hold expected values.
    """

    values: pd.DataFrame
    errors: pd.DataFrame
    units: dict[str, str]
    pairings: list[Pairing]
    censored: pd.DataFrame
    covariances: Mapping[tuple[str, str], np.ndarray] = MappingProxyType({})
    expected: bool = False

    def __str__(self) -> str:
        declared = self.errors.notna().sum()
        listed = [f"{name!r} (in {count} of {len(self.errors)} rows)" for name, count in declared.items() if count]
        return f"{describe_pairings(self.pairings)} Errors are declared for {', '.join(listed) or 'no column'}."

    def declare(self, sizes: Mapping[str, float | str | ErrorSize]) -> Measurements:
        """The same with errors for whole columns, such as `{"temp": 0.5, "p": "2%"}`.

        Cells that declare their own error keep it.

        Parameters
        ----------
        sizes : dict
            By column, which may be named without its unit: a number is a standard deviation in the column's unit (0:
            exact, which words can be too), a percentage is of each value.

        Returns
        -------
        Measurements
            With the errors added.
        """
        columns = list(self.values)
        by_header = dict(zip(headers_of(list(sizes), columns), sizes.values(), strict=True))
        return self._replace(errors=with_declared(self.errors, self.values, by_header))

    def split(self, target: str | Sequence[str], *, drop: Sequence[str] = ()) -> Split:
        """Features, targets and their errors; rows without a target are refused.

        Parameters
        ----------
        target : str or list of str
            Columns to predict; units may be left out.
        drop : list of str, optional
            Columns that are neither features nor targets.

        Returns
        -------
        Split
            `X`, `y`, `X_err` and `y_err`, as `fit` takes them.
        """
        names = [target] if isinstance(target, str) else list(target)
        columns = list(self.values)
        table = split_target(self.values, headers_of(names, columns), headers_of(drop, columns))
        chosen = list(table.targets)
        self._refuse_missing(chosen)
        y = table.targets[chosen[0]] if isinstance(target, str) else table.targets
        y_err = self._declared_errors(chosen)
        if y_err is not None:
            y_err = y_err.iloc[:, 0] if isinstance(target, str) else y_err.reindex(columns=chosen)
        features, one = list(table.features), chosen[0] if isinstance(target, str) else None
        own = y_err if isinstance(y_err, pd.Series) else None
        return Split(
            table.features,
            y,
            as_covariances(self._declared_errors(features), features, self.covariances, one, own),
            y_err,
        )

    def inputs(self, columns: Sequence[str]) -> Inputs:
        """The columns that a model was fitted to, by its names and in its order.

        Parameters
        ----------
        columns : list of str
            Names of the fit (`X.columns`, `model.feature_names_in_`); units may be left out here or there, but must not
            differ.

        Returns
        -------
        Inputs
            `X` and `X_err`, as `predict_distribution` takes them.
        """
        values, errors = align(self.values, columns), align(self.errors, columns)
        aligned = self._replace(values=pick_columns(values, columns, where="the table"), errors=errors)
        errors = aligned._declared_errors(list(aligned.values))
        return Inputs(aligned.values, as_covariances(errors, list(aligned.values), self.covariances))

    def _declared_errors(self, columns: list[str]) -> pd.DataFrame | None:
        """Errors of those of the columns that declare any; a missing cell has none."""
        declared = [name for name in columns if name in self.errors and self.errors[name].notna().any()]
        return self.errors[declared].where(self.values[declared].notna()) if declared else None

    def _refuse_missing(self, targets: list[str]) -> None:
        problems = []
        for name in targets:
            if not is_numeric_dtype(self.values[name]):
                raise DataError(f"the target {name!r} holds no numbers (the first is {_first_word(self.values[name])})")
            only_bound = set(self.censored.loc[self.censored["column"] == name, "row"])
            is_expected = np.isin(np.arange(len(self.values)), list(only_bound)) & self.expected
            rows = np.flatnonzero(self.values[name].isna() | is_expected)
            listed_rows = [
                named_row(self.values.index, r, "gives only a bound" if r in only_bound else None)
                for r in rows[:MOST_NAMED].tolist()
            ]
            if listed_rows:
                more = f" and {len(rows) - len(listed_rows)} more" if len(rows) > len(listed_rows) else ""
                word = "row" if len(rows) == 1 else "rows"
                problems.append(f"column {name!r}: no number in {word} {', '.join(listed_rows)}{more}")
        if problems:
            remedy = "A target must be known: fill these cells, or take the rows out."
            raise DataError("; ".join(problems) + f". {counting(self.values.index)} {remedy}")


def read_measurements(
    table: Any,
    *,
    sheet: str | None = None,
    decimal: str | None = None,
    censored: str = "missing",
    text: Collection[str] = (),
    numbers: Collection[str] = (),
    ordinary: Collection[str] = (),
    error_columns: Mapping[str, str] | None = None,
) -> Measurements:
    """Read a table of texts and numbers; all that cannot be read is refused at once, by row and column.

    A column of texts holds numbers if at least half of its filled cells can be read, or are made of nothing but the
    signs of numbers; else it holds words, in which ``n.d.``, ``-``, ``NA`` and the like are missing cells. Columns that
    are numeric already are passed on untouched.

    Parameters
    ----------
    table : DataFrame or path
        A pandas or polars frame, or the path of a file with one header line (CSV, TSV, Excel, Parquet).
    sheet : str, optional
        Sheet of an Excel book, by its name or its number from 1; the first by default.
    decimal : {".", ","}, optional
        The decimal sign of texts; the point by default.
    censored : {"missing", "bound", "half", "expected"}, default="missing"
        What cells such as ``<0.05`` become, and values that a column ``x_limit`` or ``l_x`` marks with ``<`` or ``>``:
        missing; the bound; half the bound, which there is only below a positive bound; or the value that the column's
        distribution lets expect there, with its standard deviation as a declared error. Where there is no such value,
        the cell is missing.
    text : list of str, optional
        Headers of columns that are words, whatever they look like.
    numbers : list of str, optional
        Headers of columns that are numbers, whatever they look like.
    ordinary : list of str, optional
        Headers of columns that look like the errors of another column and are not.
    error_columns : dict of str, optional
        Columns of errors whose headers do not show it, such as ``{"p": "dp"}``.

    Returns
    -------
    Measurements
        Values, errors and units.
    """
    if censored not in CENSORED:
        raise SettingError(f"censored is {censored!r}; expected one of {', '.join(map(repr, CENSORED))}")
    frame = as_frame(table)
    if frame is None and not isinstance(table, str | os.PathLike):
        raise DataError(f"expected a table with named columns or the path of a file, not {type(table).__name__}")
    frame = read_table(table, decimal=decimal, sheet=sheet) if frame is None else frame
    decimal = decimal or "."
    check_names(frame, "the table")
    headers = {str(name): name for name in frame.columns}
    declared = error_columns or {}
    _check_headers({"text": text, "numbers": numbers, "ordinary": ordinary}, headers)
    _check_headers({"error_columns": [*declared, *declared.values()]}, headers)

    spoken = {*ordinary, *text, *numbers, *declared.values()}
    flags = {
        header: (base, sides)
        for header, base in limit_headers(list(headers)).items()
        if header not in spoken and (sides := read_flags(frame[headers[header]], header)) is not None
    }
    problems: list[str] = []
    nothing = empty_cells(len(frame))
    read: dict[str, Cells] = {}
    for header in sorted(headers, key=lambda header: header in flags):
        if header in flags and flags[header][0] in read:
            continue
        column = frame[headers[header]]
        must = header in numbers or header in declared or header in declared.values()
        cells = None if header in text else _read_column(column, decimal, nothing, must=must)
        if cells is not None:
            read[header] = cells
            problems += _refused(column, cells, header, decimal)
    together = {header: pair for header, pair in covariance_headers(list(read)).items() if header not in ordinary}
    lopsided = {
        base: sides
        for base, sides in asymmetric_headers(list(read)).items()
        if base not in declared and not set(sides) & {*ordinary, *declared.values()}
    }
    taken = {*together, *(header for sides in lopsided.values() for header in sides)}
    pairings = find_pairings([header for header in read if header not in taken], ordinary=ordinary, declared=declared)
    for base, (up, down) in lopsided.items():
        for side in (up, down):
            sizes = read[side]._replace(values=np.abs(read[side].values))  # downwards they are often written negative
            problems += bad_errors(frame[headers[side]], sizes, side)
        found = split_normal(read[base].values, np.abs(read[up].values), np.abs(read[down].values))
        known = ~np.isnan(found.std)
        read[base] = read[base]._replace(
            values=np.where(known, found.mean, read[base].values), errors=np.where(known, found.std, read[base].errors)
        )
    limited = {base: sides for base, sides in flags.values() if base in read}
    for base, sides in limited.items():
        read[base] = with_flags(read[base], sides)
    errors = {header: cells.errors for header, cells in read.items()}
    for pairing in pairings:
        companion = frame[headers[pairing.errors]]
        problems += bad_errors(companion, read[pairing.errors], pairing.errors)
        joined, bad = join_errors(frame.index, read[pairing.column], read[pairing.errors].values, pairing)
        errors[pairing.column] = joined
        problems += bad
    if problems:
        raise DataError("; ".join(dict.fromkeys(problems)) + f". {counting(frame.index)}")

    companions = (
        {pairing.errors for pairing in pairings} | taken | {h for h, (base, _) in flags.items() if base in read}
    )
    kept = {header: cells for header, cells in read.items() if header not in companions}
    if censored == "expected":
        for header, cells in kept.items():
            errors[header] = np.where(cells.sides != 0, expected_cells(cells)[1], errors[header])
    warn_of_censored(frame, kept, headers, censored)
    values = {}
    for header in [header for header in headers if header not in companions]:
        column = frame[headers[header]]
        if header in text:
            values[header] = _as_words(column)
        elif header not in kept:
            values[header] = without_missing_words(column)
        elif is_numeric_dtype(column) and header not in {*lopsided, *limited}:
            values[header] = column
        else:
            values[header] = pd.Series(filled(kept[header], censored), index=frame.index)
    units = {header: header_of(header).unit for header in values}
    return Measurements(
        values=pd.DataFrame(values, index=frame.index, copy=False),
        errors=pd.DataFrame({header: errors[header] for header in kept}, index=frame.index, copy=False),
        units={header: unit for header, unit in units.items() if unit is not None},
        pairings=pairings,
        censored=censored_table(kept),
        covariances={pair: read[header].values for header, pair in together.items()},
        expected=censored == "expected",
    )


def _check_headers(settings: Mapping[str, Collection[str]], headers: Mapping[str, Any]) -> None:
    for setting, chosen in settings.items():
        unknown = [name for name in chosen if name not in headers]
        if isinstance(chosen, str) or unknown:
            came = "a single text" if isinstance(chosen, str) else ", ".join(map(repr, unknown))
            raise SettingError(f"{setting} names {came}; expected a list of headers of the table, as they are written")


def _as_words(column: pd.Series) -> pd.Series:
    """Numbers that are labels, as they would be written; texts without words for a missing cell; else as it came."""
    if is_bool_dtype(column):
        return column
    if not is_numeric_dtype(column):
        words = without_missing_words(column)
        return words.astype("category") if holds_dates(words) else words  # declared as words, so they are no dates
    return column.map(lambda number: None if pd.isna(number) else f"{number:.17g}").astype(object)


def _first_word(column: pd.Series) -> str:
    present = column.dropna()
    return shown(present.iloc[0]) if len(present) else "missing"


def _read_column(column: pd.Series, decimal: str, nothing: Cells, *, must: bool) -> Cells | None:
    """The cells of a column of numbers; None for a column of anything else. Plain numbers say `nothing` else."""
    if is_numeric_dtype(column) and not is_bool_dtype(column) and not is_complex_dtype(column):
        values = column.to_numpy(dtype=float, na_value=np.nan)
        return nothing._replace(values=values, missing=np.isnan(values))
    if not must and not is_object_dtype(column.dtype) and not is_string_dtype(column.dtype):
        return None
    cells = read_cells(column, decimal=decimal)
    return cells if must or _holds_numbers(column, cells) else None


def _holds_numbers(column: pd.Series, cells: Cells) -> bool:
    refused = np.flatnonzero(cells.refused)
    filled = len(column) - int(cells.missing.sum())
    if not filled:  # a column of Na, Nd and none holds words, one of n.d. alone is empty
        return not any(isinstance(cell, str) and not is_missing_word(cell) for cell in column.dropna().unique())
    meant = filled - len(refused)
    if 2 * meant < filled and not holds_dates(column):
        chosen = refused[np.linspace(0, len(refused) - 1, min(len(refused), LOOKED_AT)).astype(int)]
        number_like = [isinstance(cell, str) and looks_meant_as_number(cell) for cell in column.iloc[chosen]]
        meant += len(refused) * float(np.mean(number_like))
    return 2 * meant >= filled


def _refused(column: pd.Series, cells: Cells, header: str, decimal: str) -> list[str]:
    """Complaints about cells that cannot be read, each with its own reason."""
    listed_rows = []
    for r in _first(cells.refused):
        cell = column.iloc[r]
        listed_rows.append(f"row {named_row(column.index, r, shown(cell))} {why_refused(cell, decimal=decimal)}")
    if not listed_rows:
        return []
    more = int(cells.refused.sum()) - len(listed_rows)
    rest = [f"and {more} more cells like these"] if more else []
    labels = " (if the column holds words, name it in text= or --text)"
    return [f"column {header!r}: " + ", ".join(listed_rows + rest) + labels]


def _first(bad: np.ndarray) -> list[int]:
    return np.flatnonzero(bad)[:MOST_NAMED].tolist()
