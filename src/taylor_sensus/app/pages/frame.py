"""The frame of every page, and the pieces of forms."""

from __future__ import annotations

from collections.abc import Mapping

from taylor_sensus.report.style import CSS
from taylor_sensus.words.format import one_line
from taylor_sensus.words.html import Content, Markup, joined, tag

TABS = {
    "/model": "Report",
    "/predict": "Predict",
    "/what-if": "What if",
    "/suggestions": "What next",
    "/": "New table",
}
TABLES = ".csv,.tsv,.txt,.xlsx,.xls,.parquet"


def page(title: str, *content: Content, here: str | None = None, refresh: int | None = None) -> str:
    """A whole page; `here` is its address if it belongs to a model, `refresh` reloads it where scripts are off."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width,initial-scale=1"),
        tag("title", f"{one_line(title)} · Taylor-Sensus"),
        tag("noscript", tag("meta", http_equiv="refresh", content=str(refresh))) if refresh else None,
        tag("style", Markup(CSS)),
        tag("link", rel="icon", href="data:,"),
        tag("link", rel="stylesheet", href="/static/app.css"),
        tag("script", src="/static/app.js", defer="defer"),
    )
    tabs = None
    if here is not None:
        links = [
            tag("a", words, href=address, aria_current="page" if address == here else None)
            for address, words in TABS.items()
        ]
        tabs = tag("nav", links, class_="tabs", aria_label="The model")
    top = tag("header", tag("p", "Taylor-Sensus", class_="brand"), tabs, tag("h1", title))
    return "<!DOCTYPE html>\n" + joined([tag("html", head, tag("body", top, tag("main", *content)), lang="en")]) + "\n"


def problem(words: str | None) -> Markup | None:
    """A box that says what went wrong; nothing if nothing did."""
    return None if words is None else tag("p", words, class_="problem", role="alert")


def wide(content: Content, label: str) -> Markup:
    """What may be wider than the page: it scrolls by itself, with the keyboard too."""
    return tag("div", content, class_="wide", tabindex="0", role="group", aria_label=label)


def select(name: str, options: Mapping[str, Content], chosen: str, **attributes: str) -> Markup:
    """A list to choose from."""
    entries = [
        tag("option", words, value=value, selected="selected" if value == chosen else None)
        for value, words in options.items()
    ]
    return tag("select", entries, name=name, **attributes)


def field(kind: str, name: str, value: str = "", **attributes: str | None) -> Markup:
    """A field to fill in."""
    return tag("input", type=kind, name=name, value=value, **attributes)


def labelled(words: Content, thing: Markup, hint: Content = None) -> Markup:
    """A field with its words, and below what else there is to say."""
    return tag("label", tag("span", words), thing, tag("small", hint, class_="soft") if hint else None)


def button(words: str, **attributes: str) -> Markup:
    """A button that sends its form."""
    return tag("button", words, type="submit", **attributes)


def form(action: str, *content: Content, files: bool = False, limit: int | None = None, **attributes: str) -> Markup:
    """A form that is sent to `action`; `limit` lets the script refuse large files before they are sent."""
    return tag(
        "form",
        *content,
        action=action,
        method="post",
        enctype="multipart/form-data" if files else None,
        data_limit=None if limit is None else str(limit),
        **attributes,
    )
