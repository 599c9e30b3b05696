"""What each array of a model file must be: its shape, its kind of number, and the values that it may hold."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from taylor_sensus.errors import ModelFileError, listed
from taylor_sensus.model.ensemble import NEVER
from taylor_sensus.model.tails import LEAST_FREEDOM, MOST_FREEDOM

KINDS = {"f": "floats", "float32": "floats of single precision", "i": "whole numbers", "b": "booleans"}
LARGEST = 1e121
"""In units of the user, whose tables end at 1e120."""
LARGEST_VARIANCE = 1e290
"""In squares of these units; room for rows far away, and sums of such numbers are finite."""
LARGEST_SCALED = 1e12
"""In scaled units, where typical numbers are around 1."""
TINY = 1e-130
"""Smallest scale, so that its square is a number; tables end at 1e-100."""


@dataclass(frozen=True)
class ArrayRule:
    """What an array must be."""

    shape: tuple[str, ...]
    """Names of sizes; one that the model does not fix is that of the first array in which it stands."""
    kind: str = "f"
    """NumPy's letter for the kind of number."""
    low: float = -LARGEST_SCALED
    high: float = LARGEST_SCALED
    gaps: bool = False
    """Whether cells may be not a number."""
    or_zero: bool = False
    """Whether cells may be 0 although that is below `low`."""
    needed: bool = True


def _rule(shape: str = "", **more: Any) -> ArrayRule:
    return ArrayRule(tuple(shape.split()), **more)


SHARE: dict[str, Any] = {"low": 0.0, "high": 1.0}
POSITIVE: dict[str, Any] = {"low": 1e-30, "high": 1e30}
NOT_NEGATIVE: dict[str, Any] = {"low": 0.0, "high": 1e30}
UNIT: dict[str, Any] = {"low": -LARGEST, "high": LARGEST}
UNIT_ERROR: dict[str, Any] = {"low": 0.0, "high": LARGEST}
UNIT_VARIANCE: dict[str, Any] = {"low": 0.0, "high": LARGEST_VARIANCE}
PLACE: dict[str, Any] = {"kind": "i", "low": -1, "high": 2**53}

