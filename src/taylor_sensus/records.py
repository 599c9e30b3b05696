"""Records that all rooms share: encoded rows on their way in, and what a fit says of itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from taylor_sensus.tables.column import Column


class DeclaredError(NamedTuple):
    """Measuring error (standard deviation) that the user gave for a feature."""

    share: float
    """Share of the column's cells that have one."""
    std: float
    """Its typical size, in the column's unit; 0 for exact values."""


class DeclaredCheck(NamedTuple):
    """Reduced chi-squares of unseen rows against declared measuring errors of a target; of 0 rows where none was."""

    rows: int
    alone: float
    """Squared errors over the declared variance alone: clearly below 1, the declared errors are too large."""
    known: float
    """Over all that is known, with the variance of the mean: clearly above 1, they are too small, or not all noise."""


class SuspectedGroups(NamedTuple):
    """Columns whose values come again together, in fewer sets than rows."""

    columns: tuple[str, ...]
    sets: int
    """Different sets of their values."""


@dataclass(frozen=True, kw_only=True)
class FitSummary:
    """Sample sizes, fitted choices and cross-validated scores of one fit; the source of `summary()` and its warnings.

    Numbers of targets are in the order of the targets and in their units. A field that an older model file does not
    hold is None, which means unknown.
    """

    rows: int
    """Rows of the training table, repeats included."""
    distinct_rows: int
    """Training rows after equal ones were merged and those of weight 0 were left out."""
    validation_rows: int
    """Rows that were given to evaluate on only; 0 if there were none."""
    missing_cells: int
    """Cells of the features without a value."""
    constant_columns: tuple[str, ...]
    """Encoded features that never change, which were left out."""
    declared: Mapping[str, DeclaredError]
    """Declared measuring errors, by encoded feature; features without any are not there."""
    declared_targets: tuple[float, ...]
    """Usual declared measuring error of each target, as a standard deviation, over the rows that have one; 0 where none
    was given."""
    declared_target_shares: tuple[float, ...] | None
    """Share of the rows whose measuring error of the target was declared."""
    declared_target_checks: tuple[DeclaredCheck, ...] | None
    """Whether the scatter of unseen rows bears the declared measuring errors out, for each target."""
    probably_exact: Mapping[str, str] | None
    """Columns that look exact although no error of 0 was declared, and why."""
    pure_error: tuple[float, ...] | None
    """Pure error: the standard deviation of each target between rows that share their input, which is the noise of all
    sources together. None: too few repeats."""
    pure_error_freedom: float
    """Degrees of freedom of the pure error."""
    repeated_inputs: int
    """Inputs that were measured more than once, if the pure error is known."""
    curved: bool
    """Whether a straight line is clearly worse than the model."""
    split_identifiable: bool
    """Whether the data can separate noise of the features from noise of the system: its share is known to 0.5."""
    noise_share_bounds: tuple[tuple[tuple[float, float], ...], ...] | None
    """For each target and column, and then the system, the 90 % interval of its share of the learned noise."""
    held_out_rows: int
    """Rows that the scores below come from: validation rows, or training rows predicted without them."""
    held_out_rmse: tuple[float, ...]
    """Root-mean-square error on unseen rows."""
    held_out_explained: tuple[float, ...]
    """Share of the variance explained on unseen rows (R squared); below 0 if worse than the mean, not a number where
    the target does not vary."""
    held_out_coverage: Mapping[int, tuple[float, ...]]
    """Share of unseen rows inside central intervals, by their level in percent."""
    held_out_thirds: tuple[tuple[float, ...], ...] | None
    """The same of 90 % intervals among the surest, the middle and the least sure third of the rows, by target."""
    frequency_scale: float | None
    """Frequencies of the embedding that were chosen by trial."""
    outliers: tuple[int, ...] | None
    """Places in the user's table of rows far off what the others say, which count little; the farthest first."""
    seed: int | None
    """Seed of all random numbers of the fit."""
    group_title: str | None = None
    """What the groups of rows are, such as a batch. None: no groups were given."""
    groups: int = 0
    """How many there are."""
    group_stds: tuple[float, ...] | None = None
    """Standard deviation between groups, of each target; 0 where unseen groups gain nothing from one."""
    suspected_groups: SuspectedGroups | None = None
    """Columns that look as if they named groups of rows, although none were given."""
    negative_bounds: tuple[float, ...] | None = None
    """Share of unseen rows whose 90 % intervals begin below 0, of targets that are never negative; 0 for others."""
    outlier_names: tuple[str, ...] | None = None
    """Names of the outliers, in their order. None: rows have no names, and go by their places."""
    time_limit: float | None = None
    """Seconds that the fit was allowed to take. None: no limit."""


class EncodedTable(NamedTuple):
    """Rows as numbers in the user's units; `prior_mean` only if the prior is a function of the user's own."""

    x: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    prior_mean: np.ndarray | None = None
    x_err: np.ndarray | None = None
    """Declared standard deviations of the features; not a number where unknown. So with `y_err`."""
    y_err: np.ndarray | None = None
    group: np.ndarray | None = None
    """Code of each row's group, -1 where it has none; None where no groups were given."""
    x_cov: np.ndarray | None = None
    """Covariances of the features' errors in a row, `(rows, features, features)`, where they go together."""
    xy_cov: np.ndarray | None = None
    """Of the features' errors with the target's, `(rows, features)`."""
    y_limit: np.ndarray | None = None
    """-1 where the target lies below the number that is given, 1 where above, 0 where it was measured, like y."""

    def take(self, rows: np.ndarray) -> EncodedTable:
        """These rows only."""
        return EncodedTable(*[None if part is None else part[rows] for part in self])  # type: ignore[arg-type]


class Names(NamedTuple):
    """How the user calls things."""

    columns: tuple[Column, ...]
    targets: tuple[str, ...]
    one_dimensional: bool
    groups: GroupNames | None = None
    """None where no groups were given."""


class GroupNames(NamedTuple):
    """What groups are, such as a batch, and the name of each, by its code."""

    title: str
    labels: tuple[str, ...]


class Query(NamedTuple):
    """Encoded rows to predict, in the user's units; gaps are not a number."""

    x: np.ndarray
    prior_mean: np.ndarray | None = None
    """If the prior is a function of the user's own."""
    x_err: np.ndarray | None = None
    """Standard deviations; not a number where the noise is as in training."""
    y_err: np.ndarray | None = None
    group: np.ndarray | None = None
    """Codes of known groups, -1 for others; None where all are new."""

    def take(self, rows: slice) -> Query:
        """These rows only."""
        return Query(self.x[rows], *(None if part is None else part[rows] for part in self[1:]))
