"""The study `honesty`: which cases, methods and repeats. Light, as `paper.engine.study` is."""

from __future__ import annotations

from paper.engine.study import Selection, Study, Task
from paper.honesty.cases import CASES, QUICK
from paper.honesty.methods import HONESTY_METHODS


def _tasks(wanted: Selection) -> list[Task]:
    """Every case with its own methods and repeats; a seed beyond these is left out. A quick run takes seed 0."""
    return [
        HONESTY.task(name, method, seed, quick=wanted.quick)
        for name in wanted.datasets or (QUICK if wanted.quick else CASES)
        for seed in wanted.seeds or ((0,) if wanted.quick else range(CASES[name].repeats))
        for method in wanted.methods or HONESTY_METHODS
        if method in CASES[name].methods and seed < CASES[name].repeats
    ]


HONESTY = Study(
    name="honesty",
    about="error bars, budgets and named rows where the truth is known or rows are few",
    tasks=_tasks,
    place="paper.honesty",
    methods=tuple(HONESTY_METHODS),
    datasets=tuple(CASES),
    parameters={"quick": False},
)
