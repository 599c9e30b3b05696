"""The study `scaling`: how many rows, how large networks, which searches. Light, as `paper.engine.study` is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from paper.engine.study import Selection, Study, Task
from taylor_sensus.baselines.registry import METHODS, Method

REAL, STAND_IN = "year_prediction_msd", "year_stand_in"
"""The real table, for those who have its file, and rows drawn by a program in its shape."""
TRAIN_ROWS, TEST_ROWS = 463_715, 51_630
"""The authors' split: no artist is in both parts."""
ROWS = (1_000, 4_000, 16_000, 64_000, 256_000, TRAIN_ROWS)
QUICK_ROWS, QUICK_SEARCHED_ROWS, QUICK_TEST_ROWS = (500, 2_000), 5_000, 1_000
WIDTHS = (32, 96, 256, 512, 1032)
"""Neurons in each of three hidden layers; the last gives 3.0 million parameters with 90 features."""
STEPS, BATCH = 2_000, 256
"""For every network and every number of rows: half a million rows are looked at, whether or not they are all different.
A run ends earlier if held-out rows no longer improve."""
SEEDS = range(3)
"""The paper's three shuffles."""


def _network(width: int) -> Method:
    """One network, without choices on the way and without the Gaussian process: so its size is what is measured."""

    def details(steps: int) -> dict[str, Any]:
        return {"frequency_multiples": (1.0,), "most_steps": steps, "noise_width": 64}

    return replace(
        METHODS["tsnet"], name=f"width_{width}", label=f"TSNet, one network of width {width}", grid={},
        settings={
            "members": 1, "width": width, "batch_size": BATCH, "contrast": "off", "kernel": False,
            "details": details(STEPS),
        },
        quick={"details": {**details(32), "boosting": 0, "folds": 2}},
    )  # fmt: skip


NETWORKS: dict[str, Method] = {network.name: network for network in map(_network, WIDTHS)}
RIVAL = METHODS["catboost"]
"""With error bars, stopped early on a tenth of the training rows."""
RIVAL_ROWS = 64_000
"""With more, which take it a quarter of an hour and more, it is fitted to one shuffle."""
FITTED = {**NETWORKS, RIVAL.name: RIVAL}
LARGEST, QUICK_LARGEST = f"width_{WIDTHS[-1]}", f"width_{WIDTHS[1]}"
SEARCHES = {**{f"neighbours_{rows}": rows for rows in (4_096, 16_384, 65_536)}, "neighbours_all": TRAIN_ROWS}
"""Searches for the neighbours from which densities are learned, by the number of rows that are searched."""


def _tasks(wanted: Selection) -> list[Task]:
    """The largest network and its rival by number of rows; once, the other networks and the searches on all."""
    counts, largest = (QUICK_ROWS, QUICK_LARGEST) if wanted.quick else (ROWS, LARGEST)
    names = [name for name in NETWORKS if not wanted.quick or name in (QUICK_LARGEST, f"width_{WIDTHS[0]}")]
    searches = ("neighbours_4096",) if wanted.quick else tuple(SEARCHES)
    seeds = list(wanted.seeds or ((0,) if wanted.quick else SEEDS))
    pairs = [(seed, largest, rows) for seed in seeds for rows in counts]
    pairs += [(seed, RIVAL.name, rows) for seed in seeds for rows in counts if rows <= RIVAL_ROWS or seed == seeds[0]]
    pairs += [(seeds[0], name, counts[-1]) for name in names if name != largest]
    pairs += [(seeds[0], name, QUICK_SEARCHED_ROWS if wanted.quick else TRAIN_ROWS) for name in searches]
    return [
        SCALING.task(dataset, name, seed, train_rows=rows, quick=wanted.quick)
        for dataset in wanted.datasets or (STAND_IN,)
        for seed, name, rows in sorted(pairs, key=lambda pair: pair[0])
        if wanted.methods is None or name in wanted.methods
    ]


SCALING = Study(
    name="scaling",
    about="time, memory and errors against rows and parameters, one task at a time",
    tasks=_tasks,
    place="paper.scaling",
    methods=(*FITTED, *SEARCHES),
    datasets=(STAND_IN, REAL),
    parameters={"train_rows": TRAIN_ROWS, "quick": False},
    alone=True,
    environment={"TAYLOR_SENSUS_CACHE": "off"},  # every fit includes its compilation
)
