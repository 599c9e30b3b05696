"""The readers of the pages and the averages over noise must be importable from the tests beside them."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = str(Path(__file__).parent)
if HERE not in sys.path:
    sys.path.insert(0, HERE)


def pytest_itemcollected(item):
    """Everything in this folder builds the site or reads and runs its pages."""
    item.add_marker("docs")
