"""What a fit from files costs on several processes: a model of seconds and bytes, fitted to measured points.

`python -m bench.costs --measure` measures, on this machine: a pass for statistics, the reading of a pool, and training
steps with some sizes of batches on one, two and four processes; the points go to `bench/results/costs.csv`.
`python -m bench.costs` fits the model to these points and tells what it says for larger tables and more machines.

A step of one process with b rows: a + c b seconds. Several processes add the sum of the gradients: a latency for each
doubling of their number, and 2 (n - 1) / n times the gradient's bytes over the network. Processes that share the cores
of one machine take turns, so that c is counted as often as there are processes for a core.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import pandas as pd

POINTS = Path(__file__).parent / "results" / "costs.csv"
COLUMNS = 20
STEPS = [(1, 32), (1, 128), (1, 512), (1, 1024), (2, 32), (2, 128), (2, 512), (4, 32)]
"""Processes, and rows of a step in each."""
CALLS, IN_A_CALL = 80, 4
"""Calls of the program, of which the quickest counts (others may use the machine too), and steps in each."""


class Costs(NamedTuple):
    """Coefficients, in seconds and bytes."""

    step: float
    """Of a step, however many rows it has."""
    step_row: float
    """Of each row of a step."""
    latency: float
    """Of a sum over processes, for each doubling of their number."""
    survey_row: float
    """Of a row in the pass for statistics."""
    pool_row: float
    """Of a row that is read for a pool."""
    gradient_bytes: float

    def step_seconds(self, processes: int, rows: float, bandwidth: float = np.inf, turns: float = 1.0) -> float:
        """Of one step, with so many rows in each process; `turns` is the number of processes for a core."""
        ring = 2 * (processes - 1) / processes * self.gradient_bytes / bandwidth
        return turns * (self.step + self.step_row * rows) + self.latency * np.log2(processes) + ring


def fitted(points: pd.DataFrame, cores: int) -> Costs:
    """Least squares of relative errors; no coefficient is negative."""
    from scipy.optimize import nnls

    steps = points[points.kind == "step"]
    turns = np.maximum(steps.processes / cores, 1.0)
    design = np.column_stack([turns, turns * steps.rows, np.log2(steps.processes)])
    found, _ = nnls(design / steps.seconds.to_numpy()[:, None], np.ones(len(steps)))
    per_row = {kind: float((p.seconds / p.rows).median()) for kind, p in points.groupby("kind")}
    return Costs(*found, per_row["survey"], per_row["pool"], float(steps.bytes.max()))


def told(costs: Costs, rows: float, machines: int, batch: int, runs: float, passes: float, bandwidth: float) -> str:
    """Seconds and bytes of a fit that sees each row so many times."""
    steps = rows * passes / batch
    row_bytes, again = 4 * (COLUMNS + 1), 100_000 / 32_768
    read = runs * rows * passes * again / machines
    step = costs.step_seconds(machines, batch / machines, bandwidth)
    lines = {
        "statistics (every process reads all)": (rows * costs.survey_row, rows * row_bytes),
        "pools (a row group is read for a third of its rows)": (read * costs.pool_row, read * row_bytes),
        "steps": (runs * steps * step, runs * steps * 2 * (machines - 1) / machines * costs.gradient_bytes),
    }  # fmt: skip
    head = f"{rows:.0e} rows, {machines} machines, batches of {batch:,}, {runs:g} runs, each row {passes:g} times"
    body = [
        f"  {name}: {seconds / 3600:,.2f} h, {size / 1e9:,.1f} GB a machine" for name, (seconds, size) in lines.items()
    ]
    return "\n".join([head, *body])


def measure() -> None:
    """All points that are not in the file yet, on this machine."""
    points = pd.read_csv(POINTS).to_dict("records") if POINTS.exists() else _reading()
    known = {(point["processes"], point["rows"]) for point in points if point["kind"] == "step"}
    for processes, rows in STEPS:
        if (processes, rows) in known:
            continue
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{free.getsockname()[1]}"
        command = [sys.executable, "-m", "bench.costs", "--only"]
        started = [
            subprocess.Popen([*command, json.dumps([processes, rank, rows, address])], stdout=subprocess.PIPE)
            for rank in range(processes)
        ]
        said = [process.communicate()[0].decode().splitlines()[-1] for process in started]
        seconds, size = json.loads(said[0])
        points.append({"kind": "step", "processes": processes, "rows": rows, "seconds": seconds, "bytes": size})
        cores = len(os.sched_getaffinity(0))
        pd.DataFrame(points).assign(cores=cores).to_csv(POINTS, index=False, float_format="%.4g")


def _reading(rows: int = 200_000) -> list[dict]:
    """Seconds of a pass for statistics, and of reading all row groups for pools."""
    from bench.files import write_table
    from taylor_sensus.out_of_core.fit import open_files_to_fit
    from taylor_sensus.records import Names
    from taylor_sensus.tables.columns import Column

    with TemporaryDirectory() as folder:
        write_table(Path(folder), rows)
        began = time.perf_counter()
        files = open_files_to_fit(folder, "y", "id", 0)
        surveyed = time.perf_counter()
        names = Names(tuple(Column(name, None) for name in files.features), ("y",), True)
        source, rng = files.rows(names), np.random.default_rng(0)
        for shard in range(2):
            source.draw(shard, rng)
        drawn = time.perf_counter()
    common = {"processes": 1, "bytes": 4 * (COLUMNS + 1) * rows}
    return [{"kind": "survey", "rows": rows, "seconds": surveyed - began, **common},
            {"kind": "pool", "rows": rows, "seconds": drawn - surveyed, **common}]  # fmt: skip


def one_process(processes: int, rank: int, rows: int, address: str) -> tuple[float, int]:
    """Seconds of a step, and bytes of the gradient, with the default network."""
    if processes > 1:
        from taylor_sensus.distributed import initialize

        initialize(address, processes, rank)
    import jax

    from taylor_sensus.fit.initial import Shape, new_mean
    from taylor_sensus.fit.loop import WINDOW, new_moments, run_steps
    from taylor_sensus.fit.objectives import RunOptions, stage
    from taylor_sensus.fit.padding import TrainingRows
    from taylor_sensus.fit.processes import Processes
    from taylor_sensus.model.network import Variant, Weights
    from taylor_sensus.model.networks import trainable
    from taylor_sensus.settings import DEFAULTS

    rng = np.random.default_rng(rank)
    network = new_mean(Shape(COLUMNS, 1, np.zeros(COLUMNS), np.ones(COLUMNS)), DEFAULTS, np.random.default_rng(0), 0.2)
    trained, _ = trainable(network)
    moments = new_moments(trained)
    x, y = (rng.normal(size=(WINDOW, rows, k)).astype(np.float32) for k in (COLUMNS, 1))
    window = TrainingRows(x, y, np.ones((WINDOW, rows), np.float32), np.zeros_like(y), np.ones_like(y))
    options = RunOptions(0.02, 0.0, 0.1, 0.0, 1000, 100, 100, Weights(1.0, 1.0, 0.1, 0.1, 1.0, 1.0, 0.5))
    together = Processes.found()
    take_steps = run_steps if together is None else together.run_steps
    kind, seconds = stage("mean", Variant("off", "expected", "mixture", True, False)), []
    for number in range(CALLS + 1):
        began = time.perf_counter()
        given = (network, window, None, np.int32(IN_A_CALL), np.int32(number * IN_A_CALL), np.uint32(0))
        trained, moments, loss = take_steps(trained, moments, *given, options, stage=kind)
        float(loss)
        seconds.append(time.perf_counter() - began)
    return min(seconds[1:]) / IN_A_CALL, sum(np.asarray(leaf).nbytes for leaf in jax.tree.leaves(trained))


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, or tell what the measured points say."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--measure", action="store_true", help="measure what the file of points lacks")
    parser.add_argument("--only", help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.only:
        print(json.dumps(one_process(*json.loads(asked.only))), flush=True)
        return
    if asked.measure:
        measure()
    points = pd.read_csv(POINTS)
    cores = int(points.cores.max())
    costs = fitted(points, cores)
    print("  ".join(f"{name} {value:.3g}" for name, value in costs._asdict().items()))
    for point in points[points.kind == "step"].itertuples():
        said = costs.step_seconds(point.processes, point.rows, turns=max(point.processes / cores, 1.0))
        print(
            f"  {point.processes} x {point.rows:>5} rows: {1e3 * point.seconds:7.2f} ms, {1e3 * said:7.2f} by the model"
        )
    network = 1.25e9  # bytes a second: 10 Gbit
    print(told(costs, 1e7, 1, 128, 9.5, 0.256, network))
    print(told(costs, 1e9, 64, 8192, 9.5, 1.0, network))


if __name__ == "__main__":
    main()
