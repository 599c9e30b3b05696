"""Seconds from the first fit on, beside CatBoost with error bars and beside the bare training step, in one run.

Every figure comes from a process of its own, with a folder for compiled programs that begins empty:

- cold: the first fit of the first process, which compiles;
- second process: its first fit, with the programs of the first on disk;
- warm: the best repeat in a process that has fitted this table before;
- CatBoost with error bars: trees for the mean and trees for the variance, both stopped early (the best of two);
- bare: the steps that the mean networks made, each only a gradient and Adam on a fixed batch.

CPU seconds add up those of all cores. Ratios are of CPU seconds: those of one run can be compared, those of two
machines or of a busy one cannot. Run as `python -m bench.speed`; `--quick` shows in miniature that everything runs.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bench.speed_tasks import DIABETES, Seconds
from taylor_sensus.storage.compilation import VARIABLE

ROOT = Path(__file__).parents[1]


class Sizes(NamedTuple):
    """What is measured: the shapes, rows to predict, other numbers of columns beside the ten of diabetes."""

    shapes: Sequence[tuple[int, int]]
    many_rows: int
    wide: tuple[int, int]
    columns: Sequence[int]
    repeats: int
    tries: int
    """Starts of a command, of which the median counts."""


FULL = Sizes((DIABETES, (60, 4), (1_000, 8), (2_000, 30), (7_400, 8)), 100_000, (4_096, 200), (7, 9, 14), 2, 3)
QUICK = Sizes((DIABETES,), 500, (60, 12), (9,), 1, 1)


class Figures(NamedTuple):
    """A line of the table."""

    shape: tuple[int, int]
    cold: Seconds
    second: Seconds
    warm: Seconds
    rival: Seconds
    bare: float


class Limit(NamedTuple):
    """A figure and what it may be at most."""

    name: str
    value: float
    most: float
    unit: str = "s of CPU"


class Bench:
    """Runs tasks one after the other, each in a fresh process, in a folder that vanishes with the bench."""

    def __init__(self, sizes: Sizes, quick: bool, folder: Path) -> None:
        self.sizes, self.quick, self.folder = sizes, quick, folder

    def ask(self, task: str, cache: str, **arguments: Any) -> dict[str, Any]:
        """What a task says; pairs of seconds come back as such."""
        command = [sys.executable, "-m", "bench.speed_tasks", json.dumps({"task": task, **arguments})]
        done = subprocess.run(command, env=self._environment(cache), cwd=ROOT, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{task} failed: {done.stderr}")
        found = json.loads(done.stdout.splitlines()[-1])
        return {name: Seconds(*value) if isinstance(value, list) else value for name, value in found.items()}

    def command(self, *arguments: str, fails: bool = False) -> float:
        """CPU seconds of `taylor-sensus` with these arguments, from its start to its end."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [sys.executable, "-m", "taylor_sensus", *arguments],
            env=self._environment("commands"), cwd=self.folder, capture_output=True, text=True,
        )  # fmt: skip
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if (done.returncode != 0) != fails:
            raise RuntimeError(f"{' '.join(arguments)}: exit code {done.returncode}: {done.stderr}")
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def _environment(self, cache: str) -> dict[str, str]:
        paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        kept = os.pathsep.join(str(Path(path).resolve()) for path in paths if path)
        return {**os.environ, VARIABLE: str(self.folder / cache), "PYTHONPATH": kept}

    # --- the table ---------------------------------------------------------------------------------------

    def figures(self, shape: tuple[int, int]) -> Figures:
        """One line: ours cold, in a second process and warm; CatBoost; the bare steps."""
        rows, columns = shape
        asked = {"rows": rows, "columns": columns, "quick": self.quick}
        cache = f"{rows}x{columns}"
        first = self.ask("fit", cache, **asked, repeats=0)
        second = self.ask("fit", cache, **asked, repeats=self.sizes.repeats)
        rival = self.ask("fit", cache, **asked, repeats=1, method="catboost")
        step = self.ask("bare_step", cache, rows=rows, columns=columns, quick=self.quick)["step"]
        return Figures(
            shape,
            first["first"],
            second["first"],
            second["repeat"],
            min(rival["first"], rival["repeat"]),
            step * second["steps"],
        )

    # --- the lines with limits ---------------------------------------------------------------------------

    def of_fits(self, diabetes: Figures) -> Iterable[Limit]:
        """First fits, with the cache of the first one."""
        yield Limit("diabetes, first fit, empty cache", diabetes.cold.cpu, 9.0)
        yield Limit("diabetes, repeat", diabetes.warm.cpu, 2.5)
        name = "diabetes, first fit of a second process / repeat"
        yield Limit(name, diabetes.second.cpu / diabetes.warm.cpu, 1.5, "")
        cache = f"{DIABETES[0]}x{DIABETES[1]}"
        for columns in self.sizes.columns:
            asked = {"rows": DIABETES[0], "columns": columns, "quick": self.quick, "repeats": self.sizes.repeats}
            found = self.ask("fit", cache, **asked)
            name = f"diabetes with {columns} columns, cache of {DIABETES[1]}: first fit / repeat"
            yield Limit(name, found["first"].cpu / found["repeat"].cpu, 1.3, "")

    def of_predictions(self) -> Iterable[Limit]:
        """Means with error bars of many rows and of wide ones."""
        rows, columns = DIABETES
        cache = f"{rows}x{columns}"
        asked = {"train_rows": rows, "columns": columns, "rows": self.sizes.many_rows, "quick": self.quick}
        many = self.ask("predict", cache, **asked, epochs=None)["predict"]
        yield Limit(f"predict {self.sizes.many_rows:,} x {columns} with std", many.wall, 1.5, "s")
        rows, columns = self.sizes.wide
        asked = {"train_rows": min(rows, 500), "columns": columns, "rows": rows, "quick": self.quick}
        wide = self.ask("predict", "wide", **asked, epochs=4)["predict"]
        yield Limit(f"predict {rows:,} x {columns} with std", wide.wall, 1.0, "s")

    def of_starting(self) -> Iterable[Limit]:
        """What importing and the command line cost."""
        taken = [self.ask("imports", "commands")["ours"].cpu for _ in range(self.sizes.tries)]
        yield Limit("import TSNetRegressor, beyond sklearn.base and pandas", statistics.median(taken), 0.4)
        name = self.ask("model_file", "commands", folder=str(self.folder), quick=self.quick)["name"]
        mistakes = {
            "missing model": ("suggest", "missing.tsnet"),
            "a column is missing": ("predict", "model.tsnet", "narrow.csv", "-o", "out.csv"),
            "no such file": ("predict", "model.tsnet", "none.csv", "-o", "out.csv"),
            "no such target": ("fit", "new.csv", "--target", "none", "-o", "new.tsnet"),
            "no such command": ("predictt",),
        }
        for words, arguments in mistakes.items():
            taken = [self.command(*arguments, fails=True) for _ in range(self.sizes.tries)]
            yield Limit(f"mistake on the command line: {words}", statistics.median(taken), 0.6)
        taken = [self.command("predict", "model.tsnet", "new.csv", "-o", "out.csv") for _ in range(self.sizes.repeats)]
        yield Limit(f"taylor-sensus predict, 60 rows, model of 400 ({name})", min(taken), 4.0)


