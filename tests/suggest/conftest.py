"""Small models that several test files ask."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from taylor_sensus import TSNetRegressor

sys.path.insert(0, str(Path(__file__).parent))

from hill import QUICK, table, truth


@pytest.fixture(scope="session")
def model() -> TSNetRegressor:
    """Fitted to rows below 50 degrees only, so that it is ignorant above."""
    X = table(160, seed=0)
    X = X[X.temp < 50].reset_index(drop=True)
    noise = np.random.default_rng(1).normal(0, 0.3, len(X))
    return TSNetRegressor(**QUICK, random_state=0, n_jobs=1).fit(X, truth(X) + noise)


@pytest.fixture(scope="session")
def plain() -> TSNetRegressor:
    """Fitted to arrays, without a kernel part."""
    rng = np.random.default_rng(2)
    X = rng.uniform(-1, 1, (80, 2))
    y = np.sin(3 * X[:, 0]) + X[:, 1] + rng.normal(0, 0.1, 80)
    return TSNetRegressor(**QUICK, kernel=False, random_state=0, n_jobs=1).fit(X, y)
