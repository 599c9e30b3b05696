"""Progress: a bar where someone looks, one output in a notebook, and now and then a line where nobody does."""

import os
import subprocess
import sys
import threading
from io import StringIO

import pytest
from rich.console import Console

from taylor_sensus.words.progress import STAGE_WORDS, PartsProgress, RowsProgress, TrainingProgress
from taylor_sensus.words.progress_views import Bars, Cell, Lines, Nothing, duration, view_on


class Clock:
    """Time that passes when it is told to."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


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


# ------------------------------------------------------------------------------------------------ in a file


def test_in_a_file_each_stage_of_a_short_fit_ends_with_one_line():
    out = StringIO()
    calls = slices("density", 1) + slices("mean", 3) + slices("noise", 3, score=float("inf"))
    follow(Console(file=out), {"density": 1, "mean": 3, "noise": 3}, calls)
    assert out.getvalue().splitlines() == [
        "density: done, epoch 100, loss 0.1250, held out 0.5000",
        "means: done, epoch 100, loss 0.1250, held out 0.5000",
        "noise: done, epoch 100, loss 0.1250, held out -",
    ]


def lines_of(seconds, steps=1000):
    """What is written while one piece of work takes so long, done in equal steps."""
    out, clock = StringIO(), Clock()
    view = Lines(Console(file=out, width=20), clock)
    view.start()
    for step in range(1, steps + 1):
        clock.now += seconds / steps
        view.update("means", step / steps, "loss 0.5, and words that are longer than the console is wide")
    view.stop(finished=True)
    return out.getvalue().splitlines()


def test_a_long_fit_tells_each_tenth():
    lines = lines_of(200)
    assert len(lines) == 10 and all(line.startswith("means: ") for line in lines)
    assert lines[3].startswith("means: 40 % after 1 min 20 s, loss 0.5") and lines[-1].startswith("means: done, ")


def test_a_slow_fit_is_not_silent_for_long_and_a_very_slow_one_fills_no_log():
    assert 15 <= len(lines_of(600)) <= 25
    assert len(lines_of(7 * 24 * 3600, steps=20_000)) < 100
    assert len(lines_of(9)) == 1


def test_work_that_was_less_than_thought_is_done_at_the_end():
    out = StringIO()
    follow(Console(file=out), {"joint": 2}, slices("joint", 2)[:-1])
    assert out.getvalue() == "networks: done, epoch 94, loss 0.1250, held out 0.5000\n"


def test_work_that_was_broken_off_says_where():
    out = StringIO()
    with pytest.raises(KeyboardInterrupt), TrainingProgress({"joint": 2}, epochs=9, console=Console(file=out)) as told:
        told(stage="joint", member=0, share=0.5, loss=1.0, score=1.0)
        raise KeyboardInterrupt
    assert out.getvalue() == "networks: stopped at 25 %\n"


def test_parts_end_with_one_line_and_unshown_ones_with_none():
    for show, expected in ((True, "Fits: done, 3 of 3 parts\n"), (False, "")):
        out = StringIO()
        with PartsProgress("Fits", 3, show=show, console=Console(file=out)) as done:
            for count in (1, 2, 3):
                done(count)
        assert out.getvalue() == expected


@pytest.mark.parametrize("asked", ["FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"])
def test_no_bars_and_no_codes_in_a_pipe_even_where_colours_are_asked_for(asked):
    code = (
        "from taylor_sensus.words.progress import TrainingProgress\n"
        "with TrainingProgress({'mean': 1}, epochs=4) as told:\n"
        "    for _ in range(4): told(stage='mean', member=0, share=0.25, loss=1.0, score=1.0)\n"
    )
    environment = {**os.environ, asked: "1"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=environment)
    assert done.stderr == b"means: done, epoch 4, loss 1.0000, held out 1.0000\n" and done.stdout == b""


# -------------------------------------------------------------------------------------------- in a terminal


def test_in_a_terminal_there_is_a_bar():
    out = StringIO()
    follow(Console(file=out, force_terminal=True, width=100, _environ={}), {"mean": 2}, slices("mean", 2))
    assert "means" in out.getvalue() and "epoch 100" in out.getvalue()
    assert "done" not in out.getvalue()


def test_a_terminal_that_cannot_move_its_cursor_gets_lines():
    out = StringIO()
    console = Console(file=out, force_terminal=True, no_color=True, _environ={"TERM": "dumb"})
    follow(console, {"mean": 2}, slices("mean", 2))
    assert out.getvalue() == "means: done, epoch 100, loss 0.1250, held out 0.5000\n"


def test_an_error_stops_the_bar_and_passes_through():
    console = Console(file=StringIO(), force_terminal=True, _environ={})
    progress = TrainingProgress({"mean": 1}, epochs=10, console=console)
    assert isinstance(progress.view, Bars)
    with pytest.raises(KeyboardInterrupt), progress:
        raise KeyboardInterrupt
    assert not progress.view.progress.live.is_started


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


# --------------------------------------------------------------------------------------------- in a notebook


class Output:
    """Takes the place of IPython's display: keeps what the one output shows, and counts the changes."""

    def __init__(self):
        self.shown, self.made, self.changes = {}, 0, 0

    def __call__(self, content, *, raw, display_id):
        assert raw and display_id
        self.shown, self.made = content, self.made + 1
        return self

    def update(self, content, *, raw):
        assert raw
        self.shown, self.changes = content, self.changes + 1


