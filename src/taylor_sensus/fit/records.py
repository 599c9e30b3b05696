"""What goes into a fit and what comes out of it, in scaled units."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from taylor_sensus.fit.declared_errors import KnownErrors
from taylor_sensus.fit.padding import room_for
from taylor_sensus.fit.process import FittedKernel, Stored, Support
from taylor_sensus.model.density import DensityPerception
from taylor_sensus.model.taylor_block import DeepTaylorBlock


class Table(NamedTuple):
    """A scaled training table: the first `train` rows are for fitting, the rest only score and calibrate."""

    x: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    prior_mean: np.ndarray
    prior_variance: np.ndarray
    train: int
    errors: KnownErrors | None = None
    """Errors of features and targets that are known; None if there are none."""
    repeated_noise: np.ndarray | None = None
    """Variance of each target between rows that share their input, if there are enough of them."""

    def some(self, rows: np.ndarray) -> Table:
        """These rows, which must be in ascending order; no copy if they are all."""
        if len(rows) == len(self.x):
            return self
        x = np.take(self.x, rows, axis=0, out=room_for((len(rows), self.x.shape[1])))
        y, weight, prior_mean = (part[rows] for part in (self.y, self.weight, self.prior_mean))
        errors = None if self.errors is None else self.errors.some(rows)
        train = int((rows < self.train).sum())
        return Table(x, y, weight, prior_mean, self.prior_variance, train, errors, self.repeated_noise)


class Chosen(NamedTuple):
    """What was chosen by trying: a later fit to more rows of the same table can take it over."""

    frequency_scale: float
    contrast: str
    kernel: Stored | None


class FittedEnsemble(NamedTuple):
    """A trained ensemble in scaled units."""

    blocks: DeepTaylorBlock
    """All members, stacked along a first axis."""
    densities: DensityPerception
    """One perception for all members (staged), or one each (joint), stacked."""
    support: Support | None
    """The kernel part."""
    fitted_kernel: FittedKernel | None
    unseen: np.ndarray
    """True where a member has not seen a row, `(members, rows)`."""
    history: pd.DataFrame
    chosen: Chosen
    optimism: float = 1.0
    """How much larger the networks' squared error is than the rows that stopped them show."""
    imputed_scale: float = 1.0
    """Factor on the variance of cells that were missing."""

    def some(self, rows: np.ndarray) -> FittedEnsemble:
        """The same, with what is known of single rows for these rows only."""
        kernel = None if self.fitted_kernel is None else self.fitted_kernel.some(rows)
        return self._replace(unseen=self.unseen[:, rows], fitted_kernel=kernel)
