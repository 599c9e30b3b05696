"""Where a prediction's error comes from, source by source: an uncertainty budget as metrologists write it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from taylor_sensus.errors import DataError, SettingError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["BudgetParts", "NoiseBudget"]

KINDS = ("learned", "declared", "missing", "exact")
"""How the size of a cell's error is known, in the order of the numbers in ``BudgetParts.kind``."""
LEARNED, DECLARED, MISSING, EXACT = range(4)
NEARLY_ALL = 0.9
"""The system's least share of the learned noise from which it does not matter what passes for noise of an input."""
OTHER_PARTS = {"missing_cells": MISSING, "system_noise": LEARNED, "target_error": DECLARED, "group": LEARNED,
               "epistemic": LEARNED}  # fmt: skip
"""The sources that are no columns, and how their size is known."""
OPTIONAL = ("missing_cells", "target_error", "group")
"""Those of them that are left out where they have no part in any row."""


class BudgetParts(NamedTuple):
    """The arrays that a noise budget is made of. Variances are in the target's unit squared.

    Parameters
    ----------
    columns : tuple of str
        The user's feature columns; the parts of an encoded column are added up.
    contribution : ndarray, (rows, targets, columns)
        Variance that each column's noise causes; 0 in missing cells.
    sensitivity : ndarray, (rows, targets, columns)
        Change of the mean a unit of the column; NaN for columns of categories.
    input_std : ndarray, (rows, columns)
        Standard deviation of the column's noise, in its own unit; NaN for categories.
    kind : ndarray of int8, (rows, columns)
        0 learned, 1 declared, 2 missing cell (filled in), 3 exact (declared as 0).
    system : ndarray, (rows, targets)
        Learned variance of the system's own noise.
    target_error : ndarray, (rows, targets)
        Declared variance of measuring the target; 0 if none was declared.
    epistemic : ndarray, (rows, targets)
        Variance from too little data.
    identifiable : ndarray of bool, (columns,)
        Whether the data can separate this column's noise from the system's.
    system_identifiable : bool
        Whether the data can separate the inputs' noise from the system's at all.
    target_names : tuple of str
        What is predicted.
    index : Index or None
        Labels of the rows.
    trained_on : ndarray of bool, (rows,), optional
        Whether the model was fitted on a row with the same inputs, which makes it surer there.
    missing : ndarray, (rows, targets), optional
        Variance that missing cells cause, which were filled in; 0 by default.
    share_bounds : ndarray, (targets, columns + 1, 2), optional
        The 90 % interval of each column's share, and then the system's, of the learned noise; None if not known.
    probably_exact : dict of str, default={}
        Columns that look exact although not declared so, and why.
    unseen_lacking : ndarray, (targets,), optional
        Share of the variance that too little data leaves open at training rows as long as they are unseen.
    group : ndarray, (rows, targets), optional
        Variance between groups, such as batches, or what is left of it in a known one; 0 by default.
    """

    columns: tuple[str, ...]
    contribution: np.ndarray
    sensitivity: np.ndarray
    input_std: np.ndarray
    kind: np.ndarray
    system: np.ndarray
    target_error: np.ndarray
    epistemic: np.ndarray
    identifiable: np.ndarray
    system_identifiable: bool
    target_names: tuple[str, ...]
    index: pd.Index | None
    trained_on: np.ndarray | None = None
    missing: np.ndarray | None = None
    share_bounds: np.ndarray | None = None
    probably_exact: Mapping[str, str] = MappingProxyType({})
    unseen_lacking: np.ndarray | None = None
    group: np.ndarray | None = None


