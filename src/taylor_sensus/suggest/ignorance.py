"""How the model's ignorance at one row goes together with that at another, so that a measurement tells of both.

The *epistemic* covariance is made of three parts, whose variances add up to the epistemic variance of a prediction:

- the doubt of the kernel part, whose covariance is that of its Gaussian process given the training rows;
- the disagreement of the members. With eight members errors seem to go together over any distance, so their
  covariance is multiplied by the correlation of the process, which fades with distance;
- the belief beyond the data, which goes together as far as that correlation reaches.

What rows *teach* is judged by a smoother covariance: few members and the belief beyond the data are a rough measure of
a single row, and on concrete batches chosen by them learned more slowly. As far as the kernel part shares in the mean,
the covariance of its process takes the place of the one above, at the same average size: altogether where it has half
of the mean or more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taylor_sensus.suggest.process_view import ProcessView, Seen
from taylor_sensus.suggest.survey import Survey


class Rows(NamedTuple):
    """Rows that have been surveyed."""

    scaled: np.ndarray
    survey: Survey
    seen: Seen

    def some(self, rows: np.ndarray) -> Rows:
        """These rows only."""
        return Rows(self.scaled[rows], self.survey.some(rows), Seen(*[part[rows] for part in self.seen]))


def epistemic_covariance(view: ProcessView, a: Rows, b: Rows) -> np.ndarray:
    """Of the epistemic errors at all pairs of rows, in scaled units."""
    x, y = a.survey, b.survey
    sizes = x.deviation @ y.deviation.T
    sizes += np.multiply.outer(x.kernel_std, y.kernel_std) + np.multiply.outer(x.prior_std, y.prior_std)
    return view.correlation(a.seen, b.seen) * sizes


class Teaching(NamedTuple):
    """The smoother covariance, for choosing rows to learn from."""

    view: ProcessView
    share: float
    """Of the process."""
    size: float
    """What makes the variance of the process as large as the model's ignorance, on average."""

    def covariance(self, a: Rows, b: Rows) -> np.ndarray:
        """Between all pairs of rows."""
        process = self.size * self.view.covariance(a.seen, b.seen)
        return self.share * process + (1 - self.share) * epistemic_covariance(self.view, a, b)

    def variance(self, rows: Rows) -> np.ndarray:
        """Of each row."""
        process = self.size * self.view.variance_of(rows.seen)
        return self.share * process + (1 - self.share) * rows.survey.variance


def teaching(view: ProcessView, share: float, watched: Rows) -> Teaching:
    """With the size that fits the watched rows."""
    return Teaching(view, share, float(watched.survey.variance.mean() / view.variance_of(watched.seen).mean()))


MOST = 4.0
"""How many times more or less than typical the noise of a row may be: it is only known roughly."""


def within_reason(noise: np.ndarray, typical: float) -> np.ndarray:
    """Noise variances, those far from typical drawn in."""
    return np.clip(noise, typical / MOST, typical * MOST)
