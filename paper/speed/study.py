"""The study `speed`: which datasets, methods and seeds. Light, as `paper.engine.study` is."""

from __future__ import annotations

from paper.data.names import SIX
from paper.engine.study import Study, every
from paper.speed.variants import VARIANTS

TWELVE = (*SIX, "kin8nm", "power_plant", "naval_propulsion", "protein_structure", "auto", "robot_arm")
SPEED = Study(
    name="speed",
    about="accuracy against seconds of CPU on twelve tables, beside CatBoost, NGBoost and a Gaussian process",
    tasks=lambda wanted: every(
        SPEED, wanted, TWELVE, (0,), quick_datasets=("diabetes",), quick_methods=("fast", "catboost")
    ),
    place="paper.speed",
    methods=tuple(VARIANTS),
    datasets=TWELVE,
    parameters={"quick": False},
)
