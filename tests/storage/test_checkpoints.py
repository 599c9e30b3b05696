"""Checkpoints: a fit that is stopped goes on to the same model, byte for byte, and only the same fit does."""

import os

import numpy as np
import pandas as pd
import pytest

from taylor_sensus.errors import DataError
from taylor_sensus.out_of_core import fit as files
from taylor_sensus.storage import checkpoints
from taylor_sensus.storage.checkpoints import CheckpointFolder
from taylor_sensus.words.progress import listening
from tests.tiny import numbers, tiny

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def always(monkeypatch):
    """A checkpoint after every look at the held-out rows."""
    monkeypatch.setattr(checkpoints, "EVERY", 0.0)


class Stop(Exception):
    """Ends a fit from outside."""


def stopped_after(looks, fit):
    """Run a fit until it has told of its progress so often."""
    told = []

    def hears(*_):
        told.append(1)
        if len(told) >= looks:
            raise Stop

    with pytest.raises(Stop), listening(hears):
        fit()


def saved(model, path):
    model.save(path)
    return path.read_bytes()


def test_a_fit_from_files_goes_on_to_the_same_model(tmp_path, monkeypatch):
    """Stopped in the first run, in the second, and in the noise; each time another pool of rows is in memory."""
    X, y = numbers(1500)
    pd.DataFrame(X, columns=list("abcd")).assign(y=y).to_parquet(tmp_path / "x.parquet", row_group_size=100)
    monkeypatch.setattr(files, "SAMPLE", 60)
    monkeypatch.setattr(files, "POOL", 240)

    def fit(resume=None):
        return tiny(details={"patience": 1.0}).fit_dataset(tmp_path / "x.parquet", "y", resume=resume)

    undisturbed = saved(fit(), tmp_path / "undisturbed.tsnet")
    for looks in (3, 22, 40):
        kept = tmp_path / f"kept {looks}"
        stopped_after(looks, lambda kept=kept: fit(kept))
        assert 1 <= len(os.listdir(kept)) <= 5, looks  # the fit itself, and a file a run
        assert saved(fit(kept), tmp_path / "a.tsnet") == undisturbed, looks
        assert len(os.listdir(kept)) == 5, looks


def test_a_fit_in_memory_goes_on_and_keeps_its_seed(tmp_path):
    X, y = numbers(50)
    stopped_after(20, lambda: tiny(random_state=None).fit(X, y, resume=tmp_path / "kept"))
    model = tiny(random_state=None).fit(X, y, resume=tmp_path / "kept")
    again = tiny(random_state=None).fit(X, y, resume=tmp_path / "kept")
    assert saved(model, tmp_path / "a.tsnet") == saved(again, tmp_path / "b.tsnet")
    known = CheckpointFolder(tmp_path / "kept").fingerprint()
    assert known is not None and model.fitted_.fit_summary.seed == known["seed"]


def test_another_fit_is_refused(tmp_path):
    X, y = numbers(50)
    tiny().fit(X, y, resume=tmp_path / "kept")
    with pytest.raises(DataError, match=r"another fit \(other data\)"):
        tiny().fit(X, y + 1, resume=tmp_path / "kept")
    with pytest.raises(DataError, match=r"another fit \(other settings\)"):
        tiny(epochs=5).fit(X, y, resume=tmp_path / "kept")


def test_damaged_files_are_left_out(tmp_path):
    folder = CheckpointFolder(tmp_path)
    folder.open({"seed": 1})
    assert folder.read("a") is None
    folder.write("a", {"0": np.arange(3)}, at_once=True)
    np.testing.assert_array_equal((folder.read("a") or {})["0"], np.arange(3))
    whole = (tmp_path / "a.npz").read_bytes()
    for content in (b"", whole[:50], b"nothing of the kind"):
        (tmp_path / "a.npz").write_bytes(content)
        assert folder.read("a") is None
    (tmp_path / "fit.json").write_text("{")
    with pytest.raises(DataError, match="damaged"):
        folder.open({"seed": 1})


def test_checkpoints_are_not_written_too_often(tmp_path):
    folder = CheckpointFolder(tmp_path, every=3600)
    folder.write("a", {"0": np.arange(3)}, at_once=False)
    assert not os.listdir(tmp_path)
    folder.write("a", {"0": np.arange(3)}, at_once=True)
    assert os.listdir(tmp_path) == ["a.npz"]
