"""What every score asks of its arrays, so that no score quietly broadcasts or averages over NaN."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from taylor_sensus.errors import DataError, SettingError


def matching_arrays(**given: ArrayLike) -> list[np.ndarray]:
    """Float arrays of one common shape, ``(rows,)`` or ``(rows, targets)``, not empty, all finite.

    Equal shapes are demanded because NumPy would broadcast ``(n,)`` against ``(n, 1)`` to ``(n, n)``
    and give a plausible, wrong number. All problems are gathered before raising.
    """
    arrays = {name: _as_floats(name, values) for name, values in given.items()}
    first = next(iter(arrays))
    expected = arrays[first].shape
    problems = []
    for name, array in arrays.items():
        if array.ndim not in (1, 2) or array.size == 0:
            problems.append(f"{name} has shape {array.shape}; expected (rows,) or (rows, targets), not empty")
        elif array.shape != expected:
            problems.append(
                f"{name} has shape {array.shape} but {first} has {expected}; give one value for each "
                "(flatten a single column with .ravel())"
            )
        elif not np.all(np.isfinite(array)):
            bad = ~np.isfinite(array)
            problems.append(
                f"{name} has {np.count_nonzero(bad)} missing or infinite values, the first "
                f"({array[bad][0]}) at {_place(bad)}; leave these rows out"
            )
    if problems:
        raise DataError("; ".join(problems) + ".")
    return list(arrays.values())


def matching_with_std(*, std: ArrayLike, **given: ArrayLike) -> list[np.ndarray]:
    """As ``matching_arrays``, with the standard deviations last and all of them above zero."""
    arrays = matching_arrays(**given, std=std)
    bad = arrays[-1] <= 0
    if np.any(bad):
        raise DataError(
            f"std must be above zero everywhere; {np.count_nonzero(bad)} values are not, the first "
            f"({arrays[-1][bad][0]}) at {_place(bad)}. Give standard deviations, with a floor where a model "
            "claims certainty."
        )
    return arrays


def matching_weights(sample_weight: ArrayLike | None, shape: tuple[int, ...]) -> np.ndarray:
    """Weights of the given shape; one weight a row counts for all targets of the row."""
    if sample_weight is None:
        return np.ones(shape)
    weight = _as_floats("sample_weight", sample_weight)
    if weight.shape not in (shape, shape[:1]):
        raise DataError(
            f"sample_weight has shape {weight.shape}; expected {shape[:1]}, one weight a row"
            + (f", or {shape}." if len(shape) == 2 else ".")
        )
    if not np.all(np.isfinite(weight)) or np.any(weight < 0):
        bad = ~(np.isfinite(weight) & (weight >= 0))
        raise DataError(
            f"sample_weight must be finite and not negative; found {weight[bad][0]} at {_place(bad)}. "
            "Give a weight of 0 to leave a row out."
        )
    if weight.ndim < len(shape):
        weight = np.repeat(weight[:, None], shape[1], axis=1)
    if np.any(weight.sum(axis=0) <= 0):
        raise DataError("all weights in sample_weight are zero; give at least one row a positive weight.")
    return weight


def fraction(name: str, value: Any) -> float:
    """A number strictly between 0 and 1, for coverages and confidence levels."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not 0 < number < 1:
        raise SettingError(f"{name} must lie between 0 and 1, not {value!r}; for 90 % write 0.9")
    return number


def columns(array: np.ndarray) -> np.ndarray:
    """The same values as ``(targets, rows)``, for scores taken target by target."""
    return array.reshape(len(array), -1).T


def _as_floats(name: str, values: ArrayLike) -> np.ndarray:
    try:
        array = np.asarray(values)
        if np.iscomplexobj(array):
            raise TypeError("complex numbers")
        return array.astype(float)
    except (TypeError, ValueError) as error:
        raise DataError(f"{name} must hold numbers only ({error}); convert or drop the others.") from error


def _place(bad: np.ndarray) -> str:
    position = np.argwhere(bad)[0]
    return f"row {position[0]}" + (f", target {position[1]}" if len(position) == 2 else "")
