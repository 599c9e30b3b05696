"""Dates that came as texts are treated like dates of other files: neither words nor numbers."""

import datetime

import pandas as pd
import pytest

from taylor_sensus.errors import DataError
from taylor_sensus.tables.columns import learn_columns
from taylor_sensus.tables.dates import holds_dates
from taylor_sensus.tables.measurements import read_measurements


@pytest.mark.parametrize(
    "cells",
    [
        ["2024-05-17", "2024-05-18", None],
        ["2024-05-17T10:00:00Z", "2024-05-17 10:00"],
        ["17.05.2024", "1.6.2024"],
        ["05/17/2024", "5/18/2024 3:15 PM"],
        ["17/05/24", "18/05/24"],
        ["17 May 2024", "18-Jun-24"],
        ["May 17, 2024", "June 1 2024"],
        ["10:15", "23:59:59.5"],
    ],
)
def test_dates_as_people_write_them(cells):
    column = pd.Series(cells)
    assert holds_dates(column)
    with pytest.raises(DataError, match="column 'day' holds dates or times; turn it into a number"):
        learn_columns(pd.DataFrame({"day": column}))


@pytest.mark.parametrize(
    "cells",
    [
        ["1.2.3", "1.2.4"],
        ["7732-18-5", "64-17-5"],
        ["2024-05-17", "later"],
        ["5-8", "9-12"],
        ["A1", "B2"],
        [None, None],
        ["2024-13-01", "2024-05-17"],
    ],
)
def test_what_only_looks_similar(cells):
    assert not holds_dates(pd.Series(cells, dtype=object))


def test_dates_that_were_said_to_be_words_are_words():
    frame = pd.DataFrame({"day": ["2024-05-17", "2024-05-18"] * 2, "x": [1, 2, 3, 4]})
    read = read_measurements(frame, text=["day"])
    assert learn_columns(read.values)[0].categories == ("2024-05-17", "2024-05-18")


def test_dates_as_objects_are_no_words():
    days = pd.Series([datetime.date(2024, 5, 17), datetime.date(2024, 5, 18), None], dtype=object)
    assert holds_dates(days) and not holds_dates(pd.Series([datetime.date(2024, 5, 17), "soon"], dtype=object))
    with pytest.raises(DataError, match="'day' holds dates"):
        learn_columns(pd.DataFrame({"day": days[:2], "x": [1.0, 2.0]}))
