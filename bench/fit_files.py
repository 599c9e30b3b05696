"""Fits from files beside fits in memory: error on new rows, CPU seconds and peak memory, each in a process of its own.

The table is that of `bench.files`. `--memory-rows` says how many of its rows the fit in memory gets. Settings are the
defaults, unless `--set` changes them; a run with cheaper settings says how the two compare, not how good they can be.

Run as `python -m bench.fit_files --rows 10000000 --memory-rows 500000`; `--quick` shows in miniature that all runs.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.dataset as ds

from bench.files import COLUMNS, draw, write_table
from taylor_sensus import TSNetRegressor

NEW_ROWS = 5_000
NEW = 2 * 10**12
"""Where the new rows begin, far behind all that are fitted."""


def measure(kind: str, folder: Path, rows: int, settings: dict[str, Any], details: dict[str, Any]) -> dict[str, float]:
    """One fit in this process: `files`, or `memory` with the first `rows` rows."""
    model = TSNetRegressor(random_state=0, **settings, details=details)
    if kind == "files":
        model.fit_dataset(folder, "y", drop="id")
    else:
        table: pd.DataFrame = ds.dataset(folder).head(rows).to_pandas()
        model.fit(table.iloc[:, :COLUMNS], table["y"])
    used = resource.getrusage(resource.RUSAGE_SELF)
    new = draw(NEW, NEW_ROWS)
    prediction = model.predict_distribution(new.iloc[:, :COLUMNS])
    low, high = prediction.conformal_interval(0.9)
    return {
        "error": float(np.sqrt(np.mean((prediction.mean - new["y"]) ** 2))),
        "coverage": float(np.mean((low <= new["y"]) & (new["y"] <= high))),
        "cpu_seconds": used.ru_utime + used.ru_stime,
        "peak_megabytes": used.ru_maxrss / 1e3,  # of a fit alone; kilobytes on Linux
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the table, fit twice, tell the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--memory-rows", type=int, default=500_000)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=JSON", help="a setting or detail")
    parser.add_argument("--folder", type=Path, help="where to keep the table; a temporary folder by default")
    parser.add_argument("--quick", action="store_true", help="34,000 rows and a tiny model")
    parser.add_argument("--only", choices=["files", "memory"], help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    rows, memory_rows = (34_000, 34_000) if asked.quick else (asked.rows, asked.memory_rows)
    tiny = ["members=2", "width=8", "depth=1", "epochs=1", "folds=2", "noise_epochs=1", "pilots=1", "kernel_rows=100"]
    tiny += ["boosting=0", "trees=0", "kernel_search_rows=200"]
    changes = dict(text.split("=", 1) for text in [*(tiny if asked.quick else []), *asked.set])
    values = {name: json.loads(value) for name, value in changes.items()}
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    known = TSNetRegressor().get_params()
    settings = {name: value for name, value in values.items() if name in known}
    details = {name: value for name, value in values.items() if name not in known}
    if asked.only:
        print(json.dumps(measure(asked.only, asked.folder, memory_rows, settings, details)))
        return
    with TemporaryDirectory() as temporary:
        folder = (asked.folder or Path(temporary)) / f"rows{rows}"
        write_table(folder, rows)
        for kind in ("files", "memory"):
            command = [sys.executable, "-m", "bench.fit_files", "--only", kind, "--folder", str(folder)]
            command += ["--memory-rows", str(memory_rows)]
            command += [word for name, value in changes.items() for word in ("--set", f"{name}={value}")]
            found = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True, env=os.environ).stdout)
            told = ", ".join(f"{name} {value:,.4g}" for name, value in found.items())
            print(f"{kind} ({rows if kind == 'files' else min(rows, memory_rows):,} rows): {told}", flush=True)


if __name__ == "__main__":
    main()
