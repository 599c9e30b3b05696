"""A run does what is open and nothing else, and can be ended at any moment."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest
import toy_study.run
from typer.testing import CliRunner

import paper.engine.running
from paper.comparison import run as comparison
from paper.engine.collected import files, read_collected
from paper.engine.commands import app
from paper.engine.ledger import Ledger
from paper.engine.study import Selection, every
from paper.engine.versions import SOURCE
from paper.studies import STUDIES

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]


def call(*arguments: object, code: int = 0) -> str:
    """The output of a command run in this process."""
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == code, done.output
    return done.output


def start(*arguments: object, module: str = "toy_study", **environment: str) -> subprocess.Popen[str]:
    """The same in a process group of its own, to be killed."""
    command = [sys.executable, "-m", module, *map(str, arguments)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    environment = {**os.environ, **environment}
    return subprocess.Popen(command, cwd=ROOT, env=environment, text=True, start_new_session=True, **pipes)


def finish(process: subprocess.Popen[str], code: int = 0) -> str:
    output = process.communicate(timeout=80)[0]
    assert process.returncode == code, output
    return output


def wait_for(folder: Path, pattern: str, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 60
    while not list(folder.glob(pattern)):
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < deadline, f"no {pattern}"
        time.sleep(0.005)


def kill(process: subprocess.Popen[str]) -> None:
    """As the kernel kills when memory is short: the main process first, its workers at the same moment."""
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def reproducible(results: Path, study: str = "toy") -> list[bytes]:
    places = files(results, study)
    return [places.scores.read_bytes(), places.predictions.read_bytes()]


# ------------------------------------------------------------------------------------------- what is done


def test_finished_tasks_are_not_run_again(tmp_path):
    assert "8 tasks, 0 done before, 8 to do" in call("run", "toy", "--results", tmp_path)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.*")}
    assert len(before) == 8 * 2 + 4
    assert "8 tasks, 8 done before, 0 to do" in call("run", "toy", "--results", tmp_path)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.*")} == before


def test_a_fresh_clone_has_the_committed_files_only(tmp_path):
    call("run", "toy", "--results", tmp_path)
    before = reproducible(tmp_path)
    for path in (tmp_path / "toy" / "tasks").iterdir():
        path.unlink()
    assert "8 done before, 0 to do" in call("run", "toy", "--results", tmp_path)
    assert "12 tasks, 8 done before, 4 to do" in call("run", "toy", "--seeds", "0-5", "--results", tmp_path)
    assert "8 tasks, 8 done before" in call("run", "toy", "--results", tmp_path)
    assert len(files(tmp_path, "toy").scores.read_text().splitlines()) == 13
    call("run", "toy", "--results", tmp_path / "whole")
    assert reproducible(tmp_path / "whole") == before


def test_results_that_were_not_asked_for_are_kept(tmp_path):
    call("run", "toy", "--results", tmp_path)
    call("run", "toy", "--datasets", "nan", "--methods", "sum", "--seeds", "1", "--results", tmp_path)
    lines = files(tmp_path, "toy").scores.read_text().splitlines()
    assert len(lines) == 1 + 8 + 1
    assert lines[-1] == 'nan,sum,1,false,0.0,,"sum, or not"'


def test_a_failing_task_is_recorded_reported_and_tried_again(tmp_path, monkeypatch):
    wanted = ("toy", "--datasets", "failing,calm", "--results", tmp_path)
    output = call("run", *wanted, code=1)
    assert "14 done now, 2 failed" in output
    assert "failed: failing, sum, seed 1: RuntimeError: seed 1 is unlucky" in output
    record = Ledger(tmp_path, "toy").read()["failing,sum,1"]
    assert record.failure is not None
    assert "toy_study" in record.failure.trace
    assert "16 tasks, 14 done, 2 failed, 0 open" in call("status", *wanted)
    assert "failing,sum,1" not in files(tmp_path, "toy").scores.read_text()
    monkeypatch.setattr(toy_study.run, "run", lambda task, n_jobs: comparison.Result({"mean": 1.0}))
    assert "2 to do" in call("run", *wanted)
    assert "16 tasks, 16 done, 0 failed, 0 open" in call("status", *wanted)


def test_damaged_task_files_are_said_and_done_again(tmp_path):
    call("run", "toy", "--results", tmp_path)
    whole = reproducible(tmp_path)
    for path in files(tmp_path, "toy"):
        path.unlink()
    damaged = tmp_path / "toy" / "tasks" / "calm,sum,2.json"
    damaged.write_bytes(damaged.read_bytes()[:100])
    output = call("run", "toy", "--results", tmp_path)
    assert f"{damaged} is damaged" in output
    assert "7 done before, 1 to do" in output
    assert reproducible(tmp_path) == whole


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [("TOY_SHA256", "other", "the data of calm changed"), ("TOY_WIDTH", "4", "the settings of sum changed (width)")],
)
@pytest.mark.parametrize("place", ["tasks", "committed"])
def test_other_data_or_settings_mean_again(tmp_path, monkeypatch, name, value, reason, place):
    call("run", "toy", "--results", tmp_path)
    if place == "committed":
        Ledger(tmp_path, "toy").forget(read_collected(tmp_path, toy_study.TOY))
    monkeypatch.setenv(name, value)
    output = call("run", "toy", "--results", tmp_path)
    assert reason in output
    assert "0 done before, 8 to do" in output
    assert "8 done before, 0 to do" in call("run", "toy", "--results", tmp_path)


def test_other_versions_mean_again_unless_told_otherwise(tmp_path, monkeypatch):
    call("run", "toy", "--results", tmp_path)
    now = paper.engine.running.installed()
    monkeypatch.setattr(paper.engine.running, "installed", lambda: {**now, "numpy": "99"})
    assert "8 done, 0 failed, 0 open" in call("status", "toy", "--any-versions", "--results", tmp_path)
    output = call("status", "toy", "--results", tmp_path)
    assert f"8 results no longer count: numpy {now['numpy']} -> 99" in output
    assert "0 done, 0 failed, 8 open" in output


def test_other_source_code_is_said_and_keeps_results(tmp_path, monkeypatch):
    call("run", "toy", "--results", tmp_path)
    assert "code changed" not in call("status", "toy", "--results", tmp_path)
    now = paper.engine.running.installed()
    monkeypatch.setattr(paper.engine.running, "installed", lambda: {**now, SOURCE: "0123"})
    output = call("status", "toy", "--results", tmp_path)
    assert "8 results were made before the package's code changed" in output
    assert "8 done, 0 failed, 0 open" in output


def test_results_stay_when_their_data_are_not_here(tmp_path, monkeypatch):
    call("run", "toy", "--results", tmp_path)

    def missing(task):
        raise FileNotFoundError("no data")

    monkeypatch.setattr(toy_study.run, "inputs", missing)
    before = reproducible(tmp_path)
    output = call("run", "toy", "--results", tmp_path)
    assert "8 results are kept unchecked" in output
    assert "8 done before, 0 to do" in output
    assert reproducible(tmp_path) == before


def test_again_forgets_first(tmp_path):
    call("run", "toy", "--results", tmp_path)
    before = reproducible(tmp_path)
    assert "2 tasks, 0 done before, 2 to do" in call("run", "toy", "--seeds", 1, "--again", "--results", tmp_path)
    assert reproducible(tmp_path) == before


def test_a_full_disk_is_one_line(tmp_path, monkeypatch):
    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    output = call("run", "toy", "--results", tmp_path, code=1)
    assert output.strip().splitlines()[-1].startswith("error: the disk is full")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nonsense",), "there is no study 'nonsense'"),
        (("toyy",), "did you mean 'toy'?"),
        (("toy", "--datasets", "clam"), "did you mean 'calm'?"),
        (("comparison", "--datasets", "concret"), "did you mean 'concrete'?"),
        (("comparison", "--methods", "mlpp"), "did you mean 'mlp'?"),
        (("comparison", "--methods", ","), "no method is named"),
        (("timing", "--search"), "has no --search"),
        (("toy", "--seeds", "4-0"), "0-4 or 0,1,2"),
        (("toy", "--seeds", "-1"), "0-4 or 0,1,2"),
        (("toy", "--seeds", "one"), "0-4 or 0,1,2"),
        (("toy", "--jobs", "0"), "--jobs"),
        (("toy", "--backend", "ray"), "--backend"),
        (("toy", "--scheduler", "tcp://localhost:1"), "--backend dask"),
    ],
)
def test_wrong_arguments_end_with_2(tmp_path, arguments, said):
    output = call("run", *arguments, "--results", tmp_path, code=2)
    assert said in " ".join(output.replace("│", " ").split())
    assert not list(tmp_path.iterdir())


# ------------------------------------------------------------------------------------------- interrupted


def test_killed_and_started_again_gives_the_same_bytes(tmp_path):
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    call("run", "toy", "--datasets", "slow", "--results", whole)
    tasks = killed / "toy" / "tasks"
    arguments = ("run", "toy", "--datasets", "slow", "--results", killed)
    first = start(*arguments)
    wait_for(tasks, "*.json", first)
    kill(first)
    assert 0 < len(list(tasks.glob("*.json"))) < 8
    assert not files(killed, "toy").scores.exists()
    second = start(*arguments, TOY_SLOW_DISK="1")
    wait_for(tasks, ".*.part", second)
    time.sleep(0.1)
    kill(second)
    assert list(tasks.glob(".*.part"))
    (tasks / "slow,sum,3.json").write_text('{"format": 1, "state": "do')
    output = finish(start(*arguments, "--jobs", 2))
    assert "is damaged" in output
    assert "8 tasks, 0 done before" not in output
    assert reproducible(killed) == reproducible(whole)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes as Linux shows them")
def test_workers_end_when_the_main_process_is_killed(tmp_path):
    process = start("run", "toy", "--datasets", "slow", "--seeds", "0-99", "--jobs", 2, "--results", tmp_path)
    tasks = tmp_path / "toy" / "tasks"
    wait_for(tasks, "*.json", process)
    process.kill()
    process.wait()
    workers = {json.loads(path.read_text())["notes"]["process"] for path in tasks.glob("*.json")}
    deadline = time.monotonic() + 20
    while any(_alive(worker) for worker in workers):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def _alive(process: int) -> bool:
    """Processes without a parent to collect them stay in the list for a while after their end."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_is_one_line_and_the_work_goes_on_later(tmp_path, jobs):
    arguments = ("run", "toy", "--datasets", "slow", "--results", tmp_path)
    process = start(*arguments, "--jobs", jobs, "--seeds", "0-99")
    wait_for(tmp_path / "toy" / "tasks", "*.json", process)
    os.killpg(process.pid, signal.SIGINT)
    output = finish(process, code=130)
    assert output.strip().splitlines()[-1].startswith("interrupted; finished tasks are kept")
    assert "Traceback" not in output
    assert files(tmp_path, "toy").scores.exists()
    assert "0 done," not in call("status", "toy", "--datasets", "slow", "--results", tmp_path)


