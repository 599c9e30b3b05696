"""How far declared errors show in the scatter of unseen rows.

Behind a reading stands a true input of which the declared error leaves some variance open; through the slope it reaches
the target. The law says how much that is on average. Whether rows with larger declared errors scatter more, unseen rows
say: errors that a whole instrument shares, or that were put down by a rule of thumb, do not tell rows apart. Then all
rows count with the usual size, and what is left for the system is the same on average.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

from taylor_sensus.model.shapes import Float

AGREEMENTS = (1.0, 0.0)
"""Candidates for the share of the declared differences between rows that is kept: with a part of them, the system's
noise would not be what the declared errors leave on average."""
FACTORS = (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1.0, 1.4)
"""Candidates for the factor on variances that come through readings, beside the law's."""


CHANCE = 2.0
"""Standard errors by which another factor must be likelier than what was declared."""


class DeclaredShare(NamedTuple):
    """What unseen rows bear out of declared errors."""

    agreement: float
    """Share of the differences between rows in what comes through readings that is kept, 0 to 1."""
    target_agreement: float
    """The same of the targets' own errors."""
    factor: float
    """On variances that come through readings."""


def tempered(
    variance: Float[np.ndarray, "rows columns"], weight: Float[np.ndarray, " rows"], agreement: float
) -> Float[np.ndarray, "rows columns"]:
    """Variances that differ less between rows and are the same on average; 0 stays 0."""
    there = variance > 0
    total = np.maximum((weight[:, None] * there).sum(axis=0), 1e-30)
    mean = (weight[:, None] * np.where(there, variance, 0.0)).sum(axis=0) / total
    return np.where(there, agreement * variance + (1 - agreement) * mean, 0.0)


def borne_out(
    residual: Float[np.ndarray, "rows targets"],
    weight: Float[np.ndarray, " rows"],
    through: Float[np.ndarray, "rows targets"],
    target: Float[np.ndarray, "rows targets"],
    other: Float[np.ndarray, "rows targets"],
    expected: float,
) -> DeclaredShare:
    """Agreements and factor, from residuals of unseen rows.

    `through` is the variance that comes through readings by the slopes of the regression, `expected` the factor on it
    that the law says, `target` the targets' own declared variance, and `other` what else is known. What is declared is
    taken as it is, with the law's factor, unless the likelihood is better with another by more than chance; then the
    factor next to it that is not worse than the best by more.
    """
    nearest = sorted(FACTORS, key=lambda factor: abs(np.log(factor / expected)))
    factors = (expected, *nearest) if through.any() else (1.0,)
    kept = [AGREEMENTS if part.any() else (1.0,) for part in (through, target)]
    pairs = sorted(itertools.product(*kept), key=sum, reverse=True)
    candidates = [DeclaredShare(first, second, factor) for factor in factors for first, second in pairs]
    costs = np.array([unlikeliness(residual, weight, _known(c, weight, through, target) + other) for c in candidates])
    means = costs @ weight / weight.sum()
    best = int(means.argmin())
    declared_first = (number for number, cost in enumerate(costs) if not clearly_worse(cost - costs[best], weight))
    return candidates[next(declared_first, best)]


def clearly_worse(worse: Float[np.ndarray, " rows"], weight: Float[np.ndarray, " rows"]) -> bool:
    """Whether rows are less likely, by these differences, than chance explains."""
    count = weight.sum() ** 2 / (weight**2).sum()
    mean = np.average(worse, weights=weight)
    return bool(mean > CHANCE * np.sqrt(np.average((worse - mean) ** 2, weights=weight) / count))


def _known(
    share: DeclaredShare,
    weight: Float[np.ndarray, " rows"],
    through: Float[np.ndarray, "rows targets"],
    target: Float[np.ndarray, "rows targets"],
) -> Float[np.ndarray, "rows targets"]:
    own = tempered(target, weight, share.target_agreement)
    return share.factor * tempered(through, weight, share.agreement) + own


def unlikeliness(
    residual: Float[np.ndarray, "rows targets"],
    weight: Float[np.ndarray, " rows"],
    known: Float[np.ndarray, "rows targets"],
) -> Float[np.ndarray, " rows"]:
    """Twice the negative log-likelihood of each row, with the best white noise beside what is known."""
    total = np.zeros(len(residual))
    for squared, own in zip((residual**2).T, known.T, strict=True):

        def of(
            log_noise: float, squared: Float[np.ndarray, " rows"] = squared, own: Float[np.ndarray, " rows"] = own
        ) -> float:
            whole = np.exp(log_noise) + own
            return float(np.average(np.log(whole) + squared / whole, weights=weight))

        middle = np.log(max(float(np.average(squared, weights=weight)), 1e-10))
        found = minimize_scalar(of, bounds=(middle - 9, middle + 1), method="bounded", options={"xatol": 0.02})
        whole = np.exp(found.x) + own
        total += np.log(whole) + squared / whole
    return total
