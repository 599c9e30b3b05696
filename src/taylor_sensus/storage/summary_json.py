"""The summary of a fit as JSON, and back: values are checked by kind and range, all problems are reported at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from taylor_sensus.errors import ModelFileError
from taylor_sensus.records import DeclaredCheck, DeclaredError, FitSummary, SuspectedGroups

Check = Callable[[Any], Any]

ADDED = (
    "held_out_thirds",
    "outlier_names",
    "declared_target_shares",
    "declared_target_checks",
    "probably_exact",
    "noise_share_bounds",
    "negative_bounds",
    "group_title",
    "group_stds",
    "suspected_groups",
    "time_limit",
)
"""What earlier files lack."""
SLACK = 1e-9
"""By how much a share may be above 1, from rounding."""


def summary_to_json(summary: FitSummary) -> dict[str, Any]:
    """Lists, dictionaries with text for keys, and plain numbers."""
    return {field.name: _plain(getattr(summary, field.name)) for field in fields(FitSummary)}


def summary_from_json(content: Any, targets: int) -> FitSummary:
    """The record, if `content` is what `summary_to_json` gives."""
    if not isinstance(content, dict):
        raise ModelFileError(f"its summary is a {type(content).__name__}")
    found, problems = {}, []
    for name, check in _checks(targets).items():
        if name not in content and name in ADDED:
            found[name] = None
            continue
        if name not in content and name == "groups":
            found[name] = 0
            continue
        if name not in content:
            problems.append(f"{name} is missing")
            continue
        try:
            found[name] = check(content[name])
        except (TypeError, ValueError) as problem:
            problems.append(f"{name} {problem}")
    if not problems:
        problems = _contradictions(found)
    if problems:
        raise ModelFileError(f"its summary is wrong: {'; '.join(problems)}")
    return FitSummary(**found)


def _checks(targets: int) -> dict[str, Check]:
    """What each field must be."""
    sizes = _several(_number(0), targets)
    return {
        "rows": _whole(1),
        "distinct_rows": _whole(1),
        "validation_rows": _whole(),
        "missing_cells": _whole(),
        "constant_columns": _several(_text),
        "declared": _named(_text, _declared),
        "declared_targets": sizes,
        "declared_target_shares": _unless_none(_several(_number(0, 1), targets)),
        "declared_target_checks": _unless_none(_several(_check, targets)),
        "probably_exact": _unless_none(_named(_text, _text)),
        "pure_error": _unless_none(sizes),
        "pure_error_freedom": _number(0),
        "repeated_inputs": _whole(),
        "time_limit": _unless_none(_number(0)),
        "curved": _boolean,
        "split_identifiable": _boolean,
        "noise_share_bounds": _unless_none(_several(_several(_several(_number(0, 1), 2)), targets)),
        "held_out_rows": _whole(),
        "held_out_rmse": sizes,
        "held_out_explained": _several(_unknown_as_nan(_number(most=1)), targets),
        "held_out_coverage": _named(_level, _several(_number(0, 1), targets)),
        "held_out_thirds": _unless_none(_several(_several(_number(0, 1), 3), targets)),
        "frequency_scale": _unless_none(_number(0)),
        "outliers": _unless_none(_several(_whole())),
        "negative_bounds": _unless_none(_several(_number(0, 1), targets)),
        "group_title": _unless_none(_text),
        "groups": _whole(),
        "group_stds": _unless_none(sizes),
        "suspected_groups": _unless_none(_suspected),
        "seed": _unless_none(_whole()),
        "outlier_names": _unless_none(_several(_text)),
    }


def _contradictions(found: Mapping[str, Any]) -> list[str]:
    """What single values cannot show."""
    rows, wrong = found["rows"], []
    if found["distinct_rows"] > rows:
        wrong.append(f"{found['distinct_rows']} distinct rows of {rows}")
    if any(place >= rows for place in found["outliers"] or ()):
        wrong.append(f"outliers beyond the {rows} rows")
    names = found["outlier_names"]
    if names is not None and len(names) != len(found["outliers"] or ()):
        wrong.append(f"outlier_names has {len(names)} names of {len(found['outliers'] or ())} outliers")
    if 90 not in found["held_out_coverage"]:
        wrong.append("held_out_coverage has no level 90")
    return wrong


def _whole(least: int = 0) -> Check:
    def check(value: Any) -> int:
        if type(value) is not int or value < least:
            raise ValueError(f"must be a whole number from {least} on, not {value!r}")
        return value

    return check


def _number(least: float = -math.inf, most: float = math.inf) -> Check:
    def check(value: Any) -> float:
        if type(value) not in (int, float) or not math.isfinite(value) or not least <= value <= most + SLACK:
            raise ValueError(f"must be a number from {least} to {most}, not {value!r}")
        return float(value)

    return check


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"must be text, not {value!r}")
    return value


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"must be true or false, not {value!r}")
    return value


def _level(value: str) -> int:
    level = int(value)
    if not 0 < level < 100:
        raise ValueError(f"has the level {level} %")
    return level


def _several(each: Check, count: int | None = None) -> Check:
    def check(value: Any) -> tuple:
        if not isinstance(value, list) or count not in (None, len(value)):
            raise ValueError(f"must be a list{'' if count is None else f' of {count}'}, not {value!r}")
        return tuple(each(one) for one in value)

    return check


def _named(key: Check, each: Check) -> Check:
    def check(value: Any) -> dict:
        if not isinstance(value, dict):
            raise TypeError(f"must have names, not be {value!r}")
        return {key(name): each(one) for name, one in value.items()}

    return check


def _declared(value: Any) -> DeclaredError:
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError(f"must hold a share and a standard deviation, not {value!r}")
    return DeclaredError(_number(0, 1)(value[0]), _number(0)(value[1]))


def _check(value: Any) -> DeclaredCheck:
    if not isinstance(value, list) or len(value) != 3:
        raise ValueError(f"must hold a count and two numbers, not {value!r}")
    return DeclaredCheck(_whole()(value[0]), _number(0)(value[1]), _number(0)(value[2]))


def _suspected(value: Any) -> SuspectedGroups:
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError(f"must hold columns and a count, not {value!r}")
    return SuspectedGroups(_several(_text)(value[0]), _whole(1)(value[1]))


def _unless_none(check: Check) -> Check:
    return lambda value: None if value is None else check(value)


def _unknown_as_nan(check: Check) -> Check:
    return lambda value: math.nan if value is None else check(value)


def _plain(value: Any) -> Any:
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, tuple) else value
