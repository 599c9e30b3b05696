"""What a process holds: memory, descriptors, memory maps and CPU seconds, read from Linux' own files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

MEGABYTE = 1024**2


class Held(NamedTuple):
    """At one moment."""

    megabytes: float
    descriptors: int
    maps: int


def held_by(pid: int) -> Held:
    """Resident memory, open descriptors and memory maps."""
    root = Path(f"/proc/{pid}")
    pages = int((root / "statm").read_text().split()[1])
    maps = (root / "maps").read_bytes().count(b"\n")
    return Held(pages * os.sysconf("SC_PAGE_SIZE") / MEGABYTE, len(os.listdir(root / "fd")), maps)


def cpu_seconds(pid: int) -> float:
    """Of a living process and of its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


class Watch:
    """What a process held once it was settled, and the most that it held beyond."""

    def __init__(self) -> None:
        self.settled: Held | None = None
        self.growth = Held(0.0, 0, 0)

    def look(self, pid: int, settled: bool) -> Held:
        """Once `settled`, growth counts."""
        now = held_by(pid)
        if settled and self.settled is None:
            self.settled = now
        if self.settled is not None:
            more = (a - b for a, b in zip(now, self.settled, strict=True))
            self.growth = Held(*(max(a, b) for a, b in zip(self.growth, more, strict=True)))
        return now
