"""Progress over tasks: a bar in a terminal, plain lines where output goes to a file."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from paper.engine.ledger import Record
from paper.engine.study import Task
from paper.engine.work import Done


class TaskProgress:
    """Counts tasks, and estimates the time left from what such tasks cost before."""

    def __init__(self, tasks: Sequence[Task], costs: Mapping[str, float], console: Console) -> None:
        """`costs` gives the expected seconds of each task by its key."""
        self.console, self.costs = console, costs
        self.total, self.finished, self.failed = len(tasks), 0, 0
        self.cost_left = sum(costs[task.key] for task in tasks)
        self.cost_done = 0.0
        self.started = time.monotonic()
        self.bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("failed {task.fields[failed]}  left {task.fields[left]}"),
            TimeElapsedColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self.line = self.bar.add_task("tasks", total=self.total, failed=0, left="?")

    def __enter__(self) -> TaskProgress:
        self.bar.start()
        return self

    def __exit__(self, kind: type | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.bar.stop()

    def tell(self, done: Done) -> None:
        """One more task was tried."""
        self.finished += 1
        self.failed += done.failure is not None
        self.cost_done += self.costs[done.task.key]
        self.cost_left -= self.costs[done.task.key]
        left = self.left()
        self.bar.update(self.line, advance=1, failed=self.failed, left=left)
        if done.failure or not self.console.is_terminal:
            what = f"failed, {done.failure}" if done.failure else f"done in {done.seconds:.1f} s"
            text = f"[{self.finished}/{self.total}] {done.task}: {what}; about {left} left"
            self.console.print(text, markup=False, highlight=False, soft_wrap=True)

    def left(self) -> str:
        """The time left, if the tasks to come cost as much more than expected as those before did."""
        if self.cost_done <= 0:
            return "?"
        seconds = round((time.monotonic() - self.started) * max(self.cost_left, 0.0) / self.cost_done)
        hours, minutes = divmod(seconds // 60, 60)
        return f"{hours}:{minutes:02d}:{seconds % 60:02d}"


def expected_costs(tasks: Sequence[Task], known: Mapping[str, Record]) -> dict[str, float]:
    """Seconds of each task as those of the same method on the same data took; else as the method, else as all."""
    seen: dict[tuple[str, ...], list[float]] = {}
    for record in known.values():
        seconds = sum(v for n, v in record.values.items() if n.endswith("_seconds") and isinstance(v, (int, float)))
        for group in _groups(record.task):
            seen.setdefault(group, []).append(seconds)
    costs = {}
    for task in tasks:
        group = next((seen[group] for group in _groups(task) if group in seen), [1.0])
        costs[task.key] = max(sum(group) / len(group), 1e-3)
    return costs


def _groups(task: Task) -> tuple[tuple[str, ...], ...]:
    return (task.dataset, task.method), (task.method,), ()
