"""The documentation site, built once for all tests as `make docs` builds it: a warning is an error."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]


class Site(NamedTuple):
    """What came out."""

    folder: Path
    problems: str
    """Empty if all went well."""


def make_docs_command(target: Path) -> list[str]:
    """The command of `make docs`, read from the Makefile, with another folder to write to."""
    recipe = (ROOT / "Makefile").read_text().split("\ndocs: ")[1].split("\n")[1].strip()
    words = recipe.replace("$(BIN)/python", sys.executable).split()
    return [word.replace("docs/_build", str(target)) for word in words]


@functools.cache
def built() -> Site:
    """Build it, in a process of its own: Sphinx changes what Docutils knows."""
    target = Path(tempfile.mkdtemp(prefix="taylor-sensus-site-"))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    done = subprocess.run(make_docs_command(target), cwd=ROOT, env=environment, capture_output=True, text=True)
    return Site(target / "html", (done.stdout + done.stderr).strip() if done.returncode else "")
