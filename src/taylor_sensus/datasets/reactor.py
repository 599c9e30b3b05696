"""A simulated table for the documentation: sixty runs of a reactor, written down as laboratories do.

Nothing here was measured. The yield has a maximum in the temperature, so that the thermocouple's error matters on the
flanks and not at the top; catalysts have their maximum at different temperatures. The table has errors in cells, in a
column beside, in percent and nowhere; units in headers; values below a detection limit, and some that are missing.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from os import PathLike
from pathlib import Path

import numpy as np
import pandas as pd

from taylor_sensus.tables.files import read_table, write_table

Numbers = np.ndarray | pd.Series
TABLE = Path(__file__).parent / "examples" / "reactor.csv"
RUNS = 60
TEMP_ERROR, PRESSURE_ERROR, FLOW_ERROR, YIELD_ERROR, SYSTEM_NOISE = 4.0, 0.05, 0.02, 0.8, 1.0
"""Standard deviations in degC, bar, share of the flow, and percent of yield (twice)."""
BEST_TEMP = {"A": 310.0, "B": 330.0}
LIMIT = 5.0
"""Of the hygrometer, in ppm."""


def copy_table(path: str | PathLike[str]) -> None:
    """Write a copy of the table, to play with."""
    shutil.copyfile(TABLE, path)


def true_yield(temp: Numbers, p: Numbers, flow: Numbers, water: Numbers, catalyst: Iterable[str]) -> Numbers:
    """Percent, without any noise."""
    best = np.array([BEST_TEMP[name] for name in catalyst])
    top = np.exp(-(((temp - best) / 45) ** 2)) * p / (p + 1.5)
    return 95 * top * np.exp(-(flow - 20) / 150) / (1 + water / 100)


def laboratory(form: str | PathLike[str], filled: str | PathLike[str], *, seed: int = 0) -> None:
    """Stands in for the work at the bench: reads a form of suggestions, "measures" each row, and writes it back."""
    frame = read_table(form)
    rng = np.random.default_rng(seed)
    temp = frame["temp [degC]"] + rng.normal(0, TEMP_ERROR, len(frame))
    truth = true_yield(temp, frame["p [bar]"], frame["flow [ml/min]"], frame["water [ppm]"], frame["catalyst"])
    found = truth + rng.normal(0, np.hypot(SYSTEM_NOISE, YIELD_ERROR), len(frame))
    results = [f"{value:.1f} ± {YIELD_ERROR}" for value in np.maximum(found, 0)]
    write_table(frame.assign(**{"yield [%]": results, "status": "done"}), filled)


def simulated_table(seed: int = 3, runs: int = RUNS) -> pd.DataFrame:
    """A table as it is written in the file, all cells as text; that of the file with the defaults."""
    rng = np.random.default_rng(seed)
    temp, p, flow = rng.uniform(265, 375, runs), rng.uniform(1, 8, runs), rng.uniform(20, 80, runs)
    water, catalyst = rng.gamma(2.0, 12.0, runs), rng.choice(list(BEST_TEMP), runs)
    noise = rng.normal(0, np.hypot(SYSTEM_NOISE, YIELD_ERROR), runs)
    result = np.maximum(true_yield(temp, p, flow, water, catalyst) + noise, 0.1)
    seen_temp = temp + rng.normal(0, TEMP_ERROR, runs)
    seen_p, seen_flow = p + rng.normal(0, PRESSURE_ERROR, runs), flow * (1 + rng.normal(0, FLOW_ERROR, runs))
    table = pd.DataFrame(
        {
            "run": [f"R{number:02d}" for number in range(1, runs + 1)],
            "temp [degC]": [f"{value:.0f}({TEMP_ERROR:.0f})" for value in seen_temp],
            "p [bar]": [f"{value:.2f}" for value in seen_p],
            "p_err": [f"{PRESSURE_ERROR}"] * runs,
            "flow [ml/min]": [f"{value:.1f} ± {100 * FLOW_ERROR:.0f}%" for value in seen_flow],
            "water [ppm]": [f"{value:.0f}" if value > LIMIT else f"<{LIMIT:.0f}" for value in water],
            "catalyst": catalyst,
            "yield [%]": [f"{value:.1f} ± {YIELD_ERROR}" for value in result],
        }
    )
    table.loc[[7, 31], "water [ppm]"] = ["n.d.", ""]
    return table
