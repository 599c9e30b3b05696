"""What the figures ask of their arguments: one target, one column, equal lengths."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from taylor_sensus.errors import DataError, SettingError
from taylor_sensus.prediction import PARTS, Prediction


class OneTarget(NamedTuple):
    """The prediction of a single target: arrays of one value a row."""

    name: str
    mean: np.ndarray
    variances: dict[str, np.ndarray]
    """By source, with the names of ``PARTS``."""
    std: np.ndarray


def one_target(prediction: Prediction, target: str | None) -> OneTarget:
    """The asked target of a prediction; with a single target there is nothing to ask."""
    names = list(prediction.target_names)
    if target is None and len(names) > 1:
        raise SettingError(f"the prediction has {len(names)} targets; choose one with target=, of {names}")
    one = prediction.target(names[0] if target is None else target)
    variances = (one.feature_variance, one.system_variance, one.epistemic_variance)
    return OneTarget(one.target_names[0], one.mean, dict(zip(PARTS, variances, strict=True)), one.std)


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


def half_width(coverage: float) -> float:
    """Standard deviations to either side of the mean that hold ``coverage`` of a Gaussian."""
    if not 0 < coverage < 1:
        raise SettingError(f"coverage must lie between 0 and 1, not {coverage!r}; for 90 % write 0.9")
    return float(ndtri(0.5 + coverage / 2))
