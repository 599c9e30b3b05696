"""The study `active`: which datasets, methods and ways to choose rows. Light, as `paper.engine.study` is."""

from __future__ import annotations

from paper.engine.study import Selection, Study, Task, every
from taylor_sensus.baselines.registry import METHODS

CYCLES, QUICK_CYCLES = 10, 2
"""How often rows are added."""
TOTAL, EPISTEMIC, SUGGEST, RANDOM = "total", "epistemic", "suggest", "random"
"""Arms: rows are chosen by the whole error bar, by the part that more data would remove, as a batch that heeds what its
rows tell about each other (`taylor_sensus.suggest`), or at random."""
DATASETS = ("matbench_steels", "concrete")
"""The paper's."""
OWN_ARMS = {"tsnet": (TOTAL, EPISTEMIC, SUGGEST, RANDOM)}
ARMS = (TOTAL, RANDOM)


def _tasks(wanted: Selection) -> list[Task]:
    """Seed by seed, so that an interrupted run has whole seeds."""
    found = every(
        ACTIVE, wanted, DATASETS,
        quick_datasets=("matbench_steels",), quick_methods=("gprmk", "mcrf", "tsnet"),
    )  # fmt: skip
    return [
        ACTIVE.task(task.dataset, task.method, task.seed, **{**task.parameters, "arm": arm})
        for task in sorted(found, key=lambda task: task.seed)
        for arm in OWN_ARMS.get(task.method, ARMS)
    ]


ACTIVE = Study(
    name="active",
    about="methods that choose their next training rows by their own error bars, against random choice",
    tasks=_tasks,
    place="paper.active",
    methods=tuple(name for name, kind in METHODS.items() if kind.gives_std and kind.origin in ("paper", "ours")),
    datasets=DATASETS,
    parameters={"arm": TOTAL, "quick": False},
)
