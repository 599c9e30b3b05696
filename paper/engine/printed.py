"""What the paper prints, and which line of a table is ours to hold against it."""

from __future__ import annotations

import pandas as pd

from paper import FOLDER

OURS = "tsnet"


def printed(name: str) -> pd.DataFrame:
    """Values that the paper prints, as typed from its table of that name."""
    return pd.read_csv(FOLDER / "printed" / f"{name}.csv")
