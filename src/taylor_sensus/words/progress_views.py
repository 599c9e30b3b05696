"""Three ways to show how far work is: bars in a terminal, one output in a notebook, and lines in a file.

Lines carry no escape codes and no carriage returns. Each piece of work ends with a line; between, one comes when a
further tenth is done and 10 seconds have passed, or when nothing was reported for 30 seconds, and later for a tenth of
the time so far, so that a fit of days does not fill a log.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any, Protocol

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from taylor_sensus.words import notebook
from taylor_sensus.words.format import percent

SOON, LATE, LATE_SHARE = 10.0, 30.0, 0.1
"""Seconds between lines at least, and at most, or at most this share of the time so far."""
BLINK = 0.5
"""Seconds between changes of a notebook's output."""
ALMOST = 1e-9
"""Shares are added up from many slices, so the whole is not always exactly 1."""


class ProgressView(Protocol):
    """Shows how far each piece of work is."""

    def start(self) -> None:
        """Work begins."""

    def update(self, name: str, share: float, words: str) -> None:
        """A piece of work is done to this share, from 0 to 1; the words say more."""

    def stop(self, *, finished: bool) -> None:
        """Work ends, or was broken off."""


def error_console() -> Console:
    """Where progress goes. Only a terminal counts as one: variables that ask for colours put no bars into a file."""
    stream = sys.stderr
    return Console(stderr=True, force_terminal=stream is not None and stream.isatty())


def view_on(console: Console, names: Sequence[str], *, show: bool = True) -> ProgressView:
    """The view that fits the console."""
    if not show:
        return Nothing()
    if console.is_jupyter and find_spec("IPython") is not None:
        from IPython.display import display  # pyright: ignore[reportMissingImports]  only notebooks have it

        return Cell(names, display)
    if console.is_terminal and not console.is_dumb_terminal:
        return Bars(console, names)
    return Lines(console)


class Nothing:
    """Shows nothing: for work that only a listener follows."""

    def start(self) -> None:
        """Nothing is to be prepared."""

    def update(self, name: str, share: float, words: str) -> None:
        """Nothing is shown."""

    def stop(self, *, finished: bool) -> None:
        """Nothing is to be cleared."""


class Bars:
    """A bar for each piece of work, drawn over and over in a terminal."""

    def __init__(self, console: Console, names: Sequence[str]) -> None:
        width = max(map(len, names))
        self.progress = Progress(
            TextColumn(f"{{task.description:<{width}}}"),
            BarColumn(),
            TextColumn("{task.fields[words]}"),
            TimeRemainingColumn(),
            console=console,
        )
        self.tasks = {name: self.progress.add_task(name, total=1.0, words="") for name in names}

    def start(self) -> None:
        self.progress.start()

    def update(self, name: str, share: float, words: str) -> None:
        self.progress.update(self.tasks[name], completed=share, words=words)

    def stop(self, *, finished: bool) -> None:
        for task in self.progress.tasks if finished else ():
            if task.completed > 0:  # work that turned out to be less than was thought
                self.progress.update(task.id, completed=1.0)
        self.progress.stop()


class Lines:
    """A line now and then."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self.console, self.clock = console, clock
        self.begun = self.reported_at = clock()
        self.reported: dict[str, float] = {}
        self.under_way: dict[str, tuple[float, str]] = {}

    def start(self) -> None:
        self.begun = self.reported_at = self.clock()

    def update(self, name: str, share: float, words: str) -> None:
        if self.reported.get(name, 0.0) >= 1:
            return
        self.under_way[name] = (share, words)
        if share >= 1 - ALMOST:
            self._report(name, 1.0, f"{name}: done, {words}")
            return
        waited = self.clock() - self.reported_at
        longest = max(LATE, LATE_SHARE * (self.clock() - self.begun))
        if waited >= longest or (waited >= SOON and share - self.reported.get(name, 0.0) >= 0.1 - ALMOST):
            self._report(
                name, share, f"{name}: {percent(share, 0)} after {duration(self.clock() - self.begun)}, {words}"
            )

    def stop(self, *, finished: bool) -> None:
        for name, (share, words) in self.under_way.items():
            if self.reported.get(name, 0.0) < 1:
                end = f"{name}: done, {words}" if finished else f"{name}: stopped at {percent(share, 0)}"
                self._report(name, 1.0, end)

    def _report(self, name: str, share: float, line: str) -> None:
        self.reported[name], self.reported_at = share, self.clock()
        self.console.print(line, markup=False, highlight=False, soft_wrap=True)


class Cell:
    """One output of a notebook that changes in place, without widgets."""

    def __init__(
        self, names: Sequence[str], display: Callable[..., Any], clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`display` is IPython's, which gives something to change the output by."""
        self.display, self.clock = display, clock
        self.state: dict[str, tuple[float, str]] = dict.fromkeys(names, (0.0, ""))
        self.begun = self.changed = clock()
        self.output: Any = None

    def start(self) -> None:
        self.begun = self.changed = self.clock()
        self.output = self.display(self._content("under way"), raw=True, display_id=True)

    def update(self, name: str, share: float, words: str) -> None:
        self.state[name] = (share, words)
        if self.clock() - self.changed >= BLINK:
            self.changed = self.clock()
            self.output.update(self._content("under way"), raw=True)

    def stop(self, *, finished: bool) -> None:
        if finished:
            self.state = {name: (1.0 if share > 0 else share, words) for name, (share, words) in self.state.items()}
        self.output.update(self._content("done" if finished else "stopped"), raw=True)

    def _content(self, state: str) -> dict[str, str]:
        """The same as HTML and as text."""
        total = f"{state}, {duration(self.clock() - self.begun)}"
        rows = [(name, percent(share, 0), words) for name, (share, words) in self.state.items()]
        shares = [share for share, _ in self.state.values()]
        table = notebook.table(None, rows, words=(0, 2), bars=shares, bar_at=1)
        text = "\n".join([*(f"{name}: {done}, {words}".rstrip(", ") for name, done, words in rows), total])
        return {"text/html": notebook.card(total, table), "text/plain": text}


def duration(seconds: float) -> str:
    """A time as people say it."""
    minutes, rest = divmod(round(seconds), 60)
    if not minutes:
        return f"{rest} s"
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
