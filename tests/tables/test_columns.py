"""Columns become numbers, and whatever is wrong in a table is named by row and column, all at once."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from taylor_sensus.errors import DataError, TaylorSensusWarning
from taylor_sensus.tables.columns import (
    LARGEST,
    MOST_NAMED,
    Column,
    as_frame,
    check_finite,
    check_names,
    decode,
    encode,
    has_text,
    learn_columns,
    new_category,
    read_targets,
    refuse_dust,
    without_dust,
)

STEEL = pd.DataFrame({"hours": [1.5, 2, 3], "alloy": ["steel", "brass", "steel"], "hot": [True, False, True]})


def message(function, *arguments, **named) -> str:
    with pytest.raises(DataError) as caught:
        function(*arguments, **named)
    return str(caught.value)


# Learning and encoding


def test_texts_become_one_column_a_category():
    columns = learn_columns(STEEL)
    assert columns == (Column("hours", None), Column("alloy", ("brass", "steel")), Column("hot", None))
    assert [part for c in columns for part in c.parts] == ["hours", "alloy=brass", "alloy=steel", "hot"]
    np.testing.assert_array_equal(encode(STEEL, columns), [[1.5, 0, 1, 1], [2, 1, 0, 0], [3, 0, 1, 1]])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["x", "y", "", "1e", " ", "ü"]), min_size=2, max_size=30))
def test_each_row_is_in_exactly_one_category(texts):
    frame = pd.DataFrame({"c": pd.Series(texts, dtype=object)})
    (column,) = learn_columns(frame)
    indicators = encode(frame, [column])
    np.testing.assert_array_equal(indicators.sum(axis=1), 1)
    assert [column.categories[k] for k in indicators.argmax(axis=1)] == texts


@settings(max_examples=60, deadline=None)
@given(hnp.arrays(float, (5, 2), elements=st.floats(-1e30, 1e30)))
def test_numbers_stay_as_they_are_in_any_dress(values):
    plain = pd.DataFrame(values, columns=["a", "b"])
    for frame in (plain, plain.astype(object), plain.map(repr), plain.astype("Float64")):
        np.testing.assert_array_equal(encode(frame, learn_columns(frame)), values)


def test_categories_and_integers_of_pandas():
    frame = pd.DataFrame({"c": pd.Categorical([3, 1, 3]), "n": pd.array([1, None, 2], dtype="Int64")})
    columns = learn_columns(frame)
    assert columns == (Column("c", ("1", "3")), Column("n", None))
    np.testing.assert_array_equal(encode(frame, columns), [[0, 1, 1], [1, 0, np.nan], [0, 1, 2]])


def test_tables_of_other_libraries():
    np.testing.assert_array_equal(as_frame(pl.from_pandas(STEEL)).to_numpy(), STEEL.to_numpy())
    assert as_frame(STEEL) is STEEL
    assert as_frame(np.zeros((2, 2))) is None and as_frame([[1]]) is None
    assert has_text(STEEL) and not has_text(STEEL[["hours", "hot"]])


# What is refused


@pytest.mark.parametrize(
    ("own", "repeated", "refused"),
    [(40, 0, True), (21, 20, True), (20, 0, False), (21, 21, False), (15, 15, False), (0, 101, False)],
)
def test_identifiers_are_refused(own, repeated, refused):
    """More than 20 texts, and more than half the rows have one of their own."""
    groups = min(repeated, 101)
    texts = [f"own {i}" for i in range(own)] + [f"group {i % max(groups // 2, 1)}" for i in range(repeated)]
    if repeated > 100:
        texts = [f"group {i}" for i in range(repeated)] * 2
    frame = pd.DataFrame({"sample": texts, "x": 1.0})
    if refused:
        assert "column 'sample' looks like a name or an identifier" in message(learn_columns, frame)
        assert "drop it" in message(learn_columns, frame)
    else:
        assert learn_columns(frame)[0].categories


def test_of_many_categories_the_frequent_ones_have_columns():
    """The 100 most frequent, of equals those that come first by name; the others are alike and as new ones."""
    texts = [f"g{i:03d}" for i in range(120) for _ in range(1 + i // 2)]
    frame = pd.DataFrame({"group": texts})
    (column,) = learn_columns(frame)
    assert column.categories == tuple(f"g{i:03d}" for i in range(20, 120))
    (whole,) = learn_columns(frame[frame.group < "g100"])
    assert len(whole.categories) == 100
    (equal,) = learn_columns(pd.DataFrame({"group": [f"g{i:03d}" for i in range(110)] * 2}))
    assert equal.categories == tuple(f"g{i:03d}" for i in range(100))
    found = encode(frame, [column], new_categories=True, warn_unseen=False)
    rare = (frame.group < "g020").to_numpy()
    np.testing.assert_array_equal(found[rare], new_category(100))
    np.testing.assert_array_equal(found[~rare].sum(axis=1), 1)


def test_dates_and_identifiers_are_told_together():
    frame = pd.DataFrame({"id": [f"s{i}" for i in range(30)], "day": pd.date_range("2020", periods=30)})
    assert "'id'" in message(learn_columns, frame) and "'day' holds dates" in message(learn_columns, frame)


def numbers(*values, index=None, name="y"):
    frame = pd.DataFrame({name: pd.Series(list(values), dtype=object)})
    return message(encode, frame if index is None else frame.set_axis(index), [Column(name, None)])


def test_one_bad_cell_and_several():
    assert numbers(1, "a", 2) == "column 'y': row 1 ('a') is not a number. Rows count from 0."
    assert numbers(1, "a", 2, "b") == "column 'y': rows 1 ('a') and 3 ('b') are not numbers. Rows count from 0."
    assert numbers(1, *"abc") == "column 'y': rows 1 ('a'), 2 ('b') and 3 ('c') are not numbers. Rows count from 0."
    many = numbers(1, *"abcdefg")
    assert many.count("('") == MOST_NAMED and "('e') and 2 more are not numbers" in many


def test_labels_are_given_where_they_do_not_just_count():
    assert "row 'k' ('a') is not a number. Rows go by their labels." in numbers(1, "a", index=["j", "k"])
    assert "row 8 ('a') is" in numbers(1, "a", index=[7, 8])
    assert "row 1 (labelled 8: 'a') is not a number. Rows count from 0." in numbers(1, "a", index=[8, 8])
    assert "row 1 ('a') is" in numbers(1, "a", index=[0, 1])


def test_a_column_of_text_only_says_so():
    assert numbers("good", "bad", None, "good") == "column 'y' holds only text (such as 'good' and 'bad'), not numbers"


def test_long_cells_are_cut():
    assert len(numbers(1, "x" * 500)) < 200


def test_unknown_and_missing_categories():
    column = Column("alloy", ("brass", "steel"))

    def says(*texts):
        return message(encode, pd.DataFrame({"alloy": pd.Series(texts, dtype=object)}), [column])

    assert "row 1 ('tin') is none of the known categories ('brass', 'steel')" in says("steel", "tin")
    assert "rows 0 ('tin') and 1 ('Steel') are none of the known" in says("tin", "Steel")
    gap = encode(pd.DataFrame({"alloy": ["steel", None]}), [column])
    assert gap[0].tolist() == [0, 1] and np.isnan(gap[1]).all()


@pytest.mark.parametrize("count", [1, 2, 5, 30])
def test_a_new_category_is_as_far_from_each_known_one_as_these_from_each_other(count):
    known, new = np.eye(count), np.full(count, new_category(count))
    np.testing.assert_allclose(((known - new) ** 2).sum(axis=1), 2)


def test_new_categories_where_they_are_allowed():
    column = Column("alloy", ("brass", "steel"))
    frame = pd.DataFrame({"alloy": ["steel", "tin", None]}, index=["p", "q", "r"])
    with pytest.warns(TaylorSensusWarning, match=r"column 'alloy': row 'q' \('tin'\) is none of .*wider.*spelling"):
        found = encode(frame, [column], new_categories=True)
    assert found[0].tolist() == [0, 1] and np.isnan(found[2]).all()
    np.testing.assert_array_equal(found[1], new_category(2))
    assert decode(found, [column])["alloy"].isna().tolist() == [False, True, True]
    with pytest.raises(DataError, match=r"'b': .*not a number"):
        encode(frame.assign(b=[1, "x", 2]), [column, Column("b", None)], new_categories=True)


def test_all_columns_are_told_at_once():
    frame = pd.DataFrame({"a": [1, "x"], "b": ["u", "v"], "c": ["y", 1]})
    text = message(encode, frame, [Column("a", None), Column("b", ("u",)), Column("c", None)])
    assert "column 'a': row 1" in text and "column 'b': row 1" in text and "column 'c': row 0" in text


def test_names():
    assert "several columns of X are named 'a', 'b'" in message(
        check_names, pd.DataFrame([range(5)], columns=[*"abcab"])
    )
    assert "X has no columns" in message(check_names, pd.DataFrame(index=range(3)))
    assert "named '1'" in message(check_names, pd.DataFrame([[1, 2]], columns=[1, "1"]))
    check_names(STEEL)


# Finite numbers


@settings(max_examples=80, deadline=None)
@given(
    hnp.arrays(float, (4, 3), elements=st.floats(-1e30, 1e30)),
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), unique=True, max_size=8),
    st.sampled_from([np.nan, np.inf, -np.inf, 1e121, -1e300]),
)
def test_every_cell_that_is_no_usable_number_is_named(x, cells, bad):
    for row, column in cells:
        x[row, column] = bad
    if not cells:
        check_finite(x, "abc")
        return
    text = message(check_finite, x, "abc", "X_val", pd.Index([*"pqrs"]))
    assert text.startswith("X_val contains")
    for row, column in sorted(cells)[:MOST_NAMED]:
        assert f"row '{'pqrs'[row]}', column '{'abc'[column]}'" in text
    assert (f"and {len(cells) - MOST_NAMED} more" in text) == (len(cells) > MOST_NAMED)
    assert "Rows go by their labels" in text


def test_the_largest_number_is_allowed():
    check_finite(np.array([[LARGEST, -LARGEST]]), "ab")


def test_dust_is_swept():
    np.testing.assert_array_equal(without_dust(np.array([5e-324, -1e-200, 1e-99, -2.0])), [0, 0, 1e-99, -2])


def test_a_column_of_nothing_but_dust_is_refused():
    """As 0 it would be a constant, and nothing would say so."""
    x = np.array([[1.0, 1e-200, 0.0, np.nan], [2.0, 3e-200, 0.0, np.nan]])
    with pytest.raises(DataError, match=r"nearer to 0 than 1e-100.*'tiny'. Choose another unit, or take logarithms"):
        refuse_dust(x, ["a", "tiny", "zero", "gaps"])
    refuse_dust(np.where(np.arange(4) == 1, 1e-99, x), ["a", "tiny", "zero", "gaps"])
    with pytest.raises(DataError, match="'y'"):
        read_targets([1e-300, 2e-300])


def test_a_table_without_dust_is_not_copied():
    table = np.array([[0.0, 1e-99], [-0.0, -2.0]])
    assert without_dust(table) is table


# Targets


@pytest.mark.parametrize(
    ("y", "names", "one_dimensional"),
    [
        ([1, 2.5], ("y",), True),
        (["1", "2.5"], ("y",), True),
        (np.array([[1], [2.5]]), ("y",), False),
        (np.ones((2, 3)), ("y0", "y1", "y2"), False),
        (pd.Series([1, 2], name="a"), ("a",), True),
        (pd.Series([1, 2]), ("y",), True),
        (pl.Series("a", [1, 2]), ("a",), True),
        (pd.DataFrame({"a": [1, 2]}), ("a",), False),
        (pl.DataFrame({"a": [1, 2], "b": [1, 2]}), ("a", "b"), False),
        (np.array([True, False]), ("y",), True),
    ],
)
def test_targets_of_any_kind(y, names, one_dimensional):
    targets = read_targets(y)
    assert targets.names == names and targets.one_dimensional == one_dimensional
    assert targets.values.shape == (2, len(names)) and targets.values.dtype == float


def test_bad_targets_are_named():
    assert "column 'y': row 1 ('broke') is not a number" in message(read_targets, [1.0, "broke", 2.0])
    assert "column 'y1': row 0 ('broke') is not" in message(read_targets, [[1.0, "broke"], [2.0, 3.0]])
    assert "column 'a' holds only text" in message(read_targets, pd.Series(["u", "v"], name="a"))
    assert "row 'k', column 'a' (NaN)" in message(read_targets, pd.Series([1, None], name="a", index=["j", "k"]))
    assert "y_val is None" in message(read_targets, None, "y_val")
    assert "shape is ()" in message(read_targets, 3.0)
    assert "several columns of y" in message(read_targets, pd.DataFrame([[1, 2]], columns=["a", "a"]))
    assert "dates" in message(read_targets, pd.Series(pd.date_range("2020", periods=2)))
