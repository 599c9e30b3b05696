"""A small fitted model, and the table it was fitted on, for all tests of the report."""

from __future__ import annotations

import pandas as pd
import pytest

from tests import tiny


def quick_model(**changes):
    """The tiny model without the process, which takes longest on larger tables."""
    return tiny.tiny(**{"kernel": False, **changes})


def measurements(rows=120, seed=0):
    """The tiny table with a name for each row."""
    return tiny.measurements(rows, seed).set_index(pd.Index([f"sample {at}" for at in range(rows)]))


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
