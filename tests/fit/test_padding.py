import jax
import numpy as np
import pytest

from taylor_sensus.fit.padding import (
    LARGE,
    MemberSplits,
    assign_folds,
    batch_rows,
    bucket,
    evaluation_rows,
    held_out_average,
    pad,
    room_for,
    split_rows,
    unseen_mask,
)


def test_similar_tables_share_a_size():
    assert bucket(180) == bucket(187) == bucket(200) == 256
    assert bucket(1) == 16
    assert bucket(4097) == 8192
    assert all(bucket(n) >= n for n in range(1, 9000, 7))


def test_large_tables_are_not_padded():
    assert bucket(463_715) == 463_715
    table = np.ones((LARGE + 1, 2))
    assert pad(table, bucket(len(table))) is table


def test_jax_uses_a_table_where_it_lies():
    table = room_for((1000, 7))
    table[:] = 1
    assert jax.device_put(table, jax.devices("cpu")[0]).unsafe_buffer_pointer() == table.ctypes.data


def test_a_batch_is_at_most_half_the_table():
    assert batch_rows(128, 16) == 8
    assert batch_rows(128, 4096) == 128


@pytest.mark.parametrize(("count", "folds", "members"), [(100, 8, 8), (5, 8, 8), (30, 4, 8), (100, 8, 3)])
def test_folds_hold_out_disjoint_rows(count, folds, members):
    held = assign_folds(np.arange(count), folds, members, np.random.default_rng(0))
    assert len(held) == members
    assert all(0 < len(h) < count for h in held)
    first_round = np.concatenate(held[: min(folds, count)])
    assert len(np.unique(first_round)) == len(first_round)


def test_every_row_is_held_out_when_members_reach_folds():
    held = assign_folds(np.arange(103), 8, 8, np.random.default_rng(0))
    assert np.array_equal(np.sort(np.concatenate(held)), np.arange(103))


def test_a_group_is_never_on_both_sides():
    group = np.repeat(np.arange(25), 4)
    for held in assign_folds(group, 8, 8, np.random.default_rng(0)):
        assert not set(group[held]) & set(np.delete(group, held))


def test_rows_with_one_input_are_held_out_one_by_one():
    held = assign_folds(np.zeros(6, int), 8, 8, np.random.default_rng(0))
    assert all(0 < len(h) < 6 for h in held)


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


HELD = [np.array([0, 3]), np.array([1, 4])]


def test_members_fit_what_they_see_and_are_scored_on_the_rest():
    splits = MemberSplits(unseen_mask(HELD, train=6, rows=6), 6, np.arange(6.0))
    first, second = splits[0], splits[1]
    assert first.fit[: first.fit_count].tolist() == [1, 2, 4, 5] and first.held[:2].tolist() == [0, 3]
    assert second.fit[: second.fit_count].tolist() == [0, 2, 3, 5] and second.held_weight[:3].tolist() == [1, 4, 0]
    assert len(first.fit) == splits.padded == 16


def test_validation_rows_score_all_members_and_are_never_fitted():
    splits = MemberSplits(unseen_mask(HELD, train=6, rows=8), 6, np.ones(8))
    for split in (splits[0], splits[1]):
        assert split.held[:2].tolist() == [6, 7] and split.held_weight.sum() == 2
        assert split.fit_count == 4 and split.fit.max() == 5


def test_splits_have_one_shape():
    splits = MemberSplits(unseen_mask([np.arange(3), np.arange(40)], train=60, rows=60), 60, np.ones(60))
    assert splits[0].held.shape == splits[1].held.shape == (64,) and splits[0].fit.shape == splits[1].fit.shape


def test_few_of_many_held_out_rows_score_a_run():
    held = [np.arange(0, 1000, 2)]
    split = MemberSplits(unseen_mask(held, train=1000, rows=1000), 1000, np.ones(1000), most_scored=20)[0]
    assert split.held_weight.sum() == 20 and split.fit_count == 500
    assert set(split.held[:20].tolist()) <= set(held[0].tolist())


def test_large_tables_are_judged_on_some_unseen_rows():
    unseen = unseen_mask([np.arange(0, 90, 3)], train=90, rows=100)
    assert np.array_equal(evaluation_rows(unseen, 90, most=100), np.arange(100))
    chosen = evaluation_rows(unseen, 90, most=12)
    assert len(chosen) == 12 and (chosen >= 90).sum() == 6 and unseen[0, chosen].all()
    assert (np.diff(chosen) > 0).all()


def test_without_held_out_rows_training_rows_stand_in():
    unseen = unseen_mask([np.arange(0)], train=90, rows=100)
    assert (evaluation_rows(unseen, 90, most=12) < 90).sum() == 6
