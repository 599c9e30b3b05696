"""Links of the repository's own pages, so that they lead to the pages of the site that include them.

`PAPER.md`, `CHANGELOG.md` and the others are read on the repository's web page too, and link to each other as files.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

PAGES = {
    "README.md": "/index.md",
    "PAPER.md": "/paper/equations.md",
    "paper/RESULTS.md": "/paper/results.md",
    "CHANGELOG.md": "/changelog.md",
    "CONTRIBUTING.md": "/contributing.md",
    "docs/method.md": "/method.md",
    "docs/howto/app.md": "/howto/app.md",
    "docs/howto/serving.md": "/howto/serving.md",
    **{
        f"docs/paper/{path.name}": f"/paper/{path.name}"
        for path in (Path(__file__).parents[1] / "paper").glob("*.md")
        if path.name != "results.md"
    },
    "docs/stability.md": "/stability.md",
    "docs/upgrading.md": "/upgrading.md",
}
"""A file of the repository, and the page of the site that has its text."""

LINK = re.compile(r"\]\((?:\.\./)*(" + "|".join(map(re.escape, PAGES)) + r")(#[\w-]+)?\)")


def on_the_site(text: str) -> str:
    """The text with such links changed."""
    return LINK.sub(lambda found: f"]({PAGES[found[1]]}{found[2] or ''})", text)


def change_page(app: Any, page: str, source: list[str]) -> None:
    """Sphinx has read a page."""
    source[0] = on_the_site(source[0])


def change_included(app: Any, path: Path, page: str, source: list[str]) -> None:
    """Sphinx has read a file that a page includes."""
    source[0] = on_the_site(source[0])


def setup(app: Any) -> dict[str, Any]:
    """Called by Sphinx."""
    app.connect("source-read", change_page)
    app.connect("include-read", change_included)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
