"""Sliders for one row, and what the model says about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from taylor_sensus.app.pages.frame import button, field, form, page, problem, select, wide
from taylor_sensus.app.whatif import Control, RowView
from taylor_sensus.plots.budget import plot_budget
from taylor_sensus.plots.dependence import plot_dependence
from taylor_sensus.plots.labels import plain, with_unit
from taylor_sensus.plots.style import COLOURS
from taylor_sensus.report.html import table
from taylor_sensus.report.svg import figure
from taylor_sensus.tables.units import split_header
from taylor_sensus.words.budget_text import HEADINGS, LEFT, blocks_of, exact_words, split_words
from taylor_sensus.words.format import number, one_line
from taylor_sensus.words.html import Content, Markup, shown, tag
from taylor_sensus.words.notebook import statuses
from taylor_sensus.words.verdicts import row as row_verdict

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHOWN = ("source", "causes (std)", "share", "known from", "its error (std)")
MISSING = {"": "(missing)"}


def whatif_page(
    controls: Sequence[Control],
    targets: Sequence[str],
    view: Markup,
    entries: Mapping[str, str],
    trouble: str | None = None,
) -> str:
    """The sliders, and beside them what they make of the prediction."""
    lines = [_control(at, control, entries) for at, control in enumerate(controls)]
    columns = {str(at): shown(control.column.name) for at, control in enumerate(controls) if control.moves}
    curve = tag("label", tag("span", "Curve along"), select("along", columns, entries.get("along", "0"), id="along"))
    whose: Content = None
    if len(targets) > 1:
        names = {str(at): shown(name) for at, name in enumerate(targets)}
        whose = tag(
            "label", tag("span", "Figures of"), select("target", names, entries.get("target", "0"), id="target")
        )
    inputs = form(
        "/what-if", tag("div", lines, class_="controls"), tag("div", curve, whose, class_="options"),
        button("Update", id="update"), id="what-if",
    )  # fmt: skip
    hint = (
        "Move a slider, or write a number; empty means not measured. The field with ± is the error of this input: "
        "empty means as in training (declared there where a number is shown, else learned), 0 means exact."
    )
    return page(
        "What if?",
        problem(trouble),
        tag("p", hint, class_="soft"),
        tag("div", inputs, tag("div", view, id="view", aria_live="polite"), class_="beside"),
        here="/what-if",
    )


def _control(at: int, control: Control, entries: Mapping[str, str]) -> Markup:
    header = split_header(control.column.name)
    name = tag("span", shown(header.name), tag("small", " ", shown(header.unit)) if header.unit else None)
    value = entries.get(f"value-{at}", "")
    if control.column.categories is not None:
        words = {**MISSING, **{str(place): shown(category) for place, category in enumerate(control.column.categories)}}
        return tag("div", tag("label", name, select(f"value-{at}", words, value)), class_="control")
    if not control.moves:  # nothing was learned from it, so there is nothing to play with
        same = tag("small", f"{value or 'missing'} in all training rows", class_="soft")
        return tag("div", name, same, field("hidden", f"value-{at}", value), class_="control")
    position, named = value or f"{control.start:g}", one_line(header.name, 40)
    slider = field("range", f"slider-{at}", position, min=f"{control.low:.10g}", max=f"{control.high:.10g}",
                   step=f"{control.step:.10g}", data_for=f"value-{at}", aria_label=f"slider of {named}")  # fmt: skip
    exact = field("number", f"value-{at}", value, step="any", id=f"value-{at}")
    error = field("number", f"error-{at}", entries.get(f"error-{at}", ""), step="any", min="0",
                  placeholder="±" if control.declared is None else f"± {control.declared:.2g}",
                  aria_label=f"error of {named}")  # fmt: skip
    return tag("div", tag("label", name, exact), error, slider, class_="control")


def view_of(view: RowView, position: int) -> Markup:
    """The prediction as numbers, its curve and its budget; figures are of the target at `position`."""
    names = view.prediction.target_names
    cards = [_card(view, at) for at in range(len(names))]
    return tag("div", tag("div", cards, class_="cards"), _curve(view, names[position]), _budget(view, names[position]))


def _card(view: RowView, at: int) -> Markup:
    name = view.prediction.target_names[at]
    unit = split_header(name).unit
    own = view.prediction.target(name)
    low, high = (float(bound.reshape(1, -1)[0, at]) for bound in view.interval)
    mean, std, known = float(own.mean[0]), float(own.std[0]), float(own.familiarity[0])
    verdict = row_verdict(known)
    words = "few or no measurements nearby: mostly the trend of all data" if verdict != "good" else "measured nearby"
    return tag(
        "div",
        tag("b", shown(split_header(name).name)),
        tag("strong", f"{number(mean, unit)} ± {number(std, unit)}", class_="mean"),
        tag("span", f"90 % interval: {number(low, unit)} to {number(high, unit)}", class_="interval"),
        tag("br"),
        tag("span", f"familiarity {known:.2f}: {words}", class_="soft"),
        class_=f"card {verdict}",
    )


def _curve(view: RowView, target: str) -> Markup:
    names = tuple(plain(name) for name in view.curve.target_names)
    curve, own = replace(view.curve, target_names=names), view.prediction.target(target)
    label = names[view.curve.target_names.index(target)]
    place = view.at
    if view.along.column.categories is not None:
        place = view.places.index(place) if isinstance(view.places, list) and place in view.places else np.nan

    def draw(ax: Axes) -> None:
        plot_dependence(view.places, curve, column=view.along.column.name, target=label, ax=ax)
        ax.plot([place], [own.mean[0]], marker="o", markersize=7, color=COLOURS["outside"], zorder=5)
        ax.set_ylabel(with_unit(target))

    alt = f"Prediction along {one_line(view.along.column.name)}, the other columns as they are"
    words = "The point is this row; the band is the 90 % interval of its distribution, split into its sources."
    return tag("figure", figure(draw, "curve", alt, (6.2, 3.6)), tag("figcaption", words))


def _budget(view: RowView, target: str) -> Markup:
    """The sources of the error bar: drawn, and as a table that fits a narrow screen."""
    budget = view.budget.target(target)
    drawn = figure(
        lambda ax: plot_budget(budget, rows="all", ax=ax), "budget", "The error bar by its sources", (6.2, 1.9)
    )
    block = blocks_of(budget)[0]
    places = [HEADINGS.index(heading) for heading in SHOWN]
    lines = [[shown(line[at]) if at == 0 else line[at] for at in places] for line in block.lines]
    words = [at for at, place in enumerate(places) if place in LEFT]
    sources = table(SHOWN, lines, words=words, label="Noise budget")
    remarks = split_words(budget.identifiable, budget.assumes_one_size)
    remarks += exact_words(budget.parts.probably_exact)
    caption = [tag("b", shown(block.title)), wide(statuses(block.statuses), "Checks"), sources]
    caption += [tag("p", tag("bdi", remark)) for remark in remarks]
    return tag("figure", drawn, tag("figcaption", caption), class_="budget")
