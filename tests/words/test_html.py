"""Texts are texts: whatever they hold, they add no element and no attribute."""

from html.parser import HTMLParser

import pytest

from taylor_sensus.words.html import Markup, joined, shown, tag


class Elements(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found, self.text = [], ""

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data


def read(markup):
    reader = Elements()
    reader.feed(markup)
    return reader


def test_texts_and_attributes_are_escaped():
    page = read(tag("p", "<b>&amp;", title='"><script>'))
    assert page.found == [("p", {"title": '"><script>'})] and page.text == "<b>&amp;"


def test_markup_is_kept_and_nothing_else():
    page = read(tag("p", tag("b", "x"), ["<i>", None, [Markup("<u>y</u>")]]))
    assert [name for name, _ in page.found] == ["p", "b", "u"] and page.text == "x<i>y"


def test_joining_strings_gives_no_markup_by_accident():
    assert not isinstance(Markup("<b>") + "<script>", Markup), "so it is escaped when it is used"
    assert joined(Markup("<b>") + "<script>") == "&lt;b&gt;&lt;script&gt;"


def test_names_of_attributes():
    assert tag("td", class_="words", aria_label="x", id=None) == '<td class="words" aria-label="x"></td>'
    assert tag("meta", name="viewport") == '<meta name="viewport">'


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a\nb\tc", "a b c"),
        ("\u202egnp.exe", "gnp.exe"),
        ("\u2066x\u2069\u200f\u200b", "x"),
        ("\x00\x1b[31m", "[31m"),
        ("x" * 200, "x" * 59 + "…"),
        ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("-2+3+cmd", "'-2+3+cmd"),
        ("-2.5", "-2.5"),
        (" +x", "' +x"),
        ("שלום", "שלום"),
    ],
)
def test_names_are_shown_inert(text, seen):
    page = read(shown(text))
    assert page.text == seen and [name for name, _ in page.found] == ["bdi"]
