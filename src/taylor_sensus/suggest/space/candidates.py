"""Where candidates come from: a table, of which rows that break a constraint are left out, or a space."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from taylor_sensus.errors import DataError, SettingError
from taylor_sensus.rows import BLOCK, blocks
from taylor_sensus.suggest.space.constraints import Rules, broken, read_constraints
from taylor_sensus.suggest.space.design_space import DesignSpace
from taylor_sensus.tables.column import Column
from taylor_sensus.tables.columns import as_frame, check_names

DRAWN = 32_768
"""Settings that are drawn from a space."""

Encode = Callable[[pd.DataFrame], np.ndarray]
"""Settings as numbers; what cannot be a setting is refused."""


class CandidateBlock(NamedTuple):
    """Some candidates: settings, as numbers, and where they stand."""

    frame: pd.DataFrame
    x: np.ndarray
    place: np.ndarray


class TableCandidates:
    """Rows of a table."""

    space: DesignSpace | None = None

    def __init__(self, frame: pd.DataFrame, columns: Sequence[Column], rules: Rules, encode: Encode) -> None:
        if not len(frame):
            raise DataError("candidates has no rows; give at least one")
        self.frame, self.columns, self.rules, self.encode = frame, columns, rules, encode

    def blocks(self, rng: np.random.Generator) -> Iterator[CandidateBlock]:
        """Rows that meet the constraints."""
        counts: dict[str, int] = {}
        any_left = False
        for rows in blocks(len(self.frame), BLOCK):
            frame = self.frame.iloc[rows]
            x = self.encode(frame)
            bad = np.zeros(len(frame), bool)
            for words, wrong in broken(self.rules, cells(frame, self.columns)).items():
                counts[words] = counts.get(words, 0) + int(wrong.sum())
                bad |= wrong
            any_left |= not bad.all()
            yield CandidateBlock(frame[~bad], x[~bad], np.arange(len(self.frame))[rows][~bad])
        if not any_left:
            listed = "; ".join(f"{count} rows break {words!r}" for words, count in counts.items() if count)
            raise SettingError(f"none of the {len(self.frame)} candidates meets all constraints: {listed}")


class SpaceCandidates:
    """Settings drawn from a space, a block at a time."""

    def __init__(self, space: DesignSpace, rules: Rules, encode: Encode) -> None:
        self.space: DesignSpace | None = space
        self.rules, self.encode, self._draw = rules, encode, space.draw

    def blocks(self, rng: np.random.Generator) -> Iterator[CandidateBlock]:
        """Settings from all over the space."""
        for rows in blocks(DRAWN, BLOCK // 4):
            frame = self._draw(rng, rows.stop - rows.start)
            yield CandidateBlock(frame, self.encode(frame), np.arange(rows.start, rows.stop))


Candidates = TableCandidates | SpaceCandidates


def read_candidates(
    candidates: Any,
    bounds: Mapping[str, Any] | None,
    constraints: Iterable[Mapping[str, Any]] | Mapping[str, Any],
    columns: Sequence[Column],
    encode: Encode,
    rng: np.random.Generator,
) -> Candidates:
    """What the user gave: a table or a space as `candidates`, or a space as `bounds`, which also limit a table."""
    if bounds is not None and not isinstance(bounds, Mapping):
        raise SettingError(f"bounds must be a dictionary by column, not {type(bounds).__name__}")
    if candidates is None and bounds is None:
        raise SettingError(
            "there is nothing to choose from, because the model does not hold its training rows; give candidates (a "
            "table) or bounds (a space of settings)"
        )
    limits = bounds or {}
    wanted: list[Any] = [constraints] if isinstance(constraints, Mapping) else list(constraints)
    if candidates is None or isinstance(candidates, Mapping):
        rules = read_constraints(wanted, columns)
        given = dict(candidates or {})
        given |= {name: _narrower(name, given.get(name), limit) for name, limit in limits.items()}
        return SpaceCandidates(DesignSpace(given, columns, rules, rng), rules, encode)
    for name, limit in limits.items():
        if not isinstance(limit, tuple):
            raise SettingError(f"bounds of a table of candidates must be (low, high); that of {name!r} is {limit!r}")
    if limits:
        wanted.append({"bounds": dict(limits)})
    rules = read_constraints(wanted, columns)
    return TableCandidates(settings_table(candidates, columns, "candidates"), columns, rules, encode)


def settings_table(given: Any, columns: Sequence[Column], what: str) -> pd.DataFrame:
    """The model's columns of a table or array; other columns are left out."""
    frame = as_frame(given)
    names = [column.name for column in columns]
    if frame is None:
        array = np.asarray(given, dtype=object if isinstance(given, list) else None)
        if array.ndim != 2 or array.shape[1] != len(names):
            raise DataError(f"{what} must be a table with the columns {_listed(names)}; its shape is {array.shape}")
        return pd.DataFrame(array, columns=pd.Index(names)).infer_objects()
    check_names(frame, what)
    frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
    missing = [name for name in names if name not in frame.columns]
    if missing:
        raise DataError(f"{what} lacks the columns {_listed(missing)}, on which the model was fitted")
    return frame.loc[:, names]


def cells(frame: pd.DataFrame, columns: Iterable[Column]) -> dict[str, np.ndarray]:
    """Columns of settings by name: numbers, and words as texts."""
    found = {}
    for column in columns:
        values = frame[column.name]
        if column.categories is None:
            found[column.name] = pd.to_numeric(values).to_numpy(dtype=float)
        else:
            found[column.name] = values.map(str).to_numpy(dtype=object)
    return found


def _narrower(name: str, space: Any, limit: Any) -> Any:
    """What both a space and bounds say of a column."""
    if space is None:
        return limit
    if isinstance(space, tuple) and isinstance(limit, tuple) and len(space) == len(limit) == 2:
        return max(space[0], limit[0]), min(space[1], limit[1])
    raise SettingError(f"column {name!r} stands in candidates and in bounds; give it in one of them")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names))