# ------------------------------------------------------------------------------------------- the real studies


@pytest.mark.slow
def test_a_real_run_killed_and_started_again_with_more_jobs_gives_the_same_bytes(tmp_path):
    methods = "extra_trees,mlp"
    arguments = ("run", "comparison", "--quick", "--datasets", "diabetes", "--methods", methods, "--results")
    whole = start(*arguments, tmp_path / "whole", module="paper")
    killed = tmp_path / "killed"
    process = start(*arguments, killed, module="paper")
    wait_for(killed / "comparison" / "tasks", "*.json", process)
    kill(process)
    finish(whole)
    output = finish(start(*arguments, killed, "--jobs", 2, module="paper"))
    assert "2 tasks, 1 done before, 1 to do" in output
    assert reproducible(killed, "comparison") == reproducible(tmp_path / "whole", "comparison")
    scores = pd.read_csv(files(killed, "comparison").scores, index_col="method")
    assert scores.loc["mlp", ["mse", "mae", "rmse", "r2"]].notna().all()
    assert scores.loc["mlp", ["nll", "crps", "coverage_90", "width_90", "std_error_spearman"]].isna().all()
    assert scores.loc["extra_trees", ["nll", "nll_paper", "crps", "coverage_50", "width_90"]].notna().all()
    assert not any(name.endswith("_seconds") for name in scores.columns)


