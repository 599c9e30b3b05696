"""From the columns of a table to numbers: text columns become one 0/1 column a category.

Everything a user can get wrong in a table is found here, all at once, and named by row and column.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from taylor_sensus.errors import DataError

MOST_CATEGORIES = 100
MOST_NAMED = 5
"""How many bad cells an error lists before it only counts."""


class Column(NamedTuple):
    """One column of the user's table; `categories` is None for numbers."""

    name: str
    categories: tuple[str, ...] | None

    @property
    def parts(self) -> list[str]:
        """Names of the numeric columns that it becomes."""
        return [self.name] if self.categories is None else [f"{self.name}={c}" for c in self.categories]


def as_frame(X: Any) -> pd.DataFrame | None:
    """X as a pandas frame if it is a table with named columns (pandas, polars, ...), else None."""
    if isinstance(X, pd.DataFrame):
        return X
    if hasattr(X, "to_pandas") and hasattr(X, "columns"):
        return X.to_pandas()
    return None


def learn_columns(frame: pd.DataFrame) -> tuple[Column, ...]:
    """Which columns hold numbers and which hold categories, and which categories there are."""
    problems, columns = [], []
    for name, values in frame.items():
        if _is_number(values):
            columns.append(Column(str(name), None))
        elif _is_time(values):
            problems.append(
                f"column {name!r} holds dates or times; turn it into a number (such as days since the first) or drop it"
            )
        else:
            known = tuple(sorted({str(v) for v in values.dropna()}))
            if len(known) > MOST_CATEGORIES:
                problems.append(
                    f"column {name!r} has {len(known)} different texts, more than {MOST_CATEGORIES}: "
                    "it looks like a name or an identifier; drop it"
                )
            columns.append(Column(str(name), known))
    if problems:
        raise DataError("; ".join(problems))
    return tuple(columns)


def encode(frame: pd.DataFrame, columns: Iterable[Column]) -> np.ndarray:
    """The table as floats, categories spread out; all bad cells are reported together."""
    problems: list[str] = []
    arrays = []
    for position, column in enumerate(columns):
        values = frame.iloc[:, position]
        if column.categories is None:
            arrays.append(_numbers(values, column.name, frame.index, problems)[:, None])
        else:
            arrays.append(_indicators(values, column, frame.index, problems))
    if problems:
        raise DataError("; ".join(problems))
    return np.hstack(arrays) if arrays else np.empty((len(frame), 0))


def check_finite(x: np.ndarray, names: Iterable[str], what: str = "X") -> None:
    """Refuse NaN and infinite values, naming the cells."""
    if np.isfinite(x).all():
        return
    names = list(names)
    bad = np.argwhere(~np.isfinite(x))
    cells = [f"row {r}, column {names[c]!r} ({_word(float(x[r, c]))})" for r, c in bad[:MOST_NAMED]]
    more = f" and {len(bad) - MOST_NAMED} more" if len(bad) > MOST_NAMED else ""
    kinds = " and ".join(sorted({_word(v) for v in x[~np.isfinite(x)]}))
    raise DataError(
        f"{what} contains {kinds}: {', '.join(cells)}{more}. Rows count from 0. Drop or fill these cells first."
    )


def _word(value: float) -> str:
    return "NaN" if np.isnan(value) else "inf" if value > 0 else "-inf"


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


def _numbers(values: pd.Series, name: str, index: pd.Index, problems: list[str]) -> np.ndarray:
    if pd.api.types.is_complex_dtype(values):
        raise ValueError(f"Complex data not supported: column {name!r}")
    numbers = pd.to_numeric(values, errors="coerce")
    bad = numbers.isna() & values.notna()
    if bad.any():
        problems.append(_bad_cells(values, bad, name, index, "is not a number"))
    return numbers.to_numpy(dtype=float, na_value=np.nan)


def _indicators(values: pd.Series, column: Column, index: pd.Index, problems: list[str]) -> np.ndarray:
    categories = column.categories or ()
    texts = values.astype(object).where(values.notna(), None).map(lambda v: None if v is None else str(v))
    unknown = ~texts.isin(categories)
    if unknown.any():
        known = ", ".join(map(repr, categories[:10])) + (", ..." if len(categories) > 10 else "")
        problems.append(_bad_cells(values, unknown, column.name, index, f"is none of the known categories ({known})"))
    return np.stack([(texts == c).to_numpy(dtype=float) for c in categories], axis=1)


def _bad_cells(values: pd.Series, bad: pd.Series, name: str, index: pd.Index, why: str) -> str:
    rows = np.flatnonzero(bad.to_numpy())
    cells = ", ".join(f"row {_row(index, r)} ({values.iloc[r]!r})" for r in rows[:MOST_NAMED])
    more = f" and {len(rows) - MOST_NAMED} more" if len(rows) > MOST_NAMED else ""
    return f"column {name!r}: {cells}{more} {why}"


def _row(index: pd.Index, position: int) -> Hashable:
    return position if isinstance(index, pd.RangeIndex) else f"{position} (labelled {index[position]!r})"
