"""Predictions and measurements: accuracy, calibration, and which rows are outliers."""

from __future__ import annotations

import numpy as np

from taylor_sensus.report import figures
from taylor_sensus.report.contents import Contents, EvaluatedTarget
from taylor_sensus.report.html import table
from taylor_sensus.report.sections.pieces import LISTED, bar, missing, section, target_heading
from taylor_sensus.scores import check_bounds, r2, std_error_correlation
from taylor_sensus.tables.units import split_header
from taylor_sensus.words.format import number, percent
from taylor_sensus.words.html import Content, Markup, shown, tag
from taylor_sensus.words.verdicts import chance

LEVELS = (0.5, 0.8, 0.9, 0.95)


def accuracy(contents: Contents) -> Markup:
    """Errors, and those of simple methods, and the parity plot."""
    title = "How good are the predictions?"
    evidence = contents.evidence
    if evidence is None:
        return section("accuracy", title, missing("a table with measured targets"))
    pieces: list[Content] = [tag("p", f"Evaluated on {len(evidence.y):,} rows. {evidence.origin}")]
    for at, name in enumerate(contents.fitted.target_names):
        evaluated = evidence.target(at)
        pieces.append(target_heading(contents, at))
        unit = split_header(name).unit
        explained = r2(evaluated.y, evaluated.mean)
        scores = [
            ("typical error (RMSE)", number(float(np.sqrt(np.mean((evaluated.y - evaluated.mean) ** 2))), unit)),
            ("mean absolute error", number(float(np.mean(np.abs(evaluated.y - evaluated.mean))), unit)),
            ("variance explained (R²)", percent(explained) if explained > 0 else "none"),
            (
                "error of the whole distribution (CRPS)",
                number(float(evaluated.prediction.crps(evaluated.y).mean()), unit),
            ),
            ("negative log-likelihood a row", f"{-evaluated.prediction.logpdf(evaluated.y).mean():.3f}"),
        ]
        scores_figure = tag(
            "div",
            table(("on unseen rows" if evidence.unseen else "on these rows", ""), scores),
            _references(contents, at),
        )
        parity = figures.parity(evaluated, name, at)
        pieces.append(tag("div", parity, tag("figure", scores_figure), class_="figures"))
    if contents.references is None:
        pieces.append(
            tag("p", "Simple methods to compare with (mean, straight line, forest) need the table that the model was "
                "fitted on, with its targets.", class_="soft")
        )  # fmt: skip
    return section("accuracy", title, *pieces)


def _references(contents: Contents, at: int) -> Markup | None:
    if contents.references is None:
        return None
    unit = split_header(contents.fitted.target_names[at]).unit
    worst = max(method.rmse[at] for method in contents.references.methods) or 1.0
    lines = []
    for method in contents.references.methods:
        length = bar(number(float(method.rmse[at]), unit), float(method.rmse[at] / worst))
        own = method is contents.references.methods[-1]
        cells = [tag("td", method.name, class_="words"), length, tag("td", number(float(method.mae[at]), unit))]
        lines.append(tag("tr", cells, class_="own" if own else None))
    head = tag("tr", tag("th", "method", class_="words"), tag("th", "RMSE"), tag("th", "mean absolute error"))
    return tag(
        "div",
        tag(
            "table",
            tag("caption", "Against simple methods; smaller is better"),
            tag("thead", head),
            tag("tbody", lines),
        ),
        tag("p", " ".join(contents.references.notes), class_="soft"),
        class_="wide",
    )


def calibration(contents: Contents) -> Markup:
    """The calibration curve and the coverage table."""
    title = "Can the error bars be trusted?"
    evidence = contents.evidence
    if evidence is None:
        return section("honesty", title, missing("a table with measured targets"))
    pieces: list[Content] = []
    for at, name in enumerate(contents.fitted.target_names):
        evaluated = evidence.target(at)
        pieces.append(target_heading(contents, at))
        scores_figure = tag("figure", _coverage(evaluated, split_header(name).unit))
        pieces.append(tag("div", figures.calibration(evaluated, at), scores_figure, class_="figures"))
    return section("honesty", title, *pieces)


def _coverage(evaluated: EvaluatedTarget, unit: str | None) -> Markup:
    _, y, prediction = evaluated
    held = {level: check_bounds(y, *prediction.interval(level), prediction.std) for level in LEVELS}
    rows = []
    for level in LEVELS:
        low, high = chance(len(y), level)
        rows.append(
            (
                f"{level * 100:g} %",
                percent(held[level].coverage),
                f"{100 * low:.0f} to {100 * high:.0f} %",
                number(held[level].width, unit),
            )
        )
    thirds = held[0.9][1:4]
    by_third = zip(("surest third", "middle third", "least sure third"), thirds, strict=True)
    related = std_error_correlation(y, prediction.mean, prediction.std)
    return tag(
        "div",
        table(("interval", "held", "by chance", "mean width"), rows,
              caption="How many measurements the intervals held"),
        table(("90 % intervals of the", "held"), [(who, percent(share)) for who, share in by_third],
              caption="The same, by how sure the model is"),
        tag("p", f"Rank correlation of error bar and actual error: {related:.2f}. Even perfect error bars stay well "
            "below 1; near 0 the model does not separate easy rows from hard ones.", class_="soft"),
    )  # fmt: skip


def second_look(contents: Contents) -> Markup:
    """Measurements far from their predictions."""
    title = "Measurements to check"
    evidence = contents.evidence
    if evidence is None:
        return section("second-look", title, missing("a table with measured targets"))
    pieces: list[Content] = [
        tag("p", "The largest errors in units of their error bars: a typing error, a special sample, or something that "
            "no column shows. Look at them before dropping any.")
    ]  # fmt: skip
    for at, name in enumerate(contents.fitted.target_names):
        evaluated, unit = evidence.target(at), split_header(name).unit
        z = evaluated.z
        beyond = int(np.count_nonzero(np.abs(z) > 3))
        rows = [
            (shown(evaluated.labels[row]), number(float(evaluated.y[row]), unit),
             number(float(evaluated.mean[row]), unit), number(float(evaluated.std[row]), unit),
             f"{z[row]:+.1f}".replace("-", "−"))
            for row in np.argsort(-np.abs(z), kind="stable")[:LISTED]
        ]  # fmt: skip
        expected = len(z) * evaluated.expected_beyond(3)
        expected_count = f"about {expected:.0f}" if expected >= 1 else "less than one"
        count = (
            f"{beyond:,} of {len(z):,} rows lie beyond 3 standard deviations; the predictions expect {expected_count}."
        )
        pieces += [
            target_heading(contents, at),
            figures.residuals(evaluated, name, at),
            tag("p", count),
            table(("row", "measured", "predicted", "std", "error / std"), rows),
        ]
    return section("second-look", title, *pieces)
