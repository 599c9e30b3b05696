"""Numbers as scientists write them, a column at a time: ``14.2(3)``, ``14.2 ± 0.3``, ``(1.4 ± 0.1) × 10¹``, ``<0.05``.

A bare number has no declared error. What can be read in two ways is refused, never guessed; ``refusals`` says why.

Decisions that are not obvious:

- ``14.2 (3)`` with a space is refused: the 3 may be an error, a count or a footnote. ``14.(3)`` may be 14.333...
- ``1.42±0.03e1`` is refused: the exponent may belong to both numbers or to the error alone.
- ``1.2 ± 0.1 x 10^3`` needs brackets around the number and its error.
- Thin, narrow and unbreakable spaces may part digits into groups of three, ordinary spaces may not.
- ``0 ± 2%`` declares no error: two percent of nothing would call the reading exact.
- ``1.2 +0.3 -0.1`` is the mode of a split normal distribution: the value that is read is its mean, see `asymmetric`.
- ``bdl`` and ``<LOD`` are censored: they lie below a limit that is not given.
"""

from __future__ import annotations

import re
from decimal import Decimal
from numbers import Real
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute

from taylor_sensus.errors import SettingError
from taylor_sensus.tables.asymmetric import split_normal
from taylor_sensus.tables.error_size import percent_of

pc = cast(Any, pyarrow.compute)  # its functions are made when it is imported, so type checkers cannot see them

MISSING = frozenset(
    {"", "-", "--", "---", "—", ".", "..", "...", "…", "?", "*", "na", "n/a", "n.a.", "n.a", "#n/a", "#na", "<na>"}
    | {"nan", "-nan", "null", "none", "nil", "missing", "unknown", "n.d.", "n.d", "nd", "n.m.", "n.m", "n.r.", "n.r"}
    | {"not available", "not applicable", "not determined", "not detected", "not measured", "not reported"}
)
"""Words for a missing cell, in any case. ``n.d.`` is among them because it means several things."""
BELOW_UNTOLD_LIMIT = frozenset(
    {"bdl", "b.d.l.", "bld", "blq", "bql", "bloq", "<lod", "< lod", "<loq", "< loq", "<dl", "< dl", "<mdl", "< mdl"}
    | {"below detection limit", "below detection", "below lod", "below loq"}
)
"""Words for a value below a limit that the cell does not give, in any case."""
DECIMALS = (".", ",")

_SAME_SIGN = {
    "-": "\u2212\u2013\u2010\u2011\ufe63\uff0d",  # minus, en dash, hyphens
    "x": "×·⋅∙✕",
    "<": "≤⩽≦",
    ">": "≥⩾≧",
    "\u2009": "\u00a0\u202f\u2007\u2006\u2008\u200a",  # spaces that hold a number together
}
_GROUPED = re.compile(
    r"(?:(?<![0-9.,])[0-9]{1,3}(?:\u2009[0-9]{3})+|(?<=[.,])(?:[0-9]{3}\u2009)+[0-9]{1,3})(?![0-9]|\u2009[0-9])"
)


class Cells(NamedTuple):
    """What the cells of one column say; one entry a cell."""

    values: np.ndarray
    """NaN where missing, censored or refused."""
    errors: np.ndarray
    """Standard errors; NaN where none is declared."""
    sides: np.ndarray
    """-1 where the value lies below a bound, 1 where it lies above, 0 elsewhere."""
    bounds: np.ndarray
    """The bound of a censored cell; NaN where it is not given, and where nothing is censored."""
    missing: np.ndarray
    refused: np.ndarray


