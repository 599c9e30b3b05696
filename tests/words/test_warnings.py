"""Warnings come where they are due, say what to do, and stay away otherwise."""

from typing import get_args

import numpy as np
import pandas as pd
import pytest

from taylor_sensus.prediction import Prediction
from taylor_sensus.records import DeclaredCheck, SuspectedGroups
from taylor_sensus.words.summary import summary_html, summary_text
from taylor_sensus.words.verdicts import coverage_of
from taylor_sensus.words.warnings import Code, coverage_warnings, familiarity_warnings, reference_warnings, warnings_of
from tests.words.test_summary import FIT, HISTORY, model

CASES = {
    "few_rows": {"rows": 30, "distinct_rows": 30},
    "constant_columns": {"constant_columns": ("hours",)},
    "missing_cells": {"missing_cells": 17},
    "split_unknown": {"split_identifiable": False},
    "repeated_rows": {"distinct_rows": 150},
    "no_skill": {"held_out_explained": (0.04,)},
    "large_target_error": {"declared_target_checks": (DeclaredCheck(100, 0.3, 0.2),)},
    "small_target_error": {"declared_target_checks": (DeclaredCheck(100, 4.0, 3.0),)},
    "small_error_bars": {"held_out_coverage": {**FIT.held_out_coverage, 90: (0.7,)}},
    "wide_error_bars": {"held_out_coverage": {**FIT.held_out_coverage, 50: (0.7,)}},
    "small_among_surest": {"held_out_thirds": ((0.7, 0.95, 0.95),)},
    "small_among_least_sure": {"held_out_thirds": ((0.95, 0.95, 0.7),)},
    "constant_target": {"held_out_explained": (float("nan"),)},
    "possible_groups": {"suspected_groups": SuspectedGroups(("cement", "water"), 40)},
    "negative_bounds": {"negative_bounds": (0.3,)},
    "not_learned": {"history": pd.concat([HISTORY, HISTORY.iloc[:2].assign(step=18, loss=[1e9, np.nan])])},
}
FROM_ROWS = {"simple_is_better", "unfamiliar_rows"}


def test_every_kind_of_warning_is_tested_here():
    assert set(get_args(Code)) == FROM_ROWS | CASES.keys()


@pytest.mark.parametrize("code", CASES)
def test_a_fit_is_warned_of_what_it_shows_and_nothing_else(code):
    assert not warnings_of(model())
    fitted = model(**CASES[code])
    (found,) = warnings_of(fitted)
    assert found.code == code and found.words.endswith(".") and found.remedy.endswith(".")
    assert str(found) in summary_text(fitted) and found.words in summary_html(fitted)


def test_the_number_or_name_behind_a_warning_is_told():
    told = {"few_rows": "30", "constant_columns": "hours", "missing_cells": "17", "repeated_rows": "50",
            "no_skill": "4 %", "small_error_bars": "70 %", "not_learned": "2 of 8"}  # fmt: skip
    for code, words in told.items():
        assert words in warnings_of(model(**CASES[code]))[0].words
    assert [one.target for one in warnings_of(model(**CASES["no_skill"]))] == ["strength"]


def test_coverage_of_few_rows_is_no_reason_to_warn():
    assert not warnings_of(model(held_out_rows=50, **CASES["small_error_bars"]))


def coverage(std, scale=1.0, rows=3000):
    error = np.random.default_rng(0).normal(size=rows)
    nothing = np.zeros(rows)
    prediction = Prediction(nothing, nothing, np.broadcast_to(std, rows) ** 2, nothing, nothing)
    return coverage_warnings("strength", coverage_of(error * scale, prediction))


def test_honest_error_bars_give_no_warning():
    assert coverage(1.0) == []
    assert coverage(0.2, rows=20) == [], "too few rows to judge"


def test_small_error_bars_are_found_on_the_whole_and_among_the_surest_and_least_sure():
    whole, *_ = coverage(0.6)
    assert whole.code == "small_error_bars" and "strength" in whole.words and "predict_interval" in whole.remedy
    first = np.arange(3000) < 1000
    assert [one.code for one in coverage(np.where(first, 0.7, 1.5))] == ["wide_error_bars", "small_among_surest"]
    unsure = coverage(np.where(first, 1.2, 1.0), np.where(first, 2.5, 0.7))
    assert "small_among_least_sure" in [one.code for one in unsure]


@pytest.mark.parametrize(("best", "warned"), [(1.2, False), (0.98, False), (0.9, True)])
def test_a_better_simple_method_is_named(best, warned):
    found = reference_warnings("y", "random forest", best, 1.0)
    assert [one.code for one in found] == ["simple_is_better"] * warned
    assert all("random forest" in one.words for one in found)


def test_unfamiliar_rows_are_counted():
    assert familiarity_warnings(np.full(100, 0.99)) == []
    (far,) = familiarity_warnings(np.where(np.arange(100) < 20, 0.1, 0.99))
    assert far.code == "unfamiliar_rows" and "20 % of the rows" in far.words
