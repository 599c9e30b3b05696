"""The site for everybody: axe finds no barrier, nothing is cut at 390 pixels, and the search finds what people type."""

import functools
import http.server
import threading

import pytest
from built_site import built

from tests.axe import assert_usable

pytestmark = pytest.mark.browser

PAGES = [
    "index.html", "start.html", "gallery.html", "gallery/messy_table.html", "gallery/concrete.html", "glossary.html",
    "howto/worked_example.html", "howto/declared_errors.html", "howto/app.html", "comparison.html",
    "paper/comparison.html", "reference/command_line.html", "reference/settings.html", "reference/estimator.html",
    "theory/noise_transformation.html",
]  # fmt: skip
WAIT = 60_000


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Says nothing of what it is asked for."""

    def log_message(self, format, *args):
        pass


@pytest.fixture(scope="module")
def home():
    """The address of the built site."""
    pytest.importorskip("sphinx")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=built().folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()


@pytest.fixture(scope="module")
def page(home, browser):
    context = browser.new_context(viewport={"width": 1150, "height": 900})
    made = context.new_page()
    made.set_default_timeout(WAIT)
    yield made
    context.close()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_for_everybody(page, home, name):
    page.goto(f"{home}/{name}")
    assert_usable(page, name)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("error bars", "error bar"),
        ("±", "Messy tables"),
        ("detection limit", "Words, and questions"),
        ("how long does it take", "Words, and questions"),
    ],
)
def test_the_search_finds_what_people_type(page, home, query, found):
    page.goto(f"{home}/search.html?q={query}")
    page.wait_for_function("() => /finished|did not match/.test(document.querySelector('#search-results').innerText)")
    titles = page.locator("#search-results li > a").all_inner_texts()
    assert any(found.lower() in title.lower() for title in titles), titles
