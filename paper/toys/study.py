"""The study `toys`: which methods on which toys. Light, as `paper.engine.study` is."""

from __future__ import annotations

from paper.engine.study import Selection, Study, Task, every
from paper.toys.methods import PLAIN, TOY_METHODS, ToyMethod

RAW = "_raw"
"""Ending of a toy's name where the waves of the paper's embedding are of the inputs in their printed unit."""
TOY_DATASETS = ("toy_1d", "toy_2d")
RAW_DATASETS = tuple(f"{name}{RAW}" for name in TOY_DATASETS)
TEN = range(10)


def both_units(study: Study, methods: dict[str, ToyMethod], wanted: Selection, quick: tuple[str, ...]) -> list[Task]:
    """Methods that get no embedding from us need only one of the two units."""
    found = every(study, wanted, (*TOY_DATASETS, *RAW_DATASETS), TEN, quick_datasets=TOY_DATASETS, quick_methods=quick)
    return [task for task in found if task.dataset in TOY_DATASETS or methods[task.method].sees != PLAIN]


TOYS = Study(
    name="toys",
    about="all methods on the paper's 1-D and 2-D toys: errors, likelihood and learned noise against the truth",
    tasks=lambda wanted: both_units(TOYS, TOY_METHODS, wanted, ("mcrf", "ngboost", "gp", "tsnet_paper", "tsnet")),
    place="paper.toys",
    methods=tuple(TOY_METHODS),
    datasets=(*TOY_DATASETS, *RAW_DATASETS),
    parameters={"quick": False},
)
