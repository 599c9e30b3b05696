"""Merged rows: nothing is lost, nothing depends on the order of the table."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from taylor_sensus.data.rows import distinct_rows

cells = st.sampled_from([0.0, -0.0, 1.0, -2.5, 1e300, 5e-324])
tables = st.lists(st.tuples(cells, cells, cells, st.integers(0, 3)), min_size=1, max_size=20).filter(
    lambda rows: any(weight for *_, weight in rows)
)


def merged(rows):
    array = np.array(rows, dtype=float)
    return array, distinct_rows(array[:, :2], array[:, 2:3], array[:, 3])


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
    found = distinct_rows(np.array([[0.0], [-0.0]]), np.zeros((2, 1)), np.ones(2))
    assert len(found.x) == 1 and not np.signbit(found.x).any()
