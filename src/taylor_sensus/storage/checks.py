"""What each array of a model file must be: its shape, its kind of number, and the values that it may hold."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from taylor_sensus.errors import ModelFileError, listed
from taylor_sensus.settings import Settings

KINDS = {"f": "floats", "i": "whole numbers", "b": "truth values"}


@dataclass(frozen=True)
class ArrayRule:
    """What an array must be."""

    shape: tuple[str, ...]
    """Names of sizes; one that the model does not fix is that of the first array in which it stands."""
    kind: str = "f"
    """NumPy's letter for the kind of number."""
    positive: bool = False
    gaps: bool = False
    """Whether cells may be not a number."""
    needed: bool = True


def _rule(shape: str = "", **more: Any) -> ArrayRule:
    return ArrayRule(tuple(shape.split()), **more)


ARRAYS = {
    "scaler.center": _rule("features"),
    "scaler.scale": _rule("features"),
    "scaler.target_center": _rule("targets"),
    "scaler.target_scale": _rule("targets", positive=True),
    "trend.slope": _rule("features targets"),
    "trend.intercept": _rule("targets"),
    "prior_variance": _rule("targets", positive=True),
    "noise_scale": _rule("targets", positive=True),
    "familiarity.level": _rule("perceptions"),
    "familiarity.spread": _rule("perceptions", positive=True),
    "process.theta": _rule("hyper_parameters"),
    "process.log_range": _rule(positive=True),
    "process.centres": _rule("centres features"),
    "process.row_noise": _rule("centres", positive=True),
    "process.coefficients": _rule("centres targets"),
    "process.share": _rule("targets"),
    "process.variance_factor": _rule("targets"),
    "process.usual_odds": _rule(positive=True),
    "tails.freedom": _rule("targets", positive=True),
    "tails.skew": _rule("targets", positive=True),
    "trees.roots": _rule("trees", kind="i"),
    "trees.children": _rule("nodes sides", kind="i"),
    "trees.feature": _rule("nodes", kind="i"),
    "trees.threshold": _rule("nodes"),
    "trees.value": _rule("nodes targets"),
    "trees.share": _rule("targets"),
    "law.theta": _rule("hyper_parameters"),
    "law.log_range": _rule(positive=True),
    "law.centres": _rule("law_centres features"),
    "law.factor": _rule("law_centres law_centres"),
    "law.weight": _rule("law_centres targets"),
    "law.noise": _rule("targets", positive=True),
    "law.used": _rule("used", kind="i"),
    "law.low": _rule(),
    "law.high": _rule(positive=True),
    "law.usual": _rule("features"),
    "law.scale": _rule("features", positive=True),
    "law_density.weight": _rule("components", positive=True),
    "law_density.mean": _rule("components used"),
    "law_density.covariance": _rule("components used used"),
    "repeats.keys": _rule("repeats features"),
    "repeats.mean": _rule("repeats targets"),
    "repeats.gain": _rule("targets"),
    "repeats.left": _rule("targets", positive=True),
    "default_errors.share": _rule("features"),
    "default_errors.variance": _rule("features"),
    "default_errors.target": _rule("targets"),
    "imputer.mean": _rule("features"),
    "imputer.covariance": _rule("covariance"),
    "imputer.low": _rule("features"),
    "imputer.high": _rule("features"),
    "imputed_scale": _rule(positive=True),
    "curved": _rule("features", kind="b"),
    "held_out.rows": _rule("held_out", kind="i"),
    "held_out.fold": _rule("held_out", kind="i"),
    "held_out.y": _rule("held_out targets"),
    "held_out.mean": _rule("held_out targets"),
    "held_out.feature_variance": _rule("held_out targets"),
    "held_out.system_variance": _rule("held_out targets"),
    "held_out.epistemic_variance": _rule("held_out targets"),
    "held_out.score": _rule("held_out targets"),
    "left_out_scores": _rule("left_out targets"),
    "rows.x": _rule("rows features", gaps=True),
    "rows.y": _rule("rows targets", gaps=True),
    "rows.weight": _rule("rows", gaps=True),
    "rows.x_err": _rule("rows features", gaps=True, needed=False),
    "rows.y_err": _rule("rows targets", gaps=True, needed=False),
}
"""All arrays but those of the networks, whose shapes follow from the settings."""
NETWORKS = ("blocks.", "densities.")
OPTIONAL = (
    "densities",
    "process",
    "trees",
    "law",
    "law_density",
    "tails",
    "repeats",
    "familiarity",
    "rows",
    "left_out_scores",
)
"""Parts that a model may lack; the header names those that it has."""


def check_arrays(
    arrays: Mapping[str, np.ndarray], parts: Collection[str], sizes: Mapping[str, tuple[int, ...]]
) -> None:
    """Refuse arrays that are missing, unknown, or not what they must be."""
    absent = [part for part in OPTIONAL if part not in parts]
    rules = {name: rule for name, rule in ARRAYS.items() if name.partition(".")[0] not in absent}
    missing = [name for name, rule in rules.items() if rule.needed and name not in arrays]
    if missing:
        raise ModelFileError(f"it lacks the arrays {listed(missing)}")
    strange = [name for name in arrays if name not in rules and not name.startswith(NETWORKS)]
    if strange:
        raise ModelFileError(f"it holds arrays that belong to no part of it: {listed(strange)}")
    known = dict(sizes)
    for name, rule in rules.items():
        if name not in arrays:
            continue
        array = arrays[name]
        if rule.shape and rule.shape[0] not in known:
            known[rule.shape[0]] = array.shape[:1] or (0,)
        check_array(name, array, tuple(n for size in rule.shape for n in known[size]), rule.kind)
        if (np.isinf(array) if rule.gaps else ~np.isfinite(array)).any():
            raise ModelFileError(f"{name} holds numbers that are not finite")
        if rule.positive and not (array > 0).all():
            raise ModelFileError(f"{name} is not positive")


def check_array(name: str, array: np.ndarray, shape: tuple[int, ...], kind: str = "f") -> None:
    """Refuse another shape or kind of number."""
    if array.shape != shape or array.dtype.kind != kind:
        came = f"has the shape {array.shape} and numbers of {array.dtype}"
        raise ModelFileError(f"{name} {came} where {KINDS[kind]} of the shape {shape} are needed")


def check_room(settings: Settings, features: int, arrays: Mapping[str, np.ndarray]) -> None:
    """Refuse settings that ask for larger networks than the file holds, before any memory is taken for them."""
    waves = {"periodic": settings.frequencies, "positional": settings.octaves}.get(settings.embedding, 0)
    needed = settings.members * (
        features * (1 + waves) * settings.width
        + (settings.depth - 1) * settings.width**2
        + features * settings.noise_width
        + (settings.noise_depth - 1) * settings.noise_width**2
    )
    stored = sum(array.size for name, array in arrays.items() if name.startswith("blocks."))
    if needed > stored:
        raise ModelFileError(f"its settings ask for at least {needed} weights, but it holds {stored}")
