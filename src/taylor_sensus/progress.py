"""A progress bar for training: bars in a terminal or notebook, plain lines where output goes to a file."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

STAGE_WORDS = {"density": "density", "mean": "means", "noise": "noise", "joint": "networks"}


class TrainingProgress:
    """Follows the members through the stages; used as a context and called after each slice of work."""

    def __init__(self, stages: dict[str, int], *, epochs: int, console: Console | None = None) -> None:
        """`stages` says how many members each stage trains."""
        self.console = console or Console(stderr=True)
        self.epochs = epochs
        self.lock = threading.Lock()
        self.shown = self.console.is_terminal or self.console.is_jupyter
        self.bar = Progress(
            TextColumn("{task.description:<9}"),
            BarColumn(),
            TextColumn("epoch {task.fields[epoch]:>4}  loss {task.fields[loss]:.4f}  held out {task.fields[score]}"),
            TimeRemainingColumn(),
            console=self.console,
            disable=not self.shown,
        )
        self.total = stages
        self.done = dict.fromkeys(stages, 0.0)
        self.tasks = {
            name: self.bar.add_task(STAGE_WORDS[name], total=count, epoch=0, loss=0.0, score="-")
            for name, count in stages.items()
        }

    def __enter__(self) -> TrainingProgress:
        self.bar.start()
        return self

    def __exit__(self, kind: type | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.bar.stop()

    def __call__(self, *, stage: str, member: int, share: float, loss: float, score: float) -> None:
        with self.lock:
            self.done[stage] += share
            share_done = self.done[stage] / self.total[stage]
            text = f"{score:.4f}" if abs(score) < float("inf") else "-"
            epoch = round(share_done * self.epochs)
            self.bar.update(self.tasks[stage], advance=share, epoch=epoch, loss=loss, score=text)
            finished = self.done[stage] - share < self.total[stage] - 1e-9 <= self.done[stage]
        if finished and not self.shown:
            self.console.print(f"{STAGE_WORDS[stage]}: done, loss {loss:.4f}, held out {text}")


class PartsProgress:
    """One bar for work that comes in a known number of parts; as a context it gives a function to call after each."""

    def __init__(self, words: str, parts: int, *, show: bool, console: Console | None = None) -> None:
        self.console = console or Console(stderr=True)
        self.words, self.parts = words, parts
        terminal = self.console.is_terminal or self.console.is_jupyter
        self.bar = Progress(console=self.console, disable=not (show and terminal))
        self.task = self.bar.add_task(words, total=parts)
        self.lines = show and not terminal

    def __enter__(self) -> Callable[[int], None]:
        self.bar.start()
        return self._done

    def __exit__(self, kind: type | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.bar.stop()

    def _done(self, count: int) -> None:
        self.bar.update(self.task, completed=count)
        if self.lines and count == self.parts:
            self.console.print(f"{self.words}: done, {count} parts")
