"""What a fit says of itself, as a record: counts of the table, choices made, scores on unseen rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple


class DeclaredError(NamedTuple):
    """Measuring error (standard deviation) that the user gave for a feature."""

    share: float
    """Share of the column's cells that have one."""
    std: float
    """Its usual size, in the column's unit; 0 for exact values."""


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
    """Rows that were given to judge on only; 0 if there were none."""
    missing_cells: int
    """Cells of the features without a value."""
    constant_columns: tuple[str, ...]
    """Encoded features that never change, which were left out."""
    declared: Mapping[str, DeclaredError]
    """Declared measuring errors, by encoded feature; features without any are not there."""
    declared_targets: tuple[float, ...]
    """Usual declared measuring error of each target, as a standard deviation; 0 where none was given."""
    pure_error: tuple[float, ...] | None
    """Pure error: the standard deviation of each target between rows that share their input. None: too few repeats."""
    pure_error_freedom: float
    """Degrees of freedom of the pure error."""
    repeated_inputs: int
    """Inputs that were measured more than once, if the pure error is known."""
    curved: bool
    """Whether a straight line is clearly worse than the model."""
    split_identifiable: bool
    """Whether the data can tell noise of the features from noise of the system."""
    held_out_rows: int
    """Rows that the scores below come from: validation rows, or training rows judged by networks that missed them."""
    held_out_rmse: tuple[float, ...]
    """Root-mean-square error on unseen rows."""
    held_out_explained: tuple[float, ...]
    """Share of the variance explained on unseen rows (R squared); below 0 if worse than the mean."""
    held_out_coverage: Mapping[int, tuple[float, ...]]
    """Share of unseen rows inside central normal intervals, by their level in percent."""
    frequency_scale: float | None
    """Frequencies of the embedding that were chosen by trial."""
    outliers: tuple[int, ...] | None
    """Places in the user's table of rows far off what the others say, which count little; the farthest first."""
    seed: int | None
    """Seed of all random numbers of the fit."""
