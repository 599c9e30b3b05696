"""A fitted model in words and numbers, in the manner of a fit report: as text, and the same for a notebook."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import TYPE_CHECKING, NamedTuple

from taylor_sensus.settings import DEFAULTS
from taylor_sensus.tables.column import Column
from taylor_sensus.words import notebook, verdicts
from taylor_sensus.words.format import explained_share, one_line
from taylor_sensus.words.html import Content, shown, tag
from taylor_sensus.words.verdicts import Status
from taylor_sensus.words.warnings import not_learned, warnings_of

if TYPE_CHECKING:
    from taylor_sensus.fitted import FittedModel

LONGEST = 60
"""Characters of a user's name that are shown."""


MOST_NAMED = 10
"""Rows that are named at most."""


class Name(str):
    """A user's name among our own words: put on one line in text, and kept apart from its neighbours in HTML."""

    __slots__ = ()


class Part(NamedTuple):
    """A title, and what stands below it: for each line its name and its value in pieces."""

    title: list[str]
    lines: dict[str, list[str]]


def statuses(fitted: FittedModel) -> list[Status]:
    """Accuracy, calibration, amount of data: see `taylor_sensus.words.verdicts` for where the words begin and end."""
    return verdicts.of_model(fitted.fit_summary, fitted.target_names, len(warnings_of(fitted)), not_learned(fitted))


def summary_text(fitted: FittedModel) -> str:
    """In short, data, noise, calibration, settings that differ from the defaults, and warnings, as lines of text."""
    in_short = {one.about: [f"{one.word}: {one.why}"] for one in statuses(fitted)}
    lines = ["[[Taylor-Sensus model]]"]
    for part in [Part(["In short"], in_short), *_parts(fitted)]:
        width = max(map(len, part.lines))
        lines.append(f"[[{_text(part.title)}]]")
        lines += [f"    {name:<{width}} = {_text(value)}" for name, value in part.lines.items()]
    lines.append("[[Warnings]]")
    lines += [f"    {one}" for one in warnings_of(fitted)] or ["    none"]
    return "\n".join(lines)


def summary_html(fitted: FittedModel) -> str:
    """The same for a notebook, with coloured words; what few people look for is folded."""
    fit, found = fitted.fit_summary, warnings_of(fitted)
    listed = tag("ul", [tag("li", tag("bdi", str(one))) for one in found], style="margin:.3em 0") if found else None
    data, *others = (
        notebook.card(_html(part.title), notebook.table(None, _rows(part), words=(0, 1))) for part in _parts(fitted)
    )
    return notebook.card(
        "Taylor-Sensus model",
        notebook.paragraph(
            ["predicts ", notebook.names(fitted.target_names)],
            f" from {len(fitted.columns):,} columns; fitted on {fit.rows:,} rows",
        ),
        notebook.statuses(statuses(fitted)),
        listed,
        others[:-1],
        notebook.folded("data and settings", data, others[-1]),
    )


def _parts(fitted: FittedModel) -> list[Part]:
    """The data, the errors on unseen rows of each target, and the model."""
    fit = fitted.fit_summary
    data = {
        "rows": [f"{fit.rows} ({fit.distinct_rows} distinct)"],
        "validation rows": [str(fit.validation_rows or "none given: held-out folds inside")],
        "features": _listed(_column_words(column) for column in fitted.columns),
        "targets": _listed([Name(name)] for name in fitted.target_names),
        **_known_words(fitted),
        **_group_words(fitted),
        **_outlier_words(fitted),
    }
    parts = [Part(["Data"], data)]
    for position, target in enumerate(fitted.target_names):
        coverage = {level: values[position] for level, values in fit.held_out_coverage.items()}
        lines = {
            "typical error (RMSE)": [f"{fit.held_out_rmse[position]:.5g}"],
            "variance explained": [explained_share(fit.held_out_explained[position], 1)],
            "intervals held": [", ".join(f"{level} %: {share:.0%}" for level, share in coverage.items())],
            **_third_words(fitted, position),
            **_share_words(fitted, position),
            "noise rescaled by": [f"{fitted.ensemble.noise_scale[position] ** 0.5:.3g}"],
        }
        parts.append(Part(["Unseen rows, ", Name(target)], lines))
    changed = {
        f.name: value for f in fields(DEFAULTS)
        if (value := getattr(fitted.settings, f.name)) != getattr(DEFAULTS, f.name)
    }  # fmt: skip
    lines = {"members": [str(fitted.members)], "changed settings": [one_line(changed or "none", 2000)]}
    if fit.time_limit is not None:
        lines["time limit"] = [f"{fit.time_limit:g} s; members, steps and centres above are what fitted into it"]
    return [*parts, Part(["Model"], lines)]


