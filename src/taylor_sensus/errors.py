"""The few exceptions and warnings that users meet, and what their messages say of wrong names.

Each message says what came, what was expected, what to do. Imports nothing of ours, so that every room can use it.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable


class TaylorSensusError(Exception):
    """Base of all errors raised on purpose by this package."""


class DataError(TaylorSensusError, ValueError):
    """A table that cannot be used as it is; the message names row, column and remedy."""


class SettingError(TaylorSensusError, ValueError):
    """A setting with a wrong name or value."""


class ModelFileError(TaylorSensusError, ValueError):
    """A model file that is damaged, of another kind, or written by a newer version."""


class MissingExtraError(TaylorSensusError, ImportError):
    """An optional package is needed; the message names the install command."""


class TaylorSensusWarning(UserWarning):
    """Something that a careful user would want to know, but that does not stop the work."""


MOST_NEAR = 3
MOST_LISTED = 24


def did_you_mean(name: object, known: Iterable[object], otherwise: str = "") -> str:
    """The end of a sentence about a wrong name: ``; did you mean 'a' or 'b'?``.

    Where nothing is near it is empty, or lists all names after the words of ``otherwise``, such as "there are".
    """
    names = list(map(str, known))
    near = near_names(str(name), names)
    if near:
        return f"; did you mean {' or '.join(map(repr, near))}?"
    return f"; {otherwise} {listed(names)}" if otherwise else ""


def near_names(name: str, known: Iterable[str]) -> list[str]:
    """Those that hold ``name`` as whole words, as `yield (MPa)` holds `Yield`; else the one that is spelled most alike.

    Capital letters do not matter.
    """
    by_folded = {other.casefold(): other for other in known}
    folded = name.casefold()
    whole_words = re.compile(rf"(?<![^\W_]){re.escape(folded)}(?![^\W_])")
    found = sorted((other for other in by_folded if folded and whole_words.search(other)), key=len)[:MOST_NEAR]
    return [by_folded[other] for other in found or difflib.get_close_matches(folded, by_folded, n=1)]


def listed(names: Iterable[object], most: int = MOST_LISTED) -> str:
    """Names in quotes and numbers without, with commas; of a long list only the first."""
    items = list(names)
    shown = [repr(item) if isinstance(item, str) else str(item) for item in items[:most]]
    rest = [f"and {len(items) - most} more"] if len(items) > most else []
    return ", ".join(shown + rest) or "none"


def quoted(names: Iterable[object]) -> str:
    """All names as a list in a sentence."""
    return ", ".join(map(repr, names))
