"""The study `comparison`: which datasets, methods and seeds. Light, as `paper.engine.study` is."""

from __future__ import annotations

from paper.data.names import SIX
from paper.engine.study import Study, every

WITHOUT_DUPLICATES = ("wine_red_distinct", "wine_white_distinct")
COMPARISON = Study(
    name="comparison",
    about="all methods on all datasets: scores on test rows",
    tasks=lambda wanted: every(COMPARISON, wanted, (*SIX, *WITHOUT_DUPLICATES)),
    place="paper.comparison",
    parameters={"quick": False, "search": False},
)
