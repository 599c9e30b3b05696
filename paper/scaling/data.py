"""Rows of the study `scaling`: Year-Prediction-MSD where its file is at hand, and a stand-in of the same shape.

The stand-in is drawn by a program. It has the size, the kinds of columns and the skewed target of the real table, so
it costs the same time and memory; errors on it say nothing about songs. Rows are independent and drawn in blocks, so
that any part of the table can be drawn without the rest.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

from paper.data.catalogue import content_sha256, cut
from paper.scaling.study import REAL, STAND_IN, TEST_ROWS, TRAIN_ROWS
from taylor_sensus.datasets.catalogue import DATASETS, SplitDataset, load_dataset
from taylor_sensus.datasets.readers import YEAR_COLUMNS
from taylor_sensus.datasets.splits import Parts

BLOCK = 8192
"""Rows of the stand-in that are drawn together."""
COEFFICIENTS = 12
"""Of timbre; their averages and the distinct entries of their covariance are the 90 features."""
STYLES = 6
"""Hidden numbers of a song that averages, spreads and covariances all depend on."""
SEGMENTS = 24
"""Pieces of a song behind its covariance."""
LATEST, EARLIEST = 2011, 1922
SIGNAL_MEAN, SIGNAL_STD = -0.554, 0.783
"""Of what the features tell, over many rows."""
SIGNAL = 0.7
"""Correlation of what the features can tell with the logarithm of a song's age."""
AVERAGE_STD = np.array([6.0, 51, 35, 16, 23, 13, 14.5, 8, 10.5, 6.5, 4.5, 8.5])
TYPICAL_STD = np.array([5.0, 46, 42, 37, 29, 29, 24, 22, 19, 17.5, 17.5, 16.5])
"""Of a coefficient's average between songs, and of the coefficient within a song: the sizes of the real columns."""


def year_parts(dataset: str, train_rows: int, seed: int, test_rows: int = TEST_ROWS) -> SplitDataset:
    """Some of the official training rows, which ones depends on the seed, and the first of the official test rows."""
    if dataset == STAND_IN:
        # Rows are drawn independently, so neighbours are as good a sample as any; seeds start far apart.
        first = seed * (TRAIN_ROWS // 3) % TRAIN_ROWS
        X_train, y_train = stand_in((first + np.arange(train_rows)) % TRAIN_ROWS)
        X_test, y_test = stand_in(TRAIN_ROWS + np.arange(test_rows))
        return SplitDataset(X_train, y_train, X_train.iloc[:0], y_train.iloc[:0], X_test, y_test)
    found = load_dataset(REAL)
    assert found.official_split is not None
    chosen = np.random.default_rng(seed).permutation(found.official_split.train)[:train_rows]
    return cut(found.X, found.y, Parts(chosen, chosen[:0], found.official_split.test[:test_rows]))


@cache
def year_sha256(dataset: str) -> str:
    """Of the real file; for the stand-in, of its first thousand rows to two decimals, which the program decides."""
    if dataset == STAND_IN:
        X, y = stand_in(np.arange(1000))
        return content_sha256(X.astype("float64").round(2), y)
    return DATASETS[REAL].files[0].sha256


def stand_in(rows: np.ndarray) -> tuple[pd.DataFrame, pd.Series]:
    """These rows of the stand-in, as float32 like the real table, and their years."""
    X = np.empty((len(rows), len(YEAR_COLUMNS) - 1), np.float32)
    y = np.empty(len(rows))
    block = rows // BLOCK
    for number in np.unique(block):
        here = block == number
        features, year = _block(int(number))
        X[here], y[here] = features[rows[here] % BLOCK], year[rows[here] % BLOCK]
    frame = pd.DataFrame(X, columns=list(YEAR_COLUMNS[1:]), index=rows, copy=False)
    return frame, pd.Series(y, index=rows, name=YEAR_COLUMNS[0])


def _block(number: int) -> tuple[np.ndarray, np.ndarray]:
    """All rows of a block: styles, then averages and covariances, then the year that they and chance make."""
    rng, world = np.random.default_rng([number, 1]), _world()
    style = rng.standard_normal((BLOCK, STYLES))
    own = rng.standard_normal((BLOCK, COEFFICIENTS))
    average = style @ world["average"] + 0.7 * own + 0.12 * (own**2 - 1)
    log_std = 0.25 * style @ world["spread"] + 0.15 * rng.standard_normal((BLOCK, COEFFICIENTS))
    pieces = rng.standard_normal((BLOCK, COEFFICIENTS, SEGMENTS), np.float32)
    pieces += (0.5 * style @ world["turn"])[:, :, None].astype(np.float32) * pieces[:, :1]
    covariance = pieces @ pieces.transpose(0, 2, 1) / SEGMENTS
    std = TYPICAL_STD * np.exp(log_std)
    covariance *= std[:, :, None] * std[:, None, :]
    above = np.triu_indices(COEFFICIENTS, 1)
    diagonal = np.einsum("rii->ri", covariance)
    # The real table has the 12 variances first, then the 66 covariances.
    features = np.hstack([43.0 * (np.arange(12) == 0) + AVERAGE_STD * average, diagonal, covariance[:, *above]])
    told = np.hstack([average, np.log(diagonal) - 2 * np.log(TYPICAL_STD)])
    signal = told @ world["slope"] + np.tanh(told @ world["into"] + world["bias"]) @ world["out"]
    signal = (signal - SIGNAL_MEAN) / SIGNAL_STD
    noise = rng.standard_normal(BLOCK) * np.exp(0.3 * np.tanh(average[:, 0]) - 0.04)
    log_age = 2.2 + 0.75 * (SIGNAL * signal + np.sqrt(1 - SIGNAL**2) * noise)
    return features.astype(np.float32), np.clip(np.round(LATEST - np.exp(log_age)), EARLIEST, LATEST)


@cache
def _world() -> dict[str, np.ndarray]:
    """The fixed numbers of the stand-in, the same for all rows."""
    rng, told, bends = np.random.default_rng(2011), 2 * COEFFICIENTS, 64
    return {
        "average": rng.standard_normal((STYLES, COEFFICIENTS)) / STYLES**0.5,
        "spread": rng.standard_normal((STYLES, COEFFICIENTS)) / STYLES**0.5,
        "turn": rng.standard_normal((STYLES, COEFFICIENTS)) / STYLES**0.5,
        "slope": 0.15 * rng.standard_normal(told),
        "into": rng.standard_normal((told, bends)) / told**0.5 * 2.5,
        "bias": rng.standard_normal(bends),
        "out": rng.standard_normal(bends) / bends**0.5,
    }
