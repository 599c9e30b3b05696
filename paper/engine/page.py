"""`python -m paper page`: a page a study and their index, hand-written words around tables and figures that are not."""

from __future__ import annotations

import re
from pathlib import Path

from paper import FOLDER
from paper.engine.atomic import StorageError, write_whole

TEMPLATES = FOLDER / "pages"
"""The words of each study's page; `{{ name }}` stands for a table."""
INDEX = FOLDER / "results_page.md"
"""The words of the index."""
RESULTS_PAGE = FOLDER / "RESULTS.md"
PAGES = FOLDER.parent / "docs" / "paper"
PLACE = re.compile(r"^\{\{ (\w+) \}\}$", re.MULTILINE)
"""A line `{{ name }}` stands for the table of that name."""
FIGURE = re.compile(r"(!\[[^\]]*\]\()figures/")
"""Figures are named as the studies write them; a page of the documentation is two folders away."""


def page(template: str, tables: Path) -> str:
    """The template with its tables put in, and its figures found from the documentation."""

    def table(match: re.Match[str]) -> str:
        path = tables / f"{match[1]}.md"
        if not path.exists():
            raise StorageError(f"the results page wants {path}, which is not there; run: python -m paper tables")
        return path.read_text(encoding="utf-8").strip()

    return FIGURE.sub(r"\1../../paper/figures/", PLACE.sub(table, template))


def has_tables(template: str, tables: Path) -> bool:
    """Whether the study has been run: one that has no tables has no page."""
    return any((tables / f"{name}.md").exists() for name in PLACE.findall(template))


def write_pages(tables: Path = FOLDER / "tables", out: Path = PAGES, index: Path = RESULTS_PAGE) -> list[Path]:
    """Write the pages from the tables as they are, and the index."""
    written = []
    for path in sorted(TEMPLATES.glob("*.md")):
        template = path.read_text(encoding="utf-8")
        if has_tables(template, tables):
            write_whole(out / path.name, page(template, tables).encode())
            written.append(out / path.name)
    write_whole(index, page(INDEX.read_text(encoding="utf-8"), tables).encode())
    return [*written, index]
