"""Older model files in the present format: one step after the other, with the settings of their time."""

from pathlib import Path

import numpy as np
import pytest

from taylor_sensus.settings import NAMES
from taylor_sensus.storage import upgrade
from taylor_sensus.storage.container import FORMAT_VERSION, ModelFile, read_model_file
from taylor_sensus.storage.upgrade import SETTINGS_OF_1, SETTINGS_OF_2, SETTINGS_OF_3, STEPS, upgraded

FILES = sorted((Path(__file__).parent / "golden").glob("*.tsnet"))


def test_there_is_a_step_from_every_format():
    assert sorted(STEPS) == list(range(1, FORMAT_VERSION))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_older_file_has_all_settings_of_today_with_the_values_of_its_time(path):
    content = read_model_file(path)
    found = upgraded(content).header["settings"]
    assert set(found) == set(NAMES)
    before = content.header["settings"]
    changed = {name for name in before if name in found and found[name] != before[name]}
    assert changed <= {"contrast"} and found["contrast"] in ("off", "bounded"), "auto became what was chosen"
    added = {name: value for name, value in found.items() if name not in before}
    right = {**SETTINGS_OF_1, **SETTINGS_OF_2, **SETTINGS_OF_3}
    assert added == {name: right[name] for name in added}


def test_steps_follow_each_other_and_leave_what_was_read_alone(monkeypatch):
    def step(name):
        def taken(header, arrays):
            header["steps"] = [*header.get("steps", []), name]
            arrays[name] = np.zeros(1)
            return header, arrays

        return taken

    monkeypatch.setattr(upgrade, "FORMAT_VERSION", 4)
    monkeypatch.setattr(upgrade, "STEPS", {number: step(f"from {number}") for number in (1, 2, 3)})
    old = ModelFile({"kind": "x"}, {}, format=2)
    assert upgraded(old).header == {"kind": "x", "steps": ["from 2", "from 3"]}
    assert list(upgraded(old).arrays) == ["from 2", "from 3"]
    assert old.header == {"kind": "x"} and old.arrays == {}
    assert upgraded(ModelFile({"kind": "x"}, {}, format=4)).header == {"kind": "x"}


def test_a_file_of_version_0_1_tells_what_it_knew():
    content = read_model_file(FILES[0])
    facts = {name: value for name, value in content.header["facts"].items() if name not in ("seed", "contrast")}
    oldest = ModelFile({**content.header, "facts": facts}, content.arrays, content.format)
    found = upgraded(oldest)
    assert found.header["fit_summary"]["seed"] is None and "contrast" not in found.header["fit_summary"]
    assert found.header["fit_summary"]["outliers"] == facts["doubted_rows"]
    std = content.arrays["held_out.std"]
    np.testing.assert_allclose(np.sqrt(found.arrays["held_out.system_variance"]), std)
    np.testing.assert_array_equal(np.abs(found.arrays["held_out.score"]), content.arrays["held_out.error"])
    residual = content.arrays["held_out.y"] - content.arrays["held_out.mean"]
    np.testing.assert_array_equal(np.sign(found.arrays["held_out.score"]), np.sign(residual))
