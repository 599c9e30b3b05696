"""The documentation site: it builds without a warning, asks no other machine for anything, and all its code runs."""

import inspect
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from built_site import ROOT, built

from docs import figures
from docs.pages import FOLDER, blocks, languages, pages, run
from taylor_sensus import Prediction, TSNetRegressor, settings
from taylor_sensus.datasets.synthetic import toy_1d
from tests import tiny
from tests.published import need_dataset

SMALL = tiny.SMALL | {"kernel": False}
READABLE = {"python", "sh", "text", "csv", "json", "toml"}
"""Languages of blocks; Python is run, and nothing else may be Python."""
ELSEWHERE = {"declared_errors", "intervals", "messy_tables", "missing_values", "worked_example"}
"""Pages that `test_howto.py` runs, their commands too."""
WITH_CODE = [page for page in pages() if blocks(page) and page.stem not in ELSEWHERE]


def named(page: Path) -> str:
    return str(page.relative_to(FOLDER))


@pytest.fixture
def small_budget(monkeypatch, tmp_path):
    """Pages fit as they say, but where they leave it to the defaults, or want it fast, the networks are small."""
    parameters = list(inspect.signature(TSNetRegressor.__init__).parameters.values())[1:]
    defaults = tuple(SMALL.get(one.name, one.default) for one in parameters)
    monkeypatch.setattr(TSNetRegressor.__init__, "__defaults__", defaults)
    monkeypatch.setattr(settings, "fast", lambda **changes: {**SMALL, **changes})
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")


# ------------------------------------------------------------------------------------------- code on pages


@pytest.mark.parametrize("page", WITH_CODE, ids=named)
def test_code_of_a_page_runs(page, small_budget):
    run(page)


def test_pages_that_are_run_elsewhere_are():
    text = (Path(__file__).parent / "test_howto.py").read_text()
    assert [name for name in ELSEWHERE if name not in text] == []


@pytest.mark.parametrize("page", pages(), ids=named)
def test_blocks_are_in_languages_that_are_known(page):
    unknown = {word for word in languages(page) if not word.startswith("{")} - READABLE
    assert not unknown, f"{page.name} has blocks of {unknown}; Python that should run is called python"


def shell_lines() -> list[tuple[str, str]]:
    return [
        (named(page), line.split("#")[0].strip())
        for page in pages()
        for block in blocks(page, "sh")
        for line in block.replace("\\\n", " ").splitlines()
        if line.strip()
    ]


def test_commands_on_pages_exist_with_their_options():
    from typer.main import get_command

    from paper.engine.commands import app as paper
    from taylor_sensus.cli import app as ours

    found = 0
    for page, line in shell_lines():
        for start, app in (("taylor-sensus ", ours), ("python -m paper ", paper)):
            if line.startswith(start):
                words = line.removeprefix(start).split()
                commands = get_command(app).commands  # pyright: ignore[reportAttributeAccessIssue]
                assert words[0] in commands, f"{page}: {line}"
                known = {option for one in commands[words[0]].params for option in one.opts}
                used = {word.split("=")[0] for word in words if re.match(r"--?[a-z]", word)}
                assert used <= known, f"{page}: {line}"
                found += 1
    assert found >= 5


def test_a_page_that_breaks_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# Page\n\n```python\nx = 1\n```\n\nWords.\n\n```python\nprint(x)\nassert x == 2\n```\n")
    with pytest.raises(AssertionError) as caught:
        run(page)
    assert caught.traceback[-1].lineno == 10
    page.write_text(page.read_text().replace("x == 2", "x == 1"))
    assert run(page)[0] == ["", "1\n"]


# ------------------------------------------------------------------------------------------- the built site


@pytest.fixture
def site() -> Path:
    """The folder of the built pages."""
    pytest.importorskip("sphinx")
    return built().folder


def test_the_site_builds_without_a_warning(site):
    assert built().problems == ""
    assert (site / "index.html").is_file()


