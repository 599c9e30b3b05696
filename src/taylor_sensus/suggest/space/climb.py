"""Local search in a design space: from good settings to better ones nearby."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd

from taylor_sensus.suggest.space.design_space import DesignSpace

TRIES, ROUNDS = 8, 12
"""How many settings near each row are tried at a time, and how often."""
WIDEST, NARROWEST = 0.3, 0.01
"""How far from a row they are in the first and in the last round, as a share of what a column may be."""


class Climbed(NamedTuple):
    """The best settings found from each start, and their scores."""

    frame: pd.DataFrame
    score: np.ndarray


def climb(
    start: pd.DataFrame, score: Callable[[pd.DataFrame], np.ndarray], space: DesignSpace, rng: np.random.Generator
) -> Climbed:
    """Try settings near each row, closer from round to round, and go on from the best."""
    current = start.reset_index(drop=True)
    height = score(current)
    columns = np.arange(len(current))
    for share in np.geomspace(WIDEST, NARROWEST, ROUNDS):
        tried = space.near(pd.concat([current] * TRIES, ignore_index=True), rng, share)
        heights = score(tried).reshape(TRIES, len(current))
        best = heights.argmax(axis=0)
        better = heights[best, columns] > height
        height = np.where(better, heights[best, columns], height)
        source = np.where(better, len(current) + best * len(current) + columns, columns)
        current = pd.concat([current, tried], ignore_index=True).iloc[source].reset_index(drop=True)
    return Climbed(current, height)