def read_cells(cells: pd.Series, *, decimal: str = ".") -> Cells:
    """Read a column of texts, or of texts and numbers; each different text is read once."""
    if decimal not in DECIMALS:
        raise SettingError(f"decimal is {decimal!r}; expected one of {', '.join(map(repr, DECIMALS))}")
    if isinstance(cells.dtype, pd.StringDtype) or pd.api.types.infer_dtype(cells, skipna=True) == "string":
        return _read_texts(cells, decimal)
    objects = cells.astype(object)
    is_number = np.array([isinstance(cell, Real | Decimal) and not isinstance(cell, bool) for cell in objects], bool)
    texts = objects.where(objects.isna() | is_number, objects.map(str)).where(~is_number, None)
    read = _read_texts(texts, decimal)
    numbers = pd.to_numeric(objects.where(is_number, np.nan)).to_numpy(dtype=float)
    read.values[is_number] = np.where(np.isinf(numbers), np.nan, numbers)[is_number]
    read.missing[is_number] = np.isnan(numbers[is_number])
    read.refused[is_number] = np.isinf(numbers[is_number])
    return read


def _read_texts(cells: pd.Series, decimal: str) -> Cells:
    coded: Any = pa.array(cells, type=pa.large_string(), from_pandas=True)
    coded = (coded.combine_chunks() if isinstance(coded, pa.ChunkedArray) else coded).dictionary_encode()
    known = _read_different(coded.dictionary, decimal)
    places = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    empty = _nothing_read(1)
    empty.missing[0], empty.refused[0] = True, False
    return Cells(*(np.append(one, other)[places] for one, other in zip(known, empty, strict=True)))


def empty_cells(count: int) -> Cells:
    """Cells without value, error or bound; columns of plain numbers share what they lack, so it cannot be changed."""
    no_number, no = np.full(count, np.nan), np.zeros(count, bool)
    for one in (no_number, no):
        one.flags.writeable = False
    return Cells(no_number, no_number, no.view(np.int8), no_number, no, no)


def _nothing_read(count: int) -> Cells:
    """All cells refused, until one of the notations fits."""
    no_number = np.full((3, count), np.nan)
    sides = np.zeros(count, dtype=np.int8)
    return Cells(no_number[0], no_number[1], sides, no_number[2], np.zeros(count, bool), np.ones(count, bool))


def _read_different(texts: Any, decimal: str) -> Cells:
    """Plain numbers first, since they are many and quick; then the words; then each notation by its mark."""
    read = _nothing_read(len(texts))
    texts = standard_signs(texts)
    patterns = _PATTERNS[decimal]
    plain = _mask(pc.match_substring_regex(texts, patterns["plain"]))
    numbers = texts.filter(pa.array(plain))
    numbers = pc.replace_substring(pc.ascii_ltrim(numbers, characters="+"), ",", ".")
    read.values[plain] = pc.cast(numbers, pa.float64()).to_numpy(zero_copy_only=False)

    left = np.flatnonzero(~plain)
    texts = texts.take(pa.array(left))
    small = pc.utf8_lower(texts)
    absent = _mask(pc.is_in(small, value_set=pa.array(sorted(MISSING), pa.large_string())))
    below = _mask(pc.is_in(small, value_set=pa.array(sorted(BELOW_UNTOLD_LIMIT), pa.large_string())))
    read.missing[left[absent]] = True
    read.sides[left[below]] = -1
    read.refused[left[absent | below]] = False

    for name, reader in _READERS.items():
        fits = _mask(pc.match_substring_regex(texts, patterns[name]))
        if fits.any():
            bare = pc.replace_substring(pc.replace_substring(texts.filter(pa.array(fits)), " ", ""), ",", ".")
            reader(read, left[fits], bare)
    read.refused[np.isfinite(read.values)] = False
    for numbers in (read.values, read.errors, read.bounds):
        read.refused[np.isinf(numbers)] = True
    for numbers in (read.values, read.errors, read.bounds):
        numbers[read.refused] = np.nan
    read.sides[read.refused] = 0
    return read


