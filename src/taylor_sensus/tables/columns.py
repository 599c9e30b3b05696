"""From the columns of a table to numbers: text columns become one 0/1 column a category.

Everything a user can get wrong in a table is found here, all at once, and named by row and column.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from taylor_sensus.errors import DataError, TaylorSensusWarning, listed
from taylor_sensus.rows import blocks
from taylor_sensus.tables.column import Column
from taylor_sensus.tables.dates import holds_dates
from taylor_sensus.tables.row_names import counting, named_row, shown

MOST_CATEGORIES = 100
"""So many have a column of their own; the others are taken together with all that are not known.

150 categories, generated (`python -m bench.categories 2`): RMSE 0.33 and NLL 0.10, with target statistics in place of
the columns 0.45 and 0.60; but 90 % intervals held 0.85 of the rows, with target statistics 0.92.
"""
FEW_CATEGORIES = 20
"""Up to so many texts a column is never taken for an identifier."""
MOST_NAMED = 5
"""How many bad cells an error lists before it only counts."""
LARGEST = 1e120
"""Numbers beyond are refused: no quantity needs them in any unit, and squares of a model's numbers must stay finite."""
WIDER = "Their error bars are wider and they are less familiar, as far as this column matters; check the spelling."
SMALLEST = 1e-100
"""Numbers nearer to 0 count as 0, so that no scale can be too small to divide by."""


class Targets(NamedTuple):
    """The targets of a table as numbers, `(rows, targets)`."""

    values: np.ndarray
    names: tuple[str, ...]
    one_dimensional: bool
    """Whether they came as a plain list of numbers."""


def as_frame(X: Any) -> pd.DataFrame | None:
    """X as a pandas frame if it is a table with named columns (pandas, polars, ...), else None."""
    if isinstance(X, pd.DataFrame):
        return X
    if hasattr(X, "to_pandas") and hasattr(X, "columns"):
        return X.to_pandas()
    return None


def has_text(frame: pd.DataFrame) -> bool:
    """Whether some column is neither numeric nor boolean."""
    return not all(pd.api.types.is_numeric_dtype(d) or pd.api.types.is_bool_dtype(d) for d in frame.dtypes)


def check_names(frame: pd.DataFrame, what: str = "X") -> None:
    """Refuse tables without columns, and names that stand above several columns."""
    if not frame.shape[1]:
        raise DataError(f"{what} has no columns: 0 feature(s) (shape={frame.shape}) while a minimum of 1 is required.")
    names = pd.Index([str(name) for name in frame.columns])
    if names.has_duplicates:
        repeated = ", ".join(map(repr, names[names.duplicated()].unique()))
        raise DataError(f"several columns of {what} are named {repeated}; give each column its own name")


def learn_columns(frame: pd.DataFrame) -> tuple[Column, ...]:
    """Which columns hold numbers and which hold categories, and which categories there are."""
    problems, columns = [], []
    for name, values in frame.items():
        if _is_number(values):
            columns.append(Column(str(name), None))
        elif is_time(values):
            problems.append(
                f"column {name!r} holds dates or times; turn it into a number (such as days since the first) or drop it"
            )
        else:
            counts = values.dropna().map(str).astype(object).value_counts()
            problems += _identifier(str(name), counts.to_numpy(), len(values))
            columns.append(Column(str(name), _with_columns(counts)))
    if problems:
        raise DataError("; ".join(problems))
    return tuple(columns)


def _with_columns(counts: pd.Series) -> tuple[str, ...]:
    """The categories that have a column each: of very many the most frequent ones, and the rest are encoded alike."""
    frequent = sorted(counts.items(), key=lambda found: (-found[1], found[0]))
    return tuple(sorted(str(name) for name, _ in frequent[:MOST_CATEGORIES]))


def _identifier(name: str, counts: np.ndarray, rows: int) -> list[str]:
    """A complaint if a column holds a text for nearly each row: a model could only memorise the rows."""
    own = int((counts == 1).sum())
    if len(counts) <= FEW_CATEGORIES or own <= rows / 2:
        return []
    found = f"{own} of {rows} rows have a text of their own"
    remedy = f"name the rows by it (X.set_index({name!r}), --id), or drop it"
    return [f"column {name!r} looks like a name or an identifier ({found}); {remedy}"]


