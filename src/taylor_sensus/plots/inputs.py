"""What the figures ask of their arguments: one target, one column, equal lengths."""

from __future__ import annotations

from typing import Any

import numpy as np

from taylor_sensus.errors import DataError, SettingError
from taylor_sensus.prediction import Interval, Prediction

FROM_THE_INSIDE = ("system_noise", "feature_noise", "epistemic")
"""The order of nested bands; the first lies next to the mean."""


def one_target(prediction: Prediction, target: str | None) -> Prediction:
    """The chosen target of a prediction; with a single target there is nothing to choose."""
    names = list(prediction.target_names)
    if target is None and len(names) > 1:
        raise SettingError(f"the prediction has {len(names)} targets; choose one with target=, of {names}")
    return prediction.target(names[0] if target is None else target)


def nested_bands(one: Prediction, coverage: float) -> dict[str, Interval]:
    """Bounds of the first, the first two and all three sources; the outermost are those of ``Prediction.interval``.

    Differences between groups are drawn as noise of the system.

    The sources' variances add up, so a band is as far from the mean as the whole interval times the root of its share.
    """
    low, high = one.interval(coverage)
    variances = {
        "system_noise": one.system_variance + one.group**2,
        "feature_noise": one.feature_variance,
        "epistemic": one.epistemic_variance,
    }
    found, variance = {}, np.zeros_like(one.mean)
    for part in FROM_THE_INSIDE:
        variance = variance + variances[part]
        share = np.sqrt(np.divide(variance, one.variance, out=np.zeros_like(variance), where=one.variance > 0))
        found[part] = Interval(one.mean - share * (one.mean - low), one.mean + share * (high - one.mean))
    return found


def column(values: Any, name: str, rows: int) -> np.ndarray:
    """One finite number for each of ``rows`` rows, from an array, a Series or a table of one column."""
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise DataError(f"{name} must hold numbers only ({error}); convert or drop the others") from error
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.shape != (rows,):
        raise DataError(f"{name} has shape {np.shape(values)}; expected one column of {rows} rows")
    bad = np.flatnonzero(~np.isfinite(array))
    if bad.size:
        raise DataError(f"{name} has {bad.size} missing or infinite values, the first in row {bad[0]}; leave them out")
    return array


def column_name(values: Any, default: str) -> str:
    """The name of a Series or of a table's only column; ``default`` for plain arrays."""
    name = getattr(values, "name", None)
    if name is None and hasattr(values, "columns") and len(values.columns) == 1:
        name = values.columns[0]
    return default if name is None else str(name)
