"""Fuzzing: damaged and forged model files, and malformed tables.

    python -m bench.fuzz --minutes 5 --seed 1            # all three fuzzers, five minutes in all
    python -m bench.fuzz --files 10000 --seed 0 --out bench/results/fuzz.csv

Counted is what became of each file: refused in words, used with finite answers, or wrong, which ends with 1 and keeps
the file. A file that takes more than two seconds of this process' time to be read or a gigabyte of memory to be used is
wrong too. The same seed and number make the same file.
"""

from __future__ import annotations

import argparse
import platform
import resource
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from bench import fuzz_files, fuzz_tables
from taylor_sensus import load
from taylor_sensus.errors import ModelFileError, TaylorSensusError, TaylorSensusWarning
from taylor_sensus.storage.container import read_model_file

GOLDEN = Path(__file__).parents[1] / "tests" / "storage" / "golden"
MOST_SECONDS = 2.0
MOST_BYTES = 1024**3
HANGS = 60
"""Seconds of this process' time after which a file is given up; other processes must not decide it."""
FUZZERS = ("damaged", "forged", "table")


class Outcome(NamedTuple):
    """What became of one file."""

    verdict: str
    """refused, finite (or read, of a table), or what went wrong."""
    seconds: float

    @property
    def wrong(self) -> bool:
        """Whether it deserves a repair."""
        return self.verdict not in ("refused", "finite", "read") or self.seconds > MOST_SECONDS


def attempt(fuzzer: str, number: int, seed: int, folder: Path) -> Outcome:
    """One file of a fuzzer, made and met."""
    rng = np.random.default_rng([seed, FUZZERS.index(fuzzer), number])
    if fuzzer == "table":
        path = fuzz_tables.written(rng, folder)
        return met(lambda: fuzz_tables.read(path, rng), fuzz_tables.judge, TaylorSensusError)
    models = sorted(GOLDEN.glob("*.tsnet"))
    model, path = models[int(rng.integers(len(models)))], folder / "model.tsnet"
    if fuzzer == "damaged":
        path.write_bytes(fuzz_files.damaged(rng, model.read_bytes()))
        found = met(lambda: load(path), lambda model: fuzz_files.use(model, folder), ModelFileError)
        return found._replace(verdict="accepted though damaged") if found.verdict == "finite" else found
    path.write_bytes(fuzz_files.forged(rng, read_model_file(model)))
    return met(lambda: load(path), lambda model: fuzz_files.use(model, folder), TaylorSensusError)


def met(read: Callable[[], Any], judge: Callable[[Any], str], refusal: type[Exception]) -> Outcome:
    """What comes of a file, with the time of this process that reading it takes."""
    start = time.process_time()
    end = None
    try:
        with _limited(), warnings.catch_warnings():
            warnings.simplefilter("ignore", TaylorSensusWarning)
            warnings.simplefilter("error", RuntimeWarning)
            found = read()
            end = time.process_time()
            verdict = judge(found)
    except refusal:
        verdict = "refused"
    except Exception as problem:
        verdict = f"{type(problem).__name__}: {str(problem)[:200]}"
    return Outcome(verdict, (end or time.process_time()) - start)


def _load_libraries() -> None:
    """Before memory is counted: they take much, once."""
    with tempfile.TemporaryDirectory() as folder:
        fuzz_files.use(load(min(GOLDEN.glob("*.tsnet"))), Path(folder))


class Hang(Exception):
    """A file that never ends."""


@contextmanager
def _limited() -> Iterator[None]:
    """Memory beyond what is in use now, and time."""

    def give_up(*_: object) -> None:
        raise Hang(f"no answer within {HANGS} s")

    before = signal.signal(signal.SIGPROF, give_up)
    signal.setitimer(signal.ITIMER_PROF, HANGS)
    held = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (held + MOST_BYTES, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


class Tally(NamedTuple):
    """All files of one fuzzer."""

    fuzzer: str
    verdicts: Counter[str]
    slowest: float
    wrong: list[int]
    """Numbers of the files."""


def run(fuzzer: str, seed: int, files: int | None, seconds: float, keep: Path | None) -> Tally:
    """So many files, or as many as fit into the time."""
    tally = Tally(fuzzer, Counter(), 0.0, [])
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as name:
        number = 0
        while number < files if files is not None else time.monotonic() < end:
            outcome = attempt(fuzzer, number, seed, Path(name))
            tally.verdicts["wrong" if outcome.wrong else outcome.verdict] += 1
            tally = tally._replace(slowest=max(tally.slowest, outcome.seconds))
            if outcome.wrong:
                tally.wrong.append(number)
                print(f"{fuzzer} {number}: {outcome.verdict} ({outcome.seconds:.1f} s)", flush=True)
                for path in Path(name).iterdir() if keep else ():
                    (keep / f"{fuzzer}_{seed}_{number}_{path.name}").write_bytes(path.read_bytes())
            number += 1
    return tally


def table_of(tallies: list[Tally], seed: int, command: str) -> pd.DataFrame:
    """Counts, with what they were counted with."""
    versions = ", ".join(f"{name} {version(name)}" for name in ("taylor-sensus", "numpy", "pandas", "safetensors"))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return pd.DataFrame(
        {
            "fuzzer": tally.fuzzer,
            "files": sum(tally.verdicts.values()),
            "refused": tally.verdicts["refused"],
            "used": tally.verdicts["finite"] + tally.verdicts["read"],
            "wrong": tally.verdicts["wrong"],
            "slowest_seconds": round(tally.slowest, 2),
            "peak_megabytes": peak,
            "seed": seed,
            "command": command,
            "versions": f"Python {platform.python_version()}, {versions}",
        }
        for tally in tallies
    )


def main(arguments: list[str] | None = None) -> int:
    """Run the fuzzers and show the counts; 1 if anything was wrong."""
    parser = argparse.ArgumentParser(prog="python -m bench.fuzz", description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=1.0, help="of all fuzzers together")
    parser.add_argument("--files", type=int, help="of each fuzzer, however long they take")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fuzzers", default=",".join(FUZZERS), help="some of %(default)s")
    parser.add_argument("--keep", type=Path, help="folder for files that went wrong")
    parser.add_argument("--out", type=Path, help="CSV file for the counts")
    asked = parser.parse_args(arguments)
    fuzzers = asked.fuzzers.split(",")
    _load_libraries()
    share = 60 * asked.minutes / len(fuzzers)
    tallies = [run(fuzzer, asked.seed, asked.files, share, asked.keep) for fuzzer in fuzzers]
    told = sys.argv[1:] if arguments is None else arguments
    counts = table_of(tallies, asked.seed, " ".join(["python -m bench.fuzz", *told]))
    print(counts.drop(columns=["command", "versions"]).to_string(index=False))
    if asked.out:
        counts.to_csv(asked.out, index=False)
    return int(any(tally.wrong for tally in tallies))


if __name__ == "__main__":
    sys.exit(main())
