"""Columns by name, although headers differ: `temp`, `temp (°C)` and `temp [degC]` are one, `temp [K]` is another.

Models know their columns by whole headers, units and all. So a table to predict may write a unit in another way or
leave it out, and one that comes in another unit is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from taylor_sensus.errors import DataError, did_you_mean, listed, near_names
from taylor_sensus.tables.companions import header_of
from taylor_sensus.tables.units import Header, check_units, same_unit

if TYPE_CHECKING:
    import pandas as pd


class SplitTable(NamedTuple):
    """Columns to learn from, and columns to learn."""

    features: pd.DataFrame
    targets: pd.DataFrame


def headers_meant(name: str, headers: Sequence[str]) -> list[str]:
    """The headers that a name may mean: the very same, else those with this name and no other unit."""
    if name in headers:
        return [name]
    wanted = header_of(name)
    found = {header: header_of(header) for header in headers}
    return [header for header, other in found.items() if other.name == wanted.name and not _differ(wanted, other)]


def headers_of(names: Sequence[str], headers: Sequence[str]) -> list[str]:
    """Headers for names with or without units; a name that no header answers to stays as it is.

    Parameters
    ----------
    names : str or list of str
        Names as a user writes them.
    headers : list of str
        Headers of the table.

    Returns
    -------
    list of str
        A header for each name.
    """
    found = []
    for name in [names] if isinstance(names, str) else names:
        meant = headers_meant(name, headers)
        if len(meant) > 1:
            raise DataError(f"{name!r} may be any of the columns {', '.join(map(repr, meant))}; write the unit too")
        found += meant or [name]
    return found


def align(frame: pd.DataFrame, learned: Sequence[str]) -> pd.DataFrame:
    """The table with the names that a model has learned, where its own headers mean the same columns.

    All other columns keep their names, and their order does not change; a learned column that is not there is left to
    the caller. A column in another unit than the learned one is refused.
    """
    there: list[Any] = [name for name in frame.columns if isinstance(name, str)]
    renamed = learned_names(there, learned)
    return frame.rename(columns=dict(renamed)) if renamed else frame


def learned_names(headers: Sequence[str], learned: Sequence[str]) -> Mapping[str, str]:
    """The learned name for each header that means a learned column and is written in another way."""
    known = set(learned)
    missing = [name for name in dict.fromkeys(learned) if name not in headers]
    free = {name: header_of(name) for name in headers if name not in known}
    if not missing or not free:
        return {}
    wanted = {name: header_of(name) for name in missing}
    renamed: dict[str, str] = {}
    units_learned: dict[str, str] = {}
    units_there: dict[str, str] = {}
    problems: list[str] = []
    for name, header in wanted.items():
        candidates = {other: found for other, found in free.items() if found.name == header.name}
        meant = [
            other for other, found in candidates.items() if header.unit and found.unit and not _differ(header, found)
        ]
        if not meant and sum(other.name == header.name for other in map(header_of, learned)) == 1:
            meant = [other for other, found in candidates.items() if header.unit is None or found.unit is None]
        if len(meant) > 1:
            both = " and ".join(map(repr, meant))
            problems.append(f"columns {both} may both be what was learned as {name!r}; keep one of them")
        elif meant:
            renamed[meant[0]] = name
        else:
            units = [found.unit for found in candidates.values() if found.unit]
            if header.unit and units:
                units_learned[name], units_there[name] = header.unit, units[0]
    if problems:
        raise DataError("; ".join(problems))
    check_units(units_learned, units_there)
    return renamed


def split_target(frame: pd.DataFrame, target: Sequence[str], drop: Sequence[str] = ()) -> SplitTable:
    """Split a table into features and targets, leaving out the columns named in ``drop``."""
    columns = [str(name) for name in frame.columns]
    features = check_to_fit(columns, target, drop)
    frame = frame.set_axis(columns, axis=1)
    return SplitTable(frame.loc[:, features], frame.loc[:, _names(target)])


def check_to_fit(columns: Sequence[str], target: Sequence[str], drop: Sequence[str] = ()) -> list[str]:
    """The columns to learn from, after refusing targets and dropped columns that are not there or named twice."""
    target, drop = _names(target), _names(drop)
    problems = []
    if not target:
        problems.append(f"no target was named; the columns are {listed(columns)}")
    for role, names in (("target", target), ("dropped", drop)):
        for name in dict.fromkeys(names):
            if name not in columns:
                hint = did_you_mean(name, columns, "the columns are")
                problems.append(f"there is no {role} column {name!r}{hint}")
            elif names.count(name) > 1:
                problems.append(f"{role} column {name!r} is given {names.count(name)} times; once is enough")
    for name in dict.fromkeys(target):
        if name in drop:
            problems.append(f"column {name!r} is both a target and dropped; choose one")
    features = [name for name in columns if name not in target and name not in drop]
    if not features:
        problems.append("no column is left to learn from; name fewer targets, or drop fewer columns")
    if problems:
        raise DataError("; ".join(problems))
    return features


def pick_columns(frame: pd.DataFrame, names: Sequence[str], *, where: str) -> pd.DataFrame:
    """The named columns, in that order; all that are missing are named, each with what comes near."""
    there = [str(name) for name in frame.columns]
    check_there(there, names, where=where)
    return frame.set_axis(there, axis=1).loc[:, list(dict.fromkeys(names))]


def check_there(there: Sequence[str], names: Sequence[str], *, where: str) -> None:
    """Refuse a table that lacks some of the names; all that are missing are named, each with what comes near."""
    problems = []
    for name in dict.fromkeys(names):
        if name not in there:
            near = near_names(name, [other for other in there if other not in names])
            problems.append(repr(name) + (f" (there is {near[0]!r})" if near else ""))
    if problems:
        raise DataError(f"{where} lacks {len(problems)} needed column(s): {', '.join(problems)}")


def _names(names: Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _differ(one: Header, other: Header) -> bool:
    return bool(one.unit and other.unit and not same_unit(one.unit, other.unit))
