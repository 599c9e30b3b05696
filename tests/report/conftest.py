"""A small fitted model, and the table it was fitted on, for all tests of the report."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from taylor_sensus import TSNetRegressor

QUICK = {"noise_epochs": 5, "density_steps": 20, "pilots": 1, "folds": 2, "frequency_multiples": (1.0,)}


def quick_model(**changes):
    """A model that is fitted in seconds and predicts something."""
    chosen = {"members": 2, "epochs": 5, "width": 16, "depth": 2, "kernel": False, "contrast": "off"}
    chosen |= {"embedding": "none", **changes}
    return TSNetRegressor(n_jobs=1, random_state=0, details=QUICK, **chosen)


def measurements(rows=120, seed=0, labels=True):
    """Strength after a treatment: two numbers and a category; each row has a name."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "temp [degC]": rng.uniform(200, 400, rows),
            "time [s]": rng.uniform(1, 9, rows),
            "alloy": rng.choice(["brass", "steel"], rows),
        }
    )
    strength = 0.1 * table["temp [degC]"] + 3 * table["time [s]"] + 5 * (table["alloy"] == "steel")
    table["strength [MPa]"] = strength + rng.normal(0, 1, rows)
    return table.set_index(pd.Index([f"sample {at}" for at in range(rows)])) if labels else table


@pytest.fixture(scope="session")
def make_model():
    return quick_model


@pytest.fixture(scope="session")
def make_table():
    return measurements


@pytest.fixture(scope="session")
def table():
    return measurements()


@pytest.fixture(scope="session")
def model(table):
    return quick_model().fit(table.drop(columns="strength [MPa]"), table["strength [MPa]"])