# -------------------------------------------------------------------------------------------------- on screen

COLUMNS = ("rows x columns", "cold", "second", "warm", "CatBoost", "cold/Cat", "warm/Cat", "warm/bare", "2nd/warm")


def line(found: Figures) -> list[str]:
    """The cells of a line; seconds as CPU (wall)."""
    times = [f"{one.cpu:.1f} ({one.wall:.1f})" for one in (found.cold, found.second, found.warm, found.rival)]
    ratios = (
        found.cold.cpu / found.rival.cpu,
        found.warm.cpu / found.rival.cpu,
        found.warm.cpu / found.bare,
        found.second.cpu / found.warm.cpu,
    )
    return [f"{found.shape[0]:,} x {found.shape[1]}", *times, *(f"{ratio:.1f}" for ratio in ratios)]


def shown(cells: Sequence[str]) -> str:
    """A line of the table."""
    return f"{cells[0]:<15}" + "".join(f"{cell:>15}" for cell in cells[1:5]) + "".join(f"{c:>11}" for c in cells[5:])


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table and the lines."""
    reader = argparse.ArgumentParser(prog="python -m bench.speed", description=(__doc__ or "").splitlines()[0])
    reader.add_argument("--quick", action="store_true", help="tiny models and tables, to see that everything runs")
    quick = reader.parse_args(arguments).quick
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(QUICK if quick else FULL, quick, Path(folder))
        print("CPU seconds (wall seconds) of a fit, and ratios of CPU seconds", flush=True)
        print(shown(COLUMNS), flush=True)
        table = []
        for shape in bench.sizes.shapes:
            table.append(bench.figures(shape))
            print(shown(line(table[-1])), flush=True)
        mean = math.exp(statistics.fmean(math.log(one.warm.cpu / one.rival.cpu) for one in table))
        print(f"\nwarm / CatBoost, geometric mean: {mean:.2f}\n", flush=True)
        for lines in (bench.of_fits(table[0]), bench.of_predictions(), bench.of_starting()):
            for limit in lines:
                held = "" if quick or limit.value <= limit.most else "   <- more"
                print(f"{limit.name:<75}{limit.value:8.2f} {limit.unit:<9} at most {limit.most}{held}", flush=True)


if __name__ == "__main__":
    main()
