"""Reads the theory pages, and ties each of their displayed formulas to the test that checks it.

A displayed formula ends with its label, `$$ (eq-nt-1)`. The test that checks it is marked `@formula("eq-nt-1", r"...")`
and repeats the formula, so that nobody can change one of the two alone.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "theory"
DISPLAY = re.compile(r"^\$\$\n(.*?)\n\$\$(?: \(([\w-]+)\))?$", re.S | re.M)


class Displayed(NamedTuple):
    """A displayed formula, with white space evened out."""

    page: str
    label: str
    """Empty if the page gives none."""
    latex: str


class Check(NamedTuple):
    """A function marked as the check of a formula."""

    where: str
    label: str
    can_fail: bool
    """Whether pytest runs it as it is and it asserts something."""


def even(latex: str) -> str:
    """The same formula with single spaces."""
    return " ".join(latex.split())


def displayed(folder: Path = PAGES) -> list[Displayed]:
    """All displayed formulas of the pages in a folder."""
    return [
        Displayed(page.name, label, even(latex))
        for page in sorted(folder.glob("*.md"))
        for latex, label in DISPLAY.findall(page.read_text(encoding="utf-8"))
    ]


def checks(folder: Path = Path(__file__).parent) -> Iterator[Check]:
    """All checks in the test files of a folder, found by reading them."""
    for file in sorted(folder.glob("test_*.py")):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if not isinstance(node, ast.FunctionDef):
                continue
            calls = [mark for mark in node.decorator_list if isinstance(mark, ast.Call)]
            labels = [mark.args[0] for mark in calls if isinstance(mark.func, ast.Name) and mark.func.id == "formula"]
            asserts = any(isinstance(part, ast.Assert) for part in ast.walk(node))
            skipped = any("skip" in ast.unparse(mark) or "xfail" in ast.unparse(mark) for mark in node.decorator_list)
            for label in labels:
                can_fail = node.name.startswith("test_") and asserts and not skipped
                yield Check(f"{file.name}::{node.name}", ast.literal_eval(label), can_fail)


def formula(label: str, latex: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Mark a test as the check of the formula with this label, which must read the same on the page."""

    def mark(test: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(test)
        def compared(*arguments: Any, **named: Any) -> None:
            on_page = [one.latex for one in displayed() if one.label == label]
            assert on_page == [even(latex)], f"the page and the check of {label} differ; change both, or neither"
            test(*arguments, **named)

        return compared

    return mark