def standard_signs(texts: Any) -> Any:
    """The same texts without outer spaces, with one sign for each meaning, and without spaces that group digits."""
    ascii_only = pc.string_is_ascii(texts)
    trimmed = pc.ascii_trim_whitespace(texts)
    if pc.all(ascii_only).as_py():
        return trimmed
    changed = pc.utf8_trim_whitespace(texts.filter(pc.invert(ascii_only)))
    for standard, others in _SAME_SIGN.items():
        if pc.any(pc.match_substring_regex(changed, f"[{others}]")).as_py():
            changed = pc.replace_substring_regex(changed, f"[{others}]", standard)
    thin = pc.match_substring(changed, "\u2009")
    if pc.any(thin).as_py():
        joined = [_without_thin_spaces(text) for text in changed.filter(thin).to_pylist()]
        changed = pc.replace_with_mask(changed, thin, pa.array(joined, pa.large_string()))
    return pc.replace_with_mask(trimmed, pc.invert(ascii_only), changed)


def _without_thin_spaces(text: str) -> str:
    return _GROUPED.sub(lambda found: found[0].replace("\u2009", ""), text).replace("\u2009", " ")


def _mask(answer: Any) -> np.ndarray:
    return answer.to_numpy(zero_copy_only=False).astype(bool)


# ------------------------------------------------------------------------------------- the notations


def _make_patterns(decimal: str) -> dict[str, str]:
    """Whole cells in each notation; no cell fits two of them."""
    point = re.escape(decimal)
    number = rf"(?:[0-9]+(?:{point}[0-9]*)?|{point}[0-9]+)"
    closed = rf"(?:[0-9]+(?:{point}[0-9]+)?|{point}[0-9]+)"
    exponent = r"[+-]?[0-9]{1,4}"
    e = rf"[eE]{exponent}"
    superscript = "[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,4}"
    power = rf" *(?:{e}|[xX*] *10(?:\^{exponent}|\*\*{exponent}|\^\{{{exponent}\}}|{superscript}))"
    sign = r" *(?:±|\+/-|\+-) *"
    up, down = rf"\+ *{number}", rf"- *{number}"
    pair = rf"[+-]?{number}{sign}{number} *%?"
    pair_with_e = rf"[+-]?{number}{e}{sign}{number}(?:{e})? *%?"
    return {
        "plain": rf"^[+-]?{number}(?:{e})?$",
        "plus_minus": rf"^(?:{pair}|{pair_with_e}|\( *{pair_with_e} *\)|\( *{pair} *\)(?:{power})?)$",
        "concise": rf"^[+-]?{closed}\([0-9]+(?:{point}[0-9]+)?\)(?:{power})?$",
        "two_sided": rf"^[+-]?{number} *(?:{up} *[/,]? *{down}|\^\{{ *{up} *\}} *_\{{ *{down} *\}}"
        rf"|_\{{ *{down} *\}} *\^\{{ *{up} *\}})$",
        "censored": rf"^[<>]=? *[+-]?{number}(?:{power})?$",
        "power": rf"^[+-]?{number}{power}$",
    }


_POWER = re.compile(r"\)?(?:[eE]|[xX*]10(?:\^|\*\*)?\{?)([+-]?[0-9]+|[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)\}?")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_PATTERNS = {decimal: _make_patterns(decimal) for decimal in DECIMALS}


# The readers get cells that fit, without spaces and with decimal points, so that they can cut at single signs.


def _read_plus_minus(read: Cells, places: np.ndarray, texts: Any) -> None:
    for spelling in ("+/-", "+-"):
        texts = pc.replace_substring(texts, spelling, "±")
    percent = _mask(pc.match_substring(texts, "%"))
    value, error, power = _cut(texts, r"^\(?(?P<a>[^±(]*)±(?P<b>[^%)]*)%?(?P<c>(?:\).*)?)$")
    powers = _powers(power)
    values, errors = _number(value, powers), _number(error, np.where(percent, 0, powers))
    read.values[places] = values
    read.errors[places] = np.where(percent, percent_of(values, errors), errors)


