"""Missing cells in columns of words: ``n.d.``, ``-``, ``NA``. What may also be a name is left alone."""

from __future__ import annotations

import pandas as pd
from pandas.api.types import is_object_dtype, is_string_dtype

from taylor_sensus.tables.notation import MISSING

NAMES = frozenset({"none", "nil", "*", "unknown"})
"""Words that mean a missing number, but may be a category: without a catalyst, of unknown origin."""


def without_missing_words(column: pd.Series) -> pd.Series:
    """The column with None in place of words for a missing cell; itself if there is none, or it holds no texts."""
    if isinstance(column.dtype, pd.CategoricalDtype) or not (is_object_dtype(column) or is_string_dtype(column)):
        return column
    found = [cell for cell in column.dropna().unique() if isinstance(cell, str) and is_missing_word(cell)]
    return column.mask(column.isin(found), None) if found else column


def is_missing_word(cell: str) -> bool:
    """Whether a text says that there is nothing; ``Na`` and ``Nd`` are elements."""
    bare = cell.strip()
    word = bare.casefold()
    return word in MISSING and word not in NAMES and bare not in ("Na", "Nd")
