"""The gallery: scripts of cells become notebooks that were run, which the site shows without running them again.

`python -m docs.notebooks [NAME ...]` runs `docs/gallery/NAME.py` and writes `NAME.ipynb` beside it.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent / "gallery"
KEPT = ("image/png", "text/html", "text/plain")
"""Kinds of output that the site can show; the first that a cell has is kept, and the text."""


class Cell(NamedTuple):
    """A piece of a script."""

    is_code: bool
    source: str


def cells_of(script: Path) -> list[Cell]:
    """Cells begin with `# %%`; words stand in comments."""
    found = []
    for piece in re.split(r"^# %%", script.read_text(encoding="utf-8"), flags=re.M)[1:]:
        head, _, body = piece.partition("\n")
        is_code = "[markdown]" not in head
        lines = body.strip("\n").splitlines()
        source = "\n".join(lines if is_code else [re.sub(r"^# ?", "", line) for line in lines])
        found.append(Cell(is_code, source))
    return found


def run(script: Path) -> Path:
    """Run a script as a notebook, and keep what its cells showed."""
    import nbformat
    from nbclient import NotebookClient

    book = nbformat.v4.new_notebook()
    make = {True: nbformat.v4.new_code_cell, False: nbformat.v4.new_markdown_cell}
    book.cells = [make[cell.is_code](cell.source) for cell in cells_of(script)]
    for number, cell in enumerate(book.cells):
        cell["id"] = f"cell-{number}"
    setup = "%config InlineBackend.rc = {'figure.dpi': 80}\nimport os; os.environ.setdefault('JAX_PLATFORMS', 'cpu')"
    book.cells.insert(0, nbformat.v4.new_code_cell(setup))
    NotebookClient(book, timeout=1200, kernel_name="python3", resources={"metadata": {"path": str(FOLDER)}}).execute()
    del book.cells[0]
    for number, cell in enumerate(one for one in book.cells if one.cell_type == "code"):
        cell.execution_count = number + 1
        cell.metadata = {}
        shown = [out for out in cell.outputs if out.output_type != "stream" or out.name == "stdout"]
        for out in shown:
            if "data" in out:
                first = next(kind for kind in KEPT if kind in out.data)
                out.data = {kind: out.data[kind] for kind in dict.fromkeys((first, "text/plain")) if kind in out.data}
            if "execution_count" in out:
                out.execution_count = number + 1
        cell.outputs = shown
    book.metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
                     "language_info": {"name": "python"}}  # fmt: skip
    path = script.with_suffix(".ipynb")
    path.write_text(nbformat.writes(book) + "\n", encoding="utf-8")
    return path


if __name__ == "__main__":
    for script in sorted(FOLDER.glob("*.py")):
        if len(sys.argv) == 1 or script.stem in sys.argv[1:]:
            run(script)