class NoiseBudget:
    """An uncertainty budget: for each source of error its size, the model's sensitivity to it, and its share.

    The sources are the feature columns in their order, then ``missing_cells`` if cells had to be filled in, then
    ``system_noise``, then ``target_error`` if a measuring error of the target was declared, then ``group`` if groups of
    rows differ, then ``epistemic``, which is what too little data leaves open.
    Their variances add up to the variance of the prediction, row by row and on average.

    Parameters
    ----------
    parts : BudgetParts
        The arrays that it is made of; `TSNetRegressor.noise_budget` makes them.
    """

    def __init__(self, parts: BudgetParts) -> None:
        self.parts = checked(parts)

    def __len__(self) -> int:
        return len(self.parts.system)

    @property
    def target_names(self) -> tuple[str, ...]:
        """What is predicted."""
        return self.parts.target_names

    @property
    def index(self) -> pd.Index:
        """Labels of the rows; positions if they have none."""
        return pd.RangeIndex(len(self)) if self.parts.index is None else self.parts.index

    @property
    def identifiable(self) -> bool:
        """Whether the data can separate the inputs' noise from the system's; if not, trust only their sum."""
        return bool(self.parts.system_identifiable)

    @property
    def assumes_one_size(self) -> bool:
        """Whether the split holds only if the system's own noise has one size: an input's noise was learned and counts.

        Noise of the system that grows where the function is steep has the same distribution as noise of an input.
        """
        bounds = self.parts.share_bounds
        learned = bool((self.parts.kind == LEARNED).any())
        return self.identifiable and learned and bounds is not None and bool((bounds[:, -1, 0] < NEARLY_ALL).any())

    @property
    def rows_trained_on(self) -> int:
        """How many of the rows the model was fitted on, as far as it knows."""
        return 0 if self.parts.trained_on is None else int(self.parts.trained_on.sum())

    @cached_property
    def part_of_source(self) -> tuple[str, ...]:
        """For each source ``feature_noise``, ``missing_cells``, ``system_noise``, ``target_error``, ``group`` or
        ``epistemic``."""
        others = [part for part in OTHER_PARTS if part not in OPTIONAL or np.any(self._others[part] > 0)]
        return ("feature_noise",) * len(self.parts.columns) + tuple(others)

    @cached_property
    def sources(self) -> tuple[str, ...]:
        """Names of the sources; a column that is called like another source gets `` (column)`` behind its name."""
        named = [f"{name} (column)" if name in OTHER_PARTS else name for name in self.parts.columns]
        return (*named, *self.part_of_source[len(named) :])

    @cached_property
    def variance(self) -> np.ndarray:
        """``(rows, targets, sources)``: variance that each source causes, in the target's unit squared."""
        behind = [self._others[part][:, :, None] for part in self.part_of_source[len(self.parts.columns) :]]
        return np.concatenate([self.parts.contribution, *behind], axis=2, dtype=np.float64)

    @property
    def _others(self) -> dict[str, np.ndarray]:
        """Variances of the sources that are no columns."""
        parts = self.parts
        missing, group = (np.zeros_like(parts.system) if p is None else p for p in (parts.missing, parts.group))
        return {
            "missing_cells": missing,
            "system_noise": parts.system,
            "target_error": parts.target_error,
            "group": group,
            "epistemic": parts.epistemic,
        }

    @cached_property
    def total_variance(self) -> np.ndarray:
        """``(rows, targets)``: the sum over the sources."""
        return self.variance.sum(axis=2)

    @property
    def contribution(self) -> np.ndarray:
        """``(rows, targets, sources)``: standard deviation that each source causes, in the target's unit."""
        return np.sqrt(self.variance)

    @property
    def share(self) -> np.ndarray:
        """``(rows, targets, sources)``: share of the row's variance; 0 throughout where a row has none."""
        return shares(self.variance)

    @property
    def dominant(self) -> np.ndarray:
        """Name of the largest source of each row: ``(rows,)``, or ``(rows, targets)`` for several targets."""
        largest = np.asarray(self.sources, dtype=object)[self.variance.argmax(axis=2)]
        return largest[:, 0] if len(self.target_names) == 1 else largest

    @property
    def kind(self) -> np.ndarray:
        """``(rows, sources)``: how the size of each error is known, as a number into ``KINDS``."""
        others = [OTHER_PARTS[part] for part in self.part_of_source[len(self.parts.columns) :]]
        behind = np.broadcast_to(np.array(others, dtype=np.int8), (len(self), len(others)))
        return np.concatenate([self.parts.kind, behind], axis=1)

    @property
    def identifiable_sources(self) -> np.ndarray:
        """``(sources,)``: whether the data can separate a source whose size was learned from all others."""
        known = {"system_noise": self.identifiable}
        others = [known.get(part, True) for part in self.part_of_source[len(self.parts.columns) :]]
        return np.array([*self.parts.identifiable, *others], dtype=bool)

    def target(self, name: str) -> NoiseBudget:
        """The budget of one of the targets.

        Parameters
        ----------
        name : str
            One of `target_names`.

        Returns
        -------
        NoiseBudget
            Without the other targets.
        """
        if name not in self.target_names:
            raise SettingError(f"there is no target {name!r}; the budget has {list(self.target_names)}")
        at = [self.target_names.index(name)]
        cut = {field: getattr(self.parts, field)[:, at] for field in OF_TARGETS}
        unseen = None if self.parts.unseen_lacking is None else self.parts.unseen_lacking[at]
        missing, group = (None if p is None else p[:, at] for p in (self.parts.missing, self.parts.group))
        bounds = None if self.parts.share_bounds is None else self.parts.share_bounds[at]
        return NoiseBudget(
            self.parts._replace(
                target_names=(name,),
                unseen_lacking=unseen,
                missing=missing,
                group=group,
                share_bounds=bounds,
                **cut,
            )
        )

    def rows(self, positions: Any) -> NoiseBudget:
        """The budget of some of the rows.

        Parameters
        ----------
        positions : slice, mask or list of int
            Which rows, counted from 0.

        Returns
        -------
        NoiseBudget
            Without the other rows.
        """
        cut = {field: getattr(self.parts, field)[positions] for field in OF_ROWS}
        for field in ("trained_on", "missing", "group"):
            if (part := getattr(self.parts, field)) is not None:
                cut[field] = part[positions]
        index = None if self.parts.index is None else self.parts.index[positions]
        return NoiseBudget(self.parts._replace(index=index, **cut))

    def row(self, position: int) -> pd.DataFrame:
        """The budget of one row.

        Parameters
        ----------
        position : int
            Which row, counted from 0; negative from the end.

        Returns
        -------
        DataFrame
            A line for each source (and target), columns as in ``mean(every=True)``.
        """
        try:
            at = range(len(self))[position]
        except (IndexError, TypeError) as error:
            raise SettingError(f"there is no row {position!r}; rows count from 0 to {len(self) - 1}") from error
        return self.rows(slice(at, at + 1)).mean(every=True)

    def mean(self, *, every: bool = False) -> pd.DataFrame:
        """The budget of all rows together.

        Variances are averaged over the rows and ``share`` is of the averaged total. ``std`` (of the source, in
        its own unit) and ``sensitivity`` (change of the mean a unit of the source) are roots of mean squares;
        of a single row the sensitivity keeps its sign. Both are NaN for what has none, such as categories.
        ``origin`` says how the size of the error is known: learned, declared, missing cell or exact. ``share_low`` and
        ``share_high`` are the 90 % interval of a share that was learned, by the profile likelihood of unseen rows.

        Parameters
        ----------
        every : bool, default=False
            Whether all columns come, also ``part``, ``sensitivity``, ``variance`` and ``identifiable``; without them
            the table fits a screen.

        Returns
        -------
        DataFrame
            A line for each source (and target).
        """
        from taylor_sensus.budget_mean import SHORT, budget_sums, mean_table

        table = mean_table(budget_sums(self))
        return table if every else table[[name for name in SHORT if name in table]]

    def to_frame(self) -> pd.DataFrame:
        """The long table, with the row's label in the column ``row``.

        Returns
        -------
        DataFrame
            A line for each row, target and source.
        """
        rows, targets, sources = self.variance.shape
        kind = self.kind
        behind = np.full((rows, targets, sources - len(self.parts.columns)), np.nan)
        std = np.broadcast_to(self.parts.input_std[:, None, :], self.parts.contribution.shape)

        def repeated(names: tuple[str, ...], codes: np.ndarray) -> pd.Categorical:
            known = list(dict.fromkeys(names))
            place = np.array([known.index(name) for name in names], dtype=np.int32)
            return pd.Categorical.from_codes(np.broadcast_to(place[codes], (rows, targets, sources)).ravel(), known)

        each = np.arange(sources)
        table = {
            "row": np.repeat(self.index.to_numpy(), targets * sources),
            "target": repeated(self.target_names, np.arange(targets)[:, None]),
            "source": repeated(self.sources, each),
            "part": repeated(self.part_of_source, each),
            "std": np.concatenate([std, behind], axis=2).ravel(),
            "sensitivity": np.concatenate([self.parts.sensitivity, behind], axis=2).ravel(),
            "contribution": self.contribution.ravel(),
            "variance": self.variance.ravel(),
            "share": self.share.ravel(),
            "origin": repeated(KINDS, kind[:, None, :]),
            "identifiable": np.repeat((self.identifiable_sources | (kind != LEARNED))[:, None, :], targets, 1).ravel(),
        }
        frame = pd.DataFrame(table)
        return frame if targets > 1 else frame.drop(columns="target")

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the budget as stacked bars.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; on new axes by default.
        **options : Any
            Further arguments of ``taylor_sensus.plots.plot_budget``.

        Returns
        -------
        Axes
            The axes with the figure.
        """
        from taylor_sensus.plots.budget import plot_budget

        return plot_budget(self, ax=ax, **options)

    def __str__(self) -> str:
        from taylor_sensus.words.budget_text import budget_text

        return budget_text(self)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from taylor_sensus.words.budget_text import budget_html

        return budget_html(self)


OF_TARGETS = ("contribution", "sensitivity", "system", "target_error", "epistemic")
OF_ROWS = (*OF_TARGETS, "input_std", "kind")
"""The parts that have an axis of targets, and those that have one of rows."""


def shares(variance: np.ndarray) -> np.ndarray:
    """Variances as shares of their sum along the last axis; 0 where the sum is 0."""
    largest = variance.max(axis=-1, keepdims=True, initial=0)
    relative = variance / np.where(largest > 0, largest, 1)  # first to about 1, so that tiny units do not vanish
    total = relative.sum(axis=-1, keepdims=True)
    return relative / np.where(total > 0, total, 1)


def checked(parts: BudgetParts) -> BudgetParts:
    """The parts as arrays of the expected shapes, without negative variances; anything else is refused."""
    rows, targets, columns = len(parts.system), len(parts.target_names), len(parts.columns)
    by_target, by_cell = (rows, targets), (rows, columns)
    shapes = dict.fromkeys(("contribution", "sensitivity"), (rows, targets, columns))
    shapes |= dict.fromkeys(("system", "target_error", "epistemic"), by_target)
    shapes |= dict.fromkeys(("input_std", "kind"), by_cell) | {"identifiable": (columns,)}
    arrays = {name: np.asarray(getattr(parts, name)) for name in shapes}
    problems = [f"{n} has shape {arrays[n].shape}, not {want}" for n, want in shapes.items() if arrays[n].shape != want]
    for name in ("contribution", "system", "target_error", "epistemic"):
        if not (arrays[name].min(initial=0) >= 0 and arrays[name].max(initial=0) < np.inf):
            problems.append(f"{name} holds variances below 0 or not finite")
    if arrays["kind"].size and not (arrays["kind"].min() >= 0 and arrays["kind"].max() < len(KINDS)):
        problems.append(f"kind holds numbers outside 0 to {len(KINDS) - 1}")
    if parts.index is not None and len(parts.index) != rows:
        problems.append(f"there are {len(parts.index)} labels for {rows} rows")
    if problems:
        raise DataError(f"these are not the parts of a noise budget: {'; '.join(problems)}")
    return parts._replace(**arrays)
