"""`python -m paper figures`: every figure, redrawn from committed results."""

from __future__ import annotations

from pathlib import Path

import matplotlib
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from paper.engine.reading import whatever_there_is
from paper.engine.study import function
from paper.studies import STUDIES


def write_figures(results: Path, out: Path, *, quick: bool = False) -> list[Path]:
    """All figures that the results at hand allow, as SVG: what each study's `figure.py` draws."""
    out.mkdir(parents=True, exist_ok=True)
    for study, found in whatever_there_is(results, "figure", quick=quick).items():
        for name, figure in function(STUDIES[study].place, "figure", "figures")(found).items():
            save(figure, out / f"{name}.svg")
    return sorted(out.glob("*.svg"))


def save(figure: Figure, path: Path) -> None:
    """Without a date or random names inside, so that the same results give the same bytes."""
    with matplotlib.rc_context({"svg.hashsalt": path.stem, "svg.fonttype": "none"}):
        FigureCanvasSVG(figure)
        figure.savefig(path, format="svg", metadata={"Date": None})
