"""Real processes that train together: the losses of one, the same model in each, and what happens when one dies."""

import json
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from taylor_sensus import load
from tests.tiny import numbers, tiny

pytestmark = pytest.mark.slow
SCRIPT = Path(__file__).with_name("together.py")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """3,500 rows in row groups of 150: shards of different size, for 5 processes also."""
    folder = tmp_path_factory.mktemp("rows")
    X, y = numbers(3500)
    table = pd.DataFrame(X, columns=list("abcd")).assign(y=y)
    table.to_parquet(folder / "x.parquet", row_group_size=150, index=False)
    return folder


def start(count, folder, out, *, resume=None, **changes):
    """The processes of one fit; each sees the held-out rows after every step."""
    settings = {"epochs": 3, "batch_size": 64, "details": {"checks": 80, "patience": 1.0, "trees": 0}, **changes}
    asked = tiny(**settings).get_params()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    orders = {"count": count, "address": address, "folder": str(folder), "out": str(out), "settings": asked,
              "resume": None if resume is None else str(resume)}  # fmt: skip
    return [
        subprocess.Popen(
            [sys.executable, str(SCRIPT), json.dumps({**orders, "rank": rank})], stderr=subprocess.PIPE, text=True
        )
        for rank in range(count)
    ]


def finished(processes, seconds=400):
    """What they have said; all must have come to a good end."""
    said = [process.communicate(timeout=seconds)[1] for process in processes]
    assert [process.returncode for process in processes] == [0] * len(processes), "\n".join(said)
    return said


def history(out, rank=0):
    return pd.read_csv(out / f"{rank}.csv")


@pytest.fixture(scope="module")
def alone(folder, tmp_path_factory):
    out = tmp_path_factory.mktemp("alone")
    finished(start(1, folder, out))
    return out


def assert_as_alone(alone, out, count):
    """The first losses are those of one process, and all processes end with the same model."""
    one, many = history(alone), history(out)
    for member in (0, 1):
        a, b = (h[(h.stage == "mean") & (h.member == member)][-80:] for h in (one, many))
        np.testing.assert_allclose(b.loss[:60], a.loss[:60], rtol=1e-4)
        assert b.validation.min() == pytest.approx(a.validation.min(), rel=0.01)
    X = pd.DataFrame(numbers(50, seed=9)[0], columns=list("abcd"))
    said = [load(out / f"{rank}.tsnet").predict(X) for rank in range(count)]
    assert all((other == said[0]).all() for other in said)


def test_four_processes_learn_as_one(folder, alone, tmp_path):
    """Shards have different numbers of rows, because the last row group is short: what is missing has weight zero."""
    finished(start(4, folder, tmp_path))
    assert_as_alone(alone, tmp_path, 4)


@pytest.mark.parametrize("victim", [1, 0])
def test_a_killed_process_is_told_of_and_the_fit_goes_on(folder, alone, tmp_path, victim):
    """The other one ends with a message within a minute; the same call then comes to the undisturbed result."""
    kept = tmp_path / "kept"
    processes = start(2, folder, tmp_path / "out", resume=kept)
    while len(list(kept.glob("*.npz"))) < 2:  # the second run has begun
        time.sleep(0.01)
        assert all(process.poll() is None for process in processes)
    processes[victim].send_signal(signal.SIGKILL)
    killed = time.monotonic()
    other = processes[1 - victim]
    said = other.communicate(timeout=300)[1]
    processes[victim].communicate()
    assert time.monotonic() - killed < 60 and other.returncode not in (0, None)
    assert "another process of this fit was lost" in said and "resume=" in said
    if victim == 0:  # one of both is enough for what follows
        return
    finished(start(2, folder, tmp_path / "out", resume=kept))
    assert_as_alone(alone, tmp_path / "out", 2)
