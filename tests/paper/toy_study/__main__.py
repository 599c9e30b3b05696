"""`python -m toy_study`, on a slow disk if asked for."""

from __future__ import annotations

import os
import time

from paper.engine.commands import main


def _write_slowly() -> None:
    """For a test that kills in the middle of writing: the disk takes its time."""
    sync = os.fsync

    def slow_sync(handle: int) -> None:
        time.sleep(5)
        sync(handle)

    os.fsync = slow_sync


if __name__ == "__main__":
    if os.environ.get("TOY_SLOW_DISK"):
        _write_slowly()
    main()
