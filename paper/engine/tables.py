"""`python -m paper tables`: every table, rebuilt from committed results without running anything."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from paper.engine.reading import whatever_there_is
from paper.engine.study import function
from paper.studies import STUDIES

MECHANISMS = "mechanisms.csv"
"""Of a study that runs by itself."""


def write_tables(results: Path, out: Path, *, quick: bool = False) -> list[Path]:
    """All tables that the results at hand allow, as Markdown, CSV and LaTeX: what each study's `tables.py` writes."""
    for study, found in whatever_there_is(results, "tables", quick=quick).items():
        function(STUDIES[study].place, "tables", "write")(found, out)
    if not quick and (results / MECHANISMS).exists():
        function("paper.mechanisms", "summary", "write")(pd.read_csv(results / MECHANISMS), out)
    return sorted(out.iterdir())
