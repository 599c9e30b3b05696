"""The noise budget of many rows together. Sums of blocks of rows can be added, so the table need not fit in memory."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from taylor_sensus.budget import KINDS, LEARNED, OPTIONAL, NoiseBudget, shares
from taylor_sensus.errors import DataError


class BudgetSums(NamedTuple):
    """Sums over rows; ``added`` joins two of them."""

    rows: int
    target_names: tuple[str, ...]
    part_of_source: tuple[str, ...]
    sources: tuple[str, ...]
    variance: np.ndarray
    """``(targets, sources)``"""
    squared_sensitivity: np.ndarray
    """``(targets, columns)``, NaN cells left out"""
    sensitivity: np.ndarray
    """``(targets, columns)``, NaN cells left out"""
    sensitivity_cells: np.ndarray
    """``(targets, columns)``, cells that are not NaN"""
    squared_std: np.ndarray
    """``(columns,)``, NaN cells left out"""
    std_cells: np.ndarray
    """``(columns,)``, cells that are not NaN"""
    kinds: np.ndarray
    """``(kinds, sources)``, how many cells of each kind"""
    identifiable: np.ndarray
    """``(sources,)``"""
    share_bounds: np.ndarray | None = None
    """``(targets, columns + 1, 2)``, see `BudgetParts`"""
    trained_on: int = 0
    """Rows that the model was fitted on."""
    unseen_lacking: np.ndarray | None = None
    """``(targets,)``, see `BudgetParts`"""

    @property
    def is_of_training_rows(self) -> bool:
        """Whether the model was fitted on most of the rows."""
        return 2 * self.trained_on > self.rows


def budget_sums(budget: NoiseBudget) -> BudgetSums:
    """The sums of a budget's rows."""
    std, sensitivity, kind = budget.parts.input_std, budget.parts.sensitivity, budget.kind
    return BudgetSums(
        rows=len(budget),
        target_names=budget.target_names,
        part_of_source=budget.part_of_source,
        sources=budget.sources,
        variance=budget.variance.sum(axis=0),
        squared_sensitivity=np.nansum(np.square(sensitivity, dtype=np.float64), axis=0),
        sensitivity=np.asarray(np.nansum(sensitivity, axis=0, dtype=np.float64)),
        sensitivity_cells=np.isfinite(sensitivity).sum(axis=0),
        squared_std=np.nansum(np.square(std, dtype=np.float64), axis=0),
        std_cells=np.isfinite(std).sum(axis=0),
        kinds=np.array([(kind == number).sum(axis=0) for number in range(len(KINDS))]),
        identifiable=budget.identifiable_sources,
        share_bounds=budget.parts.share_bounds,
        trained_on=budget.rows_trained_on,
        unseen_lacking=budget.parts.unseen_lacking,
    )


def added(one: BudgetSums, other: BudgetSums) -> BudgetSums:
    """The sums of two blocks of rows of the same table."""
    for part in OPTIONAL:  # cells may be missing, and measuring errors declared, in only one of them
        if part in {*one.part_of_source, *other.part_of_source}:
            one, other = _with_part(one, part), _with_part(other, part)
    names = ("target_names", "part_of_source", "sources", "identifiable", "unseen_lacking", "share_bounds")
    summed = {f: getattr(one, f) + getattr(other, f) for f in BudgetSums._fields if f not in names}
    return one._replace(**summed)


def _with_part(sums: BudgetSums, part: str) -> BudgetSums:
    if part in sums.part_of_source:
        return sums
    follow = {"missing_cells": ("system_noise",), "target_error": ("group", "epistemic"), "group": ("epistemic",)}[part]
    before = next(name for name in follow if name in sums.part_of_source)
    at = sums.part_of_source.index(before)
    return sums._replace(
        part_of_source=(*sums.part_of_source[:at], part, *sums.part_of_source[at:]),
        sources=(*sums.sources[:at], part, *sums.sources[at:]),
        variance=np.insert(sums.variance, at, 0, axis=1),
        kinds=np.insert(sums.kinds, at, 0, axis=1),
        identifiable=np.insert(sums.identifiable, at, True),
    )


SHORT = ("target", "source", "std", "contribution", "share", "origin")
"""Columns that fit a screen together."""


def mean_table(sums: BudgetSums) -> pd.DataFrame:
    """A line for each source (and target), with every column that ``NoiseBudget.mean`` describes."""
    if sums.rows == 0:
        raise DataError("the budget has no rows, so there is nothing to average; predict at least one row")
    variance = sums.variance / sums.rows
    behind = np.full(len(sums.sources) - len(sums.std_cells), np.nan)
    share = shares(variance)
    signed = _over(sums.sensitivity, sums.sensitivity_cells)
    sensitivity = signed if sums.rows == 1 else np.sqrt(_over(sums.squared_sensitivity, sums.sensitivity_cells))
    bounds = _bounds_of_shares(sums, share)
    tables = []
    for at, target in enumerate(sums.target_names):
        table = {
            "target": target,
            "source": sums.sources,
            "part": sums.part_of_source,
            "std": np.concatenate([np.sqrt(_over(sums.squared_std, sums.std_cells)), behind]),
            "sensitivity": np.concatenate([sensitivity[at], behind]),
            "contribution": np.sqrt(variance[at]),
            "variance": variance[at],
            "share": share[at],
            "share_low": bounds[at, :, 0],
            "share_high": bounds[at, :, 1],
            "origin": [_origin(counts) for counts in sums.kinds.T],
            "identifiable": sums.identifiable | (sums.kinds[LEARNED] == 0),
        }
        tables.append(pd.DataFrame(table))
    return pd.concat(tables, ignore_index=True) if len(tables) > 1 else tables[0].drop(columns="target")


def _bounds_of_shares(sums: BudgetSums, share: np.ndarray) -> np.ndarray:
    """``(targets, sources, 2)``: intervals of learned shares of the whole variance; not a number for other sources."""
    found = np.full((*share.shape, 2), np.nan)
    if sums.share_bounds is None:
        return found
    columns = len(sums.std_cells)
    learned = np.append(np.arange(columns), sums.part_of_source.index("system_noise"))
    is_learned = sums.kinds[LEARNED][learned] > 0
    noise = share[:, learned[is_learned]].sum(axis=1)
    found[:, learned] = np.where(is_learned[:, None], sums.share_bounds * noise[:, None, None], np.nan)
    return found


def _over(total: np.ndarray, cells: np.ndarray) -> np.ndarray:
    return np.where(cells > 0, total / np.maximum(cells, 1), np.nan)


def _origin(counts: np.ndarray) -> str:
    """``declared``, or ``declared 80 %, learned 20 %`` where rows differ; the most frequent first."""
    present = [(int(count), name) for count, name in zip(counts, KINDS, strict=True) if count]
    if len(present) == 1:
        return present[0][1]
    ranked = sorted(present, key=lambda pair: -pair[0])
    return ", ".join(f"{name} {_percent(count / counts.sum())}" for count, name in ranked)


def _percent(share: float) -> str:
    """Whole percent; what is neither none nor all never looks like it."""
    if 0 < share < 0.01:
        return "< 1 %"
    return "> 99 %" if 0.99 < share < 1 else f"{share * 100:.0f} %"