def _read_concise(read: Cells, places: np.ndarray, texts: Any) -> None:
    value, error, power = _cut(texts, r"^(?P<a>[^(]*)\((?P<b>[^)]*)\)(?P<c>.*)$")
    powers = _powers(power)
    point = pc.find_substring(value, ".").to_numpy(zero_copy_only=False)
    decimals = np.where(point < 0, 0, pc.binary_length(value).to_numpy(zero_copy_only=False) - 1 - point)
    in_last_digits = pc.find_substring(error, ".").to_numpy(zero_copy_only=False) < 0
    read.values[places] = _number(value, powers)
    read.errors[places] = _number(error, np.where(in_last_digits, powers - decimals, powers))


def _read_two_sided(read: Cells, places: np.ndarray, texts: Any) -> None:
    """In either order; the value becomes the mean of the split normal."""
    for sign in "^{}_/":
        texts = pc.replace_substring(texts, sign, "")
    value, up, _ = _cut(texts, r"^(?P<a>[+-]?[.0-9]*)[^+]*\+(?P<b>[.0-9]*)(?P<c>.*)$")
    other = pc.extract_regex(texts, r"^[+-]?[.0-9]*[^-]*-(?P<d>[.0-9]*).*$").field("d")
    none = np.zeros(len(places), np.int64)
    read.values[places], read.errors[places] = split_normal(
        _number(value, none), _number(up, none), _number(other, none)
    )


def _read_censored(read: Cells, places: np.ndarray, texts: Any) -> None:
    side, bound, power = _cut(texts, r"^(?P<a>[<>])=?(?P<b>[-+.0-9]*)(?P<c>(?:[^-+.0-9].*)?)$")
    read.bounds[places] = _number(bound, _powers(power))
    read.sides[places] = np.where(_mask(pc.equal(side, "<")), -1, 1)
    read.refused[places] = False


def _read_power(read: Cells, places: np.ndarray, texts: Any) -> None:
    _, value, power = _cut(texts, r"^(?P<a>\+?)(?P<b>-?[.0-9]*)(?P<c>[^-+.0-9].*)$")
    read.values[places] = _number(value, _powers(power))


_READERS = {
    "plus_minus": _read_plus_minus,
    "concise": _read_concise,
    "two_sided": _read_two_sided,
    "censored": _read_censored,
    "power": _read_power,
}


def _cut(texts: Any, pattern: str) -> tuple[Any, Any, Any]:
    """Three pieces of each text; no more, since the regular expressions of Arrow are slow with many."""
    pieces = pc.extract_regex(texts, pattern)
    return pieces.field("a"), pieces.field("b"), pieces.field("c")


def _powers(texts: Any) -> np.ndarray:
    """The powers of 10 in `e1`, `)e1`, `x10^1`, `*10**1`, `x10¹`; 0 where there is none. Few are different."""
    coded = texts.dictionary_encode()
    found = [_POWER.fullmatch(text) for text in coded.dictionary.to_pylist()]
    known = [int(one[1].translate(_SUPERSCRIPTS)) if one else 0 for one in found]
    return np.array(known, dtype=np.int64)[coded.indices.to_numpy(zero_copy_only=False)]


def _number(mantissa: Any, powers: np.ndarray) -> np.ndarray:
    """Through text, so that 3 in the last digit of 14.2 is the number that is nearest to 0.3."""
    mantissa = pc.ascii_ltrim(mantissa, characters="+")
    if powers.any():  # where there is one, the mantissa has no exponent of its own
        exponents = pc.cast(pa.array(powers), pa.large_string())
        joined = pc.binary_join_element_wise(mantissa, exponents, pa.scalar("e", pa.large_string()))
        mantissa = pc.if_else(pa.array(powers != 0), joined, mantissa)
    return pc.cast(mantissa, pa.float64()).to_numpy(zero_copy_only=False)
