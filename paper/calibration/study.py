"""The study `calibration`: which problems, methods, numbers of rows and seeds. Light, as `paper.engine.study` is."""

from __future__ import annotations

from paper.engine.study import Selection, Study, Task, every

PROBLEMS = ("wave_even", "wave_uneven", "friedman1_relevant_even", "friedman1_relevant_uneven", "toy_1d")
"""Functions with a noise that is known."""
ROWS = 200
SEEDS = {60: range(10), ROWS: range(10), 1000: range(5)}
"""Seeds for each number of training rows."""


def _tasks(wanted: Selection) -> list[Task]:
    """All numbers of training rows; a quick run takes the fewest."""
    counts = (60,) if wanted.quick else tuple(SEEDS)
    quick = {"quick_datasets": ("wave_uneven", "toy_1d")}
    return [
        CALIBRATION.task(task.dataset, task.method, task.seed, **{**task.parameters, "train_rows": count})
        for count in counts
        for task in every(CALIBRATION, wanted, PROBLEMS, SEEDS[count], **quick)
    ]


CALIBRATION = Study(
    name="calibration",
    about="functions with known noise: coverage, and the learned noise against the truth",
    tasks=_tasks,
    place="paper.calibration",
    methods=("tsnet", "ngboost", "gprmk", "deep_ensemble"),
    datasets=PROBLEMS,
    parameters={"train_rows": ROWS, "quick": False},
)
