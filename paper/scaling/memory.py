"""How much memory this process takes while it does something, as the operating system counts it."""

from __future__ import annotations

import contextlib
import gc
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")
"""Linux: what a process takes now and took at most; writing 5 to the second forgets the most."""
MEGABYTE = 1e6
Answer = TypeVar("Answer")


class Watched(NamedTuple, Generic[Answer]):
    """What came of some work, and megabytes (millions of bytes) in memory before it and at most during it."""

    answer: Answer
    before: float
    peak: float


def watched(work: Callable[[], Answer]) -> Watched[Answer]:
    """Do the work and watch. Where the most cannot be forgotten, it is that of the whole process so far."""
    gc.collect()
    with contextlib.suppress(OSError):
        CLEAR.write_text("5")
    before = resident()
    answer = work()
    return Watched(answer, before, max(before, most()))


def resident() -> float:
    """Megabytes in memory now; the most so far where the system does not tell."""
    return _bytes("VmRSS") / MEGABYTE if STATUS.exists() else most()


def most() -> float:
    """Megabytes in memory at most, since that was last forgotten."""
    if STATUS.exists():
        return _bytes("VmHWM") / MEGABYTE
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / MEGABYTE


def _bytes(name: str) -> int:
    """A line of the status, in bytes."""
    lines = dict(line.split(":", 1) for line in STATUS.read_text().splitlines())
    return int(lines[name].split()[0]) * 1024
