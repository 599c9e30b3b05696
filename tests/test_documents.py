"""What the reader is told, a test reads too."""

import re
from pathlib import Path

import pytest
import yaml

from taylor_sensus import __version__

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", README, re.S)


@pytest.mark.docs
def test_readme_code_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    first, second = blocks("python")
    names: dict = {}
    exec(compile(first, "README.md", "exec"), names)  # noqa: S102  the README is ours
    assert (names["same"] == names["mean"]).all()
    assert (names["low"] < names["high"]).all()
    assert "familiarity" in capsys.readouterr().out
    exec(compile(second, "README.md", "exec"), names)  # noqa: S102
    assert "target_error" in capsys.readouterr().out and len(names["form"].table) == 4
    assert (names["low"] < names["high"]).all()


def test_readme_code_is_twelve_lines():
    code, _ = blocks("python")
    assert len([line for line in code.splitlines() if line.strip()]) <= 12


def test_readme_opens_with_the_two_commands():
    assert README.split("```")[1].startswith("sh\nmake demo")
    assert "make test" in README.split("```")[1]


def test_commands_of_the_readme_exist():
    from typer.main import get_command

    from taylor_sensus.cli import app

    known = set(get_command(app).commands)  # pyright: ignore[reportAttributeAccessIssue]
    used = set(re.findall(r"^taylor-sensus (\w+)", "\n".join(blocks("sh")), re.M))
    assert used
    assert used <= known


def test_linked_files_exist():
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / target).exists(), target


def test_make_targets_of_the_readme_exist():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.M))
    assert set(re.findall(r"`make ([a-z]+)`|^make ([a-z]+)", README, re.M)) <= {(t, "") for t in targets} | {
        ("", t) for t in targets
    }


def test_versions_agree():
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"] == __version__
    assert f"## {__version__}" in (ROOT / "CHANGELOG.md").read_text()


def test_contributing_is_short():
    assert len((ROOT / "CONTRIBUTING.md").read_text().splitlines()) < 60
