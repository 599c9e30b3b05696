"""What a report holds, as plain records: gathered in one place, drawn and written in others."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from taylor_sensus.budget import NoiseBudget
from taylor_sensus.budget_mean import BudgetSums
from taylor_sensus.fitted import FittedModel
from taylor_sensus.prediction import Prediction
from taylor_sensus.words.warnings import ModelWarning

if TYPE_CHECKING:
    from taylor_sensus.suggest import Suggestions


class EvaluatedRows(NamedTuple):
    """Measured values and predictions by which the model is evaluated; arrays are ``(rows, targets)``."""

    origin: str
    """Where these predictions come from, as a sentence."""
    unseen: bool
    """Whether it is certain that the predictions were made without the rows' own measurements."""
    labels: pd.Index
    y: np.ndarray
    predictions: tuple[Prediction, ...]
    """The distributions of each target by itself."""

    @property
    def mean(self) -> np.ndarray:
        """``(rows, targets)``"""
        return np.stack([one.mean for one in self.predictions], axis=1)

    @property
    def std(self) -> np.ndarray:
        """``(rows, targets)``"""
        return np.stack([one.std for one in self.predictions], axis=1)

    def target(self, at: int) -> EvaluatedTarget:
        """One target's columns."""
        return EvaluatedTarget(self.labels, self.y[:, at], self.predictions[at])


class EvaluatedTarget(NamedTuple):
    """Measured values and predictions of one target; one value a row."""

    labels: pd.Index
    y: np.ndarray
    prediction: Prediction

    @property
    def mean(self) -> np.ndarray:
        """What was predicted."""
        return self.prediction.mean

    @property
    def std(self) -> np.ndarray:
        """Its standard deviation."""
        return self.prediction.std

    @property
    def z(self) -> np.ndarray:
        """Errors in predicted standard deviations."""
        return (self.y - self.mean) / self.std

    def expected_beyond(self, limit: float) -> float:
        """Share of rows that the predictions themselves expect farther off than so many standard deviations."""
        one = self.prediction
        return float(np.mean(1 - one.cdf(one.mean + limit * one.std) + one.cdf(one.mean - limit * one.std)))


class ReferenceMethod(NamedTuple):
    """A simple method on the same rows; one error a target."""

    name: str
    rmse: np.ndarray
    mae: np.ndarray


class References(NamedTuple):
    """Simple methods, and the model, on rows that none of them had seen."""

    methods: list[ReferenceMethod]
    """The model itself is the last."""
    notes: list[str]


class Listed(NamedTuple):
    """Some rows of the table, to be shown."""

    features: pd.DataFrame
    familiarity: np.ndarray
    epistemic: np.ndarray
    """``(rows, targets)``: standard deviation from too little data."""


class Survey(NamedTuple):
    """What the model says about all rows of the table."""

    rows: int
    labels: pd.Index
    std: np.ndarray
    """``(rows, targets)``"""
    familiarity: np.ndarray
    budget: BudgetSums
    worst: list[NoiseBudget]
    """For each target the rows with the largest standard deviations, the largest first."""
    worst_mean: list[np.ndarray]
    """What is predicted for them."""
    least_familiar: Listed
    """The least familiar rows, the least first."""
    lacking: Listed
    """The rows whose error owes most to too little data, the worst first."""
    identifiable: bool
    """Whether the data can separate the inputs' noise from the system's."""
    assumes_one_size: bool
    """Whether that holds only if the system's own noise has one size."""


class Curve(NamedTuple):
    """How predictions change with one column, on average over rows."""

    column: str
    at: np.ndarray | list[str]
    """Numbers, or categories."""
    average: Prediction
    """A row for each value of ``at``: averaged means and variances."""


class Dependence(NamedTuple):
    """The curves of the columns that move the predictions most."""

    curves: list[Curve]
    rows: int
    """Rows that were averaged over."""
    of_rows: int
    columns: int
    """Columns that were looked at to choose these."""


class Contents(NamedTuple):
    """Everything that stands in a report; None for what was not given or is not known."""

    fitted: FittedModel
    model_name: str
    data_name: str | None
    evidence: EvaluatedRows | None
    references: References | None
    survey: Survey | None
    dependence: Dependence | None
    ranges: pd.DataFrame | None
    """What the table's columns hold: smallest, middle and largest value, missing cells."""
    suggestions: Suggestions | None
    warnings: list[ModelWarning]
    made_with: dict[str, str]
    """Versions, seed, data hash."""
