"""Which rows are learned from and which are held out; equal rows always stand on the same side."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from taylor_sensus.errors import DataError
from taylor_sensus.fit.prepare import kept_together
from taylor_sensus.records import EncodedTable, Names
from taylor_sensus.tables.columns import as_frame, has_text, learn_columns


class Fold(NamedTuple):
    """Positions of the rows to learn from and to hold out."""

    train: np.ndarray
    held_out: np.ndarray


@dataclass(frozen=True)
class FoldedRows:
    """The table as the user gave it, without rows of weight 0, and its folds."""

    X: Any
    y: np.ndarray
    weight: np.ndarray
    folds: tuple[Fold, ...]
    groups: np.ndarray | None = None
    """Codes of groups, if there are any."""

    @classmethod
    def of(
        cls, X: Any, x: np.ndarray, y: np.ndarray, weight: np.ndarray, *, cv: int, seed: int,
        groups: np.ndarray | None = None,
    ) -> FoldedRows:  # fmt: skip
        """`x` is X in numbers; rows that are equal there stay together, or those of a group."""
        kept = np.flatnonzero(weight)
        frame = as_frame(X)
        rows = np.asarray(X)[kept] if frame is None else frame.iloc[kept]
        _, group = np.unique(x[kept], axis=0, return_inverse=True)
        group = group.ravel() if groups is None else kept_together(groups[kept], group.ravel())
        folds = _folds(group, cv, np.random.default_rng(seed))
        if frame is not None and has_text(frame):
            folds = [_with_known_texts(rows, fold, number) for number, fold in enumerate(folds, 1)]
        return cls(rows, y[kept], weight[kept], tuple(folds), None if groups is None else groups[kept])

    def groups_at(self, positions: np.ndarray) -> np.ndarray | None:
        """Groups at some positions; not a number where a row has none."""
        return None if self.groups is None else np.where(self.groups >= 0, self.groups, np.nan)[positions]

    def pick(self, positions: np.ndarray) -> tuple[Any, np.ndarray, np.ndarray]:
        """X, y and weights at some positions."""
        X = self.X.iloc[positions] if isinstance(self.X, pd.DataFrame) else self.X[positions]
        return X, self.y[positions], self.weight[positions]


def _folds(group: np.ndarray, cv: int, rng: np.random.Generator) -> list[Fold]:
    """Folds of equally many groups each: where equal sizes repeat, a network is compiled once for all folds."""
    count = int(group.max()) + 1
    size = count // cv
    if not size or count - size < 2:
        raise DataError(
            f"cv={cv} folds need at least {max(cv, 3)} different rows of X, or groups, and there are "
            f"{count}; lower cv or add rows"
        )
    order = rng.permutation(count)
    parts = [np.isin(group, order[k * size : (k + 1) * size]) for k in range(cv)]
    return [Fold(np.flatnonzero(~part), np.flatnonzero(part)) for part in parts]


def _with_known_texts(frame: pd.DataFrame, fold: Fold, number: int) -> Fold:
    """Rows with a text that the other folds lack cannot be predicted: they are learned from instead."""
    known = np.ones(len(fold.held_out), dtype=bool)
    for position, column in enumerate(learn_columns(frame.iloc[fold.train])):
        if column.categories is not None:
            texts = frame.iloc[fold.held_out, position].map(str).astype(object)
            known &= texts.isin(column.categories).to_numpy(dtype=bool)
    if not known.any():
        raise DataError(
            f"fold {number}: each of its rows has a text that no other fold has; lower cv, or replace rare texts by "
            "one word such as 'other'"
        )
    moved = np.sort(np.concatenate([fold.train, fold.held_out[~known]]))
    return Fold(moved, fold.held_out[known])


def digest(table: EncodedTable, names: Names) -> str:
    """A number that stands for the data."""
    digest = hashlib.sha256(repr((names, table.x.shape, table.y.shape)).encode())
    arrays = (table.x, table.y, table.weight, *([] if table.group is None else [table.group]))
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
