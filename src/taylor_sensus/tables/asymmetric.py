"""Errors that differ upwards and downwards: ``1.2 +0.3 -0.1``, columns ``err1`` and ``err2``.

Such a value is the mode of a split normal distribution, whose halves have the two standard deviations. Its mean lies
on the wider side of the mode: it takes the place of the value, and its standard deviation that of the error.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from taylor_sensus.tables.units import split_header

_FORM = re.compile(
    r"(?P<base>.*[^\s_.-])[\s_.-]*(?:err|error)[\s_.-]*(?P<side>[12]|up|upper|low|lower|plus|minus)", re.I
)
_UP = frozenset({"1", "up", "upper", "plus"})


class SplitNormal(NamedTuple):
    """Mean and standard deviation."""

    mean: np.ndarray
    std: np.ndarray


def split_normal(mode: np.ndarray, up: np.ndarray, down: np.ndarray) -> SplitNormal:
    """Moments of the split normal: sqrt(2/pi) (u - d) above the mode; variance (1 - 2/pi) (u - d)^2 + u d."""
    apart = up - down
    return SplitNormal(mode + np.sqrt(2 / np.pi) * apart, np.sqrt((1 - 2 / np.pi) * apart**2 + up * down))


def asymmetric_headers(headers: Sequence[str]) -> dict[str, tuple[str, str]]:
    """For each column with two columns of errors, such as ``mass_err1`` and ``mass_err2``, their headers: up, down."""
    by_name = {split_header(header).name: header for header in headers}
    found: dict[str, dict[bool, str]] = {}
    for header in headers:
        fits = _FORM.fullmatch(split_header(header).name)
        base = by_name.get(fits["base"].rstrip("_. -")) if fits else None
        if fits and base is not None and base != header:
            found.setdefault(base, {})[fits["side"].lower() in _UP] = header
    return {base: (sides[True], sides[False]) for base, sides in found.items() if len(sides) == 2}
