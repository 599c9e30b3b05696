"""What the study `speed` compares: the default, its quick setting, and rivals with error bars. Light: no NumPy."""

from __future__ import annotations

from paper.ablation.variants import DEFAULT, variant
from paper.uci.methods import FAST, UCI_METHODS
from taylor_sensus.baselines.registry import METHODS, Method

_VARIANTS = (variant(DEFAULT, "TSNet"), FAST, METHODS["catboost"], METHODS["ngboost"], UCI_METHODS["gp"])
VARIANTS: dict[str, Method] = {each.name: each for each in _VARIANTS}
RIVAL = "catboost"
"""Seconds are also shown as multiples of its own."""