def encode(
    frame: pd.DataFrame, columns: Iterable[Column], *, new_categories: bool = False, warn_unseen: bool = True
) -> np.ndarray:
    """The table as floats, categories spread out; all bad cells are reported together.

    With `new_categories` a category that is not known is no bad cell: it stands as far from each known category as
    these from each other, and with `warn_unseen` a warning says so.
    """
    problems: list[str] = []
    unseen: list[str] = []
    arrays = []
    for position, column in enumerate(columns):
        values = frame.iloc[:, position]
        if column.categories is None:
            arrays.append(_numbers(values, column.name, frame.index, problems)[:, None])
        else:
            arrays.append(_indicators(values, column, frame.index, unseen if new_categories else problems))
    if unseen and warn_unseen and not problems:
        warnings.warn(f"{'; '.join(unseen)}. {WIDER}", TaylorSensusWarning, stacklevel=5)
    if problems:
        where = f". {counting(frame.index)}" if any(": row" in problem for problem in problems) else ""
        raise DataError("; ".join(problems) + where)
    return np.hstack(arrays) if arrays else np.empty((len(frame), 0))


def decode(x: np.ndarray, columns: Iterable[Column]) -> pd.DataFrame:
    """Encoded rows as a table again; a missing category is None."""
    found, start = {}, 0
    for column in columns:
        part = x[:, start : start + len(column.parts)]
        start += len(column.parts)
        if column.categories is None:
            found[column.name] = part[:, 0]
        else:
            words = np.array([*column.categories, None], dtype=object)
            known = np.isfinite(part).all(axis=1) & (part > 0).any(axis=1)
            found[column.name] = words[np.where(known, np.nan_to_num(part).argmax(axis=1), -1)]
    return pd.DataFrame(found)


def read_targets(y: Any, what: str = "y") -> Targets:
    """Targets as numbers, from a list, an array, a Series or a table; bad cells are named by row and column."""
    if y is None:
        raise DataError(f"fit requires {what} to be passed, but the target {what} is None")
    if not isinstance(y, pd.Series) and hasattr(y, "to_pandas") and not hasattr(y, "columns"):
        y = y.to_pandas()  # a polars Series
    frame, index, one_dimensional = as_frame(y), None, False
    if frame is not None:
        check_names(frame, what)
        index = frame.index
        values = encode(frame, [Column(str(name), None) for name in frame.columns])
        names = tuple(str(name) for name in frame.columns)
    elif isinstance(y, pd.Series):
        index, one_dimensional = y.index, True
        names = (str(y.name) if y.name is not None else what,)
        values = encode(y.to_frame(), [Column(names[0], None)])
    else:
        cells = np.asarray(y)
        if cells.dtype.kind in "US":
            cells = np.asarray(y, dtype=object)  # NumPy would turn the numbers beside a text into texts too
        if cells.ndim not in (1, 2) or (cells.ndim == 2 and not cells.shape[1]):
            raise DataError(f"{what} must hold one number a row, or one column a target; its shape is {cells.shape}")
        one_dimensional = cells.ndim == 1
        count = 1 if one_dimensional else cells.shape[1]
        names = (what,) if count == 1 else tuple(f"{what}{i}" for i in range(count))
        values = encode(pd.DataFrame(cells), [Column(name, None) for name in names])
    check_finite(values, names, what, index)
    refuse_dust(values, names, what)
    return Targets(without_dust(values), names, one_dimensional)


def check_finite(
    x: np.ndarray, names: Iterable[str], what: str = "X", index: pd.Index | None = None, gaps: bool = False
) -> None:
    """Refuse NaN, infinite and absurdly large values, naming the cells. `gaps`: NaN is allowed, a missing cell."""

    def fine(cells: np.ndarray) -> np.ndarray:
        return (np.abs(cells) <= np.float64(LARGEST)) | (np.isnan(cells) & gaps)

    if all(fine(x[rows]).all() for rows in blocks(len(x))):
        return
    usable = fine(x)
    names = list(names)
    bad = np.argwhere(~usable)
    first = bad[:MOST_NAMED].tolist()
    cells = [f"row {named_row(index, r)}, column {names[c]!r} ({_word(float(x[r, c]))})" for r, c in first]
    finite = np.isfinite(x[~usable])
    kinds = sorted({_word(v) for v in x[~usable][~finite]}) + [f"numbers beyond ±{LARGEST:g}"] * bool(finite.any())
    raise DataError(
        f"{what} contains {' and '.join(kinds)}: {_few_of(cells, len(bad))}. {counting(index)} "
        "Drop, fill or correct these cells first."
    )


def refuse_dust(x: np.ndarray, names: Iterable[str], what: str = "X") -> None:
    """Refuse columns in which all numbers are too near 0 to differ from it."""
    bad = [name for at, name in enumerate(names) if 0 < np.nanmax(np.abs(x[:, at]), initial=0.0) < SMALLEST]
    if bad:
        raise DataError(
            f"{what} holds columns in which all numbers are nearer to 0 than {SMALLEST:g}, and would count as 0: "
            f"{listed(bad)}. Choose another unit, or take logarithms."
        )


