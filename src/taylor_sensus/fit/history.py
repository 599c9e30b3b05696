"""What happened in training, as a table."""

from __future__ import annotations

import numpy as np
import pandas as pd

from taylor_sensus.model.shapes import Float

COLUMNS = ("stage", "member", "step", "loss", "validation")


def history_lines(
    stage: str, member: int, steps_per_check: int, steps: int, log: Float[np.ndarray, "checks 2"]
) -> pd.DataFrame:
    """The checks of one run: mean loss since the last check and the held-out score."""
    made = ~np.isnan(log[:, 0])
    at = np.minimum((np.arange(len(log)) + 1) * steps_per_check, steps)[made]
    frame = pd.DataFrame({"step": at, "loss": log[made, 0], "validation": log[made, 1]})
    frame.insert(0, "member", member)
    frame.insert(0, "stage", stage)
    return frame.replace([np.inf, -np.inf], np.nan)
