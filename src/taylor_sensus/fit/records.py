"""What goes into a fit and what its stages hand on, in scaled units."""

from __future__ import annotations

from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
import pandas as pd

from taylor_sensus.fit.padding import room_for
from taylor_sensus.model.declared_errors import DeclaredErrors
from taylor_sensus.model.ensemble import Ensemble, LawVoice
from taylor_sensus.model.gaussian_process import GaussianProcess, ProcessNumbers
from taylor_sensus.model.law import Law
from taylor_sensus.model.shapes import Bool, Float, Int


@runtime_checkable
class Progress(Protocol):
    """Told of each slice of work that is done."""

    def __call__(self, *, stage: str, member: int, share: float, loss: float, score: float) -> None: ...


class Table(NamedTuple):
    """A scaled training table: the first `train` rows are for fitting, the rest only score and calibrate."""

    x: Float[np.ndarray, "rows features"]
    y: Float[np.ndarray, "rows targets"]
    weight: Float[np.ndarray, " rows"]
    prior_mean: Float[np.ndarray, "rows targets"]
    prior_variance: Float[np.ndarray, " targets"]
    train: int
    group: Int[np.ndarray, " train"]
    """For each training row the number of the rows that splits keep together: those of a group, or of one input."""
    errors: DeclaredErrors | None = None
    """Errors of features and targets that are known; None if there are none."""
    reading: Bool[np.ndarray, " features"] | None = None
    """Which features were read with their declared errors, not set; None: none."""
    code: Int[np.ndarray, " rows"] | None = None
    """Code of each row's group as the user gave it, of all rows, -1 where there is none; None where none were given."""
    inputs: int = 0
    """Different inputs of the training rows."""
    limited: Bool[np.ndarray, " rows"] | None = None
    """Rows whose target tells only a bound and was replaced by an expected value; None: none."""

    def take(self, rows: Int[np.ndarray, " chosen"]) -> Table:
        """These rows, which must be in ascending order; no copy if they are all."""
        if len(rows) == len(self.x):
            return self
        x = np.take(self.x, rows, axis=0, out=room_for((len(rows), self.x.shape[1])))
        y, weight, prior_mean = (part[rows] for part in (self.y, self.weight, self.prior_mean))
        errors = None if self.errors is None else self.errors.take(rows)
        train = int((rows < self.train).sum())
        group = self.group[rows[:train]]
        code = None if self.code is None else self.code[rows]
        limited = None if self.limited is None else self.limited[rows]
        return Table(
            x,
            y,
            weight,
            prior_mean,
            self.prior_variance,
            train,
            group,
            errors,
            self.reading,
            code,
            self.inputs,
            limited,
        )

    @property
    def measured(self) -> Bool[np.ndarray, " rows"]:
        """Rows whose targets were measured."""
        return np.ones(len(self.x), bool) if self.limited is None else ~self.limited


class Chosen(NamedTuple):
    """What was chosen by trying: a later fit to more rows of the same table can take it over."""

    frequency_scale: float
    process: ProcessNumbers | None


class FoundProcess(NamedTuple):
    """A Gaussian process before it is weighed, and its answers as if each row were new."""

    process: GaussianProcess
    unseen_mean: Float[np.ndarray, "rows targets"]
    unseen_variance: Float[np.ndarray, " rows"]
    robust_weights: Float[np.ndarray, " rows"]
    """Factor on the weight of each row, 1 for a typical one"""
    centre: tuple[float, ...]
    """Typical length scales where its search began"""

    def take(self, rows: Int[np.ndarray, " chosen"]) -> FoundProcess:
        """With the answers for these rows only."""
        mean, variance, weights = (part[rows] for part in self[1:4])
        return FoundProcess(self.process, mean, variance, weights, self.centre)


class FoundLaw(NamedTuple):
    """A law, and its answers as if each row were new."""

    law: Law
    unseen_mean: Float[np.ndarray, "rows targets"]
    unseen_variance: Float[np.ndarray, "rows targets"]
    """What is not known of it."""

    def take(self, rows: Int[np.ndarray, " chosen"]) -> FoundLaw:
        """With the answers for these rows only."""
        return FoundLaw(self.law, self.unseen_mean[rows], self.unseen_variance[rows])


class TrainedEnsemble(NamedTuple):
    """What training hands to calibration."""

    ensemble: Ensemble
    """Without noise scale and familiarity, which calibration finds."""
    process: FoundProcess | None
    unseen: Bool[np.ndarray, "members rows"]
    """True where a member has not seen a row."""
    history: pd.DataFrame
    chosen: Chosen
    errors: DeclaredErrors | None
    """Of the table's rows, as far as unseen rows bear them out."""
    imputed_scale: float = 1.0
    """Factor on the variance of cells that were missing."""
    law: FoundLaw | None = None
    """What is behind features that were read with errors."""
    groups_differ: Bool[np.ndarray, " targets"] | None = None
    """For each target whether groups differ beside the function; None where no groups were given."""

    boosted_mean: Float[np.ndarray, "rows targets"] | None = None
    """What boosted trees that have not seen a row say of it; None where there are none."""

    def take(self, rows: Int[np.ndarray, " chosen"]) -> TrainedEnsemble:
        """The same, with what is known of single rows for these rows only."""
        process = None if self.process is None else self.process.take(rows)
        boosted = None if self.boosted_mean is None else self.boosted_mean[rows]
        law = None if self.law is None else self.law.take(rows)
        return self._replace(unseen=self.unseen[:, rows], process=process, boosted_mean=boosted, law=law)

    @property
    def voice(self) -> LawVoice | None:
        """The law's at the table's rows, as if it had not seen them; None where it has no share."""
        found = self.law
        if found is None or found.law.numbers.voice is None or not found.law.numbers.voice.any():
            return None
        share = np.broadcast_to(found.law.numbers.voice, found.unseen_mean.shape)
        return LawVoice(share, found.unseen_mean, found.unseen_variance)
