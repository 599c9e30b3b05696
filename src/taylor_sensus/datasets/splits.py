"""The paper's split, training, validation and test rows as 6 : 2 : 2 after a seeded shuffle; and the standard one.

Every method of a comparison must see the same rows, so the recipe is fixed here once and never drawn elsewhere.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taylor_sensus.errors import DataError

FEWEST_ROWS = 3
"""With fewer, one of the three parts would be empty."""


class Parts(NamedTuple):
    """Positions of the rows of each part; validation is for early stopping, selection and calibration only."""

    train: np.ndarray
    validation: np.ndarray
    test: np.ndarray


def paper_split(rows: int, seed: int) -> Parts:
    """Shuffle ``rows`` rows and cut them after 60 % and 80 %."""
    if rows < FEWEST_ROWS:
        raise DataError(f"{rows} rows cannot be split in three parts; at least {FEWEST_ROWS} are needed")
    shuffled = np.random.default_rng(seed).permutation(rows)
    train, validation, test = np.split(shuffled, [int(0.6 * rows), int(0.8 * rows)])
    return Parts(train, validation, test)


def split_before_test(train_rows: np.ndarray, test_rows: np.ndarray, seed: int) -> Parts:
    """For data whose test rows were fixed by their authors: the others, shuffled, as training and validation, 6 : 2.

    The test rows stay in their own order.
    """
    shuffled = np.random.default_rng(seed).permutation(train_rows)
    train, validation = np.split(shuffled, [int(0.75 * len(shuffled))])
    return Parts(train, validation, test_rows)


def standard_split(rows: int, split: int) -> Parts:
    """Training and test rows, 9 : 1, of the benchmark that papers on error bars share; no validation rows.

    One generator, seeded with 1, draws a permutation for each split in turn, so that split 3 is the fourth drawn.
    """
    random = np.random.RandomState(1)
    for _ in range(split + 1):
        order = random.choice(range(rows), rows, replace=False)
    train, test = np.split(order, [round(0.9 * rows)])
    return Parts(train, order[:0], test)
