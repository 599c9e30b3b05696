"""`python -m paper tables`: every table, rebuilt from committed results without running anything."""

from __future__ import annotations

from pathlib import Path

from paper.engine.reading import whatever_there_is
from paper.engine.study import function
from paper.studies import STUDIES


def write_tables(results: Path, out: Path, *, quick: bool = False) -> list[Path]:
    """All tables that the results at hand allow, as Markdown, CSV and LaTeX: what each study's `tables.py` writes."""
    for study, found in whatever_there_is(results, "tables", quick=quick).items():
        function(STUDIES[study].place, "tables", "write")(found, out)
    return sorted(out.iterdir())
