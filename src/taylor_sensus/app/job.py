"""Work in the background that reports its progress, and can be stopped."""

from __future__ import annotations

import re
import threading
import time
import warnings
from collections.abc import Callable
from typing import Any

from taylor_sensus.errors import TaylorSensusError, TaylorSensusWarning
from taylor_sensus.words.progress import listening
from taylor_sensus.words.progress_views import duration

FOLDERS = re.compile(r"(?<![\w.])(?:[A-Za-z]:)?(?:[/\\][^/\\\s'\"]+)*[/\\](?=[^/\\\s])")
"""Paths of the server are not shown."""

FITTING, CHECKING = "Learning the overall trend", "Checking the error bars on unseen rows"
STAGES = {
    "density": "Learning where the data lie",
    "means": "Learning the details",
    "noise": "Learning the noise",
    "networks": "Learning trend and noise",
}
"""What the stages of a fit are called here; it begins with the first word and ends with the second."""
ESTIMATE_AFTER = 2.0
"""Seconds of progress from which the time left is estimated."""


class Stopped(Exception):
    """The user pressed stop."""


class Job:
    """Runs `work` in a thread. `work` gets the job, to say in `doing` what it is about.

    `then` is the address to go to when it is done, `back` the one when it has failed.
    """

    def __init__(self, title: str, work: Callable[[Job], None], *, then: str, back: str) -> None:
        self.title, self.then, self.back = title, then, back
        self.phase, self.words, self.share = "Starting", "Starting", 0.0
        self.began = time.monotonic()
        self._first: tuple[float, float] | None = None
        """When this step reported its share for the first time, and which."""
        self.problem: str | None = None
        """Why it failed, in words for the user."""
        self._caught: list[warnings.WarningMessage] = []
        self._work, self._stop = work, threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="taylor-sensus-job")
        self._thread.start()

    @property
    def running(self) -> bool:
        """Whether it is still at work."""
        return self._thread.is_alive()

    @property
    def stopped(self) -> bool:
        """Whether it was asked to stop."""
        return self._stop.is_set()

    @property
    def warnings(self) -> list[str]:
        """What the library warned of so far."""
        return [str(w.message) for w in self._caught if issubclass(w.category, TaylorSensusWarning)]

    def doing(self, words: str, share: float = 0.0) -> None:
        """Report what is being done and how much of it; here a stop takes effect."""
        if self._stop.is_set():
            raise Stopped
        if words != self.phase:
            self._first = None
        self.phase, self.words, self.share = words, words, share

    def on_progress(self, word: str, share: float) -> None:
        """Take what the library reports of its progress."""
        phase = self.phase
        self.doing(phase, share)
        if self._first is None:
            self._first = (time.monotonic(), share)
        self.words = STAGES.get(word, f"{phase} ({word.lower()})")
        if word in STAGES and share >= 1:
            self.words = CHECKING

    @property
    def clock(self) -> str:
        """How long it has been at work, and how long this step will still take by its pace so far."""
        now = time.monotonic()
        text = f"{duration(now - self.began)} so far"
        if self._first is None:
            return text
        seconds, done = now - self._first[0], self.share - self._first[1]
        if seconds < ESTIMATE_AFTER or done <= 0 or self.share >= 1:
            return text
        return f"{text}, about {duration(seconds * (1 - self.share) / done)} left"

    def stop(self) -> None:
        """Ask it to end at the next chance."""
        self._stop.set()

    def wait(self, seconds: float | None = None) -> None:
        """Until it has ended."""
        self._thread.join(seconds)

    def _run(self) -> None:
        try:
            with warnings.catch_warnings(record=True) as self._caught, listening(self.on_progress):
                warnings.simplefilter("always", TaylorSensusWarning)
                self._work(self)
        except Stopped:
            self.problem = "Stopped; all is as it was before."
        except Exception as problem:  # whatever it is, the page must say so instead of waiting for ever
            self.problem = in_words(problem)


def in_words(problem: BaseException) -> str:
    """A failure as one sentence for the user."""
    if isinstance(problem, TaylorSensusError):
        text: Any = str(problem)
    elif isinstance(problem, OSError) and problem.strerror:
        text = f"The disk reports: {problem.strerror}."
    elif isinstance(problem, MemoryError):
        text = "There is not enough memory for a table of this size."
    else:
        text = f"This should not have happened: {FOLDERS.sub('', str(problem))} ({type(problem).__name__})."
    return " ".join(str(text).split())
