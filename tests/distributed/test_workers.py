"""Fits on Dask's workers: the same file as without them, byte for byte, also when a worker dies on the way."""

import os
import signal
import threading
import time
from collections import Counter

import numpy as np
import pytest
from sklearn.base import clone

from taylor_sensus import TSNetSearch
from taylor_sensus.distributed import workers as module
from taylor_sensus.errors import SettingError, TaylorSensusError
from taylor_sensus.fit.context import FitContext
from tests.tiny import numbers, tiny

pytestmark = pytest.mark.slow

distributed = pytest.importorskip("distributed", reason="needs the extra [distributed]")


@pytest.fixture(scope="module")
def processes():
    """Two workers of one thread each, and a client."""
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def threads():
    """One worker with two threads in this process."""
    options = {"n_workers": 1, "threads_per_worker": 2, "processes": False, "dashboard_address": ":0"}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        yield client


def saved(model, tmp_path, name="model.tsnet"):
    model.save(tmp_path / name)
    return (tmp_path / name).read_bytes()


def four(**changes):
    """Four members with pilots, so that there is something to share out."""
    return tiny(members=4, embedding="periodic", **changes)


@pytest.mark.slow
def test_two_processes_give_the_file_of_one_and_get_the_table_once(processes, tmp_path, monkeypatch):
    X, y = numbers(60)
    sent, scatter = Counter(), processes.scatter
    monkeypatch.setattr(
        processes, "scatter", lambda parts, **k: (sent.update(map(type, parts)), scatter(parts, **k))[1]
    )
    there = four().fit(X, y, client=processes)
    assert sent[FitContext] == 1
    assert saved(there, tmp_path) == saved(four().fit(X, y), tmp_path)


@pytest.mark.slow
def test_a_killed_worker_is_survived(processes, tmp_path):
    X, y = numbers(60)
    killed = []

    def kill_one_at_work():
        scheduler = processes.cluster.scheduler
        while not killed:
            busy = [w for w in list(scheduler.workers.values()) if any("run_on_worker" in t.key for t in w.processing)]
            if busy:
                pid = next(n.pid for n in processes.cluster.workers.values() if n.worker_address == busy[0].address)
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
            time.sleep(0.002)

    watch = threading.Thread(target=kill_one_at_work, daemon=True)
    watch.start()
    there = four(epochs=64).fit(X, y, client=processes)
    assert killed
    assert saved(there, tmp_path) == saved(four(epochs=64).fit(X, y), tmp_path)


@pytest.mark.parametrize(
    "changes",
    [{"details": {"interval_fits": 3}}, {"training": "joint", "details": {"noise_epochs": 64, "density_steps": 200}}],
)
def test_cross_fits_and_joint_training_too(threads, changes, tmp_path):
    X, y = numbers(40)
    assert saved(tiny(**changes).fit(X, y, client=threads), tmp_path) == saved(tiny(**changes).fit(X, y), tmp_path)


def test_progress_is_told(threads, capsys):
    X, y = numbers(40)
    tiny(verbose=True).fit(X, y, client=threads)
    assert "means" in capsys.readouterr().err


def test_a_search_gives_the_same(threads):
    X, y = numbers(40)
    asked = {"estimator": tiny(), "space": {"epochs": (2, 4, 8)}, "trials": 3, "cv": 2, "random_state": 0}
    here = TSNetSearch(**asked).fit(X, y)
    there = TSNetSearch(**asked, client=threads).fit(X, y)
    assert there.best_params_ == here.best_params_
    np.testing.assert_array_equal(there.results_["score"], here.results_["score"])
    assert (there.predict(X) == here.predict(X)).all()
    assert clone(there).client is threads


def test_a_task_that_fails_ends_the_fit_with_its_error(threads):
    def fails(shared, number):
        raise ValueError(f"no {number}")

    with pytest.raises(ValueError, match="no 1"):
        module.DaskWorkers(threads).run(fails, ("shared",), [(1,)], lambda _: None)


def test_what_cannot_be_used_is_refused(threads, monkeypatch):
    X, y = numbers(40)
    with pytest.raises(SettingError, match=r"dask.distributed.Client, not str"):
        tiny().fit(X, y, client="tcp://head:8786")
    monkeypatch.setattr(threads, "run", lambda function: {"tcp://b:1": {**function(), "jax": "0.0"}})
    with pytest.raises(TaylorSensusError, match=r"tcp://b:1 has other versions.*jax 0.0 \(here"):
        tiny().fit(X, y, client=threads)
