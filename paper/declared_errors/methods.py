"""What the study `declared_errors` compares, by name. Light: imports no NumPy."""

from __future__ import annotations

from typing import NamedTuple

from paper.uci.methods import PROCESS
from taylor_sensus.baselines.registry import METHODS, Method


class Compared(NamedTuple):
    """A method, and what its answers are made of."""

    label: str
    base: Method | None = None
    """The estimator behind it; None for what is neither ours nor a rival of the package."""


OURS = METHODS["tsnet"]
DECLARED, UNDECLARED, HALF, EXACT = "declared", "undeclared", "half", "exact"
NIGP, SIMEX, ODR = "nigp", "simex", "odr"
FEATURES = ("gp", "catboost", "ngboost", "extra_trees")
"""Rivals that see the errors as further features."""

COMPARED: dict[str, Compared] = {
    DECLARED: Compared("TSNet, errors declared", OURS),
    UNDECLARED: Compared("TSNet, nothing declared", OURS),
    HALF: Compared("TSNet, half the limit", OURS),
    EXACT: Compared("TSNet, exact data", OURS),
    "gp": Compared("GP, errors as features", PROCESS),
    "catboost": Compared("CatBoost, errors as features", METHODS["catboost"]),
    "ngboost": Compared("NGBoost, errors as features", METHODS["ngboost"]),
    "extra_trees": Compared("ExtraTrees, errors as features", METHODS["extra_trees"]),
    NIGP: Compared("GP with NIGP slopes"),
    SIMEX: Compared("SIMEX around a GP"),
    ODR: Compared("scipy.odr, a straight line"),
}
OWN = (DECLARED, UNDECLARED, HALF, EXACT)
PREDICTING = (DECLARED, UNDECLARED, *FEATURES, NIGP)
"""Who answers readings."""
LAW = (*PREDICTING, SIMEX)
"""Who answers at exact inputs."""
