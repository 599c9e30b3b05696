"""Dates and times that came as texts, as those of CSV files do: recognised, so that they are treated as dates."""

from __future__ import annotations

import datetime
import re

import pandas as pd
from pandas.api.types import is_object_dtype, is_string_dtype

_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_DAY, _MONTH, _YEAR = "(?:0?[1-9]|[12][0-9]|3[01])", "(?:0?[1-9]|1[0-2])", "(?:1[5-9]|2[01])[0-9]{2}"
_NAMED = rf"(?:{_MONTHS})[a-z]*\.?"
_TIME = r"(?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.,][0-9]+)?)?(?: ?[ap]m)?(?:z| ?[+-][0-9]{2}:?[0-9]{2})?"
_DATES = [
    rf"{_YEAR}([-/.]){_MONTH}\1{_DAY}",  # 2024-05-17
    rf"{_DAY}([./-]){_MONTH}\1{_YEAR}",  # 17.05.2024
    rf"{_MONTH}([/-]){_DAY}\1{_YEAR}",  # 05/17/2024
    rf"{_DAY}/{_MONTH}/[0-9]{{2}}|{_MONTH}/{_DAY}/[0-9]{{2}}",  # 17/05/24
    rf"{_DAY}\.?[- ]?{_NAMED}[- ,]+(?:{_YEAR}|[0-9]{{2}})",  # 17 May 2024, 17-May-24
    rf"{_NAMED} {_DAY}(?:st|nd|rd|th)?,? {_YEAR}",  # May 17, 2024
]
_FORMS = [re.compile(rf"(?:{date})(?:(?:t| +){_TIME})?") for date in _DATES] + [re.compile(_TIME)]


def holds_dates(column: pd.Series) -> bool:
    """Whether all filled cells of a column are dates or times, as Python's own or as texts written in one way."""
    if isinstance(column.dtype, pd.CategoricalDtype) or not (is_object_dtype(column) or is_string_dtype(column)):
        return False
    cells = column.dropna().unique()
    if not len(cells):
        return False
    if all(isinstance(cell, datetime.date | datetime.time | datetime.timedelta) for cell in cells):
        return True
    if not all(isinstance(cell, str) for cell in cells):
        return False
    texts = [cell.strip().casefold() for cell in cells]
    return any(all(form.fullmatch(text) for text in texts) for form in _FORMS)
