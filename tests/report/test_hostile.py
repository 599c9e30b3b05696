"""Strings that want to be more than strings: as names, categories, labels and file names they stay what they are."""

import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from taylor_sensus.plots.dependence import plot_dependence
from taylor_sensus.plots.labels import plain
from taylor_sensus.prediction import Prediction
from taylor_sensus.report import make_report
from taylor_sensus.report.html import shown, tag
from taylor_sensus.report.svg import figure
from taylor_sensus.wording import one_line

HOSTILE = [
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "</title><script>alert(2)</script>",
    "</style><script>alert(3)</script>",
    "<img src=x onerror=alert(4)>",
    '"><img src=x onerror=alert(5)>',
    "'><svg/onload=alert(6)>",
    '" onmouseover="alert(7)',
    "' onfocus='alert(8)' autofocus='",
    "<svg><script>alert(9)</script></svg>",
    "</svg><iframe srcdoc='<script>alert(10)</script>'>",
    "</text></svg><script>alert(11)</script>",
    "<a href=javascript:alert(12)>x</a>",
    "javascript:alert(13)",
    "data:text/html,<script>alert(14)</script>",
    "<meta http-equiv=refresh content='0;url=//evil.example'>",
    "<base href=//evil.example>",
    "<link rel=stylesheet href=//evil.example/x.css>",
    "<style>*{background:url(//evil.example)}</style>",
    "}</style><style>body{display:none}",
    "x;background:url(//evil.example/a)",
    "--share:0;position:fixed;inset:0",
    "<!--",
    "--><script>alert(15)</script>",
    "<![CDATA[<script>alert(16)</script>]]>",
    "<?xml version='1.0'?><!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>&e;",
    "&lt;script&gt;alert(17)&lt;/script&gt;",
    "&#60;script&#62;",
    "&amp;&quot;&apos;",
    "{{7*7}}${7*7}<%= 7*7 %>#{7*7}",
    "%3Cscript%3Ealert(18)%3C/script%3E",
    "\\u003cscript\\u003e",
    "=cmd|' /C calc'!A0",
    "=HYPERLINK(\"//evil.example\",\"x\")",
    "+1+cmd",
    "-2+3",
    "@SUM(1+1)*cmd",
    "\t=1+1",
    "\r=1+1",
    "\u202egnp.exe",
    "a\u2066b\u2067c\u2069d",
    "\u200f\u200e\u061c x",
    "z\u200bw\u200dj\ufeff",
    "line one\nline two\r\nline three",
    "tab\tand\x0bothers\x0c",
    "nul\x00bell\x07esc\x1b[31mred",
    "\ufffe\uffff",
    "$\\frac{1}{0}$",
    "$x^{",
    "\\input{/etc/passwd}",
    "%s %d {0} {name}",
    "x" * 5000,
    "Z\u0351\u036b\u0343\u036a\u0302" * 30,
    "👩‍👩‍👧‍👦 family",
    "العربية والعبرية עברית",
    "../../../etc/passwd",
    "'; DROP TABLE rows; --",
    "nan",
    "None",
    " ",
]  # fmt: skip
ELEMENTS = {
    "html", "head", "meta", "title", "style", "body", "header", "h1", "h2", "h3", "p", "nav", "a", "main", "section",
    "div", "b", "strong", "span", "i", "ul", "li", "table", "caption", "thead", "tbody", "tr", "th", "td", "bdi",
    "code", "figure", "figcaption", "details", "summary",
    "svg", "g", "path", "use", "text", "defs", "clippath", "rect", "tspan",
}  # fmt: skip
ATTRIBUTES = {
    "charset", "http-equiv", "content", "name", "lang", "class", "id", "href", "style", "scope", "viewbox", "role",
    "aria-label", "d", "clip-path", "transform", "x", "y", "width", "height", "clippathunits",
}  # fmt: skip
STYLE = re.compile(r"(?:[\w-]+:\s*(?:[-\w.#%, ]|var\(--[\w-]+\)|rotate\([^)]*\))+;?\s*)*")


