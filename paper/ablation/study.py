"""The study `ablation`: which datasets, variants and seeds. Light, as `paper.engine.study` is."""

from __future__ import annotations

from paper.ablation.variants import DEFAULT, MEAN_ALONE, VARIANTS
from paper.data.names import SIX
from paper.engine.study import Study, every

FURTHER = (
    *("boston", "auto", "cpus", "yield", "biomass", "sacramento", "carseats", "hitters"),
    *("friedman1", "borehole", "piston", "robot_arm"),
)
"""Tables of the ablation beside the six: small ones, so that it takes half an hour and not a day."""
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
