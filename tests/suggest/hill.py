"""A small table with a known truth, and settings of a quick model."""

from __future__ import annotations

import numpy as np
import pandas as pd

QUICK = {"members": 3, "epochs": 30, "width": 32, "details": {"noise_epochs": 20, "density_steps": 50, "pilots": 1}}


def table(rows: int, seed: int) -> pd.DataFrame:
    """Two numbers and a category."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame({
        "temp": rng.uniform(20, 80, rows),
        "share": rng.uniform(0, 1, rows),
        "solvent": rng.choice(["water", "oil"], rows),
    })  # fmt: skip


def truth(X: pd.DataFrame) -> pd.Series:
    """Highest at 60 degrees and a share of 0.3, in oil."""
    hill = 10 - ((X.temp - 60) / 12) ** 2 - (6 * (X.share - 0.3)) ** 2
    return (hill + 2 * (X.solvent == "oil")).rename("yield")
