"""Runs a how-to page from top to bottom, commands and all: `python -m docs.worked_example` renews what the page shows.

A block of text behind a block of commands or Python that prints something shows what it printed, notes first. Takes a
few minutes.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import tempfile
import warnings
from pathlib import Path
from typing import NamedTuple

from typer.testing import CliRunner

from taylor_sensus.cli import app

PAGE = Path(__file__).parent / "howto" / "worked_example.md"
BLOCK = re.compile(r"^```(python|sh|text)\n(.*?)^```$", re.S | re.M)


class Ran(NamedTuple):
    """A block of a page, and what it printed when it was run; None for blocks that are not run."""

    language: str
    code: str
    printed: str | None


def run_blocks(page: Path, fit_options: list[str] | None = None) -> list[Ran]:
    """Run all blocks of a page in the current folder, one after the other, with further options for fits."""
    names: dict = {"__name__": "__main__"}
    found = []
    for language, code in BLOCK.findall(page.read_text(encoding="utf-8")):
        printed = None
        if language == "python":
            printed = _run_python(code, page, names)
        elif language == "sh":
            lines = code.replace("\\\n", " ").splitlines()
            printed = "".join(_run_command(line, fit_options or []) for line in lines if line.strip())
        found.append(Ran(language, code, printed))
    return found


def _run_python(code: str, page: Path, names: dict) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as shown, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(code, str(page), "exec"), names)  # noqa: S102  the pages are ours
    return shown.getvalue()


def _run_command(line: str, fit_options: list[str]) -> str:
    program, command, *arguments = shlex.split(line)
    assert program == "taylor-sensus", line
    if command in ("fit", "update"):
        arguments.append("--quiet")
    if command == "fit":
        arguments += fit_options
    result = CliRunner().invoke(app, [command, *arguments])
    assert result.exit_code == 0, f"{line}\n{result.output}"
    return result.stderr + result.stdout


def renewed(page: Path, ran: list[Ran]) -> str:
    """The text of a page with the outputs of this run."""
    blocks = iter(ran)
    last = ""

    def new(found: re.Match) -> str:
        nonlocal last
        block = next(blocks)
        if block.language == "text" and last:
            lines = [line.rstrip() for line in last.rstrip().splitlines()]
            return "\n".join(["```text", *lines, "```"])
        if block.printed is not None:
            last = block.printed
        return found[0]

    return BLOCK.sub(new, page.read_text(encoding="utf-8"))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place, contextlib.chdir(place):
        text = renewed(PAGE, run_blocks(PAGE))
    PAGE.write_text(text, encoding="utf-8")
