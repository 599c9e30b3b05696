"""A process that writes without end and says after each write that it is done: what it said must survive its death.

    python -m bench.soak_writer FOLDER NUMBER FAULT

It saves two models in turn to `model.tsnet` and adds lines to the journal `search-NUMBER.jsonl`. After each it prints
what was acknowledged, as `model 0`, `journal 17`, or `failed ...` where the disk refused. Faults are injected here:
`full` leaves hardly any room on the disk (where the folder is a disk of its own, else for a file), one time
in three; `slow` makes each `fsync` wait; `clock` moves
the wall clock by hours, back and forth. `none` leaves all to whoever kills this process.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from itertools import count
from pathlib import Path

import numpy as np

from taylor_sensus import load
from taylor_sensus.search.journal import FoldScore, Journal

MODELS = ("first.tsnet", "second.tsnet")
FAULTS = ("none", "full", "slow", "clock")
FINGERPRINT = {"seed": 0}
A_LINE_AND_A_HALF = 90
"""Bytes: so that a line is cut in the midst."""


def inject(fault: str, rng: np.random.Generator) -> None:
    """A slow disk, or a clock that jumps, for all that this process does."""
    sync, clock = os.fsync, time.time

    def slow_sync(handle: int) -> None:
        time.sleep(float(rng.exponential(0.05)))
        sync(handle)

    if fault == "slow":
        os.fsync = slow_sync
    if fault == "clock":
        time.time = lambda: clock() + float(rng.uniform(-86_400, 86_400))


@contextmanager
def no_room(folder: Path, journal: Path) -> Iterator[None]:
    """A full disk: all room is taken where the folder is a disk of its own, and a file may grow by few bytes only."""
    filling, hard = folder / "filling", resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    if folder.is_mount():
        with filling.open("wb", buffering=0) as file, suppress(OSError):
            while file.write(bytes(4096)):
                pass
    resource.setrlimit(resource.RLIMIT_FSIZE, (journal.stat().st_size + A_LINE_AND_A_HALF, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        filling.unlink(missing_ok=True)


def main(folder: Path, number: int, fault: str) -> None:
    """Write until killed."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    models = [load(folder / name) for name in MODELS]
    inject(fault, np.random.default_rng(number))
    path = folder / f"search-{number}.jsonl"
    journal = Journal(path, FINGERPRINT)
    for step in count():
        which = step % 2
        with no_room(folder, path) if fault == "full" and step % 3 == 2 else nullcontext():
            _try(f"model {which}", lambda which=which: models[which].save(folder / "model.tsnet"))
            for line in range(10 * step, 10 * step + 10):
                score = FoldScore(float(line), 0.0)
                _try(f"journal {line}", lambda line=line, score=score: journal.add((line,), 0, score))


def _try(words: str, write: Callable[[], None]) -> None:
    try:
        write()
        _say(words)
    except OSError as problem:
        _say(f"failed {problem.strerror}")


def _say(words: str) -> None:
    os.write(1, f"{words}\n".encode())


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
