"""What all tests share: one thread a worker, no network, a compilation cache, and models that are fitted once."""

from __future__ import annotations

import gc
import hashlib
import os
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from jaxtyping import install_import_hook
from platformdirs import user_data_dir
from threadpoolctl import threadpool_limits

from tests.offline import forbid_the_network

XLA = "--xla_cpu_multi_thread_eigen=false --xla_cpu_use_fusion_emitters=false"
"""Two workers share two cores: threads inside XLA and BLAS would only wait for each other. And the tests compile
hundreds of programs that run for a moment: without new fusions and optimisation that takes a sixth of the time.
`test_optimised` holds what comes out beside the programs of users, and `optimised` is for what runs for long."""

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("XLA_FLAGS", XLA)
os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")
threadpool_limits(1)  # for what NumPy has loaded already
if not os.environ.get("TAYLOR_SENSUS_DATA"):  # a named folder: neither a test nor its child processes download
    os.environ["TAYLOR_SENSUS_DATA"] = str(Path(user_data_dir("taylor-sensus")) / "datasets")
forbid_the_network()
CHECKED = ["taylor_sensus.model", "taylor_sensus.fit"]
"""Packages whose annotations, shapes among them, are checked at every call; `test_shapes` says that all have them. A
fit takes almost three times as long then, so `make test` does it with the tests of these packages only."""
if os.environ.get("TAYLOR_SENSUS_SHAPES"):
    install_import_hook(CHECKED, "beartype.beartype(conf=beartype.BeartypeConf(is_pep484_tower=True))")
if not os.environ.get("TAYLOR_SENSUS_CACHE"):
    os.environ["TAYLOR_SENSUS_CACHE"] = os.path.join(tempfile.gettempdir(), "taylor-sensus-test-cache")


def pytest_collection():
    """Thousands of tests and their modules stay to the end: looking for garbage among them would be in vain."""
    gc.disable()


def pytest_collection_finish():
    gc.freeze()
    gc.enable()


@pytest.fixture(autouse=True)
def few_programs():
    """The whole suite in one process would otherwise run out of memory maps."""
    from taylor_sensus.storage.compilation import forget_programs_if_many

    forget_programs_if_many()


@pytest.fixture(scope="module")
def optimised():
    """Programs that are compiled from here on are those of users: where they run longer than compiling takes."""
    import jax

    before = jax.config.read("jax_disable_most_optimizations")
    jax.config.update("jax_disable_most_optimizations", False)
    yield
    jax.config.update("jax_disable_most_optimizations", before)


@pytest.fixture
def songs(monkeypatch, tmp_path):
    """Year-Prediction-MSD in miniature: 40 rows, the last 10 for testing; rows 3 and 35 repeat earlier ones."""
    from taylor_sensus.datasets.catalogue import DATASETS, VARIABLE

    rng = np.random.default_rng(0)
    values = np.column_stack([rng.integers(1922, 2012, 40), rng.normal(size=(40, 90)).round(3)])
    values[3], values[35] = values[1], values[0]
    text = "\n".join(",".join(f"{number:g}" for number in row) for row in values) + "\n"
    path = tmp_path / "year_prediction_msd/YearPredictionMSD.txt"
    path.parent.mkdir()
    path.write_text(text)
    info = DATASETS["year_prediction_msd"]
    file = replace(info.files[0], sha256=hashlib.sha256(text.encode()).hexdigest())
    small = replace(info, rows=40, official_train_rows=30, files=(file,))
    monkeypatch.setitem(DATASETS, "year_prediction_msd", small)
    monkeypatch.setenv(VARIABLE, str(tmp_path))


@pytest.fixture(scope="session")
def browser():
    """Chromium. A missing one is a failure under CI, where `.ci/run` installs it."""
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        from tests.published import skip_unless_ci

        skip_unless_ci("no Chromium is installed; on Debian: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
    with sync_playwright() as play:
        made = play.chromium.launch(executable_path=path, args=flags)
        yield made
        made.close()