class Requests(HTMLParser):
    """Collects what a browser fetches by itself when it opens a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        names = (
            "src",
            "srcset",
            "data",
            "poster",
            "background",
            *(["href"] if tag in ("link", "image", "use") else []),
        )
        self.found += [given[name] or "" for name in names if name in given]
        self.found += re.findall(r"url\(([^)]*)\)", given.get("style") or "")


def elsewhere(text: str) -> list[str]:
    reader = Requests()
    reader.feed(text)
    return [address for address in reader.found if re.match(r"['\"]?(\w+:)?//", address)]


def test_pages_ask_no_other_machine(site):
    html = sorted(site.rglob("*.html"))
    assert len(html) > 20
    assert {page.name: elsewhere(page.read_text()) for page in html if elsewhere(page.read_text())} == {}
    for sheet in site.rglob("*.css"):
        assert not re.search(r"(url\(|@import)\s*['\"]?(\w+:)?//", sheet.read_text()), sheet
    for script in site.rglob("*.js"):
        assert not re.search(r"(fetch|import|importScripts)\(['\"`](\w+:)?//", script.read_text()), script


@pytest.mark.parametrize(
    "text",
    [
        '<script src="https://cdn.example/mathjax.js"></script>',
        '<link rel="stylesheet" href="//fonts.example/css">',
        "<div style=\"background: url('https://x.example/a.png')\"></div>",
    ],
)
def test_a_planted_request_is_found(text):
    assert elsewhere(text)
    assert not elsewhere('<a href="https://example.org">a link is no request</a><img src="_images/a.svg">')


def test_formulas_are_shown_without_scripts(site):
    text = (site / "theory" / "noise_transformation.html").read_text()
    assert text.count("<math") > 50
    assert not re.search(r"<script[^>]*mathjax", text, re.I)


@pytest.mark.parametrize(
    ("latex", "shown"),
    [
        (r"\tfrac12 \operatorname{tr} H", "<mn>1</mn><mn>2</mn>"),
        (r"\lVert x \rVert^2", "</mrow><mn>2</mn>"),
        (r"a, \dots", "…"),
    ],
)
def test_formulas_are_read_as_tex_reads_them(latex, shown):
    pytest.importorskip("sphinx")
    from docutils.utils.math.latex2mathml import tex2mathml

    from docs.extensions.mathml import understood

    assert shown in re.sub(r"\s*\n\s*", "", tex2mathml(understood(latex)))


def test_pages_of_the_repository_are_on_the_site(site):
    for page, words in {
        "paper/results.html": "The studies",
        "paper/comparison.html": "Paired differences to TSNet",
        "paper/uci.html": "The standard benchmark of error bars",
        "paper/honesty.html": "Honest where scientists need it",
        "paper/equations.html": "Equation by equation",
        "changelog.html": "Changelog",
    }.items():
        assert words in (site / page).read_text()
    theory = (site / "theory" / "index.html").read_text()
    assert 'href="../paper/equations.html"' in theory


def test_links_to_files_of_the_repository_lead_to_pages():
    from docs.extensions.repository import PAGES, on_the_site

    assert on_the_site("[map](../../PAPER.md#departures), [x](other.md)") == (
        "[map](/paper/equations.md#departures), [x](other.md)"
    )
    for file, page in PAGES.items():
        assert (ROOT / file).is_file() and (FOLDER / page.strip("/")).is_file()


def test_docstrings_are_read_as_they_are_meant():
    from docs.extensions.docstrings import Docstrings, with_names_on_one_line

    assert with_names_on_one_line(["a, b,", "c : int", "  Words,", "more."]) == ["a, b, c : int", "  Words,", "more."]
    listener, lines = Docstrings(), ["Noise of both kinds: what is left."]
    listener.before(None, "property", "x", None, None, lines)
    lines[:] = [":type: Noise of both kinds", "what is left."]  # what Napoleon makes of it
    listener.after(None, "property", "x", None, None, lines)
    assert lines == ["Noise of both kinds: what is left."]


# ------------------------------------------------------------------------------------------- figures


def test_every_figure_and_output_is_shown_and_nothing_else_is_kept():
    text = "".join(page.read_text() for page in [*pages(), ROOT / "README.md"])
    kept = {f"{folder}/{path.name}" for folder in ("figures", "output") for path in (FOLDER / folder).iterdir()}
    assert kept == set(re.findall(r"(?:figures|output)/[\w.]+\.(?:svg|png|txt)", text)) - paper_figures(text)


def paper_figures(text: str) -> set[str]:
    """Figures of the studies, which `make results` draws."""
    return {f"figures/{name}" for name in re.findall(r"paper/figures/([\w.]+)", text)}


def test_figures_of_the_toy_are_drawn(tmp_path):
    """Of a prediction that knows the truth, which takes no fit."""
    toy = toy_1d(0, n=60)
    noise = toy.system_noise_std(toy.X_eval) ** 2
    truth = Prediction(toy.y_eval, toy.noise_std(toy.X_eval) ** 2 - noise, noise, 0.1 + noise, toy.inside * 1.0)
    figures.toy_band(tmp_path, toy, truth)
    figures.noise_travels(tmp_path)
    figures.noise_split(tmp_path, toy, truth)
    figures.familiarity(tmp_path, toy, truth)
    drawn = {path.name for path in tmp_path.iterdir()}
    assert drawn == {"toy_band.png", "noise_travels.svg", "noise_split.svg", "familiarity.svg"}
    assert drawn <= {path.name for path in (FOLDER / "figures").iterdir()}


def test_the_figure_of_concrete_is_drawn(tmp_path):
    need_dataset("concrete")
    measured, prediction = figures.concrete_prediction(**SMALL)
    figures.concrete_budget(tmp_path, measured, prediction)
    (drawn,) = tmp_path.iterdir()
    assert (FOLDER / "figures" / drawn.name).is_file()
    for text in (drawn.read_text(), (FOLDER / "figures" / drawn.name).read_text()):
        assert f"{len(measured)} rows" in text and "measured strength [MPa]" in text and "too little data" in text
