"""Strings that want to be more than strings: as names, categories, labels and file names they stay what they are."""

import re
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from taylor_sensus.plots.dependence import plot_dependence
from taylor_sensus.plots.labels import plain
from taylor_sensus.prediction import Prediction
from taylor_sensus.report import make_report
from taylor_sensus.report.svg import figure
from taylor_sensus.words.format import one_line
from taylor_sensus.words.html import shown, tag
from tests.hostile import HOSTILE, INVISIBLE, read

pytestmark = pytest.mark.slow


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
    assert not INVISIBLE.search(page.html)
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
