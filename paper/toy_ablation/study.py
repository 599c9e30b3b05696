"""The study `toy_ablation`: which variants on which toys. Light, as `paper.engine.study` is."""

from __future__ import annotations

from paper.engine.study import Study
from paper.toy_ablation.variants import VARIANTS
from paper.toys.study import RAW_DATASETS, TOY_DATASETS, both_units

TOY_ABLATION = Study(
    name="toy_ablation",
    about="the paper's ablation on its toys: Taylor block, contrast and density",
    tasks=lambda wanted: both_units(TOY_ABLATION, VARIANTS, wanted, ("mlp", "dtb_both", "gp", "trend", "harmonics")),
    place="paper.toy_ablation",
    methods=tuple(VARIANTS),
    datasets=(*TOY_DATASETS, *RAW_DATASETS),
    parameters={"quick": False},
)
