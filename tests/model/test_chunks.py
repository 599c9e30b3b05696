"""Jobs side by side, and rows in chunks of one size."""

import threading
import time
from typing import NamedTuple

import numpy as np
import pytest

from taylor_sensus.model.chunks import CHUNK, cores, in_chunks, run_all, stopped


def test_n_jobs_follows_scikit_learn():
    assert cores(1) == 1
    assert cores(3) == 3
    assert cores(None) == cores(-1) >= 1
    assert cores(-100) == 1


def test_results_keep_their_order():
    def job(k):
        time.sleep(0.01 * (5 - k))
        return k

    assert run_all([lambda k=k: job(k) for k in range(5)], 3) == [0, 1, 2, 3, 4]


def test_an_error_in_one_job_is_raised_and_ends_the_rest():
    started = []

    def job(k):
        started.append(k)
        if k == 0:
            raise ValueError("no")
        time.sleep(0.02)

    with pytest.raises(ValueError, match="no"):
        run_all([lambda k=k: job(k) for k in range(50)], 2)
    assert len(started) < 50


def test_a_failing_fit_does_not_stop_another():
    """Two sets of jobs at the same time, as in a threaded grid search; only the failing one is told to stop."""
    seen = {"failing": [], "other": []}
    failed, both_run = threading.Event(), threading.Barrier(2, timeout=5)

    def fail():
        both_run.wait()
        failed.set()
        raise ValueError("no")

    def watch(name):
        failed.wait(5)
        time.sleep(0.05)
        seen[name].append(stopped())

    def failing():
        with pytest.raises(ValueError, match="no"):
            run_all([fail, lambda: (both_run.wait(), watch("failing"))], 2)

    other = threading.Thread(target=lambda: run_all([lambda: watch("other")] * 2, 2))
    other.start()
    failing()
    other.join()
    assert seen == {"failing": [True], "other": [False, False]}


def test_one_job_runs_in_the_caller_s_thread():
    assert run_all([threading.get_ident], 4) == [threading.get_ident()]


class Found(NamedTuple):
    total: np.ndarray
    twice: np.ndarray


def test_chunks_are_joined_in_order_and_never_depend_on_their_company():
    x = np.random.default_rng(0).normal(size=(1000, 5)).astype(np.float32)
    w = np.random.default_rng(1).normal(size=(5, 3)).astype(np.float32)

    sizes = []

    def ask(chunk):
        sizes.append(len(chunk))
        return Found((chunk @ w).sum(axis=1), 2 * chunk)

    whole = in_chunks(ask, (x,), 2)
    assert sorted(sizes) == [256, 256, 512], "large ones, and small ones for the rest"
    assert whole.twice.shape == x.shape and np.array_equal(whole.twice, 2 * x)
    assert np.array_equal(in_chunks(ask, (x[300:301],), 1).total, whole.total[300:301])


def test_one_array_is_joined_too():
    x = np.arange(600.0)[:, None]
    assert np.array_equal(in_chunks(lambda chunk: chunk + 1, (x,), 1), x + 1)


@pytest.mark.parametrize("count", [CHUNK, CHUNK + 7])
def test_rows_stand_one_after_another_however_the_table_is_stored(count):
    """A matrix product adds up in another order where columns stand one after another."""
    x = np.random.default_rng(0).normal(size=(count, 9))
    seen = []

    def chunk(x):
        seen.append(x.flags.c_contiguous)
        return x @ np.linspace(0.1, 1, 9)

    rows, columns = (in_chunks(chunk, (table,), 1) for table in (x, np.asfortranarray(x)))
    assert all(seen)
    np.testing.assert_array_equal(rows, columns)