class Inert(HTMLParser):
    """Collects everything that is not plain text."""

    def __init__(self):
        super().__init__()
        self.problems, self.text, self.in_style = [], "", False

    def handle_starttag(self, tag, attrs):
        if tag not in ELEMENTS:
            self.problems.append(f"element {tag}")
        for name, value in attrs:
            if name not in ATTRIBUTES:
                self.problems.append(f"attribute {name} of {tag}")
            if name == "href" and not re.fullmatch(r"#[\w-]+", value):
                self.problems.append(f"link {value}")
            if name == "style" and not STYLE.fullmatch(value):
                self.problems.append(f"style {value}")
        self.in_style = tag == "style"

    def handle_endtag(self, tag):
        self.in_style = False

    def handle_comment(self, data):
        self.problems.append(f"comment {data[:40]}")

    def handle_pi(self, data):
        self.problems.append(f"instruction {data[:40]}")

    def unknown_decl(self, data):
        self.problems.append(f"declaration {data[:40]}")

    def handle_data(self, data):
        if not self.in_style:
            self.text += data


def read(page):
    reader = Inert()
    reader.feed(page)
    reader.close()
    return reader


@pytest.fixture(scope="module")
def page(make_model):
    """One report in which every hostile string is a column, a category, a label, a target and part of a file name."""
    rng = np.random.default_rng(0)
    rows = 2 * len(HOSTILE)
    labels = pd.Index(HOSTILE * 2, dtype=object)
    columns = {name: rng.normal(size=rows) for name in HOSTILE}
    words = [HOSTILE[at::4] for at in range(4)]
    for at, choices in enumerate(words):
        columns[f"words {at}"] = np.array(choices * rows, dtype=object)[rng.permutation(rows)]
    x = pd.DataFrame(columns, index=labels)
    y = pd.DataFrame({name: x[HOSTILE[at]] + 0.1 for at, name in enumerate(HOSTILE[:3])})
    model = make_model().fit(x, y)
    names = "".join(HOSTILE[:30])
    return make_report(model, data=(x, y), candidates=x.iloc[:12], model_name=names, data_name=HOSTILE[5])


def test_there_are_enough_of_them():
    assert len(set(HOSTILE)) == len(HOSTILE) >= 50


def test_the_page_has_only_its_own_elements(page):
    assert read(page.html).problems == []


def test_the_reader_would_notice():
    for text in (
        "<script>",
        "<p onclick='x'>",
        "<a href='javascript:x'>",
        "<p style='background:url(//x)'>",
        "<!--x-->",
    ):
        assert read(text).problems, text


def test_nothing_invisible_or_turning_is_left(page):
    assert not re.search(
        "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff]", page.html
    )
    page.html.encode("utf-8")


def test_no_cell_begins_like_a_formula(page):
    for cell in re.findall(r"<(?:td|th)[^>]*>(?:<bdi>)?([^<]*)", page.html):
        assert not re.match(r"\s*[=+@]", cell) or re.fullmatch(r"\+[\d.]+", cell), cell
        assert not re.match(r"\s*-", cell) or cell == "-" or re.fullmatch(r"-[\d.,e+-]+", cell), cell


def test_they_are_shown_as_what_they_are(page):
    text = read(page.html).text
    for name in ("<script>alert(1)</script>", "&lt;script&gt;alert(17)&lt;/script&gt;", "$x^{", "'=cmd|' /C calc'!A0"):
        assert name in text
    assert "x" * 61 not in text


def test_the_answers_as_text_are_one_line_each(page):
    assert len(page.text.splitlines()) == 4 and "\u202e" not in page.text and "\x1b" not in page.text


@pytest.mark.parametrize("name", [*HOSTILE, "\ud800 of a file name"], ids=range(len(HOSTILE) + 1))
def test_each_as_label_axis_and_heading(name):
    """Wherever a report puts a name, one by one, so that nothing else could hide it."""

    def draw(ax):
        plot_dependence([name, "other"], average(name), column=name, legend=False, ax=ax)
        ax.set_title(plain(name))

    made = [figure(draw, "one", one_line(name)), tag("h1", one_line(name)), shown(name), tag("p", name, title=name)]
    for piece in made:
        found = read(piece)
        assert found.problems in ([], ["attribute title of p"]), piece
    for piece in made[:3]:
        piece.encode("utf-8")
        assert len(piece) < 40_000 and "\n" not in piece.removesuffix("\n")
    ElementTree.fromstring(made[0])


def average(name):
    """Two predictions for a target of that name, as the report passes them to figures."""
    ones = np.ones(2)
    return Prediction(ones, ones, ones, ones, familiarity=ones, target_names=(plain(name),))
