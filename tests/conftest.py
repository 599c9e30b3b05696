"""What all tests share: a compilation cache for the session, and shapes that repeat, so that little is compiled."""

from __future__ import annotations

import os
import tempfile

import pytest

os.environ.setdefault("JAX_PLATFORMS", "cpu")
if not os.environ.get("TAYLOR_SENSUS_CACHE"):
    os.environ["TAYLOR_SENSUS_CACHE"] = os.path.join(tempfile.gettempdir(), "taylor-sensus-test-cache")


@pytest.fixture(autouse=True)
def few_programs():
    """The whole suite in one process would otherwise run out of memory maps."""
    from taylor_sensus.compilation import forget_programs_if_many

    forget_programs_if_many()
