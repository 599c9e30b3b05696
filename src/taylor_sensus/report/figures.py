"""The report's figures: which plot for what, how large, and counted in cells where there are too many rows to draw."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from taylor_sensus.budget import NoiseBudget
from taylor_sensus.budget_mean import BudgetSums
from taylor_sensus.plots.budget import draw_bars, plot_budget
from taylor_sensus.plots.calibration import plot_calibration
from taylor_sensus.plots.density import plot_parity_density
from taylor_sensus.plots.dependence import plot_dependence
from taylor_sensus.plots.familiarity import plot_familiarity
from taylor_sensus.plots.labels import plain, with_unit
from taylor_sensus.plots.parity import plot_parity
from taylor_sensus.plots.residuals import MANY_ROWS, plot_residuals
from taylor_sensus.report.contents import Curve, EvaluatedTarget
from taylor_sensus.report.svg import figure
from taylor_sensus.words.format import one_line
from taylor_sensus.words.html import Content, Markup, tag

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SQUARE = (4.6, 4.4)


def captioned(drawing: Markup, words: Content) -> Markup:
    """A figure with words below it."""
    return tag("figure", drawing, tag("figcaption", words))


def parity(evaluated: EvaluatedTarget, target: str, at: int) -> Markup:
    """Predicted against measured; with error bars as long as there are few enough rows."""
    alt = f"Predicted against measured {one_line(target)}, {len(evaluated.y)} rows"
    if len(evaluated.y) > MANY_ROWS:
        words = (
            f"Predicted against measured values. {len(evaluated.y):,} rows are too many to draw with error bars, so "
            "all of them are counted in cells. On the dashed line prediction and measurement agree."
        )
        drawing = figure(
            lambda ax: plot_parity_density(evaluated.y, evaluated.mean, target=target, ax=ax),
            f"parity{at}",
            alt,
            SQUARE,
        )
        return captioned(drawing, words)
    prediction = replace(evaluated.prediction, target_names=(target,))
    drawing = figure(lambda ax: plot_parity(evaluated.y, prediction, ax=ax), f"parity{at}", alt, SQUARE)
    return captioned(
        drawing, "Each point is a row, its bar a 90 % interval. On the dashed line prediction and measurement agree."
    )


def calibration(evaluated: EvaluatedTarget, at: int) -> Markup:
    """Nominal against observed coverage."""
    drawing = figure(
        lambda ax: plot_calibration(evaluated.y, evaluated.prediction, ax=ax),
        f"calibration{at}",
        "How many measurements intervals of each size held, against what they promise",
        SQUARE,
    )
    words = (
        "Below the dashed line the intervals hold less than they promise (overconfident), above it more. "
        "Within the grey band the difference may be chance."
    )
    return captioned(drawing, words)


def average_budget(sums: BudgetSums, at: int) -> Markup:
    """The budget of all rows together as one bar."""
    variance = sums.variance[at : at + 1] / sums.rows

    return captioned(
        figure(
            lambda ax: draw_bars(variance, sums.sources, sums.part_of_source, [""], sums.target_names[at], ax),
            f"budget{at}",
            "The average error bar divided into its sources",
            (7.6, 1.9),
        ),
        f"The average error bar of {sums.rows:,} rows. Its length is the standard deviation; its pieces are shares of "
        "the variance.",
    )


def worst_budget(budget: NoiseBudget, at: int) -> Markup:
    """The rows with the largest error bars, one bar each."""
    return captioned(
        figure(
            lambda ax: plot_budget(budget, rows="all", ax=ax),
            f"worst{at}",
            "The largest error bars divided into their sources",
            (7.6, 4.0),
        ),
        f"The {len(budget)} rows with the largest error bars.",
    )


def familiarity(values: np.ndarray) -> Markup:
    """How many rows are how familiar."""
    return captioned(
        figure(lambda ax: plot_familiarity(values, ax=ax), "familiarity", "Histogram of familiarity", (6.4, 3.2)),
        f"All {len(values):,} rows. To the left of 0.5 a prediction leans on the trend of all data more than on "
        "measurements nearby.",
    )


def residuals(evaluated: EvaluatedTarget, target: str, at: int) -> Markup:
    """Errors in standard deviations over the predicted value."""
    drawing = figure(
        lambda ax: plot_residuals(
            evaluated.y, evaluated.mean, evaluated.std, labels=evaluated.labels, target=target, ax=ax
        ),
        f"residuals{at}",
        "Errors in standard deviations over the predicted value",
        (7.0, 3.6),
    )
    two, three = (one_in(evaluated.expected_beyond(limit)) for limit in (2, 3))
    words = f"Dotted: 2 standard deviations, which about {two} should exceed; dashed: 3, about {three}."
    if len(evaluated.y) >= MANY_ROWS:
        words += f" All {len(evaluated.y):,} rows are counted in cells, darker where there are more."
    return captioned(drawing, words)


def one_in(share: float) -> str:
    """A small share as people say it."""
    return f"1 row in {1 / share:,.0f}" if share > 0 else "no row"


def common_limits(curves: list[Curve], at: int) -> tuple[float, float]:
    """Limits of one target that hold the bands of all curves, so that these can be compared."""
    edges = []
    for curve in curves:
        bounds = curve.average.target(curve.average.target_names[at]).interval(0.9)
        edges += [bounds.lower.min(), bounds.upper.max()]
    low, high = (min(edges), max(edges)) if edges else (0.0, 1.0)
    margin = 0.03 * (high - low) or 0.5
    return low - margin, high + margin


def dependence(curve: Curve, target: str, place: tuple[int, int], limits: tuple[float, float]) -> Markup:
    """One curve; ``place`` are the positions of the target and of the curve."""
    names = tuple(plain(name) for name in curve.average.target_names)
    average = replace(curve.average, target_names=names)

    def draw(ax: Axes) -> None:
        plot_dependence(curve.at, average, column=curve.column, target=names[place[0]], legend=False, ax=ax)
        ax.set_ylabel(with_unit(target))
        ax.set_ylim(limits)

    alt = f"Average prediction over {one_line(curve.column)}"
    return tag("figure", figure(draw, f"curve{place[0]}-{place[1]}", alt, (4.0, 2.9)))
