"""The ranges of the training rows: where suggestions come from if the user names no candidates and no bounds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from taylor_sensus.errors import DataError, listed
from taylor_sensus.fitted import FittedModel

MOST_LISTED = 6
"""Ranges that a note spells out."""


def with_training_ranges(
    given: Mapping[str, Any] | None, constraints: Iterable[Any], fitted: FittedModel
) -> tuple[Mapping[str, Any] | None, str]:
    """Bounds for columns of numbers that have none, and a note of them; categories need none.

    Nothing is added if the model does not hold its rows, or only to columns that no constraint fixes or bounds.
    """
    if fitted.rows is None or not (given is None or isinstance(given, Mapping)):
        return given, ""
    wanted = [one for one in constraints if isinstance(one, Mapping)]
    settled = {name for one in wanted for word in ("fixed", "bounds") for name in _names(one.get(word))}
    found: dict[str, tuple[float, float]] = {}
    at = 0
    for column in fitted.columns:
        cells = fitted.rows.x[:, at]
        cells = cells[np.isfinite(cells) & (fitted.rows.weight > 0)]
        at += len(column.parts)
        if column.categories is not None or column.name in (given or {}) or column.name in settled:
            continue
        if not len(cells):
            raise DataError(
                f"column {column.name!r} has no value in any training row, so there is no range to choose from; fit "
                "without it (--drop), or give it a fixed value"
            )
        found[column.name] = float(cells.min()), float(cells.max())
    return {**(given or {}), **found}, _listed(found)


def _names(content: Any) -> Iterable[str]:
    return content if isinstance(content, Mapping) else ()


def _listed(ranges: Mapping[str, tuple[float, float]]) -> str:
    if not ranges:
        return ""
    parts = [f"{name} from {low:g} to {high:g}" for name, (low, high) in list(ranges.items())[:MOST_LISTED]]
    more = list(ranges)[MOST_LISTED:]
    rest = f", and so {listed(more, MOST_LISTED)}" if more else ""
    return f"Bounds that were not given are those of the training rows: {', '.join(parts)}{rest}."
