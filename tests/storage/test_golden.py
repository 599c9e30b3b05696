"""Model files of every format so far stay readable, and predict what they predicted when they were written."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from taylor_sensus import load

FOLDER = Path(__file__).parent / "golden"
FILES = sorted(FOLDER.glob("*.tsnet"))
PARTS = ("mean", "std", "feature_noise", "system_noise", "epistemic", "familiarity")


def rows_of(path: Path) -> pd.DataFrame | np.ndarray:
    content = json.loads(path.with_suffix(".json").read_text())
    frame = pd.DataFrame(content["data"], columns=content["columns"])
    return frame if isinstance(content["columns"][0], str) else frame.to_numpy()


TOLERANCES = {"v0_1": {"v0_1": 2e-4, "v0_1_double": 1e-6}, "v0_2": {"v0_2": 1e-6}, "v0_3": {"v0_3": 1e-6}}
"""Version 0.1 predicted in single precision; what its files say in double precision must never move."""


@pytest.mark.parametrize("version", TOLERANCES)
def test_there_are_golden_files_of_every_version(version):
    assert len([path for path in FILES if path.stem.startswith(version)]) >= 8


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_golden_model_predicts_what_it_did(path):
    version, name = path.stem[:4], path.stem[5:]
    prediction = load(path).predict_distribution(rows_of(path))
    for source, tolerance in TOLERANCES[version].items():
        expected = np.load(FOLDER / f"{source}.npz")
        for part in PARTS:
            found, before = getattr(prediction, part), expected[f"{name}/{part}"]
            np.testing.assert_allclose(found, before, rtol=0, atol=tolerance * np.abs(before).max(), err_msg=part)
