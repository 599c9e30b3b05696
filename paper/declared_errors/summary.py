"""From the results of the study `declared_errors` to its tables: means, standard errors, and what was asked."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from paper.declared_errors.cases import WORSE_ASKED, Range
from paper.declared_errors.methods import DECLARED, EXACT, UNDECLARED

YES, NO = "yes", "**no**"
NONE = "–"


def of(scores: pd.DataFrame, case: str, method: str) -> pd.DataFrame:
    """The repeats of a method in a case."""
    return scores[(scores.dataset == case) & (scores.method == method)]


def values_of(scores: pd.DataFrame, case: str, method: str, value: str) -> np.ndarray:
    """What the repeats have of a value."""
    own = of(scores, case, method)
    return own[value].dropna().to_numpy() if value in own else np.empty(0)


def cell(values: np.ndarray, digits: int = 3) -> str:
    """Mean and standard error over repeats."""
    if not len(values):
        return NONE
    error = f" ± {values.std(ddof=1) / np.sqrt(len(values)):.{digits}f}" if len(values) > 1 else ""
    return f"{values.mean():.{digits}f}{error}"


def spelled(asked: Range) -> str:
    """`0.93 to 1.07`, `at most 0.07`."""
    low, high = asked
    if low is None or high is None:
        return f"at most {high:.3g}" if low is None else f"at least {low:.3g}"
    return f"{low:.3g} to {high:.3g}"


def kept(value: float, asked: Range) -> bool:
    """Whether a value lies where it should."""
    low, high = asked
    return (low is None or value >= low) and (high is None or value <= high)


def verdict(value: float, asked: Range) -> str:
    """In a word."""
    return NONE if np.isnan(value) else YES if kept(value, asked) else NO


class Change(NamedTuple):
    """NLL with declared errors minus that without, over the repeats that both have."""

    mean: float
    most: float
    """What was asked."""


def nll_change(scores: pd.DataFrame, case: str) -> Change | None:
    """Paired by repeat; None where one of the two is missing."""
    own, other = (of(scores, case, method).set_index("seed") for method in (DECLARED, UNDECLARED))
    apart = (own["nll"] - other["nll"]).dropna().to_numpy() if "nll" in own else np.empty(0)
    if not len(apart):
        return None
    error = float(apart.std(ddof=1) / np.sqrt(len(apart))) if len(apart) > 1 else 0.0
    return Change(float(apart.mean()), WORSE_ASKED + 2 * error)


def ratio_to_exact(scores: pd.DataFrame, method: str) -> np.ndarray:
    """Error on rows with a limit over that with exact values, by repeat."""
    own, exact = (of(scores, "limits_inputs", name).set_index("seed") for name in (method, EXACT))
    return (own["rmse_low"] / exact["rmse_low"]).dropna().to_numpy() if "rmse_low" in own else np.empty(0)


def bias_share(scores: pd.DataFrame) -> float:
    """Mean bias of low values with marked limits over that with such rows dropped."""
    own, dropped = (values_of(scores, "limits_target", name, "bias") for name in (DECLARED, UNDECLARED))
    return abs(own.mean()) / abs(dropped.mean()) if len(own) and len(dropped) else np.nan


def slope_errors(scores: pd.DataFrame) -> dict[str, tuple[float, float]]:
    """For each slope of the simulated supernovae: its spread over repeats, and its mean standard error."""
    found = {}
    for name in ("beta", "alpha"):
        values = values_of(scores, "supernovae_simulated", DECLARED, name)
        errors = values_of(scores, "supernovae_simulated", DECLARED, f"{name}_error")
        if len(values) > 2 and len(errors):
            found[name] = float(values.std(ddof=1)), float(errors.mean())
    return found
