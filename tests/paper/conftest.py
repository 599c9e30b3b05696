"""The toy study must be importable here and in every process that a test starts."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

HERE = str(Path(__file__).parent)
ROOT = str(Path(__file__).parents[2])

for place in (ROOT, HERE):
    if place not in sys.path:
        sys.path.insert(0, place)
    inherited = [part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part]
    if place not in inherited:
        os.environ["PYTHONPATH"] = os.pathsep.join([*inherited, place])


@pytest.fixture(autouse=True)
def same_environment_afterwards():
    """A run limits the threads of its process; other tests should not notice."""
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)


def pytest_itemcollected(item):
    """Whole studies, their tables and figures take long; what runs them does not."""
    if not {"engine", "data", "published"} & set(item.path.parts):
        item.add_marker("slow")