def test_timing_measures_in_a_process_of_its_own(tmp_path):
    call("run", "timing", "--quick", "--datasets", "diabetes", "--methods", "extra_trees", "--results", tmp_path)
    (record,) = Ledger(tmp_path, "timing").read().values()
    assert record.notes["process"] != os.getpid()
    assert record.values.keys() == {"train_rows", "rows", "first_fit_seconds", "fit_seconds", "predict_seconds"}
    assert all(value > 0 for value in record.values.values())
    assert not files(tmp_path, "timing").predictions.exists()
    assert read_collected(tmp_path, STUDIES["timing"]).keys() == {record.task.key}


def test_every_gives_the_parameters_that_the_study_has():
    tasks = every(toy_study.TOY, Selection(quick=True, search=True, datasets=["calm"]), ("calm",))
    assert all(task.parameters == {"quick": True} for task in tasks)


def test_results_of_two_places_are_merged(tmp_path):
    here, there, whole = tmp_path / "here", tmp_path / "there", tmp_path / "whole"
    call("run", "toy", "--seeds", 0, "--results", here)
    call("run", "toy", "--seeds", 1, "--results", there)
    call("run", "toy", "--seeds", "0,1", "--results", whole)
    assert "results from" in call("merge", "toy", there, "--results", here)
    assert reproducible(here) == reproducible(whole)
    assert "0 to do" in call("run", "toy", "--seeds", "0,1", "--results", here)
