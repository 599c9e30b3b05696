"""The pages of the site as programs: their Python blocks, run one after the other in one namespace.

The tests run every page. `python -m docs.figures` runs the pages that show what their blocks print.
"""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
FENCE = re.compile(r"^(`{3,}|:{3,})([\w{}-]*)[^\n]*\n(.*?)^\1\s*$", re.S | re.M)


def pages(folder: Path = FOLDER) -> list[Path]:
    """All pages that people write, in order."""
    return sorted(page for page in folder.rglob("*.md") if "_build" not in page.parts)


def blocks(page: Path, language: str = "python") -> list[str]:
    """The fenced blocks of a page in one language; a block keeps its line number, for tracebacks."""
    text = page.read_text(encoding="utf-8")
    return [
        "\n" * text.count("\n", 0, found.start(3)) + found[3] for found in FENCE.finditer(text) if found[2] == language
    ]


def languages(page: Path) -> set[str]:
    """The languages of all fenced blocks of a page; directives of the site in braces."""
    return {found[2] for found in FENCE.finditer(page.read_text(encoding="utf-8"))}


def run(page: Path) -> tuple[list[str], dict[str, Any]]:
    """Run a page in the current folder: what each block prints, and the names that all have left."""
    names: dict[str, Any] = {"__name__": "__main__"}
    printed = []
    for block in blocks(page):
        with contextlib.redirect_stdout(io.StringIO()) as shown:
            exec(compile(block, str(page), "exec"), names)  # noqa: S102  the pages are ours
        printed.append(shown.getvalue())
    return printed, names
