import numpy as np
import pytest

from taylor_sensus.training.batches import (
    assign_folds,
    batch_rows,
    bucket,
    held_out_average,
    pad,
    split_rows,
    unseen_mask,
)


def test_similar_tables_share_a_size():
    assert bucket(180) == bucket(187) == bucket(200) == 256
    assert bucket(1) == 16
    assert bucket(4097) == 8192
    assert all(bucket(n) >= n for n in range(1, 9000, 7))


def test_large_tables_waste_little():
    assert bucket(463_715) < 1.01 * 463_715


def test_a_batch_is_at_most_half_the_table():
    assert batch_rows(128, 16) == 8
    assert batch_rows(128, 4096) == 128


@pytest.mark.parametrize(("count", "folds", "members"), [(100, 8, 8), (5, 8, 8), (30, 4, 8), (100, 8, 3)])
def test_folds_hold_out_disjoint_rows(count, folds, members):
    held = assign_folds(count, folds, members, np.random.default_rng(0))
    assert len(held) == members
    assert all(0 < len(h) < count for h in held)
    first_round = np.concatenate(held[: min(folds, count)])
    assert len(np.unique(first_round)) == len(first_round)


def test_every_row_is_held_out_when_members_reach_folds():
    held = assign_folds(103, 8, 8, np.random.default_rng(0))
    assert np.array_equal(np.sort(np.concatenate(held)), np.arange(103))


def test_split_marks_padding():
    split = split_rows(np.array([1, 2]), np.array([0, 3]), np.arange(4.0) + 1, padded=16, held_padded=16)
    assert split.fit_count == 2
    assert split.held_weight.tolist() == [1, 4] + [0] * 14


def test_unseen_members_are_averaged():
    unseen = unseen_mask([np.array([0]), np.array([1])], train=2, rows=3)
    assert unseen.tolist() == [[1, 0, 1], [0, 1, 1]]
    values = np.array([[[1.0], [10.0], [100.0]], [[2.0], [20.0], [200.0]]])
    assert held_out_average(values, unseen).ravel().tolist() == [1, 20, 150]


def test_rows_seen_by_all_are_averaged_over_all():
    unseen = unseen_mask([np.array([0]), np.array([0])], train=3, rows=3)
    assert unseen.sum(axis=0).tolist() == [2, 0, 0]
    values = np.array([[[1.0], [2.0], [3.0]], [[3.0], [4.0], [5.0]]])
    assert held_out_average(values, unseen).ravel().tolist() == [2, 3, 4]


def test_pad_adds_zero_rows():
    assert pad(np.ones((2, 3)), 4).sum() == 6
