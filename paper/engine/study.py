"""What a task and a study are.

This file is light: a worker imports it before its threads are limited, so nothing here may import NumPy or JAX.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from taylor_sensus.baselines.registry import METHODS

if TYPE_CHECKING:
    import numpy as np

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

    @property
    def quick(self) -> bool:
        """Whether budgets are tiny, to try that everything runs."""
        return bool(self.parameters.get("quick"))

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
    """Numbers and texts; those named `..._seconds` or `..._megabytes`, which differ from run to run, are kept apart."""
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
    """The study's folder, as a package; its modules are imported late, and those after the first need not be there.

    `run.py` has `run(task, n_jobs) -> Result` and `inputs(task) -> Inputs`; `tables.py` has `write(results, out)`;
    `figure.py` has `figures(results)`, which gives figures by name.
    """
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


def function(place: str, module: str, name: str) -> Callable[..., Any]:
    """A function of a module in a study's folder."""
    return getattr(import_module(f"{place}.{module}"), name)


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


def _cell(value: Any) -> str:
    return quote(value if isinstance(value, str) else json.dumps(value, separators=(",", ":")), safe="")
