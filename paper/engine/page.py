"""`python -m paper page`: the results page, hand-written words around tables and figures that are not."""

from __future__ import annotations

import re
from pathlib import Path

from paper import FOLDER
from paper.engine.atomic import StorageError, write_whole

TEMPLATE = FOLDER / "results_page.md"
PAGE = FOLDER / "RESULTS.md"
SECTIONS = tuple(
    FOLDER / "sections" / f"{name}.md"
    for name in (
        *("ablation", "calibration", "speed", "published", "antinoise", "active"),
        *("toys", "toy_ablation", "deviations", "scaling"),
    )
)
"""What follows of studies that have results, in this order."""
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


def section(template: str, tables: Path) -> str:
    """A study's section, after a blank line; nothing where the study has no tables yet."""
    if not any((tables / f"{name}.md").exists() for name in PLACE.findall(template)):
        return ""
    return "\n" + page(template, tables)


def write_page(tables: Path = FOLDER / "tables", out: Path = PAGE) -> Path:
    """Write the page from the tables as they are."""
    text = page(TEMPLATE.read_text(encoding="utf-8"), tables)
    text += "".join(section(path.read_text(encoding="utf-8"), tables) for path in SECTIONS)
    write_whole(out, text.encode())
    return out
