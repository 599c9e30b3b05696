"""What a task and a study are, and every study by name.

This file is light: a worker imports it before its threads are limited, so nothing here may import NumPy or JAX.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from paper.variants import ABLATION as VARIANTS
from paper.variants import DEFAULT, MEAN_ALONE
from paper.variants import SPEED as SPEED_VARIANTS
from taylor_sensus.baselines.registry import METHODS

if TYPE_CHECKING:
    import numpy as np

SIX = ("matbench_steels", "diabetes", "forest_fires", "concrete", "wine_red", "wine_white")
WITHOUT_DUPLICATES = ("wine_red_distinct", "wine_white_distinct")
FUNCTIONS = ("friedman1", "friedman2", "friedman3", "borehole", "piston", "otl_circuit", "wing_weight", "robot_arm")
FURTHER = (
    *("boston", "auto", "cpus", "yield", "biomass", "sacramento", "carseats", "hitters"),
    *("friedman1", "borehole", "piston", "robot_arm"),
)
"""Tables of the ablation beside the six: small ones, so that it takes half an hour and not a day."""
PROBLEMS = ("wave_even", "wave_uneven", "friedman1_relevant_even", "friedman1_relevant_uneven", "toy_1d")
"""Of the study `calibration`."""
QUICK_DATASETS = ("diabetes", "forest_fires")
SEEDS = tuple(range(5))


@dataclass(frozen=True)
class Task:
    """One piece of work, small enough to be lost and done again."""

    study: str
    dataset: str
    method: str
    seed: int
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """What else tells tasks of a study apart; JSON values. A parameter that has its default is left out."""

    @property
    def key(self) -> str:
        """Names the task within its study, always in the same way; also a file's name."""
        parts = [quote(self.dataset, safe=""), quote(self.method, safe=""), str(self.seed)]
        parts += [f"{quote(name, safe='')}={_cell(self.parameters[name])}" for name in sorted(self.parameters)]
        return ",".join(parts)

    def __hash__(self) -> int:
        return hash((self.study, self.key))

    def __str__(self) -> str:
        extra = "".join(f", {name} {value}" for name, value in sorted(self.parameters.items()))
        return f"{self.dataset}, {self.method}, seed {self.seed}{extra}"


@dataclass(frozen=True)
class Inputs:
    """What a task's result depends on, apart from versions: if this changes, the task has to be done again."""

    dataset_sha256: str
    settings: Mapping[str, Any]
    """JSON values."""


@dataclass(frozen=True, eq=False)
class Result:
    """What a task found."""

    values: Mapping[str, Any]
    """Numbers and texts; names that end in `_seconds` are kept apart, because they differ from run to run."""
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict)
    """What figures and tests need of each test row."""


@dataclass(frozen=True)
class Selection:
    """What the user asked for; None where nothing was said."""

    datasets: Sequence[str] | None = None
    methods: Sequence[str] | None = None
    seeds: Sequence[int] | None = None
    quick: bool = False
    search: bool = False


@dataclass(frozen=True)
class Study:
    """A list of tasks, and how one of them is done."""

    name: str
    about: str
    tasks: Callable[[Selection], list[Task]]
    place: str
    """A module with the functions `run(task, n_jobs) -> Result` and `inputs(task) -> Inputs`; imported late."""
    methods: Sequence[str] = tuple(METHODS)
    """The names that `--methods` may give."""
    datasets: Sequence[str] | None = None
    """The names that `--datasets` may give; None: every public dataset."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """The names of the tasks' further parameters with their defaults; each is a column of the results."""
    alone: bool = False
    """One task at a time, each in a process of its own with all cores: for measurements of time."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables that the processes of this study need."""

    def task(self, dataset: str, method: str, seed: int, **parameters: Any) -> Task:
        """A task of this study."""
        given = {name: value for name, value in parameters.items() if value != self.parameters[name]}
        return Task(self.name, dataset, method, seed, given)


def function(place: str, name: str) -> Callable[..., Any]:
    """A function of a study's module."""
    return getattr(import_module(place), name)


