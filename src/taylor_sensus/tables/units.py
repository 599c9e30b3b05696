"""Units in the headers of a table: ``temp [degC]``, ``temp (degC)``, ``temp / degC``; and whether two tables agree.

Round brackets count only with a space before them, and a slash with a space on both sides: ``f(x)``, ``T(K)`` and
``m/z`` are names. Square brackets need no space, unless they hold a count: ``x[1]`` is a name, ``x [1]`` has unit 1.
A count in round brackets is never a unit: ``sample (2)`` is a name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import NamedTuple

from taylor_sensus.errors import DataError

_FORMS = [
    re.compile(r"(?P<name>.*\S)\s+\[(?P<unit>[^\[\]]+)\]"),
    re.compile(r"(?P<name>.*\S)\[(?!\s*\d+\s*\])(?P<unit>[^\[\]]+)\]"),
    re.compile(r"(?P<name>.*\S)\s+/\s+(?:(?P<unit>[^\s()]+)|\((?P<inner>[^()]+)\))"),
    re.compile(r"(?P<name>.*\S)\s+\((?!\s*\d+\s*\))(?P<unit>(?:[^()]|\([^()]*\))+)\)"),
]
_SAME_UNIT = {"degC": "°C", "deg C": "°C", "celsius": "°C", "Celsius": "°C", "degF": "°F", "deg F": "°F"}
_SAME_UNIT |= {"deg": "°", "ohm": "Ω", "Ohm": "Ω", "percent": "%", "angstrom": "Å", "Angstrom": "Å"}


class Header(NamedTuple):
    """A column's name, and its unit if one is written."""

    name: str
    unit: str | None


def split_header(header: str) -> Header:
    """Part a header into name and unit."""
    header = header.strip()
    for form in _FORMS:
        found = form.fullmatch(header)
        unit = (found.groupdict().get("inner") or found["unit"]).strip() if found else ""
        if found and unit:
            return Header(found["name"], unit)
    return Header(header, None)


def same_unit(one: str, other: str) -> bool:
    """Whether two spellings mean the same unit. Case counts (mPa, MPa); nothing is converted."""
    return _one_spelling(one) == _one_spelling(other)


def check_units(training: Mapping[str, str], prediction: Mapping[str, str]) -> None:
    """Refuse a table whose units are not those of training. Where one table has no unit, nothing is compared."""
    problems = [
        f"column {name!r} was learned in {unit!r}, but comes in {prediction[name]!r}"
        for name, unit in training.items()
        if name in prediction and not same_unit(unit, prediction[name])
    ]
    if problems:
        raise DataError("; ".join(problems) + ". Convert to the unit of training, and write that in the header.")


def _one_spelling(unit: str) -> str:
    """One spelling for `µm` and `um`, `m²` and `m^2`, `m s-1` and `m·s⁻¹`, `°C` and `degC`."""
    unit = unicodedata.normalize("NFKC", unit).strip()  # superscripts become digits, both signs for micro one letter
    unit = _SAME_UNIT.get(unit, unit)
    unit = unit.replace("μ", "u").replace("−", "-").replace("**", "").replace("^", "")
    return re.sub(r"\s*[·⋅*]\s*|\s+", " ", unit)
