"""Censored cells, which give only a bound, as their expected values and standard deviations on their side of it.

The column's own distribution says what lies there: log-normal where all is positive, as concentrations are, else
normal; its two numbers are learned from measured and bounded cells together (expectation and maximisation).
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from taylor_sensus.model.truncated import truncated_normal
from taylor_sensus.tables.notation import Cells

FEWEST = 5
"""Measured cells from which a distribution is learned; with fewer, it is uniform from 0 to a positive bound."""
ROUNDS = 100


def expected_cells(cells: Cells) -> tuple[np.ndarray, np.ndarray]:
    """Values and errors of a column, with expected ones in place of bounds; NaN where no bound is given."""
    values, errors = cells.values.copy(), cells.errors.copy()
    bounded = (cells.sides != 0) & ~np.isnan(cells.bounds)
    if not bounded.any():
        return values, errors
    measured = values[~np.isnan(values)]
    bounds, sides = cells.bounds[bounded], cells.sides[bounded].astype(float)
    positive = bool((measured > 0).all() and (bounds > 0).all())
    if len(np.unique(measured)) < FEWEST:
        flat = positive & (sides < 0)
        values[bounded] = np.where(flat, bounds / 2, np.nan)
        errors[bounded] = np.where(flat, bounds / np.sqrt(12), np.nan)
        return values, errors
    change = np.log if positive else np.asarray
    mean, std = _learned(change(measured), change(bounds), sides)
    if positive:
        values[bounded], errors[bounded] = _log_normal(mean, std, np.log(bounds), sides)
    else:
        value, variance = truncated_normal(np.full(len(bounds), mean), np.full(len(bounds), std), bounds, sides)
        values[bounded], errors[bounded] = value, np.sqrt(variance)
    return values, errors


def _learned(measured: np.ndarray, bounds: np.ndarray, sides: np.ndarray) -> tuple[float, float]:
    """Mean and standard deviation, by expectation and maximisation."""
    mean, std = float(measured.mean()), max(float(measured.std()), 1e-12)
    for _ in range(ROUNDS):
        value, variance = truncated_normal(np.full(len(bounds), mean), np.full(len(bounds), std), bounds, sides)
        whole = np.concatenate([measured, value])
        before, mean = mean, float(whole.mean())
        std = max(float(np.sqrt(((whole - mean) ** 2).mean() + variance.sum() / len(whole))), 1e-12)
        if abs(mean - before) < 1e-6 * std:
            break
    return mean, std


def _log_normal(mean: float, std: float, log_bound: np.ndarray, sides: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of values whose logarithms are normal, on their side of the bound."""
    a = (log_bound - mean) / std
    part = np.where(sides < 0, ndtr(a), ndtr(-a))
    first = np.where(sides < 0, ndtr(a - std), ndtr(std - a)) * np.exp(mean + std**2 / 2)
    second = np.where(sides < 0, ndtr(a - 2 * std), ndtr(2 * std - a)) * np.exp(2 * mean + 2 * std**2)
    part = np.maximum(part, 1e-300)
    value = first / part
    return value, np.sqrt(np.maximum(second / part - value**2, 1e-12 * value**2))
