"""From the results of the study `honesty` to what its tables and figure show: estimates with their standard errors."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd

from paper.honesty.cases import CASES, FUNCTIONS, MANY, PROCESS, ROWS, Case, of_kind


class Estimate(NamedTuple):
    """A figure over repeats and its standard error; the error is NaN where there is one repeat."""

    value: float
    error: float
    repeats: int


HELD = {50: (0.45, 0.55), 90: (0.86, 0.94), 95: (0.90, 1.00)}
"""Shares of new values that intervals of these levels should hold."""
Measure = Callable[[pd.DataFrame, str], Estimate | None]
"""From all scores and a method's name to a figure; None where there is none."""


class Asked(NamedTuple):
    """A figure, and the range that it should lie in."""

    what: str
    measure: Measure
    low: float | None = None
    high: float | None = None

    @property
    def range(self) -> str:
        """In words."""
        if self.low is None:
            return f"at most {self.high:.2g}"
        return f"at least {self.low:.2g}" if self.high is None else f"{self.low:.2g} to {self.high:.2g}"

    def outside(self, value: float) -> float:
        """How far a value is from the range; 0 or less inside."""
        below = -np.inf if self.low is None else self.low - value
        return max(below, -np.inf if self.high is None else value - self.high)


def mean(values: pd.Series) -> Estimate | None:
    """Over repeats that have a value."""
    values = values.dropna()
    return None if values.empty else Estimate(values.mean(), values.sem(), len(values))


def mean_of(column: str, cases: Iterable[Case]) -> Measure:
    """The mean of a column over all repeats of some cases."""
    names = [case.name for case in cases]

    def measure(scores: pd.DataFrame, method: str) -> Estimate | None:
        own = rows_of(scores, method, names)
        return mean(own[column]) if column in own else None

    return measure


def ratio_of(above: str, below: str, cases: Iterable[Case]) -> Measure:
    """One mean over another, with the error of such a ratio: a table with large errors weighs as much as these."""
    names = [case.name for case in cases]

    def measure(scores: pd.DataFrame, method: str) -> Estimate | None:
        own = rows_of(scores, method, names)
        if not {above, below} <= set(own) or own[[above, below]].dropna().empty:
            return None
        a, b = own[[above, below]].dropna().to_numpy().T
        ratio = a.mean() / b.mean()
        error = np.std(a - ratio * b, ddof=1) / np.sqrt(len(a)) / b.mean() if len(a) > 1 else np.nan
        return Estimate(float(ratio), float(error), len(a))

    return measure


def over_process(column: str, case: str) -> Measure:
    """A column over that of the process, on the repeats that both have."""

    def measure(scores: pd.DataFrame, method: str) -> Estimate | None:
        if column not in scores:
            return None
        own, other = (rows_of(scores, name, [case]).set_index("seed")[column] for name in (method, PROCESS))
        return mean(own / other)

    return measure


def least_of(column: str, groups: Iterable[Iterable[Case]]) -> Measure:
    """The least of the means over groups of cases."""
    measures = [mean_of(column, cases) for cases in groups]

    def measure(scores: pd.DataFrame, method: str) -> Estimate | None:
        found = [one(scores, method) for one in measures]
        return min((estimate for estimate in found if estimate is not None), default=None)

    return measure


def rows_of(scores: pd.DataFrame, method: str, cases: Iterable[str]) -> pd.DataFrame:
    """The repeats of a method in some cases."""
    return scores[(scores.method == method) & scores.dataset.isin(list(cases))]


def few(rows: int, *, generated: bool = False) -> list[Case]:
    """Cases with so many rows: all of them, or those whose function is known."""
    return [case for case in of_kind("few") if case.rows == rows and (not generated or case.source in FUNCTIONS)]


def _asked() -> list[Asked]:
    asked = []
    for rows in ROWS:
        asked += [
            Asked(f"{level} % intervals hold, {rows} rows", mean_of(f"coverage_{level}", few(rows)), *HELD[level])
            for level in HELD
        ]
    for rows in (*ROWS[1:], MANY):
        known, count = few(rows, generated=True), f"{rows:,} rows"
        squares = ratio_of("f_claimed_square", "f_error_square", known)
        least = least_of("f_spearman", [[case] for case in known])
        asked += [
            Asked(f"f within 1.645 standard errors, {count}", mean_of("f_held", known), 0.80, 0.96),
            Asked(f"standard error squared over error squared, {count}", squares, 0.6, 1.6),
            Asked(f"rank correlation of standard error and error, least of three functions, {count}", least, 0.0),
        ]
    one, ten, linear = ([CASES[name]] for name in ("one_slip", "ten_slips", "shares_linear"))
    several = [CASES["ten_slips_inputs"]]
    curved, alike = ([CASES[name]] for name in ("shares_curved", "shares_curved_system_like_slope"))
    known = [case for rows in (*ROWS, MANY) for case in few(rows, generated=True)]
    return [
        *asked,
        Asked("factorial design, RMSE between levels", mean_of("rmse_f", of_kind("factorial")), high=0.10),
        Asked("factorial design, std over the GP's", over_process("mean_std", "factorial"), 1 / 1.5, 1.5),
        Asked("90 % intervals hold, new batches", mean_of("coverage_90", of_kind("batches")), 0.86, 0.94),
        Asked("one slip in 120, std (true noise 0.1)", mean_of("mean_std", one), high=0.14),
        Asked("10 % slips, RMSE", mean_of("rmse_f", ten), high=0.06),
        Asked("10 % slips, share of them named", mean_of("named_slips", ten), 0.90),
        Asked("10 % slips, share of good rows named", mean_of("named_good", ten), high=0.02),
        Asked("10 % slips among four inputs, RMSE", mean_of("rmse_f", several), high=0.1),
        Asked("10 % slips among four inputs, share of good rows named", mean_of("named_good", several), high=0.02),
        Asked("lognormal noise, missed below", mean_of("missed_below", of_kind("lognormal")), 0.02, 0.08),
        Asked("lognormal noise, missed above", mean_of("missed_above", of_kind("lognormal")), 0.02, 0.08),
        Asked("counts, missed below", mean_of("missed_below", of_kind("counts")), 0.02, 0.08),
        Asked("counts, missed above", mean_of("missed_above", of_kind("counts")), 0.02, 0.08),
        Asked("90 % intervals of noise shares hold", mean_of("share_held", of_kind("shares")), 0.85),
        Asked("width of these, curved", mean_of("share_width", curved), high=0.5),
        Asked("width of these, linear", mean_of("share_width", linear), 0.8),
        Asked("said to be told apart, linear", mean_of("share_told_apart", linear), high=0.0),
        Asked("width of these, system like slope", mean_of("share_width", alike), 0.5),
        Asked("90 % intervals hold, precise table", mean_of("coverage_90", of_kind("precise")), 0.86, 0.95),
        Asked("largest second derivative over the GP's", over_process("curvature", "toy"), high=2.0),
        *(
            Asked(f"intervals reach the training range, {times:,} times the inputs",
                  mean_of(f"far_{times}", [*known, *of_kind("toy")]), 0.9)
            for times in (10, 1000)
        ),
    ]  # fmt: skip


ASKED = _asked()