ARRAYS = {
    "scaler.center": _rule("features", **UNIT),
    "scaler.scale": _rule("features", low=TINY, high=LARGEST, or_zero=True),
    "scaler.target_center": _rule("targets", **UNIT),
    "scaler.target_scale": _rule("targets", low=TINY, high=LARGEST),
    "trend.slope": _rule("features targets"),
    "trend.intercept": _rule("targets"),
    "prior_variance": _rule("targets", **POSITIVE),
    "noise_scale": _rule("targets", **POSITIVE),
    "familiarity.level": _rule("perceptions"),
    "familiarity.spread": _rule("perceptions", low=1e-6),
    "process.theta": _rule("hyper_parameters", low=-45.0, high=45.0),
    "process.log_range": _rule(low=1e-3, high=1e6),
    "process.centres": _rule("centres coordinates", low=-1e7, high=1e7),
    "process.row_noise": _rule("centres", **POSITIVE),
    "process.coefficients": _rule("centres targets", low=-1e20, high=1e20),
    "process.witnesses": _rule(kind="i", low=1, high=100_000, needed=False),
    "process.is_induced": _rule(kind="i", low=0, high=1, needed=False),
    "process.axes": _rule("features features", low=-1e3, high=1e3, needed=False),
    "process.levels.feature": _rule("levels", kind="i", low=0, high=2**31, needed=False),
    "process.levels.value": _rule("levels", low=-1e7, high=1e7, needed=False),
    "process.levels.height": _rule("levels", low=1.0, high=1e3, needed=False),
    "process.share": _rule("targets", **SHARE),
    "process.variance_factor": _rule("targets", **NOT_NEGATIVE),
    "process.usual_odds": _rule(low=1e-30, high=NEVER),
    "tails.freedom": _rule("targets", low=LEAST_FREEDOM, high=MOST_FREEDOM),
    "tails.skew": _rule("targets", low=1e-2, high=1e2),
    "tails.power": _rule("targets", **SHARE, needed=False),
    "trees.roots": _rule("trees", kind="i", low=0, high=2**31),
    "trees.children": _rule("nodes sides", kind="i", low=-1, high=2**31),
    "trees.feature": _rule("nodes", kind="i", low=-2, high=2**31),
    "trees.threshold": _rule("nodes"),
    "trees.value": _rule("nodes targets"),
    "trees.share": _rule("targets", **SHARE),
    "boosted.roots": _rule("boosted", kind="i", low=0, high=2**31),
    "boosted.children": _rule("boosted_nodes sides", kind="i", low=-1, high=2**31),
    "boosted.feature": _rule("boosted_nodes", kind="i", low=-2, high=2**31),
    "boosted.threshold": _rule("boosted_nodes"),
    "boosted.value": _rule("boosted_nodes"),
    "boosted.base": _rule("targets"),
    "boosted.share": _rule("targets", **SHARE),
    "law.theta": _rule("law_parameters", low=-45.0, high=45.0),
    "law.log_range": _rule(**POSITIVE),
    "law.centres": _rule("law_centres features"),
    "law.factor": _rule("law_centres law_centres"),
    "law.weight": _rule("law_centres targets"),
    "law.noise": _rule("targets", **POSITIVE),
    "law.used": _rule("used", **PLACE),
    "law.low": _rule(),
    "law.high": _rule(**POSITIVE),
    "law.usual": _rule("features", **NOT_NEGATIVE),
    "law.scale": _rule("features", **NOT_NEGATIVE),
    "law.offset": _rule("features", **NOT_NEGATIVE, needed=False),
    "law.most": _rule("features", **NOT_NEGATIVE, needed=False),
    "law.axes": _rule("features features", low=-1e3, high=1e3, needed=False),
    "law.is_setting": _rule(low=0.0, high=1.0, needed=False),
    "law.voice": _rule("targets", low=0.0, high=1.0, needed=False),
    "law_density.weight": _rule("components", **POSITIVE),
    "law_density.mean": _rule("components used"),
    "law_density.covariance": _rule("components used used"),
    "repeats.keys": _rule("repeats features", kind="float32", low=-1e7, high=1e7),
    "repeats.mean": _rule("repeats targets"),
    "repeats.gain": _rule("targets", **SHARE),
    "repeats.left": _rule("targets", low=1e-6, high=1e3),
    "default_errors.share": _rule("features", **SHARE),
    "default_errors.variance": _rule("features", **NOT_NEGATIVE),
    "default_errors.target": _rule("targets", **NOT_NEGATIVE),
    "imputer.mean": _rule("features", low=-1e7, high=1e7),
    "imputer.covariance": _rule("covariance"),
    "imputer.low": _rule("features", low=-1e7, high=1e7),
    "imputer.high": _rule("features", low=-1e7, high=1e7),
    "imputed_scale": _rule(**POSITIVE),
    "curved": _rule("features", kind="b", low=0, high=1),
    "held_out.rows": _rule("held_out", **PLACE),
    "held_out.fold": _rule("held_out", **PLACE),
    "held_out.y": _rule("held_out targets", **UNIT),
    "held_out.mean": _rule("held_out targets", **UNIT),
    "held_out.feature_variance": _rule("held_out targets", **UNIT_VARIANCE),
    "held_out.system_variance": _rule("held_out targets", **UNIT_VARIANCE),
    "held_out.epistemic_variance": _rule("held_out targets", **UNIT_VARIANCE),
    "held_out.score": _rule("held_out targets", low=-1e30, high=1e30),
    "held_out.group_variance": _rule("held_out targets", **UNIT_VARIANCE),
    "groups.variance": _rule("targets", **NOT_NEGATIVE),
    "groups.freedom": _rule(low=1.0, high=LARGEST_SCALED),
    "groups.intercept": _rule("groups targets"),
    "groups.left": _rule("groups targets", **NOT_NEGATIVE),
    "left_out_scores": _rule("left_out targets", low=-1e30, high=1e30),
    "rows.x": _rule("rows features", **UNIT, gaps=True),
    "rows.y": _rule("rows targets", **UNIT),
    "rows.weight": _rule("rows", low=0.0, high=1e300),
    "rows.x_err": _rule("rows features", **UNIT_ERROR, gaps=True, needed=False),
    "rows.y_err": _rule("rows targets", **UNIT_ERROR, gaps=True, needed=False),
    "rows.group": _rule("rows", **PLACE, needed=False),
    "rows.x_cov": _rule("rows features features", low=-(LARGEST**2), high=LARGEST**2, gaps=True, needed=False),
    "rows.y_limit": _rule("rows targets", low=-1.0, high=1.0, needed=False),
    "rows.xy_cov": _rule("rows features", low=-(LARGEST**2), high=LARGEST**2, gaps=True, needed=False),
}
"""All arrays but those of the networks, whose shapes follow from the settings."""
NETWORKS = ("blocks.", "densities.")
OPTIONAL = (
    "densities",
    "process",
    "trees",
    "boosted",
    "law",
    "law_density",
    "tails",
    "repeats",
    "familiarity",
    "rows",
    "groups",
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
        fine = ((array >= rule.low) & (array <= rule.high)) | (rule.gaps & np.isnan(array))
        if not (fine | (rule.or_zero & (array == 0))).all():
            raise ModelFileError(f"{name} holds numbers that are not between {rule.low:g} and {rule.high:g}")


def check_array(name: str, array: np.ndarray, shape: tuple[int, ...], kind: str = "f") -> None:
    """Refuse another shape or kind of number; floats of half precision are none of ours."""
    kinds = (array.dtype.name, array.dtype.kind if array.dtype.name != "float16" else "")
    if array.shape != shape or kind not in kinds:
        came = f"has the shape {array.shape} and numbers of {array.dtype}"
        raise ModelFileError(f"{name} {came} where {KINDS[kind]} of the shape {shape} are needed")


def check_together(arrays: Mapping[str, np.ndarray]) -> None:
    """Refuse arrays of which each may be right, but not together."""
    if (arrays["imputer.low"] > arrays["imputer.high"]).any():
        raise ModelFileError("its smallest values are above its largest")
    covariance = arrays["imputer.covariance"]
    if covariance.ndim == 1:
        sound = (covariance > 0).all()
    else:
        scale = np.sqrt(np.maximum(np.diag(covariance), 1e-30))
        correlation = covariance / np.multiply.outer(scale, scale)
        sound = np.allclose(covariance, covariance.T, rtol=1e-6) and np.linalg.eigvalsh(correlation)[0] > 0
    if not sound:
        raise ModelFileError("imputer.covariance is not that of any rows")
    total = sum(arrays[f"held_out.{part}_variance"] for part in ("feature", "system", "epistemic", "group"))
    if not (np.asarray(total) > 0).all():
        raise ModelFileError("an unseen row has no positive standard deviation")
    if "rows.weight" in arrays and arrays["held_out.rows"].max(initial=-1) >= len(arrays["rows.weight"]):
        raise ModelFileError("an unseen row stands beyond its table")
