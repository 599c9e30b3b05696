"""How the model's ignorance at one row goes together with that at another, so that a measurement tells of both.

The covariance of the epistemic error is made of three parts, whose variances add up to the epistemic variance of a
prediction, exactly:

- the doubt of the kernel part, whose covariance is that of its Gaussian process given the training rows;
- the disagreement of the members. With eight members errors seem to go together over any distance, so their
  covariance is multiplied by the correlation of the process given the training rows, which fades with distance;
- the belief beyond the data, which goes together as far as that correlation reaches.

A model without a kernel part has no such process; a correlation that fades over a standard deviation stands in.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taylor_sensus.suggest.process_view import ProcessView, Seen, plain_correlation
from taylor_sensus.suggest.survey import Survey


class Rows(NamedTuple):
    """Rows that have been surveyed."""

    scaled: np.ndarray
    survey: Survey
    seen: Seen | None
    """None for a model without a kernel part."""

    def some(self, rows: np.ndarray) -> Rows:
        """These rows only."""
        seen = None if self.seen is None else Seen(*[part[rows] for part in self.seen])
        return Rows(self.scaled[rows], self.survey.some(rows), seen)


def rows_of(view: ProcessView | None, scaled: np.ndarray, survey: Survey) -> Rows:
    """Rows with all that covariances need."""
    return Rows(scaled, survey, None if view is None else view.seen(scaled))


def ignorance(view: ProcessView | None, a: Rows, b: Rows) -> np.ndarray:
    """Covariance of the epistemic errors at all pairs of rows, in scaled units."""
    if view is None or a.seen is None or b.seen is None:
        together = plain_correlation(a.scaled, b.scaled)
    else:
        together = view.correlation(a.seen, b.seen)
    x, y = a.survey, b.survey
    sizes = x.deviation @ y.deviation.T
    sizes += np.multiply.outer(x.kernel_std, y.kernel_std) + np.multiply.outer(x.prior_std, y.prior_std)
    return together * sizes
