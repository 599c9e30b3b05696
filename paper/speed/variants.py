"""The variants of TSNet that the study `speed` compares, and a rival. Light: imports no NumPy."""

from __future__ import annotations

from paper.ablation.variants import DEFAULT, variant
from taylor_sensus.baselines.registry import METHODS, Method
from taylor_sensus.settings import DEFAULTS, best, fast

_VARIANTS = (
    *(variant(f"members_{n}", f"TSNet, members {n}", members=n) for n in (1, 4, 8, 16) if n != DEFAULTS.members),
    variant("fast", "TSNet, fast()", **fast()),
    variant(DEFAULT, f"TSNet, default: members {DEFAULTS.members}"),
    variant("best", "TSNet, best()", **best()),
    METHODS["catboost"],
)
VARIANTS: dict[str, Method] = {each.name: each for each in _VARIANTS}
