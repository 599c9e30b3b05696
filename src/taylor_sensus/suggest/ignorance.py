"""How the model's ignorance at one row goes together with that at another, so that a measurement tells of both.

Two views of it. What rows *teach* is judged by the covariance of the model's Gaussian process given its training rows:
smooth, and exact for the kernel part of the mean. On concrete, batches chosen by it learned faster than batches chosen
by the epistemic covariance below, which few members and the belief beyond the data make rough.

The *epistemic* covariance is made of three parts, whose variances add up to the epistemic variance of a prediction:

- the doubt of the kernel part, whose covariance is that of the process;
- the disagreement of the members. With eight members errors seem to go together over any distance, so their
  covariance is multiplied by the correlation of the process, which fades with distance;
- the belief beyond the data, which goes together as far as that correlation reaches.
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


def teaching_noise(view: ProcessView, noise: np.ndarray, typical: float) -> np.ndarray:
    """Variance of the noise of measurements beside the covariance of the process: its own, more where rows are noisy.

    `noise` is what the model says at each row, and `typical` at most rows.
    """
    return view.noise * np.clip(noise / max(typical, 1e-300), 1 / MOST, MOST)


MOST = 4.0
"""How many times more or less than typical the noise may be: it is only known roughly."""
