"""Why a cell was refused, in words, with the remedy; and whether a refused text was meant as a number at all."""

from __future__ import annotations

import re
from typing import Any

import pandas as pd
import pyarrow as pa

from taylor_sensus.tables.notation import standard_signs

LONGEST = 200
"""Of longer cells only the beginning is looked at to say what is wrong."""

_DIGIT = re.compile(r"[0-9]")
_ONLY_NUMBER_SIGNS = re.compile(r"[-+0-9.,()±/%<>=eExX*^{}⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺~≈ ]*")
_RANGE_OR_DATE = re.compile(r"[0-9]\s*[-/]\s*[0-9]")
_COMMA = 'say decimal="," (--decimal ,)'
_REASONS = [
    (r"[+-]?\s*(inf|infinity)", "is not finite; leave the cell empty"),
    (r"[0-9.,eE+-]*,[0-9.,eE+-]*", f"has a comma; {_COMMA} if it marks decimals, and leave out thousands marks"),
    (r".*(±|\+/-|\+-)\s*-.*", "has a negative error; write the error without a sign"),
    (r".*(±|\+/-|\+-)\s*\)?", "has no number behind the ±; write the error, or leave out the ±"),
    (r"\s*\(?\s*(±|\+/-|\+-).*", "has no number before the ±; write the value"),
    (r"[^(]*(±|\+/-|\+-).*[xX*]\s*10.*", "leaves open what its power of 10 belongs to; write (1.42 ± 0.03) x 10^1"),
    (r"[^eE]*(±|\+/-|\+-)[^)]*[eE].*", "leaves open what its exponent belongs to; write (1.42±0.03)e1 or 1.42e0±3e-2"),
    (r".*[0-9.)]e[+-]?[0-9]{3,}\)?", "has an exponent beyond what numbers can hold; correct it"),
    (r"[^(]*\([^)]*|[^(]*\)", "has a bracket that is open on one side; close it"),
    (r".*[0-9.,]\s+\(.*", "has a space before the bracket; write 14.2(3) or 14.2 ± 0.3 if it is the error"),
    (r".*\.\(.*", "may mean a repeating decimal; write 14.0(3) or 14 ± 3"),
    (r"[-+]?[0-9.,]+\s*(-|to|\.\.)\s*[0-9.,]+", "is a range; write its middle and an error"),
    (r"[-+]?[0-9.]+\s*[x*]\s*10[0-9]*", "has lost the sign of its power; write 1.42e5 or 1.42 x 10^5"),
    (r"[-+]?[0-9.]+d[-+]?[0-9]+", "has an exponent after d; write e"),
    (r"[-+]?[0-9.\s]+\s[0-9.\s]+", "holds two numbers, or one parted by spaces; leave out spaces"),
    (r".*%", "has a percent sign; put the unit in the header, as in 'share [%]'"),
    (r"[-+]?[0-9.,]+(.*[0-9)])?\s*[A-Za-zµμ°Ω].*", "has text behind the number; put units in the header"),
    (r"[~≈].*", "is only about right; write an error, as in 14 ± 2"),
]


def looks_meant_as_number(cell: str) -> bool:
    """Whether a refused text is made of nothing but signs of numbers, and is no range, date or label with dashes."""
    plain = _standard_text(cell)
    return bool(_DIGIT.search(plain) and _ONLY_NUMBER_SIGNS.fullmatch(plain)) and not _RANGE_OR_DATE.search(plain)


def why_refused(cell: Any, *, decimal: str = ".") -> str:
    """What is wrong with a refused cell, and the remedy; to be read behind the cell."""
    if not isinstance(cell, str):
        infinite = pd.api.types.is_float(cell)
        return "is not finite; leave the cell empty" if infinite else "is not a number; correct it"
    plain = _standard_text(cell)[:LONGEST]
    if decimal == ",":
        if re.fullmatch(r"[^.]*[0-9]\.[0-9].*", plain):
            return 'has a point although decimal="," was given; write a comma, and leave out thousands marks'
        plain = plain.replace(",", ".")
    for pattern, reason in _REASONS:
        if re.fullmatch(pattern, plain, flags=re.IGNORECASE | re.DOTALL):
            return reason
    return "is neither a number nor a known word for a missing value; correct it, or leave the cell empty"


def _standard_text(cell: str) -> str:
    return standard_signs(pa.array([cell], pa.large_string()))[0].as_py()
