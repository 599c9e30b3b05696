"""Records survive whatever happens to the process, and the same results are the same bytes."""

from __future__ import annotations

import errno
import json
import os
import time

import numpy as np
import pytest
from toy_study import TOY

from paper.engine.atomic import StorageError, write_whole
from paper.engine.collected import files, read_collected, write_collected
from paper.engine.ledger import Ledger, Record, plain
from paper.engine.packing import packed, unpacked
from paper.engine.study import Inputs, Task
from paper.engine.work import Failure

INPUTS = Inputs("abc", {"width": 3, "rates": [0.1, 0.2]})
VERSIONS = {"python": "3.11", "numpy": "2.0"}


def record(seed: int = 0, method: str = "sum", failure: Failure | None = None, **values) -> Record:
    values = values or {"mean": 0.1 + 0.2 * seed, "word": 'two "words", a comma', "gap": None, "work_seconds": 1.5}
    arrays = {"y": np.arange(3, dtype=np.float32) + seed}
    return Record(TOY.task("calm", method, seed), values, arrays, INPUTS, VERSIONS, "python -m paper", failure)


def same(a: Record, b: Record) -> bool:
    plainly = (a.task, a.values, a.inputs, a.versions, a.command, a.failure) == (
        *(b.task, b.values, b.inputs, b.versions, b.command, b.failure),
    )
    return (
        plainly
        and a.arrays.keys() == b.arrays.keys()
        and all(np.array_equal(a.arrays[n], b.arrays[n]) for n in a.arrays)
    )


# ------------------------------------------------------------------------------------------- one file


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    target = tmp_path / "file"
    write_whole(target, b"old")

    def full(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageError, match="the disk is full") as caught:
        write_whole(target, b"new")
    assert "\n" not in str(caught.value)
    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_packed_arrays_are_the_same_bytes_later_and_in_another_order():
    arrays = {"b": np.arange(4.0, dtype=np.float32), "a/mean": np.full(3, np.nan), "c": np.arange(6).reshape(2, 3).T}
    first = packed(arrays)
    time.sleep(2.1)  # the times in zip files go by two seconds
    assert packed(dict(reversed(arrays.items()))) == first
    found = unpacked(first)
    assert found.keys() == arrays.keys()
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)
        assert found[name].dtype == array.dtype


@pytest.mark.parametrize("damage", [lambda b: b[:-30], lambda b: b"", lambda b: b[:60] + b"!" + b[61:]])
def test_damaged_arrays_are_noticed(damage):
    with pytest.raises(ValueError, match="not a whole"):
        unpacked(damage(packed({"a": np.random.default_rng(0).random(200)})))


def test_no_array_of_objects_is_written():
    with pytest.raises(ValueError, match="Object arrays"):
        packed({"a": np.array([None, {}], dtype=object)})


# ------------------------------------------------------------------------------------------- tasks


def test_keys_are_file_names_and_tell_tasks_apart():
    tasks = [
        Task("s", "a", "b", 0),
        Task("s", "a", "b", 1),
        Task("s", "a,b", "0", 0),
        Task("s", "../a", "b", 0),
        Task("s", "a", "b", 0, {"noise": 0.4}),
        Task("s", "a", "b", 0, {"noise": "0.4,c=1"}),
        Task("s", "a", "b", 0, {"noise": 0.4, "c": 1}),
        Task("s", "a", "b", 0, {"rates": [1, 2]}),
    ]
    keys = [task.key for task in tasks]
    assert len(set(keys)) == len(keys)
    assert not any(set(key) & set('/\\:*?"<>| \n') for key in keys)
    assert Task("s", "a", "b", 0, {"c": 1, "noise": 0.4}).key == tasks[6].key


def test_a_parameter_with_its_default_is_left_out_of_the_key():
    assert TOY.task("calm", "sum", 0, quick=False, noise=0.0) == TOY.task("calm", "sum", 0)
    assert TOY.task("calm", "sum", 0, noise=0.5).key == "calm,sum,0,noise=0.5"


def test_plain_values():
    given = {"a": (1, np.float64(0.5)), "b": float("nan"), "c": np.arange(2), "d": max, "e": True, "f": object()}
    assert plain(given) == {"a": [1, 0.5], "b": None, "c": [0, 1], "d": "max", "e": True, "f": "a object"}


# ------------------------------------------------------------------------------------------- ledger


def test_records_come_back(tmp_path):
    ledger = Ledger(tmp_path, "toy")
    written = [record(0), record(1, failure=Failure("ValueError", "no", "Traceback ..."))]
    for each in written:
        ledger.write(each)
    found = Ledger(tmp_path, "toy").read()
    assert list(found) == ["calm,sum,0", "calm,sum,1"]
    assert all(same(found[each.task.key], each) for each in written)