def every(
    study: Study,
    wanted: Selection,
    datasets: Sequence[str],
    seeds: Sequence[int] = SEEDS,
    *,
    quick_datasets: Sequence[str] = QUICK_DATASETS,
    quick_methods: Sequence[str] | None = None,
) -> list[Task]:
    """Every method on every dataset with every seed, as far as wanted; a quick run takes few datasets and seed 0."""
    methods = study.methods
    if wanted.quick:
        datasets, seeds, methods = quick_datasets, (0,), quick_methods or methods
    extra = {name: True for name in study.parameters if getattr(wanted, name, False)}
    return [
        study.task(dataset, method, seed, **extra)
        for dataset in wanted.datasets or datasets
        for seed in wanted.seeds or seeds
        for method in wanted.methods or methods
    ]


COMPARISON = Study(
    name="comparison",
    about="all methods on all datasets: scores on test rows",
    tasks=lambda wanted: every(COMPARISON, wanted, (*SIX, *WITHOUT_DUPLICATES)),
    place="paper.comparison",
    parameters={"quick": False, "search": False},
)
TIMING = Study(
    name="timing",
    about="seconds to fit and to predict, one task at a time",
    tasks=lambda wanted: every(TIMING, wanted, SIX, seeds=(0,)),
    place="paper.timing",
    parameters={"quick": False},
    alone=True,
    environment={"TAYLOR_SENSUS_CACHE": "off"},  # or else the first fit would be as fast as the last run made it
)
ABLATION = Study(
    name="ablation",
    about="the default estimator with one thing changed at a time",
    tasks=lambda wanted: every(
        ABLATION, wanted, (*SIX, *FURTHER), range(2),
        quick_datasets=("diabetes", "friedman1"), quick_methods=(DEFAULT, MEAN_ALONE),
    ),
    place="paper.ablation",
    methods=tuple(VARIANTS),
    datasets=(*SIX, *FURTHER),
    parameters={"quick": False},
)  # fmt: skip
CALIBRATION_ROWS = 200
CALIBRATION_SEEDS = {60: range(10), CALIBRATION_ROWS: range(10), 1000: range(5)}
"""Seeds for each number of training rows."""


def _calibration(wanted: Selection) -> list[Task]:
    """All numbers of training rows; a quick run takes the fewest."""
    counts = (60,) if wanted.quick else tuple(CALIBRATION_SEEDS)
    quick = {"quick_datasets": ("wave_uneven", "toy_1d")}
    return [
        CALIBRATION.task(task.dataset, task.method, task.seed, **{**task.parameters, "train_rows": count})
        for count in counts
        for task in every(CALIBRATION, wanted, PROBLEMS, CALIBRATION_SEEDS[count], **quick)
    ]


CALIBRATION = Study(
    name="calibration",
    about="functions with known noise: coverage, and the learned noise against the truth",
    tasks=_calibration,
    place="paper.calibration",
    methods=("tsnet", "ngboost", "gprmk", "deep_ensemble"),
    datasets=PROBLEMS,
    parameters={"train_rows": CALIBRATION_ROWS, "quick": False},
)
SPEED = Study(
    name="speed",
    about="accuracy against seconds: members and ready-made settings, one task at a time",
    tasks=lambda wanted: every(
        SPEED, wanted, ("diabetes", "concrete", "wine_red"), range(3),
        quick_datasets=("diabetes",), quick_methods=("fast", "catboost"),
    ),
    place="paper.speed",
    methods=tuple(SPEED_VARIANTS),
    parameters={"quick": False},
    alone=True,
    environment=TIMING.environment,
)  # fmt: skip
PUBLISHED_SEEDS = {"matbench_steels": range(5), "concrete": range(20)}
"""Folds of Matbench, and random splits."""
PUBLISHED = Study(
    name="published",
    about="the splits of others, beside their published figures",
    tasks=lambda wanted: [
        task
        for dataset in wanted.datasets or PUBLISHED_SEEDS
        for task in every(PUBLISHED, replace(wanted, datasets=[dataset]), [dataset], PUBLISHED_SEEDS[dataset])
    ],
    place="paper.published",
    methods=("tsnet", "catboost", "extra_trees"),
    datasets=tuple(PUBLISHED_SEEDS),
    parameters={"quick": False},
)
STUDIES: dict[str, Study] = {
    study.name: study for study in (COMPARISON, TIMING, ABLATION, CALIBRATION, SPEED, PUBLISHED)
}


def _cell(value: Any) -> str:
    return quote(value if isinstance(value, str) else json.dumps(value, separators=(",", ":")), safe="")
