"""Constraints are read from plain dictionaries, and rows that break them are found."""

import numpy as np
import pytest

from taylor_sensus.errors import SettingError
from taylor_sensus.suggest.space.constraints import broken, read_constraints
from taylor_sensus.tables.column import Column

COLUMNS = [Column("a", None), Column("b", None), Column("c", None), Column("word", ("x", "y"))]


def breaks(constraint, **columns) -> list[bool]:
    """Which rows break a constraint."""
    cells = {name: np.array(values, dtype=object if name == "word" else float) for name, values in columns.items()}
    (found,) = broken(read_constraints([constraint], COLUMNS), cells).values()
    return found.tolist()


def test_each_kind_of_constraint():
    assert breaks({"sum": ["a", "b"], "equals": 1}, a=[0.4, 0.4], b=[0.6, 0.6 + 1e-8]) == [False, True]
    assert breaks({"linear": {"a": 2, "b": -1}, "at_most": 1}, a=[1, 1], b=[1, 0.9]) == [False, True]
    assert breaks({"linear": {"a": 1}, "at_least": 1, "at_most": 2}, a=[0.9, 1, 2, 2.1]) == [True, False, False, True]
    assert breaks({"nonzero": ["a", "b", "c"], "at_most": 1}, a=[0, 1], b=[3, 1], c=[0, 0]) == [False, True]
    assert breaks({"bounds": {"a": (0, 1)}}, a=[-0.1, 0, 1, 1.1]) == [True, False, False, True]
    assert breaks({"fixed": {"word": "x"}}, word=["x", "y"]) == [False, True]
    assert breaks({"step": {"a": 0.1}}, a=[0.3, 0.1 + 0.2, 0.25]) == [False, False, True]
    assert breaks({"step": {"a": 5}, "start": 2}, a=[7, 10]) == [False, True]


def test_a_gap_breaks_what_is_said_about_its_column():
    for one in ({"sum": ["a", "b"], "equals": 1}, {"bounds": {"a": (0, 1)}}, {"step": {"a": 1}}, {"fixed": {"a": 1}}):
        assert breaks(one, a=[np.nan], b=[0.5]) == [True]


@pytest.mark.parametrize(
    ("constraint", "words"),
    [
        ("a + b == 1", "expected a dictionary"),
        ({"sum": ["a", "b"]}, "needs a number"),
        ({"sum": ["a", "d"], "equals": 1}, "no column 'd'"),
        ({"sum": ["a", "a"], "equals": 1}, "twice"),
        ({"sum": "ab", "equals": 1}, "a list of columns"),
        ({"sum": ["a", "word"], "equals": 1}, "'word' holds words"),
        ({"sum": ["a"], "equals": 1, "about": 2}, "'about'"),
        ({"total": ["a"], "equals": 1}, "exactly one of the words"),
        ({"linear": {"a": 1}}, "at_most"),
        ({"linear": {"a": "2"}, "at_most": 1}, "a number for each column"),
        ({"nonzero": ["a"], "at_most": 1.5}, "whole number"),
        ({"step": {"a": 0}}, "positive"),
        ({"bounds": {"a": (2, 1)}}, r"expected \(low, high\)"),
        ({"fixed": {"word": "z"}}, "no category"),
        ({"fixed": {"a": "z"}}, "fixed to a number"),
    ],
)
def test_what_is_refused(constraint, words):
    with pytest.raises(SettingError, match=words):
        read_constraints([constraint], COLUMNS)


def test_all_problems_are_told_at_once():
    with pytest.raises(SettingError, match=r"(?s)constraint 1.*constraint 3"):
        read_constraints([{"sum": ["a"]}, {"fixed": {"a": 1}}, {"step": {"q": 1}}], COLUMNS)
