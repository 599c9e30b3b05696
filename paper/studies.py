"""Every study by name. Light, as `study.py` is: nothing here may import NumPy or JAX."""

from __future__ import annotations

from dataclasses import replace

from paper.active_studies import ACTIVE
from paper.antinoise_studies import ANTINOISE
from paper.scaling_studies import SCALING
from paper.study import SIX, Selection, Study, Task, every
from paper.toy_studies import DEVIATION_STUDY, TOY_ABLATION, TOY_STUDY
from paper.variants import ABLATION as VARIANTS
from paper.variants import DEFAULT, MEAN_ALONE
from paper.variants import SPEED as SPEED_VARIANTS

WITHOUT_DUPLICATES = ("wine_red_distinct", "wine_white_distinct")
FUNCTIONS = ("friedman1", "friedman2", "friedman3", "borehole", "piston", "otl_circuit", "wing_weight", "robot_arm")
FURTHER = (
    *("boston", "auto", "cpus", "yield", "biomass", "sacramento", "carseats", "hitters"),
    *("friedman1", "borehole", "piston", "robot_arm"),
)
"""Tables of the ablation beside the six: small ones, so that it takes half an hour and not a day."""
PROBLEMS = ("wave_even", "wave_uneven", "friedman1_relevant_even", "friedman1_relevant_uneven", "toy_1d")
"""Of the study `calibration`."""
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
    study.name: study
    for study in (
        *(COMPARISON, TIMING, ABLATION, CALIBRATION, SPEED, PUBLISHED, ANTINOISE, ACTIVE),
        *(TOY_STUDY, TOY_ABLATION, DEVIATION_STUDY, SCALING),
    )
}
