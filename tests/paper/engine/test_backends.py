"""Whoever does the tasks, the results are the same; whoever dies, the run goes on."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from toy_study import TOY
from typer.testing import CliRunner

from paper.engine import backends
from paper.engine.backends import ClusterError, apart, dask_workers, here, joblib_workers
from paper.engine.collected import files
from paper.engine.commands import app
from paper.engine.ledger import Ledger
from paper.engine.versions import SOURCE, installed
from paper.engine.work import XLA_ONE_THREAD, Job, limit_threads

pytestmark = pytest.mark.slow

pytest.importorskip("distributed")
ROOT = Path(__file__).parents[3]


def jobs(dataset: str, seeds: int = 3) -> list[Job]:
    return [Job(TOY.task(dataset, "sum", seed), "toy_study", 1) for seed in range(seeds)]


def summary(done) -> dict[str, object]:
    return {each.task.key: each.result.values["mean"] if each.result else each.failure.kind for each in done}


# ------------------------------------------------------------------------------------------- this machine


def test_workers_find_what_this_process_finds():
    expected = summary(here(jobs("calm", 6)))
    assert summary(joblib_workers(jobs("calm", 6), 2)) == expected
    assert summary(apart(jobs("calm", 1))).items() <= expected.items()


def test_results_come_one_by_one():
    stream = joblib_workers(jobs("slow", 40), 2)
    started = time.monotonic()
    next(stream)
    first = time.monotonic() - started
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # joblib says that work was thrown away
        stream.close()
    assert time.monotonic() - started < first + 40 * 0.15 / 2


def test_a_process_that_dies_costs_its_task_only():
    found = summary(joblib_workers(jobs("deadly", 6), 2))
    assert found.keys() == {job.task.key for job in jobs("deadly", 6)}
    assert [key for key, what in found.items() if what == "LostWorker"] == ["deadly,sum,1"]


def test_workers_use_one_thread_for_each_operation():
    for done in (*joblib_workers(jobs("threads", 2), 2), *apart(jobs("threads", 1)), *here(jobs("threads", 1))):
        assert done.result is not None, done.failure
        assert done.result.values["mean"] == 1
        assert XLA_ONE_THREAD in done.result.values["word"]


def test_limits_leave_other_flags_alone(monkeypatch):
    monkeypatch.setenv("XLA_FLAGS", "--xla_some_flag=1")
    limit_threads()
    limit_threads()
    assert os.environ["XLA_FLAGS"] == f"--xla_some_flag=1 {XLA_ONE_THREAD}"


# ------------------------------------------------------------------------------------------- Dask


@contextlib.contextmanager
def process(*arguments: object, cwd: Path = ROOT, **environment: str):
    command = [sys.executable, "-m", *map(str, arguments)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    started = subprocess.Popen(command, cwd=cwd, env={**os.environ, **environment}, start_new_session=True, **quiet)
    try:
        yield started
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(started.pid, signal.SIGKILL)
        started.wait()


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory):
    """The address of a scheduler in a process of its own; its workers are the tests' business."""
    note = tmp_path_factory.mktemp("dask") / "scheduler.json"
    options = ("--host", "127.0.0.1", "--port", 0, "--no-dashboard", "--scheduler-file", note)
    with process("distributed.cli.dask_scheduler", *options):
        deadline = time.monotonic() + 60
        while not note.exists():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        time.sleep(0.2)
        yield json.loads(note.read_text())["address"]


def worker(scheduler: str, **options):
    return process("distributed.cli.dask_worker", scheduler, "--nthreads", 1, "--no-nanny", "--no-dashboard", **options)


def workers_known(scheduler: str, count: int) -> None:
    from distributed import Client

    with Client(scheduler) as client:
        deadline = time.monotonic() + 60
        while len(client.scheduler_info(n_workers=-1)["workers"]) != count:
            assert time.monotonic() < deadline
            time.sleep(0.1)


def test_dask_finds_what_joblib_finds_and_uses_every_worker(scheduler, tmp_path):
    wanted = ["run", "toy", "--datasets", "slow,nan", "--seeds", "0-5"]
    local = CliRunner().invoke(app, [*wanted, "--jobs", "2", "--results", str(tmp_path / "joblib")])
    assert local.exit_code == 0, local.output
    with worker(scheduler) as one, worker(scheduler) as two:
        workers_known(scheduler, 2)
        remote = ["--backend", "dask", "--scheduler", scheduler, "--results", str(tmp_path / "dask")]
        done = CliRunner().invoke(app, [*wanted, *remote])
        assert done.exit_code == 0, done.output
        used = {record.notes["process"] for record in Ledger(tmp_path / "dask", "toy").read().values()}
        assert used == {one.pid, two.pid}
    ours, theirs = files(tmp_path / "joblib", "toy"), files(tmp_path / "dask", "toy")
    assert ours.scores.read_bytes() == theirs.scores.read_bytes()
    assert ours.predictions.read_bytes() == theirs.predictions.read_bytes()


def test_dask_goes_on_when_a_worker_is_killed_and_gives_up_when_none_is_left(scheduler, monkeypatch):
    expected = summary(here(jobs("calm", 12)))
    monkeypatch.setattr(backends, "PATIENCE", 2.0)
    workers_known(scheduler, 0)
    with worker(scheduler) as one, worker(scheduler) as two:
        workers_known(scheduler, 2)
        stream = dask_workers(jobs("slow", 12), 2, scheduler)
        found = [next(stream)]
        one.kill()
        found += stream
        assert {key.replace("slow", "calm"): mean for key, mean in summary(found).items()} == expected
        assert all(done.result is not None for done in found)

        workers_known(scheduler, 1)
        stream = dask_workers(jobs("slow", 12), 2, scheduler)
        found = [next(stream)]
        two.kill()
        found += stream
    assert len(found) == 12
    assert found[-1].failure is not None
    assert found[-1].failure.kind == "LostWorker"


def test_dask_workers_are_limited_before_jax_is_imported(scheduler):
    workers_known(scheduler, 0)
    with worker(scheduler, XLA_FLAGS="", OMP_NUM_THREADS=""):
        workers_known(scheduler, 1)
        (done,) = dask_workers(jobs("threads", 1), 1, scheduler)
    assert done.result is not None
    assert done.result.values["mean"] == 1
    assert XLA_ONE_THREAD in done.result.values["word"]


def test_a_dask_worker_without_the_studies_is_refused(scheduler, tmp_path):
    workers_known(scheduler, 0)
    with worker(scheduler, cwd=tmp_path, PYTHONPATH=""):
        workers_known(scheduler, 1)
        with pytest.raises(ClusterError, match="cannot import the studies"):
            list(dask_workers(jobs("calm"), 1, scheduler))


@pytest.mark.parametrize(
    ("other", "said"),
    [({"numpy": "1.0"}, f"numpy 1.0 -> {np.__version__}"), ({SOURCE: "0123"}, "other code of taylor-sensus")],
)
def test_a_dask_worker_with_other_versions_is_refused(other, said):
    class Client:
        def wait_for_workers(self, count, timeout):
            pass

        def run(self, function, on_error):
            return {"tcp://a": installed(), "tcp://b": {**installed(), **other}}

    with pytest.raises(ClusterError, match=f"worker tcp://b has other versions than this process: {said}"):
        backends._check_workers(Client())


def test_no_scheduler_is_said(monkeypatch):
    monkeypatch.setattr(backends, "ANSWER", 1.0)
    with pytest.raises(ClusterError, match="no Dask scheduler answers at tcp"):
        list(dask_workers(jobs("calm"), 1, "tcp://127.0.0.1:9"))
