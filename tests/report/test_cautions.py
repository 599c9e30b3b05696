"""Warnings come where they are due, say what to do, and stay away otherwise."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from taylor_sensus.report.cautions import (
    cautions_of_evidence,
    cautions_of_references,
    cautions_of_survey,
    split_caution,
)
from taylor_sensus.report.contents import Evidence, Reference, References


def evidence(std, rows=3000):
    error = np.random.default_rng(0).normal(size=(rows, 1))
    return Evidence("", True, pd.RangeIndex(rows), error, np.zeros_like(error), np.broadcast_to(std, error.shape))


def test_honest_error_bars_give_no_warning():
    assert cautions_of_evidence(evidence(1.0), ("y",)) == []
    assert cautions_of_evidence(evidence(0.2, rows=20), ("y",)) == [], "too few rows to judge"


def test_small_error_bars_are_named_with_a_remedy():
    found = cautions_of_evidence(evidence(0.6), ("strength",))
    assert "strength: 90 % intervals hold only" in found[0].found and "predict_interval" in found[0].remedy


def test_overconfidence_among_the_surest_rows_is_named():
    rows = np.arange(3000)[:, None]
    found = cautions_of_evidence(evidence(np.where(rows < 1000, 0.7, 1.5)), ("y",))
    assert len(found) == 1 and "surest" in found[0].found
    found = cautions_of_evidence(evidence(np.where(rows < 1000, 1.2, 1.0))._replace(
        y=np.random.default_rng(0).normal(size=(3000, 1)) * np.where(rows < 1000, 2.5, 0.7)), ("y",))  # fmt: skip
    assert any("least sure" in caution.found for caution in found)


@pytest.mark.parametrize(("best", "warned"), [(1.2, False), (0.98, False), (0.9, True)])
def test_a_better_simple_method_is_named(best, warned):
    methods = [Reference("random forest", np.array([best]), np.array([1.0]))]
    methods.append(Reference("Taylor-Sensus", np.array([1.0]), np.array([1.0])))
    found = cautions_of_references(References(methods, []), ("y",))
    assert bool(found) is warned and all("random forest" in c.found and "TSNetSearch" in c.remedy for c in found)


def test_unfamiliar_rows_are_named():
    survey = SimpleNamespace(familiarity=np.full(100, 0.99))
    assert cautions_of_survey(survey) == []
    survey.familiarity[:20] = 0.1
    (far,) = cautions_of_survey(survey)
    assert "20 % of the rows" in far.found and far.remedy


@pytest.mark.parametrize(
    "text",
    [
        "Columns that never change were left out: a, b.",
        "25 rows repeat others exactly or have weight 0; repeats count as one heavier row.",
        "For y 90 % intervals held 70% of unseen rows: the noise is far from Gaussian.",
        "Only 30 distinct rows: error bars are rough below about 50. Measure more, or compare with a straight line.",
    ],
)
def test_each_warning_of_the_summary_gets_something_to_do(text):
    found = split_caution(text)
    assert found.remedy and text.startswith(found.found[:20])
