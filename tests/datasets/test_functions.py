"""Functions with known noise: the formulas, the ranges, and noise as large as it is said to be."""

from __future__ import annotations

import numpy as np
import pytest

from taylor_sensus.datasets.functions import (
    FUNCTIONS,
    GROWTH,
    borehole,
    draw_function,
    otl_circuit,
    piston,
    robot_arm,
    spread,
    wing_weight,
)
from taylor_sensus.errors import SettingError


@pytest.mark.parametrize("name", FUNCTIONS)
def test_rows_lie_in_the_box_and_repeat_with_the_seed(name):
    first, again, other = (draw_function(name, 300, noise_share=0.1, random_state=seed) for seed in (1, 1, 2))
    low, high = np.array(list(FUNCTIONS[name].ranges.values())).T
    X = first.X.to_numpy()
    assert (low <= X).all() and (high >= X).all()
    assert (np.ptp(X, axis=0) > 0.9 * (high - low)).all(), "the whole box"
    assert first.X.equals(again.X) and first.y.equals(again.y) and not first.y.equals(other.y)
    assert np.isfinite(first.y).all()


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("uneven", [False, True])
def test_the_noise_is_as_large_as_said(name, uneven):
    table = draw_function(name, 20_000, noise_share=0.3, uneven=uneven, random_state=0)
    z = (table.y - table.truth) / table.noise_std
    assert z.mean() == pytest.approx(0, abs=0.03) and z.std() == pytest.approx(1, abs=0.03)
    assert table.noise_std.mean() == pytest.approx(0.3 * table.truth.std(), rel=0.05)
    growth = table.noise_std.max() / table.noise_std.min()
    assert growth == pytest.approx(GROWTH if uneven else 1, rel=0.01)


def test_without_noise_the_values_are_exact():
    table = draw_function("piston", 50, noise_share=0, random_state=0)
    assert (table.y == table.truth).all() and (table.truth == piston(*table.X.to_numpy().T)).all()


def test_wing_of_the_cessna_that_the_formula_was_made_for():
    """The textbook's baseline aircraft without its paint, which adds so many pounds a square foot."""
    bare = wing_weight(174, 252, 7.52, 0, 33.98, 0.672, 0.12, 3.795, 2004, 0)
    assert bare == pytest.approx(233.908, abs=0.01)
    assert wing_weight(174, 252, 7.52, 0, 33.98, 0.672, 0.12, 3.795, 2004, 0.05) == pytest.approx(bare + 174 * 0.05)


def test_limits_that_can_be_worked_out_by_hand():
    ones = [np.ones(3)] * 4
    assert robot_arm(*[np.zeros(3)] * 4, *ones) == pytest.approx(4), "stretched out"
    assert robot_arm(np.zeros(3), np.full(3, np.pi), np.full(3, np.pi), np.full(3, np.pi), *ones) == pytest.approx(0)
    # A huge gain leaves only the first and the last term: Vb1 + 0.74 + 0.74 Rf / Rc1.
    assert otl_circuit(50, 50, 2, 1, 1, 1e12) == pytest.approx(6 + 0.74 + 0.74 * 2)
    # Without gas there is only the spring: 2 pi sqrt(m / k).
    assert piston(40, 0.01, 0.01, 1000, 1e-9, 290, 350) == pytest.approx(2 * np.pi * np.sqrt(40 / 1000))
    # A borehole of no length under a layer that lets everything through is a plain well: 2 pi T dH / ln(r / rw).
    assert borehole(0.1, 1000, 1e5, 1000, 1e15, 900, 0, 1e4) == pytest.approx(2e7 * np.pi / np.log(1e4))
    assert borehole(0.1, 1000, 1e5, 900, 100, 900, 1400, 1e4) == 0, "no difference in height"


def test_scikit_learns_functions_are_taken_without_noise():
    table = draw_function("friedman2", 100, noise_share=0, random_state=3)
    x = table.X
    assert table.truth == pytest.approx(np.sqrt(x.x1**2 + (x.x2 * x.x3 - 1 / (x.x2 * x.x4)) ** 2))
    assert spread("friedman1") == pytest.approx(4.9, abs=0.2)


@pytest.mark.parametrize(
    ("name", "n", "share", "message"),
    [
        ("borehol", 5, 0.1, "did you mean 'borehole'"),
        ("wave", 0, 0.1, "whole number of rows"),
        ("wave", True, 0.1, "whole number of rows"),
        ("wave", 5, -1, "noise_share"),
        ("wave", 5, float("nan"), "noise_share"),
    ],
)
def test_what_cannot_be_drawn_is_refused(name, n, share, message):
    with pytest.raises(SettingError, match=message):
        draw_function(name, n, noise_share=share, random_state=0)
