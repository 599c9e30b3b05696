"""Advice follows from the largest source of a noise budget."""

import numpy as np
import pytest

from taylor_sensus.budget import BudgetParts, NoiseBudget
from taylor_sensus.suggest.advice import advise


def budget(temp, flow, system, target_error, epistemic, identifiable=True) -> NoiseBudget:
    """Of one row with two features."""
    cell = np.zeros((1, 2))
    return NoiseBudget(
        BudgetParts(
            columns=("temp", "flow"), contribution=np.array([[[temp, flow]]], float), sensitivity=np.ones((1, 1, 2)),
            input_std=cell, kind=cell.astype(np.int8), system=np.array([[system]], float),
            target_error=np.array([[target_error]], float), epistemic=np.array([[epistemic]], float),
            identifiable=np.array([identifiable] * 2), system_identifiable=identifiable,
            target_names=("y",), index=None,
        )
    )  # fmt: skip


@pytest.mark.parametrize(
    ("sizes", "source", "advice"),
    [
        ((1, 1, 1, 0, 5), "too little data", "new point"),
        ((1, 1, 5, 0, 1), "system noise", "repeat: system noise dominates"),
        ((1, 5, 1, 0, 1), "noise of flow", "improve the measurement of flow"),
        ((1, 1, 1, 5, 1), "measuring error of y", "improve the measurement of y"),
    ],
)
def test_the_largest_source_decides(sizes, source, advice):
    found = advise(budget(*sizes), "y")
    assert (found.source[0], found.advice[0]) == (source, advice)


def test_no_feature_is_blamed_if_the_data_cannot_tell():
    found = advise(budget(1, 5, 1, 0, 1, identifiable=False), "y")
    assert found.advice[0].startswith("repeat: noise dominates")
