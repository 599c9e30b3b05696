"""Columns that hold the errors of other columns, found by their headers: ``temp_err``, ``u(temp)``, ``± temp [degC]``.

Such a column is a companion only where the column it describes is there; else it stays an ordinary column.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from taylor_sensus.errors import DataError
from taylor_sensus.tables.units import Header, same_unit, split_header

_WORDS = "err|error|errors|sd|std|stdev|unc|uncertainty|sigma|σ"
_PLUS_MINUS = r"±|\+/-|\+-"
_FORMS = [
    re.compile(form, flags=re.IGNORECASE)
    for form in (
        rf"(?P<base>.*\S)\s*[\[(]\s*(?:{_WORDS}|{_PLUS_MINUS})\s*[\])]",  # temp (sd), temp [±]
        rf"(?P<base>.*[^\s_.-])[\s_.-]+(?:{_WORDS})",  # temp_err, temp sd
        rf"(?P<base>.*\S)\s*(?:{_PLUS_MINUS})",  # temp ±
        rf"(?:{_PLUS_MINUS})\s*(?P<base>\S.*)",  # ± temp
        rf"(?:u|{_WORDS})\(\s*(?P<base>.*\S)\s*\)",  # u(temp)
        rf"(?:{_WORDS})[\s_.-]+(?P<base>[^\s_.-].*)",  # sigma_temp, err temp
    )
]


class Pairing(NamedTuple):
    """A column and the column of its errors, by their headers as written."""

    column: str
    errors: str
    relative: bool
    """Whether the errors are percentages of the values."""

    def __str__(self) -> str:
        how = ", in percent of its values" if self.relative else ""
        return f"column {self.errors!r} holds the errors of column {self.column!r}{how}"


def describe_pairings(pairings: Sequence[Pairing]) -> str:
    """The pairings as a plain sentence."""
    if not pairings:
        return "No column holds the errors of another."
    text = "; ".join(map(str, pairings))
    return f"{text[0].upper()}{text[1:]}."


def header_of(header: str) -> Header:
    """Name and unit of a column; in `temp (sd)` the bracket holds no unit."""
    return Header(header.strip(), None) if _FORMS[0].fullmatch(header.strip()) else split_header(header)


def base_of_errors(header: str) -> Header | None:
    """The column whose errors a header names, with the unit of the errors; None for any other header."""
    whole, unit = header_of(header)
    for form in _FORMS:
        found = form.fullmatch(whole)
        if found:
            name, inner = split_header(found["base"])
            return Header(name, unit or inner)
    return None


def find_pairings(
    headers: Sequence[str], *, ordinary: Collection[str] = (), declared: Mapping[str, str] | None = None
) -> list[Pairing]:
    """All pairs of a column and its errors.

    Columns named in `ordinary` are never taken for errors; `declared` names columns of errors by the columns they
    belong to, whatever their headers look like.
    """
    declared = dict(declared or {})
    units = {header: header_of(header).unit for header in headers}
    found = _found_by_name(headers, units, skipped={*ordinary, *declared.values()})
    pairs = [*((base, errors) for base, errors in declared.items()), *found]
    problems = []
    for base in dict.fromkeys(base for base, _ in pairs):
        matches = [errors for other, errors in pairs if other == base]
        if len(matches) > 1:
            named = " and ".join(map(repr, matches))
            remedy = "name all but one in ordinary= (--ordinary), or drop them"
            problems.append(f"columns {named} all seem to hold the errors of column {base!r}; {remedy}")
    pairings = []
    for base, errors in pairs:
        own, unit = units[base], _unit_of_errors(errors)
        relative = unit is not None and same_unit(unit, "%") and not (own and same_unit(own, "%"))
        if relative and own is None:
            problems.append(
                f"column {errors!r} is in percent, of the values or in the unit of column {base!r}? "
                f"Write the unit of {base!r} in its header"
            )
        elif unit and own and not relative and not same_unit(unit, own):
            problems.append(f"column {base!r} is in {own!r}, but its errors {errors!r} in {unit!r}; use one unit")
        pairings.append(Pairing(base, errors, relative))
    if problems:
        raise DataError("; ".join(problems))
    return pairings


def _found_by_name(
    headers: Sequence[str], units: Mapping[str, str | None], skipped: Collection[str]
) -> list[tuple[str, str]]:
    """Columns whose errors another header names, each with that header."""
    by_name: dict[str, list[str]] = {}
    for header in headers:
        by_name.setdefault(header_of(header).name, []).append(header)
    candidates: dict[str, str] = {}
    for header in headers:
        base_header = None if header in skipped else base_of_errors(header)
        if base_header is not None:
            bases = [base for base in by_name.get(base_header.name, []) if base != header]
            if len(bases) > 1:  # the same quantity in several units
                bases = [base for base in bases if base_header.unit and same_unit(units[base] or "", base_header.unit)]
            if len(bases) == 1:
                candidates[header] = bases[0]
    return [(base, errors) for errors, base in candidates.items() if base not in candidates]


def _unit_of_errors(header: str) -> str | None:
    base_header = base_of_errors(header)
    return base_header.unit if base_header else header_of(header).unit
