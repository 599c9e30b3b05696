"""Advice follows from the largest source of a noise budget."""

import numpy as np
import pytest

from taylor_sensus.budget import DECLARED, LEARNED, BudgetParts, NoiseBudget
from taylor_sensus.suggest.advice import advise


def budget(temp, flow, system, target_error, epistemic, identifiable=True, **parts) -> NoiseBudget:
    """Of one row with two features."""
    cell = np.zeros((1, 2))
    return NoiseBudget(
        BudgetParts(
            columns=("temp", "flow"), contribution=np.array([[[temp, flow]]], float), sensitivity=np.ones((1, 1, 2)),
            input_std=cell, system=np.array([[system]], float),
            target_error=np.array([[target_error]], float), epistemic=np.array([[epistemic]], float),
            identifiable=np.array([identifiable] * 2), system_identifiable=identifiable,
            target_names=("y",), index=None, **{"kind": cell.astype(np.int8), **parts},
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


@pytest.mark.parametrize(("kind", "assumes"), [(LEARNED, True), (DECLARED, False)])
def test_advice_from_a_learned_error_names_what_it_assumes(kind, assumes):
    """Bounds on the shares: the system may make as little as a tenth of the learned noise."""
    bounds = np.array([[[0.0, 0.1], [0.6, 0.9], [0.1, 0.4]]])
    of_columns = np.array([[LEARNED, kind]], np.int8)
    found = advise(budget(1, 5, 1, 0, 1, kind=of_columns, share_bounds=bounds), "y")
    assert found.advice[0].startswith("improve the measurement of flow")
    assert found.advice[0].endswith("noise has one size") == assumes
