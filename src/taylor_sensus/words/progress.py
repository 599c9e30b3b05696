"""Progress, reported to views (see `progress_views`) and to listeners."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType

from rich.console import Console

from taylor_sensus.words.progress_views import duration, error_console, view_on

STAGE_WORDS = {"density": "density", "mean": "means", "noise": "noise", "joint": "networks"}

Listener = Callable[[str, float], None]
"""Called with what is being done, in a word, and which share of it is done."""
_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Work begun here in this thread reports its progress to `listener`; what `listener` raises ends it."""
    before = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(before)


def has_listener() -> bool:
    """Whether somebody listens to the work of this thread."""
    return _listener.get() is not None


class TrainingProgress:
    """Follows the members through the stages; used as a context and called after each slice of work."""

    def __init__(
        self, stages: dict[str, int], *, epochs: int, show: bool = True, console: Console | None = None
    ) -> None:
        """`stages` says how many members each stage trains."""
        self.listener = _listener.get()
        self.epochs = epochs
        self.lock = threading.Lock()
        self.view = view_on(console or error_console(), [STAGE_WORDS[name] for name in stages], show=show)
        self.total = stages
        self.done = dict.fromkeys(stages, 0.0)

    def __enter__(self) -> TrainingProgress:
        self.view.start()
        return self

    def __exit__(self, kind: type | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.view.stop(finished=kind is None)

    def __call__(self, *, stage: str, member: int, share: float, loss: float, score: float) -> None:
        with self.lock:
            self.done[stage] += share
            share_done = self.done[stage] / self.total[stage]
            text = f"{score:.4f}" if abs(score) < float("inf") else "-"
            epoch = round(share_done * self.epochs)
            self.view.update(STAGE_WORDS[stage], share_done, f"epoch {epoch}, loss {loss:.4f}, held out {text}")
            all_done = sum(min(self.done[name], total) for name, total in self.total.items()) / sum(self.total.values())
        if self.listener is not None:
            self.listener(STAGE_WORDS[stage], min(1.0, all_done))


class PartsProgress:
    """One bar for work that comes in a known number of parts; as a context it gives a function to call after each."""

    def __init__(self, words: str, parts: int, *, show: bool, console: Console | None = None) -> None:
        self.words, self.parts = words, parts
        self.view = view_on(console or error_console(), [words], show=show)
        self.listener = _listener.get()

    def __enter__(self) -> Callable[[int], None]:
        self.view.start()
        return self._done

    def __exit__(self, kind: type | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.view.stop(finished=kind is None)

    def _done(self, count: int) -> None:
        self.view.update(self.words, count / self.parts, f"{count} of {self.parts} parts")
        if self.listener is not None:
            self.listener(self.words, count / self.parts)


class RowsProgress:
    """One bar for work on very many rows, with its rate and the time left; a part may be done from before."""

    def __init__(
        self, words: str, whole: float, before: float, *, show: bool, console: Console | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        """`whole` and `before` in any measure, such as bytes."""
        self.words, self.whole, self.before, self.clock = words, whole, before, clock
        self.done, self.rows, self.began = 0.0, 0, clock()
        self.view = view_on(console or error_console(), [words], show=show)
        self.listener = _listener.get()

    def __enter__(self) -> RowsProgress:
        self.view.start()
        self.began = self.clock()
        return self

    def __exit__(self, kind: type | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.view.stop(finished=kind is None)

    def advance(self, size: float, rows: int) -> None:
        """So much more of the whole is done, and so many more rows."""
        self.done, self.rows = self.done + size, self.rows + rows
        seconds = max(self.clock() - self.began, 1e-9)
        words = f"{self.rows:,} rows, {self.rows / seconds:,.0f} rows/s"
        left = self.whole - self.before - self.done
        if self.done and left > 0:
            words += f", {duration(seconds * left / self.done)} left"
        share = (self.before + self.done) / self.whole
        self.view.update(self.words, share, words)
        if self.listener is not None:
            self.listener(self.words, share)
