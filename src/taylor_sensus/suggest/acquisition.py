"""Acquisition functions: to learn most, to find the highest or lowest value, or to come near a value."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from taylor_sensus.errors import SettingError
from taylor_sensus.suggest.batch import Acquisition, PosteriorCovariance
from taylor_sensus.suggest.expected_improvement import (
    expected_distance,
    log_expected_approach,
    log_expected_improvement,
)
from taylor_sensus.suggest.space.constraints import is_number

LEARN, MAX, MIN, TARGET = "learn", "max", "min", "target"


class Goal(NamedTuple):
    """What is wanted; `value` in the target's unit, or in scaled units inside."""

    kind: str
    value: float = 0.0

    def __str__(self) -> str:
        words = {LEARN: "learn most", MAX: "find the highest", MIN: "find the lowest"}
        return words.get(self.kind, f"come near {self.value:g}")

    def best(self, mean: np.ndarray, std: np.ndarray) -> float:
        """The best of rows whose underlying value is known with these means and errors; a distance for a target."""
        if self.kind == TARGET:
            return float(expected_distance(mean, std, self.value).min())
        return float(mean.min() if self.kind == MIN else mean.max())

    def log_ei(self, mean: np.ndarray, std: np.ndarray, best: float) -> np.ndarray:
        """Log expected improvement on the best so far."""
        if self.kind == TARGET:
            return log_expected_approach(mean, std, self.value, best)
        sign = -1.0 if self.kind == MIN else 1.0
        return log_expected_improvement(sign * mean, std, sign * best)


def read_goal(goal: Any) -> Goal:
    """The goal as the user wrote it."""
    if goal in (LEARN, MAX, MIN):
        return Goal(goal)
    if isinstance(goal, (tuple, list)) and len(goal) == 2 and goal[0] == TARGET and is_number(goal[1]):
        return Goal(TARGET, float(goal[1]))
    raise SettingError(f'goal is {goal!r}; expected "learn", "max", "min" or ("target", a number)')


def variance_reduction(before: PosteriorCovariance, diversity: float) -> Acquisition:
    """Rows that lower the variance of the watched rows most. `diversity`: how much earlier choices count."""
    first = before.gain()

    def wanted(left: PosteriorCovariance, _chosen: list[int]) -> np.ndarray:
        return first * _share(left.gain(), first) ** diversity

    return wanted


def improvement(
    before: PosteriorCovariance, mean: np.ndarray, goal: Goal, best: float, diversity: float
) -> Acquisition:
    """Rows with the most log EI. Earlier choices count as measured, with the mean as their result."""
    first = before.own

    def wanted(left: PosteriorCovariance, chosen: list[int]) -> np.ndarray:
        std = np.sqrt(first * _share(left.own, first) ** diversity)
        now = best
        if chosen:
            found = goal.best(mean[chosen], std[chosen])
            now = max(best, found) if goal.kind == MAX else min(best, found)
        return goal.log_ei(mean, std, now)

    return wanted


def _share(now: np.ndarray, first: np.ndarray) -> np.ndarray:
    return np.divide(np.maximum(now, 0.0), first, out=np.zeros_like(first), where=first > 0)
