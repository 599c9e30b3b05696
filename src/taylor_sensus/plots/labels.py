"""Names from a user's table as words on a figure: one line, not too long, and never read as a formula."""

from __future__ import annotations

from taylor_sensus.tables.units import split_header
from taylor_sensus.words.format import LONGEST, one_line


def plain(text: object, longest: int = LONGEST) -> str:
    """A text on one line for matplotlib, which would take what stands between dollar signs for a formula."""
    return one_line(text, longest).replace("$", r"\$")


def with_unit(header: object, longest: int = LONGEST, *, unit: str | None = None) -> str:
    """The label of an axis: name and unit, ``temp [degC]``, however the header writes them; ``unit`` goes before."""
    name, written = split_header(str(header))
    unit = written if unit is None else unit
    return plain(name, longest) + ("" if unit is None else f" [{plain(unit, 20)}]")
