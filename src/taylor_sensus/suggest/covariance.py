"""How the model's error at one row goes together with that at another, so that a measurement is informative about both.

The *epistemic covariance* is made of three parts, whose variances add up to the epistemic variance of a prediction:

- the variance of the Gaussian process, whose covariance is its own given the training rows;
- the disagreement of the members. With eight members errors seem to go together over any distance, so their
  covariance is multiplied by the correlation of the process, which fades with distance;
- the prior's share beyond the data, which goes together as far as that correlation goes.

The information in rows comes from a smoother covariance, the learning kernel: few members and the prior beyond the data
are a rough measure of a single row, and on concrete batches chosen by them learned more slowly. As far as the process
shares in the mean, its covariance takes the place of the one above, at the same average size: altogether where it has
half of the mean or more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taylor_sensus.model.epistemic import EpistemicParts
from taylor_sensus.suggest.process_view import ProcessView, SeenRows


class SurveyedRows(NamedTuple):
    """Rows in scaled units, what the model says of them, and how its process sees them."""

    scaled: np.ndarray
    estimate: EpistemicParts
    process: SeenRows

    def take(self, rows: np.ndarray) -> SurveyedRows:
        """These rows only."""
        return SurveyedRows(self.scaled[rows], self.estimate.take(rows), self.process.take(rows))


def epistemic_covariance(view: ProcessView, a: SurveyedRows, b: SurveyedRows) -> np.ndarray:
    """Of the epistemic errors at all pairs of rows, in scaled units."""
    between = view.covariance(a.process, b.process)
    return view.correlation(a.process, b.process, between) * sizes(a, b)


def sizes(a: SurveyedRows, b: SurveyedRows) -> np.ndarray:
    """Covariance of the epistemic errors at all pairs of rows if they went together wholly."""
    x, y = a.estimate, b.estimate
    found = x.deviation @ y.deviation.T
    found += np.multiply.outer(x.process_std, y.process_std) + np.multiply.outer(x.prior_std, y.prior_std)
    return found


class LearningKernel(NamedTuple):
    """The smoother covariance, for choosing rows to learn from."""

    view: ProcessView
    share: float
    """Of the process."""
    size: float
    """What makes the variance of the process as large as the epistemic variance, on average."""

    def covariance(self, a: SurveyedRows, b: SurveyedRows) -> np.ndarray:
        """Between all pairs of rows."""
        process = self.view.covariance(a.process, b.process)
        total = self.share * self.size * process
        if self.share < 1:
            total += (1 - self.share) * self.view.correlation(a.process, b.process, process) * sizes(a, b)
        return total

    def variance(self, rows: SurveyedRows) -> np.ndarray:
        """Of each row."""
        process = self.size * self.view.variance(rows.process)
        return self.share * process + (1 - self.share) * rows.estimate.variance


def learning_kernel(view: ProcessView, share: float, watched: SurveyedRows) -> LearningKernel:
    """With the size that fits the watched rows."""
    return LearningKernel(view, share, float(watched.estimate.variance.mean() / view.variance(watched.process).mean()))
