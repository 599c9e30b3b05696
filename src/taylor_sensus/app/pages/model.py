"""The fitted model: its report, and what can be downloaded."""

from __future__ import annotations

from collections.abc import Sequence

from taylor_sensus.app.pages.frame import page, problem
from taylor_sensus.app.workbench import MODEL, REPORT, Opened
from taylor_sensus.words.html import Content, shown, tag


def model_page(opened: Opened, trouble: str | None = None) -> str:
    """The report in a frame of its own, in which nothing can run; the script makes the frame as high as the report."""
    names: list[Content] = []
    for name in opened.model.fitted_.target_names:
        names += [", "] * bool(names) + [shown(name)]
    files = tag(
        "p",
        tag("a", "Report", href=f"/download/{REPORT}", download=REPORT, id="download-report"),
        tag("a", "Model", href=f"/download/{MODEL}", download=MODEL, id="download-model"),
        class_="downloads",
    )
    return page(
        "Your model",
        problem(trouble),
        _warned(opened.warnings),
        tag("p", "From ", shown(opened.name, 80), ". It predicts ", names, "."),
        files,
        _command(opened.command),
        tag("iframe", src="/report", title="Report", sandbox="allow-same-origin", class_="report"),
        here="/model",
    )


def _warned(texts: Sequence[str]) -> Content:
    return tag("ul", [tag("li", text) for text in texts], class_="warnings") if texts else None


def _command(command: str | None) -> Content:
    if command is None:
        return None
    return tag("details", tag("summary", "The same on the command line"), tag("pre", tag("code", command)))
