"""The paper's ablation on its toys: the method as printed with parts left out, and what it is held against. Light."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from paper.toys.methods import DEFAULT, HARMONICS, PROCESS, TREND, ToyMethod, printed_method

MODULES: dict[str, dict[str, Any]] = {
    "": {"contrast": "off", "density": False},
    "contrast": {"density": False},
    "density": {"contrast": "off"},
    "both": {},
}
"""Additions to a base, in the order of the paper's table, as changes to the method as printed."""
BASES = {"mlp": ("two plain networks", False), "dtb": ("Deep Taylor Block", True)}
"""Label, and whether the Taylor term is there."""


def variant_name(base: str, addition: str) -> str:
    """`dtb_contrast`; a base by itself has its own name."""
    return f"{base}_{addition}" if addition else base


_GRID = [
    printed_method(
        variant_name(base, addition),
        f"{label} + contrast + density" if addition == "both" else f"{label} + {addition}".removesuffix(" + "),
        taylor=taylor,
        **changes,
    )
    for base, (label, taylor) in BASES.items()
    for addition, changes in MODULES.items()
]
WITH_RIDGE = printed_method("dtb_both_ridge", "the last, with a straight line as its prior", prior="ridge")
"""The paper's prior is a function of the inputs, which it does not name; a constant is ours."""
VARIANTS: dict[str, ToyMethod] = {
    m.name: m for m in (*_GRID, WITH_RIDGE, replace(DEFAULT, label="TSNet, our default"), PROCESS, TREND, HARMONICS)
}
"""The paper's eight rows in its order, then what they are held against."""
PRINTED_ROWS = tuple(m.name for m in _GRID)
