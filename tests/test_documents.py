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
    printed, told = capsys.readouterr().out.splitlines(), blocks("text")[0].splitlines()
    assert len(printed) == len(told) and max(map(len, printed)) <= 80
    assert [printed[0].split(), printed[4].split()] == [told[0].split(), told[4].split()], "the columns are those shown"
    exec(compile(second, "README.md", "exec"), names)  # noqa: S102
    assert len(names["form"].table) == 4
    assert (names["low"] < names["high"]).all()


def test_readme_code_is_twelve_lines():
    code, _ = blocks("python")
    assert len([line for line in code.splitlines() if line.strip()]) <= 12


def test_readme_is_read_in_a_minute():
    assert len(README.splitlines()) <= 120
    assert max(map(len, blocks("text")[0].splitlines())) <= 80


def test_the_first_figure_is_drawn_by_the_project():
    first = re.search(r"!\[[^]]*\]\((docs/figures/[^)]*)\)", README)
    assert first and f'folder / "{Path(first[1]).name}"' in (ROOT / "docs" / "figures.py").read_text()


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
