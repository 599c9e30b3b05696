"""The whole report: every section is there, tells the truth, and says what is missing when something is."""

import re
from html import unescape
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from taylor_sensus import load
from taylor_sensus.errors import DataError
from taylor_sensus.report import make_report
from taylor_sensus.report.page import ORDER


class Words(HTMLParser):
    """The page's text by section, without styles."""

    def __init__(self):
        super().__init__()
        self.by_section, self.at, self.silent = {}, "head", False

    def handle_starttag(self, tag, attrs):
        if tag == "section":
            self.at = dict(attrs).get("id", "short")
        self.silent = tag == "style"

    def handle_endtag(self, tag):
        self.silent = False

    def handle_data(self, data):
        if not self.silent:
            self.by_section[self.at] = self.by_section.get(self.at, "") + data + " "


def words(report):
    reader = Words()
    reader.feed(report.html)
    return {name: " ".join(text.split()) for name, text in reader.by_section.items()}


@pytest.fixture(scope="module")
def report(model, table):
    return make_report(model, data=table, model_name="steel.tsnet", data_name="steel.csv")


def test_every_section_is_there_and_linked(report):
    found = words(report)
    assert [name for name, _, _ in ORDER] == [name for name in found if name not in ("head", "short")]
    anchors = re.findall(r'href="#([\w-]+)"', report.html.split("</nav>")[0])
    assert anchors == [name for name, _, _ in ORDER]
    assert not any("Not shown" in text for text in found.values())


def test_the_page_needs_nothing_from_elsewhere(report):
    assert "default-src 'none'" in unescape(report.html)
    assert not re.search(r"<(script|link|img|iframe|object|embed|form|base|image)\b", report.html)
    assert not re.search(r"(?:https?:)?//[\w.]", re.sub(r'xmlns="[^"]+"', "", report.html))
    assert all(target.startswith("#") for target in re.findall(r'href="([^"]*)"', report.html))
    assert "url(" not in report.html.replace("url(#", "")


def test_the_four_questions_are_answered(report):
    assert len(report.text.splitlines()) == 4
    short = words(report)["short"]
    for question in ("How good", "Can I trust", "Where does the error", "What should I measure"):
        assert question in short and question in report.text
    assert "not known" not in short


def test_scores_are_those_of_the_held_out_rows(model, report):
    held = model.fitted_.held_out
    rmse = float(np.sqrt(np.mean((held.y - held.mean) ** 2)))
    found = words(report)["accuracy"]
    assert f"{rmse:.3g} MPa" in found and "trained without it" in found
    for name in ("mean of the other rows", "straight line (ridge)", "random forest", "Taylor-Sensus"):
        assert name in found
    inside = float(np.mean(np.abs(2 * model.fitted_.ensemble.tails.cdf(held.score) - 1) < 0.9))
    assert f"90 % {100 * inside:.1f} %" in words(report)["honesty"]


def test_rows_are_named(report, table, model):
    held = model.fitted_.held_out
    worst = table.index[held.rows[np.abs(held.score)[:, 0].argmax()]]
    assert worst in words(report)["second-look"]
    assert "sample" in words(report)["budget"] and "sample" in words(report)["familiarity"]


def test_provenance(report):
    found = words(report)["made-with"]
    assert re.search(r"\b[0-9a-f]{64}\b", found) and "random_state 0" in found and "jax" in found
    assert "steel.tsnet" in words(report)["fitted"] and "steel.csv" in words(report)["fitted"]
    assert "temp degC number" in words(report)["fitted"]


def test_without_data_the_rows_that_the_model_keeps_are_used(model):
    found = words(make_report(model))
    assert "trained without it" in found["accuracy"] and "Not shown" not in found["budget"]


def test_without_any_rows_the_report_says_what_is_missing(model, tmp_path):
    model.save(tmp_path / "bare.tsnet", keep_rows=False)
    bare = load(tmp_path / "bare.tsnet")
    assert bare.fitted_.rows is None
    found = words(make_report(bare))
    for name in ("budget", "familiarity", "dependence"):
        assert "Not shown: this needs a table" in found[name]
    assert "Evaluated on" in found["accuracy"] and "need the table that the model was fitted on" in found["accuracy"]
    assert "no table was given" in found["made-with"]


def test_new_rows_with_and_without_measurements(model, make_table):
    other = make_table(rows=60, seed=5)
    found = words(make_report(model, data=other))
    assert "not the one that the model was fitted on" in found["accuracy"]
    assert "mean of the training rows" in found["accuracy"] and "random forest" not in found["accuracy"]
    settings = words(make_report(model, data=other.drop(columns="strength [MPa]")))
    assert "trained without it" in settings["accuracy"], "judged by its own held-out rows"
    assert "60 rows" in settings["familiarity"]


@pytest.mark.slow
def test_several_targets_missing_cells_and_arrays(make_model):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 3))
    y = np.column_stack([x[:, 0], x[:, 1] ** 2]) + rng.normal(0, 0.1, (80, 2))
    x[::9, 2] = np.nan
    model = make_model().fit(x, y)
    found = words(make_report(model, data=(x, y)))
    assert "y0" in found["accuracy"] and "y1" in found["accuracy"]
    assert "These are about y0" in found["short"]
    assert "missing" in found["budget"]


def test_suggestions_are_listed(model, table, make_table):
    candidates = make_table(rows=30, seed=9).drop(columns="strength [MPa]")
    found = words(make_report(model, data=table, candidates=candidates))
    assert "8 of 30 candidates, to learn most about strength [MPa]" in found["next"]
    assert "suggestions below" in found["short"]


def test_the_same_contents_give_the_same_page_in_a_file(model, table, tmp_path, report):
    path = tmp_path / "report.html"
    again = make_report(model, path, table, model_name="steel.tsnet", data_name="steel.csv")
    assert again.html == report.html
    assert path.read_text(encoding="utf-8") == again.html and [*tmp_path.iterdir()] == [path]


def test_saving_and_showing(tmp_path, report):
    assert "kB of HTML" in repr(report) and str(report) == report.text
    frame = report._repr_html_()
    assert frame.startswith("<iframe") and 'sandbox=""' in frame and "<section" not in frame
    with pytest.raises(DataError, match="is a folder"):
        report.save(tmp_path)
    with pytest.raises(DataError, match="no folder"):
        report.save(tmp_path / "nowhere" / "r.html")


@pytest.mark.slow
def test_a_target_that_never_changes_and_tiny_tables(make_model):
    x = pd.DataFrame({"a": np.arange(12.0), "b": np.arange(12.0) % 3})
    constant = make_model().fit(x, np.ones(12))
    page = make_report(constant, data=(x, np.ones(12)))
    assert "nan" not in words(page)["short"].lower()
    tiny = make_model().fit(x[:6], x["a"][:6])
    assert "How good" in make_report(tiny, data=(x[:6], x["a"][:6])).text
