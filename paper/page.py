"""`python -m paper page`: the results page, hand-written words around tables and figures that are not."""

from __future__ import annotations

import re
from pathlib import Path

from paper.atomic import StorageError, write_whole

HERE = Path(__file__).parent
TEMPLATE = HERE / "results_page.md"
PAGE = HERE / "RESULTS.md"
PLACE = re.compile(r"^\{\{ (\w+) \}\}$", re.MULTILINE)
"""A line `{{ name }}` stands for the table of that name."""


def page(template: str, tables: Path) -> str:
    """The template with its tables put in."""

    def table(match: re.Match[str]) -> str:
        path = tables / f"{match[1]}.md"
        if not path.exists():
            raise StorageError(f"the results page wants {path}, which is not there; run: python -m paper tables")
        return path.read_text(encoding="utf-8").strip()

    return PLACE.sub(table, template)


def write_page(tables: Path = HERE / "tables", out: Path = PAGE) -> Path:
    """Write the page from the tables as they are."""
    write_whole(out, page(TEMPLATE.read_text(encoding="utf-8"), tables).encode())
    return out
