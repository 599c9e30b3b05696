"""The summary tells what a careful user would want to know, and nothing that would only puzzle."""

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd

from taylor_sensus.records import DeclaredCheck, DeclaredError, FitSummary
from taylor_sensus.settings import Settings
from taylor_sensus.tables.column import Column
from taylor_sensus.words.summary import summary_html, summary_text

FIT = FitSummary(
    rows=200, distinct_rows=200, validation_rows=0, missing_cells=0, constant_columns=(), declared={},
    declared_targets=(0.0,), declared_target_shares=(0.0,), declared_target_checks=(DeclaredCheck(0, 0.0, 0.0),),
    probably_exact={}, pure_error=None, pure_error_freedom=0.0, repeated_inputs=0, curved=True,
    split_identifiable=True, noise_share_bounds=(((0.1, 0.5), (0.0, 0.2), (0.3, 0.7)),),
    held_out_rows=200, held_out_rmse=(1.5,), held_out_explained=(0.87,),
    held_out_coverage={50: (0.5,), 80: (0.8,), 90: (0.9,), 95: (0.95,)},
    held_out_thirds=((0.9, 0.91, 0.89),), frequency_scale=0.4,
    outliers=(), seed=1,
)  # fmt: skip


COLUMNS = (Column("hours", None), Column("alloy", ("brass", "steel")))


HISTORY = pd.DataFrame({"stage": "mean", "member": range(8), "step": 9, "loss": 0.3, "validation": 0.4})


def model(settings=None, columns=COLUMNS, history=None, **changes):
    return SimpleNamespace(
        fit_summary=replace(FIT, **changes), settings=settings or Settings(), columns=columns,
        target_names=("strength",), ensemble=SimpleNamespace(noise_scale=np.array([1.44])), members=8,
        history=HISTORY if history is None else history,
    )  # fmt: skip


def test_what_the_fit_found_is_there():
    text = summary_text(model())
    for words in (
        "200 (200 distinct)", "hours, alloy (2 categories)", "Unseen rows, strength", "= 1.5", "87.0 %",
        "50 %: 50%, 80 %: 80%", "surest third: 90%, middle: 91%, least sure: 89%",
        "= 1.2", "30% to 70% of the learned noise", "changed settings = none", "held-out folds inside",
    ):  # fmt: skip
        assert words in text
    assert text.endswith("[[Warnings]]\n    none")


def test_possible_typing_errors_go_by_their_names():
    assert "possible typing errors (first row is 0): 7, 3" in summary_text(model(outliers=(7, 3)))
    assert "possible typing errors: S-8, S-4" in summary_text(model(outliers=(7, 3), outlier_names=("S-8", "S-4")))


def test_only_changed_settings_are_listed():
    assert "{'width': 32, 'folds': 4}" in summary_text(model(settings=Settings(width=32, folds=4)))


def test_a_target_that_never_changes_gives_no_absurd_percentage():
    text = summary_text(model(held_out_explained=(-6.8e20,)))
    assert "variance explained   = none" in text
    assert "e+" not in text and "00000" not in text


def test_names_are_escaped_for_the_notebook():
    html = summary_html(model(columns=(Column("<script>", None),)))
    assert "&lt;script&gt;" in html and "<script>" not in html


def test_known_errors_and_repeats_are_told():
    told = {"hours": DeclaredError(1.0, 0.25), "alloy=brass": DeclaredError(0.5, 0.0)}
    known = {"pure_error": (0.31,), "pure_error_freedom": 12.0, "repeated_inputs": 7}
    text = summary_text(model(declared=told, declared_targets=(0.12,), declared_target_shares=(0.6,), **known))
    assert "declared errors            = hours 0.25, alloy=brass exact (50% of the cells)" in text
    assert "declared errors of targets = strength 0.12 (60% of the rows)" in text
    assert "7, between them a scatter of 0.31 (strength) with 12 degrees of freedom, from all sources" in text


def test_outliers_are_named_unknown_or_not_there():
    assert "outliers" not in summary_text(model())
    assert re.search(r"outliers +=.* possible typing errors .*: 40, 7\n", summary_text(model(outliers=(40, 7))))
    assert summary_text(model(outliers=tuple(range(30)))).count("8, 9 ...") == 1
    assert re.search(r"outliers +=.* unknown", summary_text(model(outliers=None)))


def test_columns_that_look_exact_are_shown_with_the_reason():
    text = summary_text(model(probably_exact={"hours": "14 levels in 200 rows"}))
    assert "hours (14 levels in 200 rows); if so, declare an error of 0 (X_err)" in text
    assert "probably exact" not in summary_text(model())
