"""The study `speed`: which datasets, variants and seeds. Light, as `paper.engine.study` is."""

from __future__ import annotations

from paper.engine.study import Study, every
from paper.speed.variants import VARIANTS
from paper.timing.study import TIMING

SPEED = Study(
    name="speed",
    about="accuracy against seconds: members and ready-made settings, one task at a time",
    tasks=lambda wanted: every(
        SPEED, wanted, ("diabetes", "concrete", "wine_red"), range(3),
        quick_datasets=("diabetes",), quick_methods=("fast", "catboost"),
    ),
    place="paper.speed",
    methods=tuple(VARIANTS),
    parameters={"quick": False},
    alone=True,
    environment=TIMING.environment,
)  # fmt: skip
