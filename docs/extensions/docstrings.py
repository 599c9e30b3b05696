"""Docstrings as they are written here, made ready for the reference.

Four habits of ours that Sphinx would take for something else: the docstring of a folder is its floor plan, of which
readers need the first paragraph; the names of several parameters may go on in the next line; a property says what it is
in a sentence, which may hold a colon; fields of a named tuple need no words.
"""

from __future__ import annotations

import re
from typing import Any

ROUTING = re.compile(r"set_\w+_request")
FIELD = re.compile(r"Alias for field number \d+")
SENTENCES = ("property", "attribute", "data")
NAPOLEON = 500
"""Sphinx calls listeners in the order of their priority; this is the usual one, which Napoleon has."""


def with_names_on_one_line(lines: list[str]) -> list[str]:
    """A line of nothing but names that ends in a comma, joined to the next."""
    joined: list[str] = []
    for line in lines:
        if joined and re.fullmatch(r"[\w*]+(, [\w*]+)*,", joined[-1]):
            joined[-1] += f" {line.strip()}"
        else:
            joined.append(line)
    return joined


class Docstrings:
    """Listens before and after Napoleon, which reads the sections of a docstring."""

    def __init__(self) -> None:
        self.sentence: list[str] = []

    def before(self, app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
        """Shorten, join names, and remember the sentence of a property."""
        if hasattr(thing, "__path__") and "" in lines:
            del lines[lines.index("") :]
        if any(FIELD.fullmatch(line) for line in lines):
            lines.clear()
        self.sentence = list(lines)
        lines[:] = with_names_on_one_line(lines)

    def after(self, app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
        """Put the sentence of a property back."""
        if what in SENTENCES:
            lines[:] = self.sentence


def without_routing(app: Any, what: str, name: str, thing: Any, skip: bool, options: Any) -> bool | None:
    """Leave out the methods that scikit-learn adds to every estimator for its metadata routing."""
    return True if ROUTING.fullmatch(name) else None


def setup(app: Any) -> dict[str, Any]:
    """Called by Sphinx."""
    listener = Docstrings()
    app.connect("autodoc-process-docstring", listener.before, priority=NAPOLEON - 100)
    app.connect("autodoc-process-docstring", listener.after, priority=NAPOLEON + 100)
    app.connect("autodoc-skip-member", without_routing)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
