"""The sections as one self-contained page."""

from __future__ import annotations

from taylor_sensus.report import sections
from taylor_sensus.report.contents import Contents
from taylor_sensus.report.style import CSS, POLICY
from taylor_sensus.words.format import one_line
from taylor_sensus.words.html import Markup, joined, tag

ORDER = (
    ("warnings", "Warnings", sections.warnings),
    ("accuracy", "Accuracy", sections.accuracy),
    ("honesty", "Error bars", sections.calibration),
    ("budget", "Noise budget", sections.budget),
    ("familiarity", "Familiarity", sections.familiarity),
    ("second-look", "Check", sections.second_look),
    ("dependence", "What was learned", sections.dependence),
    ("next", "What next", sections.next_steps),
    ("fitted", "What was fitted", sections.fitted),
    ("made-with", "Versions", sections.made_with),
)


def page(contents: Contents) -> str:
    """The whole page as text."""
    names = ", ".join(one_line(name) for name in contents.fitted.target_names)
    title = f"Predicting {names}"
    rows = contents.fitted.fit_summary.rows
    lead = (
        f"A Taylor-Sensus model of {len(contents.fitted.columns):,} columns, fitted on {rows:,} rows. "
        "It predicts values with error bars, and says where the error comes from."
    )
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("meta", name="viewport", content="width=device-width,initial-scale=1"),
        tag("title", title),
        tag("style", Markup(CSS)),
    )
    links = [tag("a", word, href=f"#{anchor}") for anchor, word, _ in ORDER]
    top = tag("header", tag("h1", title), tag("p", lead, class_="soft"), tag("nav", links))
    body = tag("body", top, tag("main", sections.in_short(contents), [make(contents) for _, _, make in ORDER]))
    return "<!DOCTYPE html>\n" + joined([tag("html", head, body, lang="en")]) + "\n"
