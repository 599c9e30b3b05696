"""The published files of the datasets, for tests that need them: there, or the test is skipped and says why.

Tests never download. The files are looked for in the folder that ``TAYLOR_SENSUS_DATA`` names, else in the user's
data folder, where ``fetch_dataset`` and ``taylor-sensus datasets NAME --out FILE`` put them. Under CI a missing
file is a failure.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from taylor_sensus.datasets.catalogue import VARIABLE, Dataset, data_folder, find_info, load_dataset


def need_files(*paths: str) -> Path:
    """The folder of published files, if it holds all of these."""
    folder = data_folder()
    missing = [path for path in paths if not (folder / path).is_file()]
    if missing:
        skip_unless_ci(f"{folder} lacks {', '.join(missing)}; {VARIABLE} can name another folder")
    return folder


def need_dataset(name: str) -> Dataset:
    """A dataset, if one of its files is on this machine."""
    paths = [file.path for file in find_info(name).files]
    if paths and not any((data_folder() / path).is_file() for path in paths):
        need_files(paths[0])
    return load_dataset(name)


def skip_unless_ci(reason: str) -> None:
    """A test that cannot run must not pass silently where everything should be there."""
    pytest.fail(reason) if os.environ.get("CI", "").lower() in ("true", "1") else pytest.skip(reason)
