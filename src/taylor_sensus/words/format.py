"""Names and numbers from a user's table as people read them: on one line, and not longer than they need be."""

from __future__ import annotations

import math
import unicodedata

LONGEST = 40
"""Characters of a name that are shown."""
PART_WORDS = {
    "feature_noise": "noise of the inputs",
    "missing_cells": "missing cells",
    "system_noise": "system noise",
    "target_error": "measuring error of the target",
    "group": "differences between groups",
    "epistemic": "too little data",
}
"""The parts of a prediction's variance."""


def one_line(text: object, longest: int = LONGEST) -> str:
    """A text without line breaks, control characters and marks that turn the writing direction; cut where long."""
    shown = "".join(" " if c.isspace() else c for c in str(text) if c.isspace() or unicodedata.category(c)[0] != "C")
    return shown if len(shown) <= longest else shown[: longest - 1] + "…"


def percent(share: float, digits: int = 1) -> str:
    """A share in percent; what is there never looks like nothing."""
    if not math.isfinite(share):
        return "-"
    least = 10.0**-digits
    return f"< {least:g} %" if 0 < share * 100 < least / 2 else f"{share * 100:.{digits}f} %"


def number(value: float, unit: str | None = None) -> str:
    """Three digits and the unit; a dash for what is not known."""
    if not math.isfinite(value):
        return "-"
    digits = f"{value:,.0f}" if 1000 <= abs(value) < 1e7 else f"{value:.3g}"
    return digits if unit is None else f"{digits} {one_line(unit)}"


def explained_share(explained: float, digits: int = 0) -> str:
    """A share of variance; below 0, where any number would only puzzle, just that there is none."""
    return percent(explained, digits) if explained > 0 else "none"
