"""Strings that want to be more than strings, and a reader that notices if they succeed; for every test of a page."""

import re
from html.parser import HTMLParser

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
INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
"""Characters that are not seen, or that turn the writing direction."""
ATTRIBUTES = {
    "charset", "http-equiv", "content", "name", "lang", "class", "id", "href", "style", "scope", "viewbox", "role",
    "aria-label", "tabindex", "d", "clip-path", "transform", "x", "y", "width", "height", "clippathunits",
}  # fmt: skip
BAR = r"linear-gradient\(to right,rgba\([\d.,]+\) [\d.]+%,transparent [\d.]+%\)"
STYLE = re.compile(rf"(?:[\w-]+:\s*(?:[-\w.#%, ]|var\(--[\w-]+\)|rotate\([^)]*\)|{BAR})+;?\s*)*")
"""What may stand in a style: plain values, our own variables, and the bars behind shares."""


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
    """The page as a browser would part it: its text, and everything in it that we did not put there."""
    reader = Inert()
    reader.feed(page)
    reader.close()
    return reader
