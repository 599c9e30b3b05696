"""What the tests of studies in miniature share."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def command(*arguments: object) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "paper", *map(str, arguments)], cwd=ROOT, capture_output=True, text=True, timeout=1500
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
