"""Progress: a bar where someone looks, one line a stage where nobody does."""

import threading
from io import StringIO

import pytest
from rich.console import Console

from taylor_sensus.progress import STAGE_WORDS, TrainingProgress


def follow(console, stages, calls):
    with TrainingProgress(stages, epochs=100, console=console) as progress:
        for call in calls:
            progress(**call)
    return progress


def slices(stage, members, parts=8, score=0.5):
    return [
        {"stage": stage, "member": m, "share": 1 / parts, "loss": 1 / (k + 1), "score": score}
        for k in range(parts)
        for m in range(members)
    ]


def test_in_a_file_each_stage_ends_with_one_line():
    out = StringIO()
    calls = slices("density", 1) + slices("mean", 3) + slices("noise", 3, score=float("inf"))
    follow(Console(file=out), {"density": 1, "mean": 3, "noise": 3}, calls)
    assert out.getvalue().splitlines() == [
        "density: done, loss 0.1250, held out 0.5000",
        "means: done, loss 0.1250, held out 0.5000",
        "noise: done, loss 0.1250, held out -",
    ]


def test_an_unfinished_stage_says_nothing():
    out = StringIO()
    follow(Console(file=out), {"joint": 2}, slices("joint", 2)[:-1])
    assert out.getvalue() == ""


def test_in_a_terminal_there_is_a_bar():
    out = StringIO()
    follow(Console(file=out, force_terminal=True, width=100), {"mean": 2}, slices("mean", 2))
    assert "means" in out.getvalue() and "epoch  100" in out.getvalue()
    assert "done" not in out.getvalue()


def test_threads_are_counted_once_each():
    out = StringIO()
    progress = TrainingProgress({"mean": 8}, epochs=10, console=Console(file=out))
    with progress:
        threads = [
            threading.Thread(
                target=lambda m=m: [
                    progress(stage="mean", member=m, share=1 / 64, loss=1.0, score=1.0) for _ in range(64)
                ]
            )
            for m in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert progress.done["mean"] == 8
    assert out.getvalue().count("done") == 1


def test_an_error_stops_the_bar_and_passes_through():
    progress = TrainingProgress({"mean": 1}, epochs=10, console=Console(file=StringIO(), force_terminal=True))
    with pytest.raises(KeyboardInterrupt), progress:
        raise KeyboardInterrupt
    assert not progress.bar.live.is_started


def test_every_stage_of_training_has_a_word():
    assert set(STAGE_WORDS) == {"density", "mean", "noise", "joint"}
