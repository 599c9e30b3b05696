"""The summary of a fit survives a model file; wrong kinds and impossible numbers are refused, all at once."""

import json
from dataclasses import replace

import numpy as np
import pytest

from taylor_sensus.errors import ModelFileError
from taylor_sensus.records import DeclaredCheck, DeclaredError, FitSummary
from taylor_sensus.storage.summary_json import summary_from_json, summary_to_json

SUMMARY = FitSummary(
    rows=50, distinct_rows=40, validation_rows=0, missing_cells=3, constant_columns=("c",),
    declared={"a": DeclaredError(0.5, 0.1)}, declared_targets=(0.0, 0.2), declared_target_shares=(0.0, 0.5),
    declared_target_checks=(DeclaredCheck(0, 0.0, 0.0), DeclaredCheck(20, 1.1, 0.9)), probably_exact={"a": "3 levels"},
    pure_error=(0.1, 0.3),
    pure_error_freedom=7.5, repeated_inputs=5, curved=True, split_identifiable=True,
    noise_share_bounds=(((0.0, 0.5), (0.2, 1.0)), ((0.0, 1.0), (0.0, 1.0))), held_out_rows=40,
    held_out_rmse=(0.3, 1.5), held_out_explained=(0.9, -4.0), held_out_coverage={50: (0.4, 0.5), 90: (0.9, 1.0)},
    held_out_thirds=((0.9, 0.8, 1.0), (0.9, 0.9, 0.9)),
    frequency_scale=0.4, outliers=(49, 3), seed=12,
)  # fmt: skip


def written():
    return json.loads(json.dumps(summary_to_json(SUMMARY)))


def test_a_summary_comes_back_as_it_was():
    assert summary_from_json(written(), 2) == SUMMARY


def test_what_cannot_be_explained_is_not_a_number():
    constant = replace(SUMMARY, held_out_explained=(0.5, float("nan")))
    found = summary_from_json(json.loads(json.dumps(summary_to_json(constant), allow_nan=False)), 2)
    assert found.held_out_explained[0] == 0.5 and np.isnan(found.held_out_explained[1])


def test_what_is_not_known_any_more_stays_unknown():
    content = {**written(), **dict.fromkeys(("frequency_scale", "seed", "outliers", "held_out_thirds"))}
    found = summary_from_json(content, 2)
    assert (found.frequency_scale, found.seed, found.outliers, found.held_out_thirds) == (None,) * 4
    assert summary_from_json(json.loads(json.dumps(summary_to_json(found))), 2) == found


@pytest.mark.parametrize(
    "change",
    [
        {"rows": 0}, {"rows": 50.0}, {"rows": True}, {"rows": "50"}, {"distinct_rows": 51}, {"missing_cells": -1},
        {"constant_columns": "c"}, {"constant_columns": [1]}, {"declared": []}, {"declared": {"a": [0.5]}},
        {"declared": {"a": [1.5, 0.1]}}, {"declared": {"a": [0.5, -0.1]}}, {"declared_targets": [0.0]},
        {"pure_error": [0.1, None]}, {"curved": 1}, {"split_identifiable": None}, {"held_out_rmse": "small"},
        {"held_out_rmse": [-1.0, 1.0]}, {"held_out_explained": [1.2, 0.0]}, {"held_out_coverage": {"50": [0.4, 0.5]}},
        {"held_out_coverage": {"90": [0.9, 1.1]}}, {"held_out_coverage": {"often": [0.9, 0.9]}},
        {"held_out_coverage": {"900": [0.9, 0.9]}}, {"frequency_scale": -1}, {"outliers": [50]},
        {"outliers": [-1]}, {"held_out_thirds": [[0.9, 0.9]]}, {"seed": 1.5}, {"outlier_names": ["a"]},
        {"outlier_names": [1, 2]},
    ],
    ids=str,
)  # fmt: skip
def test_wrong_kinds_and_impossible_numbers_are_refused(change):
    with pytest.raises(ModelFileError, match=next(iter(change)).replace("_", ".")):
        summary_from_json({**written(), **change}, 2)


def test_all_problems_are_told_at_once():
    content = {**written(), "rows": None, "seed": "x"}
    del content["held_out_rows"]
    with pytest.raises(ModelFileError, match=r"rows .*held_out_rows is missing.*seed"):
        summary_from_json(content, 2)
    with pytest.raises(ModelFileError, match="list"):
        summary_from_json([], 2)
