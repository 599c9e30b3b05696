"""One tiny model and one tiny table for all tests that need some fit, not a good one.

A fit of it takes a tenth of a second, compiling its programs a hundred times as long. So tests share shapes: 33 to 64
rows, four encoded columns, one target. Ask for other shapes or settings only where the test is about them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from taylor_sensus import TSNetRegressor

DETAILS: dict[str, Any] = {
    "folds": 2,
    "noise_width": 8,
    "noise_depth": 1,
    "noise_epochs": 4,
    "density_steps": 20,
    "boosting": 0,
}
TINY: dict[str, Any] = {
    "members": 2,
    "width": 8,
    "depth": 1,
    "epochs": 4,
    "embedding": "none",
    "contrast": "off",
    "n_jobs": 1,
    "random_state": 0,
}
SMALL: dict[str, Any] = {**{n: v for n, v in TINY.items() if n not in ("n_jobs", "random_state")}, "details": DETAILS}
"""The settings alone, for what fits models by itself."""
OPTIONS = [
    word for name, value in {**SMALL, **DETAILS}.items() if name != "details" for word in ("--set", f"{name}={value}")
]
"""The same for the command line."""


def tiny(**changes: Any) -> TSNetRegressor:
    """The tiny model, not fitted; changes may be arguments of the constructor or details."""
    details = {**DETAILS, **changes.pop("details", {})}
    return TSNetRegressor(**{**TINY, **changes}, details=details)


def numbers(rows: int = 40, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Four columns, of which two matter, and a target with a little noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 4))
    return X, 2 * X[:, 0] + np.sin(3 * X[:, 1]) + 0.1 * rng.normal(size=rows)


def measurements(rows: int = 40, seed: int = 0) -> pd.DataFrame:
    """Strength, the last column, after a treatment: two numbers with units and two words, four columns when encoded."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "temp [degC]": rng.uniform(200, 400, rows),
            "time [s]": rng.uniform(1, 9, rows),
            "alloy": rng.choice(["brass", "steel"], rows),
        }
    )
    strength = 0.1 * table["temp [degC]"] + 3 * table["time [s]"] + 5 * (table["alloy"] == "steel")
    return table.assign(**{"strength [MPa]": strength + rng.normal(0, 1, rows)})
