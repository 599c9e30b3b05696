"""Merged rows: nothing is lost, nothing depends on the order of the table."""

from typing import NamedTuple

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from taylor_sensus.rows import blocks, byte_order, distinct_rows, spread, take

cells = st.sampled_from([0.0, -0.0, 1.0, -2.5, 1e300, 5e-324])
tables = st.lists(st.tuples(cells, cells, cells, st.integers(0, 3)), min_size=1, max_size=20).filter(
    lambda rows: any(weight for *_, weight in rows)
)


class Merged(NamedTuple):
    x: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    position: np.ndarray


def merged(rows):
    array = np.array(rows, dtype=float)
    x, y = array[:, :2], array[:, 2:3]
    found = distinct_rows(x, y, array[:, 3])
    return array, Merged(take(x, found.first), take(y, found.first), found.weight, found.position)


@settings(max_examples=150, deadline=None)
@given(tables)
def test_each_row_finds_itself_and_all_weight_is_kept(rows):
    array, found = merged(rows)
    used = array[:, 3] > 0
    assert (found.position[~used] == -1).all()
    np.testing.assert_array_equal(found.x[found.position[used]], array[used, :2])
    np.testing.assert_array_equal(found.y[found.position[used]], array[used, 2:3])
    np.testing.assert_array_equal(
        found.weight, np.bincount(found.position[used], weights=array[used, 3], minlength=len(found.x))
    )
    joined = np.hstack([found.x, found.y])
    assert len(np.unique(joined, axis=0)) == len(joined)


@settings(max_examples=150, deadline=None)
@given(tables, st.randoms())
def test_the_order_of_the_table_does_not_matter(rows, random):
    shuffled = list(rows)
    random.shuffle(shuffled)
    for one, other in zip(merged(rows)[1][:3], merged(shuffled)[1][:3], strict=True):
        assert one.tobytes() == other.tobytes()


@settings(max_examples=100, deadline=None)
@given(tables)
def test_a_weight_of_two_is_a_row_written_twice(rows):
    written = [(*cells, 1) for *cells, weight in rows for _ in range(weight)]
    for one, other in zip(merged(rows)[1][:3], merged(written)[1][:3], strict=True):
        assert one.tobytes() == other.tobytes()


def test_zero_has_no_sign():
    _, found = merged([(-0.0, 0.0, 0.0, 1), (0.0, -0.0, 0.0, 1)])
    assert len(found.x) == 1 and not np.signbit(found.x).any()


@settings(max_examples=150, deadline=None)
@given(tables)
def test_the_order_is_that_of_the_bytes(rows):
    """As NumPy sorts whole rows, which would need a copy of the table."""
    table = np.ascontiguousarray(np.array(rows, dtype=float)[:, :3]) + 0.0
    _, first, inverse = np.unique(table.view(np.dtype((np.void, 24))).ravel(), return_index=True, return_inverse=True)
    found = byte_order(table.T, len(table))
    assert np.array_equal(found.order[found.new], first) and np.array_equal(found.group, inverse.ravel())


def test_columns_that_are_not_needed_are_never_looked_at():
    looked = []

    def columns():
        for number in range(5):
            looked.append(number)
            yield np.array([3.0, 3.0, 1.0]) if number == 0 else np.arange(3.0)

    assert byte_order(columns(), 3).new.all() and looked == [0, 1]


def test_single_precision_is_merged_like_double():
    x = np.random.default_rng(0).normal(size=(50, 2)).astype(np.float32)
    single, double = (distinct_rows(kind(x), np.zeros((50, 1)), np.ones(50)) for kind in (np.float32, np.float64))
    assert np.array_equal(single.first, double.first)


def test_blocks_and_spread_rows():
    assert [(b.start, b.stop) for b in blocks(10, 4)] == [(0, 4), (4, 8), (8, 10)]
    rows = np.arange(100, 110)
    assert np.array_equal(spread(rows, 10), rows) and spread(rows, 4).tolist() == [100, 102, 105, 107]
