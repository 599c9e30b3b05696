"""An hour of everything at once with faults: fits, predictions, updates, files, a served model, the app.

    python -m bench.soak --minutes 60 --out bench/results/soak.csv

One process uses the library (seven kinds of tables, six kinds of actions). A served model and the app are asked over
HTTP. Writers save models and journal lines and say so; they meet SIGKILL, a full disk, a slow disk and a clock that
jumps. The app is killed in the midst of fits. Counted are wrong answers (other than the first time, or than the
library's) and lost acknowledgements (a model or line that was said to be written, and is not there). Memory,
descriptors and maps of the long-lived processes are watched once each has met all it will meet. It sleeps between
actions, so that all together take `--duty` of one core. An exception ends no run: it is counted, its last line stands
in the table, and a server that died is started again. Ends with 1 if anything was wrong, lost, raised or grew too much.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import pandas as pd

from bench.soak_library import SHAPES, Library, table_of
from bench.soak_processes import Watch, cpu_seconds
from bench.soak_servers import App, Served
from bench.soak_writer import FAULTS, FINGERPRINT, MODELS
from taylor_sensus import load
from taylor_sensus.search.journal import Journal

MOST_MEGABYTES = 50.0
MOST_DESCRIPTORS = 10
MOST_MAPS = 500
SETTLED_REQUESTS = {"serve": 60, "app": 4}
"""Requests, and tables fitted by the app, after which all of their kinds have been met."""
ROOM = "600k"
"""Size of the small disk on which some writers run out of room."""


class Soak:
    """All parts, and what was counted."""

    def __init__(self, folder: Path, seed: int, duty: float) -> None:
        self.folder, self.duty = folder, duty
        self.rng = np.random.default_rng(seed)
        self.library = Library(folder)
        self.counts: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.lost: list[str] = []
        self.raised: list[str] = []
        self.watches = {name: Watch() for name in ("library", "serve", "app")}
        self.grown: dict[str, list[Watch]] = {name: [] for name in self.watches}
        self.lines: list[dict[str, object]] = []
        self.begun = time.monotonic()
        self.writers = 0
        plain = next(shape for shape in SHAPES if shape.name == "plain")
        for name, shape in zip(MODELS, SHAPES[:2], strict=True):
            self.library.act("fit", shape)
            self.library.models[shape.name].save(folder / name)
        self.served = Served(folder / MODELS[1], table_of(plain)[0])
        (folder / "app").mkdir()
        self.app = App(folder / "app")

    def run(self, minutes: float) -> None:
        """Until the time is over; the share of each part is in proportion to what it costs."""
        next_line = self.begun
        while time.monotonic() < self.begun + 60 * minutes:
            part = self.rng.choice(["library", "serve", "app", "writer"], p=[0.5, 0.38, 0.04, 0.08])
            try:
                getattr(self, f"ask_{part}")()
            except Exception as problem:
                traceback.print_exc()
                self.raised.append(f"{part}: {type(problem).__name__}: {' '.join(str(problem).split())[:300]}")
            self._start_again()
            self.watch()
            if time.monotonic() >= next_line:
                self.tell()
                next_line += 60
            self.rest()
        self.tell()

    def _start_again(self) -> None:
        """Servers that died by themselves; a killed one has been started again already."""
        for name, server in (("serve", self.served), ("app", self.app)):
            code = server.process.poll()
            if code is not None:
                self.raised.append(f"{name} ended with {code}: {server.last_words()}")
                server.start_again()
                self._another(name)

    # --- the parts ---------------------------------------------------------------------------------------

    def ask_library(self) -> None:
        missing = [(a, s) for a in self.library.actions for s in SHAPES if (a, s.name) not in self.library.seen]
        if missing:
            action, shape = missing[int(self.rng.integers(len(missing)))]
        else:
            action = str(self.rng.choice(list(self.library.actions)))
            shape = SHAPES[int(self.rng.integers(len(SHAPES)))]
        self.library.act(action, shape)
        self.counts[action] += 1
        self.wrong += self.library.wrong
        self.library.wrong.clear()

    def ask_serve(self) -> None:
        self._judge(self.wrong, self.served.ask(self.rng))
        self.counts["requests served"] += 1

    def ask_app(self) -> None:
        shape = SHAPES[int(self.rng.integers(4))]
        X, y = table_of(shape)
        kill = self.app.asked > 6
        self._judge(self.lost if kill else self.wrong, self.app.fit(X.assign(y=y), self.rng, kill))
        self.counts["app killed in a fit" if kill else "tables fitted and predicted by the app"] += 1
        if kill:
            self._another("app")

    def ask_writer(self) -> None:
        fault = FAULTS[self.writers % len(FAULTS)]
        self.counts[f"writers, {fault}"] += 1
        with ExitStack() as stack:
            folder = self.folder / f"writer-{self.writers}"
            folder.mkdir()
            if fault == "full" and os.geteuid() == 0:
                stack.enter_context(small_disk(folder))
            for name in MODELS:
                (folder / name).write_bytes((self.folder / name).read_bytes())
            numbers = range(self.writers, self.writers + (2 if fault == "clock" else 1))
            said = self._killed_writers(folder, fault, list(numbers))
            self.lost += lost_of(folder, said)
            self.writers += 1
            refused = [line.startswith("failed") for lines in said.values() for line in lines]
            self.counts["acknowledged writes"] += len(refused) - sum(refused)
            self.counts["writes refused, disk full"] += sum(refused)
        shutil.rmtree(folder)

    def _killed_writers(self, folder: Path, fault: str, numbers: list[int]) -> dict[int, list[str]]:
        """What writers said until they were killed."""
        command = [sys.executable, "-m", "bench.soak_writer", str(folder)]
        started = {
            number: subprocess.Popen([*command, str(number), fault], stdout=subprocess.PIPE, text=True)
            for number in numbers
        }
        first = {number: process.stdout.readline() for number, process in started.items()}  # type: ignore[union-attr]
        time.sleep(float(self.rng.uniform(0.0, 5.0 if fault == "slow" else 1.0)))
        said = {}
        for number, process in started.items():
            process.kill()
            said[number] = [line.strip() for line in [first[number], *process.stdout] if line.endswith("\n")]  # type: ignore
            process.wait()
            process.stdout.close()  # type: ignore[union-attr]
        return said

    # --- watching ----------------------------------------------------------------------------------------

    def watch(self) -> dict[str, object]:
        servers = {"serve": self.served, "app": self.app}
        found: dict[str, object] = {}
        for name, watch in self.watches.items():
            server = servers.get(name)
            pid = os.getpid() if server is None else server.process.pid
            settled = self.library.settled() if server is None else server.asked >= SETTLED_REQUESTS[name]
            held = watch.look(pid, settled)
            found |= {
                f"{name}_MB": round(held.megabytes, 1),
                f"{name}_fds": held.descriptors,
                f"{name}_maps": held.maps,
            }
        return found

    def _another(self, name: str) -> None:
        """A new process takes the place of one that was killed."""
        self.grown[name].append(self.watches[name])
        self.watches[name] = Watch()

    def growth(self) -> dict[str, tuple[float, int, int]]:
        """The most that any process of a kind grew beyond what it held when settled."""
        whole = {name: [*self.grown[name], self.watches[name]] for name in self.watches}
        return {
            name: tuple(max(column) for column in zip(*(w.growth for w in ws), strict=True))
            for name, ws in whole.items()
        }

    def tell(self) -> None:
        """A line of the table."""
        minute = round((time.monotonic() - self.begun) / 60, 1)
        line = {"minute": minute, **self.watch(), "library_settled": self.library.settled()}
        line |= {
            "actions": sum(n for name, n in self.counts.items() if not name.startswith(("acknowledged", "writes"))),
            "acknowledged": self.counts["acknowledged writes"],
        }
        line |= {"wrong": len(self.wrong), "lost": len(self.lost), "raised": len(self.raised)}
        self.lines.append(line | {"last_raised": self.raised[-1] if self.raised else ""})
        print(line, flush=True)

    def rest(self) -> None:
        """So long that all processes together stay within their share of a core."""
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = time.process_time() + children.ru_utime + children.ru_stime
        used += cpu_seconds(self.served.process.pid) + cpu_seconds(self.app.process.pid)
        time.sleep(min(max(used / self.duty - (time.monotonic() - self.begun), 0.0), 60.0))

    def close(self) -> None:
        """Stop the servers."""
        self.served.stop()
        self.app.stop()

    def _judge(self, where: list[str], words: str | None) -> None:
        if words is not None:
            where.append(words)


@contextmanager
def small_disk(folder: Path):
    """A disk with little room, where this process may mount one."""
    command = ["mount", "-t", "tmpfs", "-o", f"size={ROOM}", "soak", str(folder)]
    if subprocess.run(command, capture_output=True).returncode:
        yield
        return
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def lost_of(folder: Path, said: dict[int, list[str]]) -> list[str]:
    """What writers said that they had written, and is not there."""
    lost = []
    for number, lines in said.items():
        steps = [int(line.split()[1]) for line in lines if line.startswith("journal")]
        kept = Journal(folder / f"search-{number}.jsonl", FINGERPRINT).scores
        lost += [f"line {step} of journal {number}" for step in steps if ((step,), 0) not in kept]
    written = [line for lines in said.values() for line in lines if line.startswith("model")]
    if not written:
        return lost
    shapes = dict(zip(MODELS, SHAPES, strict=False))
    found = load(folder / "model.tsnet")
    which = next(n for n, name in enumerate(MODELS) if len(found.fitted_.columns) == shapes[name].columns)
    X = table_of(SHAPES[which])[0]
    if not np.array_equal(found.predict(X), load(folder / MODELS[which]).predict(X)):
        lost.append("a model that was saved speaks otherwise")
    last = written[-1] if len(said) == 1 and next(iter(said.values()))[-1] == written[-1] else f"model {which}"
    if f"model {which}" != last:  # else the next save may have begun
        lost.append("the last model that was said to be saved is not there")
    return lost


def main(arguments: list[str] | None = None) -> int:
    """Run and judge."""
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--duty", type=float, default=0.25, help="share of one core that all may take together")
    parser.add_argument("--out", type=Path, help="CSV file, a line a minute")
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        soak = Soak(Path(name), asked.seed, asked.duty)
        try:
            soak.run(asked.minutes)
        finally:
            soak.close()
            if asked.out:
                pd.DataFrame(soak.lines).to_csv(asked.out, index=False)
    grown = soak.growth()
    for name, number in soak.counts.items():
        print(f"{name}: {number}")
    for name, (megabytes, descriptors, maps) in grown.items():
        print(f"{name} grew by at most {megabytes:.1f} MB, {descriptors} descriptors, {maps} maps once settled")
    print(f"exceptions: {len(soak.raised)} {soak.raised[:5]}")
    print(f"wrong answers: {len(soak.wrong)} {soak.wrong[:5]}")
    print(f"lost acknowledgements: {len(soak.lost)} {soak.lost[:5]}")
    limits = (MOST_MEGABYTES, MOST_DESCRIPTORS, MOST_MAPS)
    too_much = any(a > b for line in grown.values() for a, b in zip(line, limits, strict=True))
    return int(bool(soak.wrong or soak.lost or soak.raised or too_much))


if __name__ == "__main__":
    sys.exit(main())
