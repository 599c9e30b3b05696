"""Values that bring their errors and units along: uncertainties, pint, astropy, xarray; masked arrays, fractions.

None of these packages is needed or imported here: what a value is shows in its attributes. Errors become declared
errors, and units part of the column's name, as in ``temp [K]``, so that they are checked between fit and prediction.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from taylor_sensus.errors import DataError
from taylor_sensus.tables.units import check_units, same_unit, split_header


class Unpacked(NamedTuple):
    """A table or target in plain numbers and words, and the errors that its cells brought along."""

    table: Any
    errors: Any
    """Standard deviations by column, or one a row of a target; None if there are none."""


class PlainColumn(NamedTuple):
    """One column without wrappings."""

    values: Any
    errors: np.ndarray | None
    unit: str | None


def unpacked(table: Any, errors: Any, what: str) -> Unpacked:
    """A table (``X``) or target (``y``) as `fit` can read it; `errors` are those that were declared with it."""
    if _has_unit(errors):
        raise DataError(f"{what}_err has a unit of its own; give plain numbers in the unit of {what}")
    found = _unpacked(table, what)
    if found.errors is None:
        return Unpacked(found.table, errors)
    if errors is not None:
        raise DataError(f"the cells of {what} have errors of their own, and {what}_err is given too; give one of them")
    return found


def _unpacked(table: Any, what: str) -> Unpacked:
    if hasattr(table, "tocsr") and hasattr(table, "toarray"):
        raise DataError(
            f"{what} is a sparse matrix, sparse data cannot be used here: every cell counts as a measurement. Give "
            f"{what}.toarray() if it fits into memory"
        )
    if hasattr(table, "data_vars") and hasattr(table, "to_dataframe"):  # xarray.Dataset
        frame = table.to_dataframe().reset_index(drop=True)[list(table.data_vars)]
        units = {name: table[name].attrs.get("units") for name in frame}
        return _frame(frame.rename(columns={name: _named(str(name), units[name]) for name in frame}))
    if hasattr(table, "dims") and hasattr(table, "to_pandas"):  # xarray.DataArray
        name = _named(str(table.name or what), table.attrs.get("units"))
        plain = table.to_pandas()
        return _unpacked(plain.rename(name) if isinstance(plain, pd.Series) else plain, what)
    if hasattr(table, "colnames") and hasattr(table, "columns"):  # astropy.table
        columns = {str(name): _column(table[name]) for name in table.colnames}
        return _joined(columns, pd.RangeIndex(len(table)))
    if isinstance(table, pd.DataFrame):
        return _frame(table)
    if isinstance(table, pd.Series):
        if not _is_wrapped(table):
            return Unpacked(table, None)
        values, errors, unit = _column(table)
        name = _named(str(what if table.name is None else table.name), unit)
        return Unpacked(pd.Series(np.asarray(values), index=table.index, name=name), errors)
    return _array(table, what)


def _frame(frame: pd.DataFrame) -> Unpacked:
    if not any(_is_wrapped(frame.iloc[:, place]) for place in range(frame.shape[1])):
        return Unpacked(frame, None)
    return _joined({str(name): _column(values) for name, values in frame.items()}, frame.index)


def _joined(columns: dict[str, PlainColumn], index: pd.Index) -> Unpacked:
    named = {_named(name, column.unit): column for name, column in columns.items()}
    table = pd.DataFrame({name: pd.Series(np.asarray(c.values), index=index) for name, c in named.items()}, index=index)
    errors = {name: column.errors for name, column in named.items() if column.errors is not None}
    return Unpacked(table, pd.DataFrame(errors, index=index) if errors else None)


def _array(table: Any, what: str) -> Unpacked:
    """An array or a list, of one or two dimensions; one with a unit gets names, in which the unit stands."""
    probe = table
    while isinstance(probe, list | tuple) and probe:
        probe = probe[0]
    wrapped = probe is not table and (_has_unit(probe) or _has_error(probe))
    is_array = isinstance(table, np.ndarray) or _has_unit(table)
    if not (wrapped or (is_array and (type(table) is not np.ndarray or table.dtype == object))):
        return Unpacked(table, None)
    values, errors, unit = _column(np.asarray(table, dtype=object) if wrapped else table)
    values = np.asarray(values)
    if unit is None:
        return Unpacked(values, errors)
    if values.ndim == 1:
        return Unpacked(pd.Series(values, name=_named(what, unit)), errors)
    names = [
        _named(f"x{place}" if what.startswith("X") else f"{what}{place}", unit) for place in range(values.shape[1])
    ]
    frame = pd.DataFrame(values, columns=pd.Index(names))
    return Unpacked(frame, None if errors is None else pd.DataFrame(errors, columns=pd.Index(names)))


def _column(values: Any) -> PlainColumn:
    """Numbers, errors and unit of cells that may have both; cells of other kinds come back as they are."""
    unit = None
    if isinstance(values, pd.Series):
        unit = getattr(values.dtype, "units", None)  # pint-pandas
        values = values.array.quantity.magnitude if unit is not None else values.to_numpy()  # type: ignore[attr-defined]
    elif _has_unit(values):
        unit = values.units if hasattr(values, "magnitude") else values.unit
        values = values.magnitude if hasattr(values, "magnitude") else getattr(values, "value", values)
    if isinstance(values, np.ma.MaskedArray):
        numeric = values.dtype.kind in "iuf"
        values = np.ma.filled(values.astype(float if numeric else object), np.nan if numeric else None)
    values = np.asarray(values)
    if values.dtype != object:
        return PlainColumn(values, None, _unit_text(unit))
    cells = values.ravel()
    units = {_unit_text(getattr(cell, "units", getattr(cell, "unit", None))) for cell in cells if _has_unit(cell)}
    if len(units) > 1:
        raise DataError(
            f"one column holds values in {' and '.join(map(repr, sorted(map(str, units))))}; convert to one"
        )
    if units:
        unit = units.pop()
        cells = np.array([_magnitude(cell) for cell in cells] + [None], dtype=object)[:-1]
    errors = None
    if any(_has_error(cell) for cell in cells):
        errors = np.array([float(cell.std_dev) if _has_error(cell) else np.nan for cell in cells]).reshape(values.shape)
        cells = np.array([cell.nominal_value if _has_error(cell) else cell for cell in cells], dtype=object)
    if all(cell is None or (isinstance(cell, Real | Decimal) and not isinstance(cell, bool)) for cell in cells):
        cells = np.array([np.nan if cell is None else float(cell) for cell in cells])
    return PlainColumn(cells.reshape(values.shape), errors, _unit_text(unit))


def _is_wrapped(column: pd.Series) -> bool:
    """Whether some cell is more than a number or a word; decided by the first ones."""
    if getattr(column.dtype, "units", None) is not None:
        return True
    if column.dtype != object:
        return False
    first = next((cell for cell in column if not (cell is None or cell is pd.NA or cell is pd.NaT)), None)
    return (
        _has_unit(first)
        or _has_error(first)
        or (isinstance(first, Real | Decimal) and not isinstance(first, float | int))
    )


def _has_error(cell: Any) -> bool:
    return hasattr(cell, "nominal_value") and hasattr(cell, "std_dev")


def _has_unit(value: Any) -> bool:
    """Of pint (magnitude and units) or astropy (value and unit)."""
    if isinstance(value, str | int | float | type | pd.DataFrame | pd.Series):
        return False
    return (hasattr(value, "magnitude") and hasattr(value, "units")) or (
        hasattr(value, "value") and hasattr(value, "unit")
    )


def _magnitude(cell: Any) -> Any:
    return cell.magnitude if hasattr(cell, "magnitude") else getattr(cell, "value", cell)


def _unit_text(unit: Any) -> str | None:
    """As people write it: short, without spaces around the sign of division; None for pure numbers."""
    if unit is None:
        return None
    try:
        text = f"{unit:~}"  # pint
    except (TypeError, ValueError):
        text = str(unit)
    return text.replace(" / ", "/").replace(" ** ", "^").replace(" * ", "·").strip() or None


def _named(name: str, unit: Any) -> str:
    """The header with its unit; refused if it names another one already."""
    text, own_unit = _unit_text(unit), split_header(name).unit
    if text and own_unit and not same_unit(text, own_unit):
        raise DataError(f"column {name!r} holds values in {text!r}; correct the header, or convert the values")
    return f"{name} [{text}]" if text and own_unit is None else name


def check_target_units(names: Sequence[str], target: Any) -> None:
    """Refuse measured targets that come in another unit than those of the fit."""
    columns = [target.name] if isinstance(target, pd.Series) else getattr(target, "columns", ())
    learned = {name: unit for name in names if (unit := split_header(name).unit)}
    for name, other in zip(names, columns, strict=False):
        unit = split_header(str(other)).unit
        check_units(learned, {name: unit} if unit else {})
