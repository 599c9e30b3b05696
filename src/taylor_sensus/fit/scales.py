"""How much wider or narrower the noise must be to fit rows that the members have not seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from taylor_sensus.fit.padding import held_out_average

T = TypeVar("T")


def ensemble_gain(means: np.ndarray, unseen: np.ndarray, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """How much smaller the whole ensemble's squared error is than that of the members that had not seen a row.

    With v the variance between members, an average of r members errs by b + v/r: held-out rows show r members,
    predictions use all of them. `means` is (members, rows, targets), `unseen` (members, rows).
    """
    members = len(means)
    count = unseen.sum(axis=0)
    average = held_out_average(means, unseen)
    error = np.average((y - average) ** 2, axis=0, weights=weight)
    between = np.average(means.var(axis=0, ddof=1), axis=0, weights=weight) if members > 1 else 0.0
    saved = between * (np.average(1 / count, weights=weight) - 1 / members)
    return np.clip(1 - saved / np.maximum(error, 1e-30), 0.5, 1.0)


def noise_scale(residual: np.ndarray, noise: np.ndarray, doubt: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """For each target the factor on the noise variance that suits the residuals of unseen rows.

    Half-way, on a log scale, between the factor that makes the residuals most likely and the one whose 90 % intervals
    hold 90 % of them. The two agree where residuals are normal; with long tails the first alone makes most intervals
    too wide for the sake of a few rows. `noise` and `doubt` are the predicted noise variance and the variance between
    members, `(rows, targets)`.
    """
    scales = []
    for r2, v, d in zip((residual**2).T, noise.T, doubt.T, strict=True):

        def cost(log_scale: float, r2=r2, v=v, d=d) -> float:
            total = np.exp(log_scale) * v + d
            return float(np.average(np.log(total) + r2 / total, weights=weight))

        def excess(log_scale: float, r2=r2, v=v, d=d) -> float:
            return weighted_quantile(np.sqrt(r2 / (np.exp(log_scale) * v + d)), 0.9, weight) - NORMAL_90

        likely = float(minimize_scalar(cost, bounds=(-4, 4), method="bounded").x)
        low, high = likely - 1, likely + 1
        holding = brentq(excess, low, high, xtol=1e-4) if excess(low) > 0 > excess(high) else likely
        scales.append(np.exp((likely + holding) / 2))
    return np.array(scales)


NORMAL_90 = 1.6449
"""Half width of a central 90 % interval of the normal distribution, in standard deviations."""


def weighted_quantile(values: np.ndarray, level: float, weight: np.ndarray) -> float:
    """The value below which this share of the weight lies, interpolated between rows."""
    order = np.argsort(values, kind="stable")
    share = (np.cumsum(weight[order]) - weight[order] / 2) / weight.sum()
    return float(np.interp(level, share, values[order]))


CAUTIONS = (2.0, 3.0, 4.0, 6.0, 8.0, 12.0)
"""Candidates for how far below the usual density a row may lie and still be familiar, in standard deviations."""


def safest_familiarity(candidates: Sequence[T], cost: Callable[[T], float], tolerance: float = 0.005) -> T:
    """The first candidate, the quickest to fall back on the prior, that costs the unseen rows nothing.

    A rule of thumb would either spoil predictions that are good although few rows are near, or trust a network
    where it guesses.
    """
    costs = [cost(candidate) for candidate in candidates]
    close = (c for c, its in zip(candidates, costs, strict=True) if its <= min(costs) + tolerance)
    return next(close, candidates[0])
