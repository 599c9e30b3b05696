"""The standard error of a whole column as one number: `0.5` in the column's unit, or `2%` of each value.

NumPy is only loaded for arithmetic: options of a command are read without it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from taylor_sensus.errors import SettingError

if TYPE_CHECKING:
    import numpy as np


class ErrorSize(NamedTuple):
    """The error of a whole column: in its unit, or in percent of each value."""

    size: float
    percent: bool = False

    def of(self, values: np.ndarray) -> np.ndarray:
        """The errors of these values, in their unit."""
        import numpy as np

        return percent_of(values, self.size) if self.percent else np.full(len(values), self.size)

    def __str__(self) -> str:
        return repr(self.size).removesuffix(".0") + "%" * self.percent


def read_size(given: float | str | ErrorSize) -> ErrorSize:
    """The size of an error from a number, or from a text such as `0.5` or `2%`."""
    if isinstance(given, ErrorSize):
        return given
    text = str(given).strip()
    percent = text.endswith("%")
    try:
        size = float(text.removesuffix("%"))
    except ValueError:
        size = math.nan
    if isinstance(given, bool) or not math.isfinite(size) or size < 0:
        comma = "; decimals are written with a point" if "," in text else ""
        raise SettingError(
            f"{given!r} is not an error size; give a number in the column's unit (0 if exact), or a percentage of "
            f"the value such as 2%{comma}"
        )
    return ErrorSize(size, percent)


def percent_of(values: np.ndarray, percent: np.ndarray | float) -> np.ndarray:
    """Errors that are given as percentages of the values. Of the value 0 they say nothing: no such reading is exact."""
    import numpy as np

    errors = np.abs(values) * percent / 100
    return np.where((values == 0) & (np.asarray(percent) > 0), np.nan, errors)
