"""Figures inside the page: small, themed, with names of their own, and every point still there."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from taylor_sensus.plots.style import COLOURS
from taylor_sensus.report.style import CSS
from taylor_sensus.report.svg import THEMED, figure


def scatter(count):
    def draw(ax):
        rng = np.random.default_rng(0)
        ax.plot(*rng.normal(size=(2, count)), "o", color=COLOURS["training"])
        ax.set_xlabel("x < y & z")

    return draw


def test_it_is_well_formed_and_says_what_it_is():
    root = ElementTree.fromstring(figure(scatter(5), "one", 'a "quoted" <alt>'))
    assert root.tag == "svg" and root.get("role") == "img" and root.get("aria-label") == 'a "quoted" <alt>'
    texts = ["".join(element.itertext()) for element in root.iter("text")]
    assert "x < y & z" in texts, "words stay words"
    assert not {"metadata", "style", "script", "image"} & {element.tag for element in root.iter()}


def test_every_point_is_there_and_costs_little():
    made = figure(scatter(500), "one", "")
    assert made.count("<use") >= 500
    assert len(made) < 500 * 60 + 8000


def test_names_of_two_figures_do_not_clash_and_all_are_found():
    both = figure(scatter(5), "one", "") + figure(scatter(5), "two", "")
    names = re.findall(r'\bid="([^"]+)"', both)
    assert names and len(names) == len(set(names))
    used = set(re.findall(r'(?:href="#|url\(#)([\w-]+)', both))
    assert used == set(names)


def test_colours_follow_the_page():
    made = figure(scatter(5), "one", "")
    assert "var(--rows)" in made and COLOURS["training"].lower() not in made.lower()
    light, dark = CSS.split("@media screen", 1)
    for name in THEMED.values():
        assert f"--{name}:" in light and f"--{name}:" in dark


def test_lines_of_one_kind_become_one_path():
    def draw(ax):
        ax.vlines(np.arange(300), 0, 1, color=COLOURS["training"])

    made = figure(draw, "bars", "")
    assert made.count("<path") < 40
    assert max(path.count("M") for path in re.findall(r' d="([^"]+)"', made)) == 300


def test_the_same_figure_is_the_same_text():
    assert figure(scatter(5), "one", "") == figure(scatter(5), "one", "")


@pytest.mark.parametrize("text", ["長さ", "متر", "Å·s⁻¹", "a&b<c>"])
def test_letters_that_the_figure_lacks_are_left_to_the_browser(text, recwarn):
    made = figure(lambda ax: ax.set_xlabel(text), "one", text)
    assert text in "".join(ElementTree.fromstring(made).itertext())
    assert not [w for w in recwarn if "Glyph" in str(w.message)]
