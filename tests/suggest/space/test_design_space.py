"""Settings drawn from a space meet every constraint, come from all over it, and impossible wishes are explained."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taylor_sensus.errors import SettingError
from taylor_sensus.suggest.space.constraints import broken, read_constraints
from taylor_sensus.suggest.space.design_space import DesignSpace
from taylor_sensus.tables.column import Column

NAMES = tuple("abcdef")
UNIT = dict.fromkeys(NAMES, (0.0, 1.0))
WHOLE = {"sum": list(NAMES), "equals": 1}


def drawn(space, constraints, count=600, seed=0):
    """Settings, and settings near them, after checking that all meet the constraints to 1e-9."""
    columns = [Column(name, ("x", "y") if name == "word" else None) for name in space]
    rules = read_constraints(constraints, columns)
    rng = np.random.default_rng(seed)
    found = DesignSpace(space, columns, rules, rng)
    frame = found.draw(rng, count)
    for table in (frame, found.near(frame, rng, 0.2)):
        for words, wrong in broken(rules, {name: table[name].to_numpy() for name in table}).items():
            assert not wrong.any(), words
        for name, given_range in space.items():
            if isinstance(given_range, tuple):
                assert table[name].between(*given_range).all(), name
            else:
                assert table[name].isin(given_range).all(), name
    assert len(frame) == count and list(frame.columns) == list(space)
    return frame


def test_columns_by_themselves_are_spread_evenly():
    frame = drawn(
        {"a": (2.0, 4.0), "b": [1.0, 5.0], "word": ["x", "y"], "c": (0.0, 1.0)}, [{"step": {"c": 0.25}}], 4000
    )
    assert frame.a.mean() == pytest.approx(3, abs=0.05) and frame.a.std() == pytest.approx(2 / 12**0.5, abs=0.03)
    assert (frame.b == 5).mean() == pytest.approx(0.5, abs=0.05)
    assert set(frame.word) == {"x", "y"} and set(frame.c) == {0, 0.25, 0.5, 0.75, 1}


def test_a_mixture_is_spread_evenly_over_its_simplex():
    frame = drawn(UNIT, [WHOLE], 4000)
    # Of a point drawn evenly from the simplex of six shares each has mean 1/6 and variance 5/252.
    np.testing.assert_allclose(frame.mean(), 1 / 6, atol=0.01)
    np.testing.assert_allclose(frame.var(), 5 / 252, rtol=0.1)


def test_sums_steps_and_few_columns_together():
    few = {"nonzero": list(NAMES), "at_most": 3}
    frame = drawn(UNIT, [WHOLE, few, {"step": dict.fromkeys(NAMES, 0.05)}], 2000)
    used = (frame != 0).sum(axis=1)
    assert used.max() == 3 and (used == 3).mean() > 0.3
    assert ((frame != 0).mean() > 0.2).all(), "every column is used by some settings"
    assert len(frame.drop_duplicates()) > 500
    assert len(drawn(UNIT, [WHOLE, {"nonzero": list(NAMES), "at_most": 1}]).drop_duplicates()) == 6


def test_overlapping_sums_and_inequalities():
    frame = drawn(
        UNIT,
        [
            {"sum": ["a", "b", "c"], "equals": 1},
            {"sum": ["c", "d", "e"], "equals": 1.5},
            {"linear": {"a": 1, "f": -2}, "at_most": -0.5},
        ],
    )
    assert (frame.std() > 0.05).all(), "nothing is stuck"


def test_unequal_steps_levels_and_ranges_in_one_sum():
    frame = drawn(UNIT, [{"sum": list("abcd"), "equals": 1}, {"step": {"a": 0.1, "b": 0.25, "c": 0.05, "d": 0.02}}])
    assert len(frame[list("abcd")].drop_duplicates()) > 100
    space = {**UNIT, "a": [0.0, 0.3, 0.5, 1.0], "b": [0.0, 0.2, 0.5]}
    frame = drawn(space, [{"sum": list("abcd"), "equals": 1}, {"nonzero": list("abcd"), "at_most": 2}])
    assert frame.a.nunique() == 4 and frame.b.nunique() == 3


def test_units_of_any_size():
    space = {"a": (0.0, 1e-4), "b": (0.0, 2500.0), "c": (100.0, 900.0)}
    frame = drawn(space, [{"sum": ["b", "c"], "equals": 2400}, {"linear": {"a": 1e6, "b": -0.01}, "at_most": 50}])
    assert frame.c.min() < 200 and frame.c.max() > 800 and frame.a.max() > 5e-5


def test_a_single_point_is_found():
    assert (drawn(dict.fromkeys("abcd", (0.0, 1.0)), [{"sum": list("abcd"), "equals": 4}]) == 1).all(axis=None)


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_any_constraints_are_met_or_refused(data):
    share = st.sampled_from([0.0, 0.1, 0.3, 0.5, 1.0, 2.0])
    space = {}
    for name in "abcd":
        low, width = data.draw(share), data.draw(share)
        levels = data.draw(st.none() | st.lists(share, min_size=1, max_size=3, unique=True))
        space[name] = (low, low + width) if levels is None else levels
    constraints = [{"sum": list("abc"), "equals": data.draw(share)}]
    if data.draw(st.booleans()):
        constraints.append({"nonzero": list("bcd"), "at_most": data.draw(st.integers(0, 3))})
    if data.draw(st.booleans()):
        constraints.append({"linear": {"a": 1, "d": -1.5}, "at_most": data.draw(share)})
    if data.draw(st.booleans()):
        constraints.append({"step": {"a": data.draw(st.sampled_from([0.1, 0.25]))}})
    try:
        drawn(space, constraints, count=100)
    except SettingError as problem:
        assert "; " in str(problem) or "none of its values" in str(problem) or "no multiple" in str(problem)


@pytest.mark.parametrize(
    ("space", "constraints", "told", "not_told"),
    [
        (
            dict.fromkeys("abcd", (0.0, 0.3)),
            [{"sum": list("abcd"), "equals": 1}, {"nonzero": list("abcd"), "at_most": 3}, {"fixed": {"d": 0.1}}],
            ["a + b + c + d = 1", "a from 0 to 0.3", "d is 0.1"],
            [],
        ),
        (UNIT, [WHOLE, {"step": dict.fromkeys(NAMES, 0.3)}, {"linear": {"a": 1}, "at_least": 0.3}],
         ["= 1", "steps of 0.3"], ["at least 0.3"]),
        (UNIT, [WHOLE, {"linear": {"a": 1, "b": 1}, "at_least": 0.9}, {"linear": {"c": 1}, "at_least": 0.2}],
         ["= 1", "at least 0.9", "at least 0.2"], []),
        (UNIT, [WHOLE, {"sum": ["a", "b"], "equals": 1.5}, {"nonzero": ["c", "d"], "at_most": 1}],
         ["= 1", "a + b = 1.5"], ["at most 1 of"]),
    ],
)  # fmt: skip
def test_contradictions_are_named_and_nothing_else(space, constraints, told, not_told):
    with pytest.raises(SettingError, match="no settings can meet all of these") as refused:
        drawn(space, constraints)
    assert all(words in str(refused.value) for words in told)
    assert not any(words in str(refused.value) for words in not_told)


def test_steps_that_miss_a_sum_by_a_little_are_refused():
    with pytest.raises(SettingError, match=r"no settings can meet|only be met roughly"):
        drawn(
            dict.fromkeys("abc", (0.0, 1.0)),
            [{"sum": list("abc"), "equals": 1}, {"step": dict.fromkeys("abc", 1 / 3 - 1e-8)}],
        )


@pytest.mark.parametrize(
    ("space", "constraints", "words"),
    [
        ({"a": (0.0, np.inf)}, [], "no bounds"),
        ({"a": (3.0, 2.0)}, [], "low not above high"),
        ({"a": ["x", "y"]}, [], "must be numbers"),
        ({"a": (0.0, 1.0)}, [{"bounds": {"a": (2, 3)}}], "contradict"),
        ({"a": (1.0, 4.0)}, [{"step": {"a": 5}}], "no multiple of the step"),
        ({"a": [1.0, 2.0]}, [{"fixed": {"a": 3}}], "none of its values"),
        ({"word": ["z"]}, [], "does not know 'z'"),
        ({"word": ["x"]}, [{"fixed": {"word": "y"}}], "not among"),
    ],
)
def test_columns_that_cannot_be_set(space, constraints, words):
    with pytest.raises(SettingError, match=words):
        drawn(space, constraints)