def _known_words(fitted: FittedModel) -> dict[str, list[str]]:
    """Declared errors and repeated measurements, as far as there are any."""
    fit, words = fitted.fit_summary, {}
    if fit.declared:
        words["declared errors"] = _listed(
            [Name(name), " exact" if std == 0 else f" {std:.3g}", "" if share == 1 else f" ({share:.0%} of the cells)"]
            for name, (share, std) in fit.declared.items()
        )
    if fit.probably_exact:
        words["probably exact"] = [
            *_listed([Name(name), f" ({why})"] for name, why in fit.probably_exact.items()),
            "; if so, declare an error of 0 (X_err)",
        ]
    if any(fit.declared_targets):
        shares = fit.declared_target_shares or (1.0,) * len(fit.declared_targets)
        pairs = zip(fitted.target_names, fit.declared_targets, shares, strict=True)
        words["declared errors of targets"] = _listed(
            [Name(name), f" {std:.3g}", "" if share == 1 else f" ({share:.0%} of the rows)"]
            for name, std, share in pairs
        )
    if fit.pure_error is not None:
        pairs = zip(fitted.target_names, fit.pure_error, strict=True)
        words["repeated inputs"] = [
            f"{fit.repeated_inputs}, between them a scatter of ",
            *_listed([f"{std:.3g} (", Name(name), ")"] for name, std in pairs),
            f" with {fit.pure_error_freedom:.3g} degrees of freedom, from all sources together",
        ]
    return words


def _third_words(fitted: FittedModel, position: int) -> dict[str, list[str]]:
    """Coverage by how sure the model is, where the model file has it."""
    thirds = fitted.fit_summary.held_out_thirds
    if thirds is None:
        return {}
    surest, middle, least = thirds[position]
    return {"90 % intervals held": [f"surest third: {surest:.0%}, middle: {middle:.0%}, least sure: {least:.0%}"]}


def _share_words(fitted: FittedModel, position: int) -> dict[str, list[str]]:
    """Between which bounds the system's share of the noise lies, where the model file has it."""
    bounds = fitted.fit_summary.noise_share_bounds
    if bounds is None:
        return {}
    low, high = bounds[position][-1]
    return {"share of the system": [f"{low:.0%} to {high:.0%} of the learned noise (90 % interval)"]}


def _group_words(fitted: FittedModel) -> dict[str, list[str]]:
    """How much groups of rows differ."""
    fit = fitted.fit_summary
    if fit.group_title is None:
        return {}
    words = [f"{fit.groups} of ", Name(fit.group_title), "; folds go by them"]
    differ = [(name, std) for name, std in zip(fitted.target_names, fit.group_stds or (), strict=False) if std > 0]
    if not differ:
        return {"groups": [*words, ", too few to tell differences between them"]}
    sizes = _listed([f"{std:.3g} (", Name(name), ")"] for name, std in differ)
    return {"groups": [*words, ", between them an expected standard deviation of ", *sizes, " beside the function"]}


def _outlier_words(fitted: FittedModel) -> dict[str, list[str]]:
    """Rows that count little."""
    rows = fitted.fit_summary.outliers
    if rows is None:
        return {"outliers": ["unknown: the model file is of an earlier version"]}
    if not rows:
        return {}
    names = fitted.fit_summary.outlier_names
    named = ", ".join(map(str, (names or rows)[:MOST_NAMED])) + (" ..." if len(rows) > MOST_NAMED else "")
    from_0 = " (first row is 0)" if names is None else ""
    return {"outliers": [f"{len(rows)} rows count less, possible typing errors{from_0}: {named}"]}


def _column_words(column: Column) -> list[str]:
    return [Name(column.name), "" if column.categories is None else f" ({len(column.categories)} categories)"]


def _listed(groups: Iterable[list[str]]) -> list[str]:
    """Groups of pieces with commas between them."""
    pieces: list[str] = []
    for group in groups:
        pieces += [", "] * bool(pieces) + group
    return pieces


def _text(pieces: list[str]) -> str:
    return "".join(one_line(piece, LONGEST) if isinstance(piece, Name) else piece for piece in pieces)


def _html(pieces: list[str]) -> list[Content]:
    return [shown(piece, LONGEST) if isinstance(piece, Name) else piece for piece in pieces]


def _rows(part: Part) -> list[tuple[Content, Content]]:
    return [(name, _html(value)) for name, value in part.lines.items()]
