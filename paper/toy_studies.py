"""The studies on the paper's toys: `toys`, `toy_ablation` and `deviations`. Light, as `study.py` is."""

from __future__ import annotations

from paper.study import Selection, Study, Task, every
from paper.toy_methods import ABLATION, DEVIATIONS, PLAIN, TOYS, ToyMethod

RAW = "_raw"
"""Ending of a toy's name where the waves of the paper's embedding are of the inputs in their printed unit."""
TOY_DATASETS = ("toy_1d", "toy_2d")
RAW_DATASETS = tuple(f"{name}{RAW}" for name in TOY_DATASETS)
NOISE_KINDS = ("gaussian", "gamma", "multiplicative", "salt_pepper", "shifted")
TEN = range(10)


def _both_units(study: Study, methods: dict[str, ToyMethod], wanted: Selection, quick: tuple[str, ...]) -> list[Task]:
    """Methods that get no embedding from us need only one of the two units."""
    found = every(study, wanted, (*TOY_DATASETS, *RAW_DATASETS), TEN, quick_datasets=TOY_DATASETS, quick_methods=quick)
    return [task for task in found if task.dataset in TOY_DATASETS or methods[task.method].sees != PLAIN]


TOY_STUDY = Study(
    name="toys",
    about="all methods on the paper's 1-D and 2-D toys: errors, likelihood and learned noise against the truth",
    tasks=lambda wanted: _both_units(TOY_STUDY, TOYS, wanted, ("mcrf", "ngboost", "gp", "tsnet_paper", "tsnet")),
    place="paper.toys",
    methods=tuple(TOYS),
    datasets=(*TOY_DATASETS, *RAW_DATASETS),
    parameters={"quick": False},
)
TOY_ABLATION = Study(
    name="toy_ablation",
    about="the paper's ablation on its toys: Taylor block, contrast and density",
    tasks=lambda wanted: _both_units(TOY_ABLATION, ABLATION, wanted, ("mlp", "dtb_both", "gp", "trend", "harmonics")),
    place="paper.toy_ablation",
    methods=tuple(ABLATION),
    datasets=(*TOY_DATASETS, *RAW_DATASETS),
    parameters={"quick": False},
)
DEVIATION_STUDY = Study(
    name="deviations",
    about="noise that the model does not assume: gamma, multiplicative, salt and pepper, with a mean of its own",
    tasks=lambda wanted: every(DEVIATION_STUDY, wanted, NOISE_KINDS, quick_datasets=("gamma", "shifted")),
    place="paper.deviations",
    methods=tuple(DEVIATIONS),
    datasets=NOISE_KINDS,
    parameters={"quick": False},
)