def without_dust(x: np.ndarray) -> np.ndarray:
    """Numbers too near 0 to differ from it are 0. A table without any is not copied."""
    if not any(((np.abs(x[rows]) < SMALLEST) & (x[rows] != 0)).any() for rows in blocks(len(x))):
        return x
    return np.where(np.abs(x) < SMALLEST, 0.0, x)


def _word(value: float) -> str:
    return "NaN" if np.isnan(value) else f"{value:g}"


def _is_number(values: pd.Series) -> bool:
    """Numbers, booleans, or texts of which at least half read as numbers (one bad cell must not make a category)."""
    if pd.api.types.is_bool_dtype(values) or pd.api.types.is_numeric_dtype(values):
        return True
    if isinstance(values.dtype, pd.CategoricalDtype) or _is_time(values):
        return False
    present = values.dropna()
    if not len(present):
        return True
    return bool(pd.to_numeric(present, errors="coerce").notna().mean() >= 0.5)


def _is_time(values: pd.Series) -> bool:
    return pd.api.types.is_datetime64_any_dtype(values) or pd.api.types.is_timedelta64_dtype(values)


def is_time(values: pd.Series) -> bool:
    """Whether a column holds dates or times, as such or as texts."""
    return _is_time(values) or holds_dates(values)


def _numbers(values: pd.Series, name: str, index: pd.Index, problems: list[str]) -> np.ndarray:
    if pd.api.types.is_complex_dtype(values):
        raise DataError(f"Complex data not supported: column {name!r}; split it into real and imaginary parts")
    if _is_time(values):
        problems.append(f"column {name!r} holds dates or times, not numbers")
        return np.full(len(values), np.nan)
    if isinstance(values.dtype, pd.CategoricalDtype):
        values = values.astype(values.cat.categories.dtype)
    numbers = pd.to_numeric(values, errors="coerce")
    bad = (numbers.isna() & values.notna()).to_numpy(dtype=bool)
    if bad.sum() > 1 and bad.sum() == values.notna().sum():
        examples = [shown(v) for v in values[bad].unique()[:2]]
        problems.append(f"column {name!r} holds only text (such as {' and '.join(examples)}), not numbers")
    elif bad.any():
        problems.append(_bad_cells(values, bad, name, index, "is not a number", "are not numbers"))
    return numbers.to_numpy(dtype=float, na_value=np.nan)


def _indicators(values: pd.Series, column: Column, index: pd.Index, problems: list[str]) -> np.ndarray:
    categories = column.categories or ()
    missing = values.isna().to_numpy(dtype=bool)
    texts = values.astype(object).where(~missing, None).map(lambda v: None if v is None else str(v))
    unknown = ~texts.isin(categories).to_numpy(dtype=bool) & ~missing
    if unknown.any():
        known = ", ".join(map(repr, categories[:10])) + (", ..." if len(categories) > 10 else "")
        why = f"none of the known categories ({known})"
        problems.append(_bad_cells(values, unknown, column.name, index, f"is {why}", f"are {why}"))
    found = np.array([(texts == c).to_numpy(dtype=float) for c in categories]).reshape(len(categories), len(values)).T
    found[missing] = np.nan
    found[unknown] = new_category(len(categories))
    return found


def new_category(count: int) -> float:
    """The cell in each of `count` 0/1 columns that puts a row as far from every category as these are from each other.

    It is the missing corner of a regular simplex. So the Gaussian process takes a new category for one more like the
    known ones: where these differ much, little is known of it, and where they make no difference, all is.
    """
    return (1 - np.sqrt(1 + count)) / max(count, 1)


def _bad_cells(values: pd.Series, bad: np.ndarray, name: str, index: pd.Index, one: str, several: str) -> str:
    rows = np.flatnonzero(bad).tolist()
    cells = [named_row(index, r, shown(values.iloc[r])) for r in rows[:MOST_NAMED]]
    word, why = ("row", one) if len(rows) == 1 else ("rows", several)
    return f"column {name!r}: {word} {_few_of(cells, len(rows))} {why}"


def _few_of(items: Sequence[str], count: int) -> str:
    """`a, b and c`, or `a, b and 7 more` if only the first few of `count` are given."""
    if count > len(items):
        return f"{', '.join(items)} and {count - len(items)} more"
    return " and ".join(filter(None, [", ".join(items[:-1]), items[-1]]))