def _cut(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _other_number(path):
    path.write_text(path.read_text().replace("0.1", "0.2", 1))


def _no_predictions(path):
    path.with_suffix(".npz").unlink()


def _cut_predictions(path):
    _cut(path.with_suffix(".npz"))


def _empty(path):
    path.write_bytes(b"")


def _a_list(path):
    path.write_text("[1, 2]")


def _renamed(path):
    path.rename(path.with_name("calm,sum,7.json"))


@pytest.mark.parametrize("harm", [_cut, _other_number, _no_predictions, _cut_predictions, _empty, _a_list, _renamed])
def test_a_damaged_record_counts_as_not_done(tmp_path, harm):
    ledger = Ledger(tmp_path, "toy")
    ledger.write(record(0))
    ledger.write(record(1))
    harm(ledger.folder / "calm,sum,0.json")
    assert list(ledger.read()) == ["calm,sum,1"]
    assert len(ledger.damaged) == 1


def test_parts_of_killed_runs_are_ignored_and_old_ones_removed(tmp_path):
    ledger = Ledger(tmp_path, "toy")
    ledger.write(record(0))
    young, old = (ledger.folder / f".task.{letters * 8}.part" for letters in ("ab", "cd"))
    for part in (young, old):
        part.write_text('{"half')
    os.utime(old, (0, 0))
    assert list(ledger.read()) == ["calm,sum,0"]
    assert not ledger.damaged
    assert young.exists()
    assert not old.exists()


def test_what_makes_a_record_outdated():
    made = record(0)
    assert made.outdated(INPUTS, VERSIONS) == []
    assert made.outdated(Inputs("abc", {"rates": (0.1, 0.2), "width": 3}), VERSIONS | {"python": "3.12"}) == []
    assert made.outdated(Inputs("abd", INPUTS.settings), VERSIONS) == ["the data of calm changed"]
    assert made.outdated(Inputs("abc", {"width": 4, "rates": [0.1, 0.2]}), VERSIONS) == [
        "the settings of sum changed (width)"
    ]
    assert made.outdated(INPUTS, {"numpy": "2.1"}) == ["numpy 2.0 -> 2.1"]
    assert made.outdated(INPUTS, None) == []


# ------------------------------------------------------------------------------------------- committed files


def test_committed_files_are_the_same_bytes_whatever_the_order_and_the_detour(tmp_path):
    records = [record(seed, method) for method in ("sum", "product") for seed in (10, 2, 0)]
    first, second, third = (tmp_path / name for name in "abc")
    write_collected(first, TOY, records)
    write_collected(second, TOY, reversed(records))
    write_collected(third, TOY, read_collected(first, TOY).values())
    for a, b, c in zip(files(first, "toy"), files(second, "toy"), files(third, "toy"), strict=True):
        assert a.read_bytes() == b.read_bytes() == c.read_bytes()


def test_committed_records_come_back(tmp_path):
    written = {r.task.key: r for r in (record(0), record(1), record(2, mean=None, work_seconds=2.0))}
    write_collected(tmp_path, TOY, written.values())
    found = read_collected(tmp_path, TOY)
    assert found.keys() == written.keys()
    for key in ("calm,sum,0", "calm,sum,1"):
        assert same(found[key], written[key])
    assert found["calm,sum,2"].values["mean"] is None


def test_scores_and_seconds_are_apart(tmp_path):
    write_collected(tmp_path, TOY, [record(1)])
    places = files(tmp_path, "toy")
    assert places.scores.read_text().splitlines() == [
        "dataset,method,seed,quick,noise,mean,word,gap",
        'calm,sum,1,false,0.0,0.30000000000000004,"two ""words"", a comma",',
    ]
    assert places.seconds.read_text().splitlines()[1] == "calm,sum,1,false,0.0,1.5"
    assert json.loads(places.origin.read_text())["seeds"] == [1]


def test_unchanged_files_are_not_touched(tmp_path):
    write_collected(tmp_path, TOY, [record(0)])
    before = [path.stat().st_mtime_ns for path in files(tmp_path, "toy")]
    time.sleep(0.02)
    write_collected(tmp_path, TOY, [record(0)])
    assert [path.stat().st_mtime_ns for path in files(tmp_path, "toy")] == before


def _wrong_encoding(path):
    path.write_bytes(b"\xff\xfe" + path.read_bytes())


@pytest.mark.parametrize(
    ("which", "harm"),
    [
        *(("scores", os.remove), ("seconds", os.remove), ("predictions", os.remove)),
        *(("scores", _wrong_encoding), ("seconds", _wrong_encoding), ("predictions", _cut), ("origin", _cut)),
    ],
)
def test_damaged_committed_files_are_said_and_not_overwritten(tmp_path, which, harm):
    write_collected(tmp_path, TOY, [record(0), record(1)])
    harm(getattr(files(tmp_path, "toy"), which))
    with pytest.raises(StorageError, match="restore the study's four files"):
        read_collected(tmp_path, TOY)


def test_a_task_that_one_of_the_files_lacks_is_not_done(tmp_path):
    write_collected(tmp_path, TOY, [record(0), record(1)])
    scores = files(tmp_path, "toy").scores
    scores.write_text("\n".join(scores.read_text().splitlines()[:-1]) + "\n")
    assert list(read_collected(tmp_path, TOY)) == ["calm,sum,0"]
