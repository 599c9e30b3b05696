"""The cases of the study by name: what they are, how often they are repeated, and what is asked. Light: no NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from paper.declared_errors.methods import DECLARED, EXACT, HALF, LAW, ODR, PREDICTING, UNDECLARED

Range = tuple[float | None, float | None]
"""Lowest and highest value that is asked for; None: no bound."""


@dataclass(frozen=True)
class Case:
    """A table to learn from and questions to it."""

    title: str
    methods: tuple[str, ...]
    repeats: int
    asked: Mapping[str, Range] = field(default_factory=dict)
    """Of TSNet with declared errors, by the name of a value."""


@dataclass(frozen=True)
class Simulated(Case):
    """A known function, inputs recorded with errors of one size."""

    kind: str = "reading"
    function: str = "wave"
    rows: int = 120
    share: float = 0.1
    """Of the errors in the inputs' standard deviation."""


SLOPES: dict[int, dict[int, Range]] = {
    120: {10: (0.93, 1.07), 20: (0.88, 1.10), 30: (0.75, 1.15)},
    400: {10: (0.95, 1.05), 20: (0.92, 1.08), 30: (0.82, 1.12)},
}
"""Asked of the slope of predicted on true f, by rows and percent of error."""
REPEATS = {120: 20, 400: 5}
"""Of a simulation, by rows."""
FUNCTIONS = {"wave": "sin(2x)", "three": "sin(2a) + bc/2"}


def _simulated(kind: str, function: str, rows: int, percent: int) -> Simulated:
    asked: dict[str, Range] = {"slope": SLOPES[rows][percent], "inside": (0.78, 0.98), "coverage": (0.87, 0.93)}
    return Simulated(
        f"{FUNCTIONS[function]}, {percent} %", LAW if kind == "reading" else PREDICTING, REPEATS[rows], asked,
        kind, function, rows, percent / 100,
    )  # fmt: skip


REAL: dict[str, Case] = {
    "redshifts_alike": Case(
        "redshifts, rows alike", PREDICTING, 2,
        {"nll": (None, -1.75), "rmse": (None, 0.063)}
        | dict.fromkeys(("coverage_low", "coverage_mid", "coverage_high"), (0.855, 0.94)),
    ),
    "redshifts_worse": Case(
        "redshifts, larger errors in use", PREDICTING, 2, {"nll": (None, -1.05), "coverage": (0.86, 0.94)}
    ),
    "redshifts_law": Case(
        "redshifts, the law", (*LAW, EXACT), 2, {"rmse": (None, 0.070), "coverage": (0.86, 0.94)}
    ),
    "supernovae": Case(
        "supernovae, standard deviations", (*LAW, ODR), 3, {"beta": (2.95, 3.25), "alpha": (0.110, 0.150)}
    ),
    "supernovae_covariances": Case(
        "supernovae, covariances too", (DECLARED, ODR), 3, {"beta": (3.0, 3.17), "alpha": (0.120, 0.150)}
    ),
    "supernovae_simulated": Case("supernovae, simulated", (DECLARED,), 40),
    "accelerations": Case("accelerations of galaxies", PREDICTING, 2, {"system_noise": (0.025, 0.050)}),
}  # fmt: skip
TOYS: dict[str, Case] = {
    f"toy_{rows}": Case(
        f"toy R, {rows} rows", PREDICTING, 25, {"rank": (rank, None), "nll": (None, nll), "coverage": (0.87, 0.93)}
    )
    for rows, rank, nll in ((60, 0.78, 0.05), (200, 0.92, -0.14))
}
LIMITS: dict[str, Case] = {
    "limits_inputs": Case("inputs below a limit", (DECLARED, UNDECLARED, HALF, EXACT), 6),
    "limits_target": Case(
        "a fifth of the target below a limit", (DECLARED, UNDECLARED, EXACT), 6, {"coverage": (0.85, 0.94)}
    ),
}
SIMULATED: dict[str, Simulated] = {
    f"{kind}_{function}_{rows}_{percent}": _simulated(kind, function, rows, percent)
    for kind in ("reading", "setting")
    for function in FUNCTIONS
    for rows in REPEATS
    for percent in (10, 20, 30)
}
CASES: dict[str, Case] = {**REAL, **SIMULATED, **TOYS, **LIMITS}
SPREAD_ASKED: Range = (0.8, 1.25)
"""Standard error of the slope by joint draws over its true spread, in the simulated supernovae."""
RATIO_ASKED: Range = (None, 1.5)
"""Error on rows with a limit over that with exact values."""
BIAS_ASKED: Range = (None, 1 / 3)
"""Bias of low values over that with such rows dropped."""
WORSE_ASKED = 0.02
"""By which the NLL with declared errors may be worse than without, beside two paired standard errors."""
