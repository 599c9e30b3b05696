"""Columns by name although headers differ: `temp`, `temp (°C)` and `temp [degC]` are one column, `temp [K]` is another.

Models know their columns by whole headers, units and all. So a table to predict may write a unit in another way or
leave it out, and one that comes in another unit is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from taylor_sensus.errors import DataError
from taylor_sensus.tables.companions import header_of
from taylor_sensus.tables.units import Header, check_units, same_unit


def headers_meant(name: str, headers: Sequence[str]) -> list[str]:
    """The headers that a name may mean: the very same, else those with this name and no other unit."""
    if name in headers:
        return [name]
    wanted = header_of(name)
    found = {header: header_of(header) for header in headers}
    return [header for header, other in found.items() if other.name == wanted.name and not _differ(wanted, other)]


def align(frame: pd.DataFrame, learned: Sequence[str]) -> pd.DataFrame:
    """The table with the names that a model has learned, where its own headers mean the same columns.

    All other columns keep their names, and their order does not change; a learned column that is not there is left to
    the caller. A column in another unit than the learned one is refused.
    """
    known = set(learned)
    there: list[Any] = [name for name in frame.columns if isinstance(name, str)]
    missing = [name for name in dict.fromkeys(learned) if name not in there]
    free = {name: header_of(name) for name in there if name not in known}
    if not missing or not free:
        return frame
    wanted = {name: header_of(name) for name in missing}
    renamed: dict[str, str] = {}
    units_learned: dict[str, str] = {}
    units_there: dict[str, str] = {}
    problems: list[str] = []
    for name, header in wanted.items():
        rivals = {other: found for other, found in free.items() if found.name == header.name}
        meant = [other for other, found in rivals.items() if header.unit and found.unit and not _differ(header, found)]
        if not meant and sum(other.name == header.name for other in map(header_of, learned)) == 1:
            meant = [other for other, found in rivals.items() if header.unit is None or found.unit is None]
        if len(meant) > 1:
            told = " and ".join(map(repr, meant))
            problems.append(f"columns {told} may both be what was learned as {name!r}; keep one of them")
        elif meant:
            renamed[meant[0]] = name
        else:
            units = [found.unit for found in rivals.values() if found.unit]
            if header.unit and units:
                units_learned[name], units_there[name] = header.unit, units[0]
    if problems:
        raise DataError("; ".join(problems))
    check_units(units_learned, units_there)
    return frame.rename(columns=renamed) if renamed else frame


def _differ(one: Header, other: Header) -> bool:
    return bool(one.unit and other.unit and not same_unit(one.unit, other.unit))
