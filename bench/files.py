"""Files to files: rows a second and peak memory of `predict_dataset` from Parquet to Parquet.

Twenty columns of numbers, made by this script a block at a time, and a model of 2,000 rows with the default settings.
The prediction runs in a process of its own (`--jobs` more below it); memory is the sum of the resident sizes of all of
them, looked at ten times a second. With `--kill` it is killed when half of its parts are there, and gone on with.

Run as `python -m bench.files --rows 10000000 --jobs 2 --kill`; `--quick` shows in miniature that everything runs.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import psutil
import pyarrow as pa
import pyarrow.parquet as pq

from taylor_sensus import TSNetRegressor, load
from taylor_sensus.model.covariance_shapes import UNSEEN
from taylor_sensus.rows import blocks

COLUMNS = 20
ROW_GROUP = 100_000
FILE_ROWS = 1_000_000
CHILD = (
    "import sys; from taylor_sensus import predict_dataset; m, s, t, j, p = sys.argv[1:]; "
    "r = predict_dataset(m, s, t, keep='id', n_jobs=int(j), part_rows=int(p), verbose=True); "
    "print(r.rows, r.parts_before, r.seconds)"
)


class Measured(NamedTuple):
    """One run of the prediction."""

    rows: int
    parts_before: int
    seconds: float
    peak: float
    """Megabytes."""


def draw(first: int, rows: int) -> pd.DataFrame:
    """Rows by their place: the same however the table is cut into blocks of whole row groups."""
    rng = np.random.default_rng([1, first])
    x = rng.normal(size=(rows, COLUMNS)).astype(np.float32)
    y = np.sin(2 * x[:, 0]) + x[:, 1] * x[:, 2] + (0.2 + 0.2 * (x[:, 3] > 0)) * rng.normal(size=rows)
    names = [f"x{place:02d}" for place in range(COLUMNS)]
    return pd.DataFrame(x, columns=names).assign(y=y, id=np.arange(first, first + rows))


def write_table(folder: Path, rows: int, row_group: int = ROW_GROUP) -> None:
    """Files of up to a million rows."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, whole in enumerate(blocks(rows, FILE_ROWS)):
        path = folder / f"rows-{number:05d}.parquet"
        if path.exists():
            continue
        writer: Any = None
        for block in blocks(whole.stop - whole.start, ROW_GROUP):
            table = pa.Table.from_pandas(draw(whole.start + block.start, block.stop - block.start))
            writer = writer or pq.ParquetWriter(path.with_suffix(".part"), table.schema)
            writer.write_table(table, row_group_size=row_group)
        writer.close()
        path.with_suffix(".part").rename(path)


def run(model: Path, source: Path, target: Path, jobs: int, part_rows: int, kill_at: int | None) -> Measured | None:
    """Predict in another process; None if it was killed when `kill_at` parts were there."""
    command = [sys.executable, "-c", CHILD, str(model), str(source), str(target), str(jobs), str(part_rows)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    peak = 0.0
    while child.poll() is None:
        peak = max(peak, _resident(child.pid))
        if kill_at is not None and len(list(target.glob("part*"))) >= kill_at:
            for process in [*psutil.Process(child.pid).children(recursive=True), psutil.Process(child.pid)]:
                process.kill()
            child.wait()
            return None
        time.sleep(0.1 if kill_at is None else 0.01)  # parts of a quick run are made in a few hundredths of a second
    if child.returncode:
        raise SystemExit(f"the prediction ended with {child.returncode}")
    assert child.stdout is not None
    rows, before, seconds = child.stdout.read().split()
    return Measured(int(rows), int(before), float(seconds), peak / 1e6)


def _resident(pid: int) -> float:
    """Bytes in memory of a process and those below it; what they share counts each time."""
    try:
        process = psutil.Process(pid)
        return sum(one.memory_info().rss for one in [process, *process.children(recursive=True)])
    except psutil.NoSuchProcess:
        return 0.0


def _check(model: Path, target: Path, rows: int) -> None:
    """All rows are there, in order, and some of the last are as they are predicted in memory.

    Up to rounding errors, which are far below the noise: products in single precision depend in their last digit on a
    row's place among others, with the linear algebra of processors without AVX-512.
    """
    found = pd.read_parquet(target, columns=["id", "mean", "std"])
    assert len(found) == rows and (found["id"].to_numpy() == np.arange(rows)).all()
    begin = (rows - 1) // ROW_GROUP * ROW_GROUP
    last = draw(begin, rows - begin)
    mean, std = load(model).predict(last.iloc[-100:, :COLUMNS], return_std=True)
    for name, values, least in (("mean", mean, UNSEEN), ("std", std, 5 * UNSEEN)):  # a thousandth of the variance
        np.testing.assert_allclose(found[name][-100:], values, rtol=0, atol=least * float(std.min()))


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the table and the model, predict, tell the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--part-rows", type=int, default=200_000)
    parser.add_argument("--kill", action="store_true", help="kill it half-way and go on")
    parser.add_argument("--folder", type=Path, help="where to keep table and model; a temporary folder by default")
    parser.add_argument("--quick", action="store_true", help="30,000 rows and a tiny model")
    asked = parser.parse_args(arguments)
    with TemporaryDirectory() as temporary:
        folder = asked.folder or Path(temporary)
        rows, part_rows = (30_000, 1_000) if asked.quick else (asked.rows, asked.part_rows)
        details = {"folds": 2, "noise_epochs": 2, "boosting": 0, "trees": 0, "kernel_search_rows": 200}
        tiny: dict[str, Any] = {"members": 2, "width": 8, "depth": 1, "epochs": 2, "details": details}
        settings = tiny if asked.quick else {}
        source, model, target = folder / f"rows{rows}", folder / "model.tsnet", folder / f"predicted{rows}"
        write_table(source, rows, min(ROW_GROUP, part_rows))
        if not model.exists():
            table = draw(10**12, 2_000)
            TSNetRegressor(random_state=0, **settings).fit(table.iloc[:, :COLUMNS], table["y"]).save(model)
        parts = -(-rows // part_rows)
        if asked.kill:
            run(model, source, target, asked.jobs, part_rows, kill_at=max(1, parts // 2))
            print(f"killed when {len(list(target.glob('part*')))} of about {parts} parts were there")
        found = run(model, source, target, asked.jobs, part_rows, kill_at=None)
        assert found is not None
        _check(model, target, rows)
        speed = found.rows / found.seconds
        print(f"{found.rows:,} of {rows:,} rows in {found.seconds:.0f} s, {found.parts_before} parts were there before")
        print(f"{speed:,.0f} rows/s with {asked.jobs} processes; peak memory of all processes {found.peak:,.0f} MB")


if __name__ == "__main__":
    main()
