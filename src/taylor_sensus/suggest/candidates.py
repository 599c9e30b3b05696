"""Where candidates come from: a table, of which rows that break a constraint are left out, or a space."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from taylor_sensus.errors import DataError, SettingError
from taylor_sensus.rows import BLOCK, blocks
from taylor_sensus.suggest.asking import Asker
from taylor_sensus.suggest.constraints import Rules, broken, read_constraints
from taylor_sensus.suggest.space import Space

DRAWN = 32_768
"""Settings that are drawn from a space."""


class Block(NamedTuple):
    """Some candidates: settings, as numbers, and where they stand."""

    frame: pd.DataFrame
    x: np.ndarray
    place: np.ndarray


class TableCandidates:
    """Rows of a table."""

    space: Space | None = None

    def __init__(self, asker: Asker, table: Any, rules: Rules) -> None:
        self.asker, self.rules = asker, rules
        self.frame = asker.table(table, "candidates")
        if not len(self.frame):
            raise DataError("candidates has no rows; give at least one")

    def blocks(self, rng: np.random.Generator) -> Iterator[Block]:
        """Rows that meet the constraints."""
        counts: dict[str, int] = {}
        any_left = False
        for rows in blocks(len(self.frame), BLOCK):
            frame = self.frame.iloc[rows]
            x = self.asker.encoded(frame, "candidates")
            bad = np.zeros(len(frame), bool)
            for words, wrong in broken(self.rules, columns_of(frame, self.asker)).items():
                counts[words] = counts.get(words, 0) + int(wrong.sum())
                bad |= wrong
            any_left |= not bad.all()
            yield Block(frame[~bad], x[~bad], np.arange(len(self.frame))[rows][~bad])
        if not any_left:
            told = "; ".join(f"{count} rows break {words!r}" for words, count in counts.items() if count)
            raise SettingError(f"none of the {len(self.frame)} candidates meets all constraints: {told}")


class SpaceCandidates:
    """Settings drawn from a space, a block at a time."""

    def __init__(self, asker: Asker, given: Mapping[str, Any], rules: Rules, rng: np.random.Generator) -> None:
        self.asker, self.rules = asker, rules
        space = Space(given, asker.columns, rules, rng)
        self.space: Space | None = space
        self._draw = space.draw

    def blocks(self, rng: np.random.Generator) -> Iterator[Block]:
        """Settings from all over the space."""
        for rows in blocks(DRAWN, BLOCK // 4):
            frame = self._draw(rng, rows.stop - rows.start)
            yield Block(frame, self.asker.encoded(frame, "candidates"), np.arange(rows.start, rows.stop))


Candidates = TableCandidates | SpaceCandidates


def read_candidates(
    asker: Asker, candidates: Any, bounds: Mapping[str, Any] | None,
    constraints: Iterable[Mapping[str, Any]] | Mapping[str, Any],
    rng: np.random.Generator,
) -> Candidates:  # fmt: skip
    """What the user gave: a table or a space as `candidates`, or a space as `bounds`, which also limit a table."""
    rules = read_constraints(constraints, asker.columns)
    if bounds is not None and not isinstance(bounds, Mapping):
        raise SettingError(f"bounds must be a dictionary by column, not {type(bounds).__name__}")
    if candidates is None and bounds is None:
        raise SettingError("there is nothing to choose from; give candidates (a table) or bounds (a space of settings)")
    if isinstance(candidates, Mapping):
        given = dict(candidates)
        given |= {name: _narrower(name, given.get(name), limit) for name, limit in (bounds or {}).items()}
        return SpaceCandidates(asker, given, rules, rng)
    if candidates is None:
        return SpaceCandidates(asker, bounds or {}, rules, rng)
    for name, limit in (bounds or {}).items():
        if not isinstance(limit, tuple):
            raise SettingError(f"bounds of a table of candidates must be (low, high); that of {name!r} is {limit!r}")
    limits = [{"bounds": dict(bounds)}] if bounds else []
    return TableCandidates(asker, candidates, read_constraints([*limits, *_listed(constraints)], asker.columns))


def _narrower(name: str, space: Any, limit: Any) -> Any:
    """What both a space and bounds say of a column."""
    if space is None:
        return limit
    if isinstance(space, tuple) and isinstance(limit, tuple) and len(space) == len(limit) == 2:
        return max(space[0], limit[0]), min(space[1], limit[1])
    raise SettingError(f"column {name!r} stands in candidates and in bounds; give it in one of them")


def _listed(constraints: Any) -> list[Any]:
    return [constraints] if isinstance(constraints, Mapping) else list(constraints)


def columns_of(frame: pd.DataFrame, asker: Asker) -> dict[str, np.ndarray]:
    """Columns of settings by name: numbers, and words as texts."""
    found = {}
    for column in asker.columns:
        values = frame[column.name]
        if column.categories is None:
            found[column.name] = pd.to_numeric(values).to_numpy(dtype=float)
        else:
            found[column.name] = values.map(str).to_numpy(dtype=object)
    return found
