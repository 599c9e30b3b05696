"""The examples run on the real data with a small budget, and say what their story needs."""

import runpy
from pathlib import Path

import pytest

from tests import tiny
from tests.published import need_dataset

pytestmark = pytest.mark.slow

SCRIPTS = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
SMALL = tiny.SMALL | {"kernel": False, "n_jobs": 1}
STORIES = {
    "steels": ("matbench_steels", ["straight line", "hold", "epistemic", "with 10 % Mn"]),
    "concrete": ("concrete", ["system_noise", "declared", "next", "unlimited data"]),
    "diabetes": ("diabetes", ["of the variance", "conformal", "largest std"]),
}


def test_there_is_a_story_for_each_script():
    assert [script.stem for script in SCRIPTS] == sorted(STORIES)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_example(script, tmp_path, monkeypatch, capsys):
    dataset, words = STORIES[script.stem]
    need_dataset(dataset)
    monkeypatch.setenv("MPLBACKEND", "agg")
    runpy.run_path(str(script))["main"](tmp_path, **SMALL)
    shown = capsys.readouterr().out
    assert [word for word in words if word not in shown] == []
    assert "nan" not in shown.lower().split()
    assert [path.name for path in tmp_path.iterdir()] == [f"{script.stem}.svg"]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_an_example_is_short(script):
    assert len(script.read_text().splitlines()) <= 70
