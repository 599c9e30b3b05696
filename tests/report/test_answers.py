"""The report's answers speak from the verdicts: the same words and thresholds as everywhere else."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from taylor_sensus.prediction import Prediction
from taylor_sensus.report.answers import how_calibrated, how_good, where_next, which_noise
from taylor_sensus.report.contents import EvaluatedRows
from taylor_sensus.words.verdicts import coverage_of, error_bars


def contents(std, rows=400, noise=0.1, warnings=()):
    rng = np.random.default_rng(0)
    y = rng.normal(size=(rows, 1))
    mean = y + noise * rng.normal(size=y.shape)
    nothing = np.zeros(rows)
    prediction = Prediction(mean[:, 0], nothing, np.full(rows, std**2), nothing, nothing)
    evidence = EvaluatedRows("", True, pd.RangeIndex(rows), y, (prediction,))
    return SimpleNamespace(
        evidence=evidence, references=None, fitted=SimpleNamespace(target_names=("y",)), warnings=list(warnings)
    )


@pytest.mark.parametrize(("std", "rows", "word"), [(0.1, 400, "good"), (0.2, 400, "fair"), (0.05, 400, "check")])
def test_error_bars_are_judged_as_in_the_summary(std, rows, word):
    given = contents(std, rows)
    answer = how_calibrated(given)
    _, y, prediction = given.evidence.target(0)
    found = error_bars(coverage_of(y, prediction))
    assert (answer.verdict, answer.short) == (found.word, found.short) and answer.verdict == word
    assert ("predict_interval" in answer.why) is (word == "check")


@pytest.mark.parametrize(("noise", "word"), [(0.1, "good"), (0.7, "fair"), (2.0, "check")])
def test_accuracy_is_judged_as_in_the_summary(noise, word):
    found = how_good(contents(0.1, noise=noise))
    assert found.verdict == word
    assert ("better than the mean" in found.short) is (word == "check")


def test_networks_that_did_not_learn_are_never_called_good():
    given = contents(0.1, warnings=[SimpleNamespace(code="not_learned")])
    assert how_good(given).verdict == how_calibrated(given).verdict == "check"


def test_without_measurements_nothing_is_judged():
    nothing = SimpleNamespace(evidence=None)
    assert how_good(nothing).verdict is None and how_calibrated(nothing).verdict is None


@pytest.mark.parametrize(("identifiable", "short"), [(True, "mostly noise of the inputs"), (False, "or of the system")])
def test_a_split_that_cannot_be_known_is_not_claimed(identifiable, short):
    budget = SimpleNamespace(
        variance=np.array([[6.0, 3.0, 1.0]]), part_of_source=["feature_noise", "system_noise", "epistemic"],
        sources=["temp", "system", "too little data"], is_of_training_rows=True,
    )  # fmt: skip
    survey = SimpleNamespace(budget=budget, identifiable=identifiable, assumes_one_size=identifiable)
    answer = which_noise(SimpleNamespace(survey=survey))
    assert answer.short.endswith(short) and ("temp" in answer.why) is identifiable
    assert answer.why.startswith("60 %" if identifiable else "90 %") and ("has one size" in answer.why) is identifiable


@pytest.mark.parametrize("assumes", [True, False])
def test_better_inputs_are_advised_with_what_that_assumes(assumes):
    budget = SimpleNamespace(
        variance=np.array([[6.0, 3.0, 1.0]]), part_of_source=["feature_noise", "system_noise", "epistemic"],
        sources=["temp", "system", "too little data"], is_of_training_rows=False, unseen_lacking=None,
    )  # fmt: skip
    survey = SimpleNamespace(budget=budget, identifiable=True, assumes_one_size=assumes)
    answer = where_next(SimpleNamespace(suggestions=None, evidence=None, survey=survey))
    assert answer.short == "temp, more exactly" and ("has one size" in answer.why) is assumes
