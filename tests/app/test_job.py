"""Work in the background tells how far it is, ends when asked to, and never ends silently."""

import threading
import time

import numpy as np
import pytest

from taylor_sensus import TSNetRegressor
from taylor_sensus.app.job import CHECKING, FITTING, Job
from taylor_sensus.errors import DataError, TaylorSensusWarning
from taylor_sensus.words.progress import listening


def job(work):
    return Job("work", work, then="/then", back="/back")


def test_a_fit_tells_how_far_it_is():
    told = []

    def heard(own):
        own.doing(FITTING)
        X = np.linspace(0, 1, 40)[:, None]
        with listening(lambda word, share: (own.on_progress(word, share), told.append((own.words, own.share)))):
            TSNetRegressor(members=2, epochs=8, kernel=False, random_state=0).fit(X, X[:, 0] ** 2)

    done = job(heard)
    done.wait(60)
    assert done.problem is None
    shares = [share for _, share in told]
    assert len(shares) > 4 and shares == sorted(shares) and shares[-1] > 0.9
    words = list(dict.fromkeys(words for words, _ in told))
    assert words == ["Learning where the data lie", "Learning the details", "Learning the noise", CHECKING]


def test_the_time_left_is_told_by_the_pace_so_far(monkeypatch):
    now = [100.0]
    monkeypatch.setattr("taylor_sensus.app.job.time.monotonic", lambda: now[0])
    clocks, go_on = [], threading.Event()

    def work(own):
        for second, share in ((103, 0.1), (104, 0.2), (113, 0.6)):
            now[0] = second
            own.on_progress("means", share)
            clocks.append(own.clock)
        go_on.set()

    job(work).wait(10)
    assert go_on.is_set()
    assert clocks == ["3 s so far", "4 s so far", "13 s so far, about 8 s left"]


def test_a_fit_ends_when_asked_to():
    begun = threading.Event()

    def work(own):
        X = np.random.default_rng(0).normal(size=(400, 5))
        begun.set()
        TSNetRegressor(epochs=20_000, kernel=False, random_state=0).fit(X, X[:, 0])

    running = job(work)
    begun.wait(30)
    time.sleep(1.0)
    assert running.running
    running.stop()
    running.wait(60)
    assert not running.running
    assert running.problem == "Stopped; all is as it was before."


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        (DataError("row 3 is bad"), "row 3 is bad"),
        (OSError(28, "No space left on device"), "The disk reports: No space left on device."),
        (MemoryError(), "not enough memory"),
        (ZeroDivisionError("by 0"), "should not have happened: by 0"),
        (ValueError("no /home/ann/app/t-upload.csv here, 3/4 of it"), "happened: no t-upload.csv here, 3/4 of it ("),
    ],
)
def test_a_failure_is_told(problem, words):
    def work(own):
        raise problem

    failed = job(work)
    failed.wait(10)
    assert words in (failed.problem or "")


def test_warnings_are_kept():
    import warnings

    def work(own):
        warnings.warn("careful", TaylorSensusWarning, stacklevel=1)

    done = job(work)
    done.wait(10)
    assert done.warnings == ["careful"]