def test_a_notebook_has_one_output_that_changes_now_and_then():
    output, clock = Output(), Clock()
    view = Cell(["density", "means"], output, clock)
    view.start()
    for step in range(1, 1001):
        clock.now += 0.01
        view.update("means", step / 1000, f"step {step}")
    assert output.made == 1 and 15 <= output.changes <= 20, "ten seconds, twice a second"
    view.stop(finished=True)
    assert output.shown["text/plain"] == "density: 0 %\nmeans: 100 %, step 1000\ndone, 10 s"
    assert "done, 10 s" in output.shown["text/html"] and "step 1000" in output.shown["text/html"]


def test_a_notebook_tells_that_work_was_broken_off():
    output = Output()
    view = Cell(["means"], output)
    view.start()
    view.update("means", 0.25, "x")
    view.stop(finished=False)
    assert output.shown["text/plain"].startswith("means: 25 %, x\nstopped, ")


def test_nothing_is_shown_where_nobody_asked():
    assert isinstance(view_on(Console(force_terminal=True), ["means"], show=False), Nothing)


CODE = """
import numpy as np
from taylor_sensus import TSNetRegressor
X = np.random.default_rng(0).normal(size=(60, 2))
quick = {"noise_epochs": 4, "density_steps": 20, "folds": 2}
model = TSNetRegressor(members=2, width=8, depth=1, epochs=4, embedding="none", contrast="off", kernel=False,
                       details=quick, n_jobs=2, verbose=True, random_state=0)
_ = model.fit(X, X[:, 0])
"""


@pytest.mark.slow
def test_in_a_real_notebook_a_fit_leaves_one_output():
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    page = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CODE), nbformat.v4.new_code_cell("model")])
    nbclient.NotebookClient(page, timeout=300, kernel_name="python3").execute()
    told, shown = (cell.outputs for cell in page.cells)
    assert len(told) == 1 and told[0].data["text/plain"].splitlines()[-1].startswith("done, ")
    assert "means" in told[0].data["text/html"]
    assert len(shown) == 1 and "error bars" in shown[0].data["text/html"]


# ------------------------------------------------------------------------------------------------ everywhere


def test_every_stage_of_training_has_a_word():
    assert set(STAGE_WORDS) == {"density", "mean", "noise", "joint"}


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.2, "0 s"), (59.4, "59 s"), (59.6, "1 min 0 s"), (61, "1 min 1 s"), (3599, "59 min 59 s"), (7_500, "2 h 5 min")],
)
def test_durations(seconds, words):
    assert duration(seconds) == words


def test_rows_are_told_with_rate_and_time_left():
    """A quarter was done before; the rate is that of this call."""
    told, clock = [], Clock()
    progress = RowsProgress("rows", 400, 100, show=False, clock=clock)
    progress.view.update = lambda *update: told.append(update)
    with progress:
        for size, rows in ((100, 5000), (200, 10000)):
            clock.now += size / 2
            progress.advance(size, rows)
    assert told == [
        ("rows", 0.5, "5,000 rows, 100 rows/s, 1 min 40 s left"),
        ("rows", 1.0, "15,000 rows, 100 rows/s"),
    ]
