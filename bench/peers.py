"""Taylor-Sensus side by side with the libraries that the documentation names: the same rows, the same scores.

- `python -m bench.peers uncertainty` error bars on real tables: NGBoost, CatBoost, MAPIE, GPyTorch
- `python -m bench.peers experiments` which experiment next: BayBE, random choice
- `python -m bench.peers formula` a formula that is known: lmfit
- `python -m bench.peers tables` writes the documentation's tables from the results, runs nothing

NGBoost and CatBoost come with the extra `[baselines]`. The others are no dependencies of this package; install them by
hand into an environment of their own, PyTorch's CPU build first:

    pip install torch gpytorch baybe mapie lmfit

What is not installed is skipped, and a line says so. Each finished run is added to `bench/results/peers_TASK.csv` and
not run again, so an interrupted command goes on where it stopped. Give only one command at a time for one task.
Everybody works on one core; seconds are those of the processor, which other programs on the machine disturb little.
"""

from __future__ import annotations

import argparse
import re
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

from bench.peers_experiments import EXPERIMENTS
from bench.peers_formula import FORMULA
from bench.peers_records import RESULTS, Records, Task, missing_packages
from bench.peers_tables import write_tables
from bench.peers_uncertainty import UNCERTAINTY
from taylor_sensus.errors import TaylorSensusWarning

TASKS: dict[str, Task] = {task.name: task for task in (UNCERTAINTY, EXPERIMENTS, FORMULA)}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one task, or write the tables."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    reader = _reader()
    asked = reader.parse_args(given)
    if asked.task == "tables":
        for path in write_tables(asked.results):
            print(f"wrote {path}")
        return
    for kind, named, known in (
        ("case", asked.cases, TASKS[asked.task].cases),
        ("peer", asked.peers, [peer.name for peer in TASKS[asked.task].peers]),
    ):
        if unknown := [name for name in named or () if name not in known]:
            reader.error(f"{asked.task} has no {kind} {unknown[0]!r}; it has {', '.join(known)}")
    run_task(TASKS[asked.task], asked, "python -m bench.peers " + " ".join(given))


def run_task(task: Task, asked: argparse.Namespace, command: str) -> None:
    """All runs that are wanted and not there yet, seed by seed; each is kept as soon as it is done."""
    records = Records(asked.results, task.name)
    peers = [peer for peer in task.peers if asked.peers is None or peer.name in asked.peers]
    for peer in peers:
        if absent := missing_packages(peer):
            print(f"{peer.label} is skipped: install it with pip install {' '.join(absent)}", flush=True)
    runs = [
        (case, peer, seed)
        for seed in asked.seeds
        for case in task.cases
        if asked.cases is None or case in asked.cases
        for peer in peers
        if not missing_packages(peer)
    ]
    for case, peer, seed in runs:
        if records.has(case, peer.name, seed):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TaylorSensusWarning)
            rows = task.run(case, peer.name, seed, asked.quick)
        records.add(case, peer, seed, rows, command)
        told = ", ".join(f"{name} {value:.4g}" for name, value in rows[-1].items())
        print(f"{task.name}, {case}, {peer.label}, seed {seed}: {told}", flush=True)


def _reader() -> argparse.ArgumentParser:
    reader = argparse.ArgumentParser(prog="python -m bench.peers", description=(__doc__ or "").splitlines()[0])
    reader.add_argument("task", choices=[*TASKS, "tables"])
    reader.add_argument("--seeds", type=_seeds, default=[0, 1, 2], help="as 0-4 or 0,1,2; 0-2 by default")
    reader.add_argument("--cases", type=_names, help="only these tables or sizes, separated by commas")
    reader.add_argument("--peers", type=_names, help="only these, separated by commas")
    reader.add_argument("--quick", action="store_true", help="tiny models, to see that everything runs")
    reader.add_argument("--results", type=Path, default=RESULTS, help="folder of the results")
    return reader


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]


def _seeds(text: str) -> list[int]:
    found: list[int] = []
    for part in _names(text):
        bounds = re.fullmatch(r"(\d+)(?:-(\d+))?", part)
        if bounds is None:
            raise argparse.ArgumentTypeError(f"seeds are whole numbers, as 0-4 or 0,1,2; {part!r} is not")
        found += range(int(bounds[1]), int(bounds[2] or bounds[1]) + 1)
    return found


if __name__ == "__main__":
    main()
