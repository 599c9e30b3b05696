"""The study `antinoise`: which datasets, methods, levels of noise and seeds. Light, as `paper.engine.study` is."""

from __future__ import annotations

from dataclasses import replace

from paper.data.names import SIX
from paper.engine.study import Selection, Study, Task, every
from taylor_sensus.baselines.registry import METHODS

LEVELS = (0, 20, 40, 80, 100)
"""Percent of the entries that get noise."""
SEEDS = {dataset: range(2 if dataset == "wine_white" else 5) for dataset in SIX}
"""The comparison's five splits; two of white wine, which takes as long as the five others together."""
RIVALS = tuple(name for name, method in METHODS.items() if method.origin == "paper")
"""The paper's ten."""


def _tasks(wanted: Selection) -> list[Task]:
    """Seed by seed, so that an interrupted run has whole seeds; a method's levels share its compiled programs."""
    found = [
        task
        for dataset in wanted.datasets or (("diabetes",) if wanted.quick else SIX)
        for task in every(
            ANTINOISE, replace(wanted, datasets=[dataset]), [dataset], SEEDS[dataset],
            quick_methods=("gprmk", "mcrf", "mlp", "tsnet"),
        )
    ]  # fmt: skip
    return [
        ANTINOISE.task(task.dataset, task.method, task.seed, **{**task.parameters, "level": level})
        for task in sorted(found, key=lambda task: task.seed)
        for level in LEVELS
    ]


ANTINOISE = Study(
    name="antinoise",
    about="noise on a part of the training entries: errors on clean test rows",
    tasks=_tasks,
    place="paper.antinoise",
    methods=(*RIVALS, "tsnet_paper", "tsnet"),
    datasets=SIX,
    parameters={"level": 0, "quick": False},
)
