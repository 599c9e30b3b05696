"""`taylor-sensus datasets`: the list, one dataset, and the table it writes."""

import json

import pandas as pd
import pytest
from typer.testing import CliRunner

from taylor_sensus.cli import app
from taylor_sensus.datasets.catalogue import DATASETS, VARIABLE, load_dataset


@pytest.fixture(autouse=True)
def empty_folder(tmp_path, monkeypatch):
    """No published file is there, so that a test never downloads; diabetes comes with scikit-learn."""
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv(VARIABLE, str(folder))
    return folder


def run(*arguments):
    return CliRunner().invoke(app, ["datasets", *map(str, arguments)])


def succeeded(*arguments):
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result


def error_line(*arguments):
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (1, "")
    (line,) = result.stderr.splitlines()
    return line


def test_list(empty_folder):
    shown = succeeded().stdout
    assert str(empty_folder) in shown
    for info in DATASETS.values():
        row = next(line for line in shown.splitlines() if line.split()[:1] == [info.name])
        for text in (f"{info.rows:,} x {info.features}", f"{info.target} ({info.unit})", info.licence):
            assert text in row
        assert row.endswith("with scikit-learn" if info.name == "diabetes" else "missing")
        assert info.citation in shown and info.source in shown and info.doi in shown


def test_what_is_on_disk_and_what_would_be_downloaded(empty_folder, monkeypatch):
    (empty_folder / "concrete").mkdir()
    (empty_folder / "concrete/Concrete_Data.xls").touch()
    states = {each["name"]: each["available"] for each in json.loads(succeeded("--json").stdout)["datasets"]}
    assert (states["concrete"], states["wine_red"]) == ("on disk", "missing")
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setattr("taylor_sensus.datasets.files.user_data_dir", lambda _: str(empty_folder))
    states = {each["name"]: each["available"] for each in json.loads(succeeded("--json").stdout)["datasets"]}
    assert states["wine_red"] == "to be downloaded"


def test_one():
    info = DATASETS["forest_fires"]
    shown = succeeded("forest_fires").stdout
    for text in (info.title, info.preparation, info.files[0].sha256, info.files[0].download.url):
        assert text in shown
    assert "concrete" not in shown
    content = json.loads(succeeded("forest_fires", "--json").stdout)
    assert (content["name"], content["rows"], content["available"]) == ("forest_fires", 517, "missing")
    assert content["files"][0]["sha256"] == info.files[0].sha256


def test_write(tmp_path):
    output = tmp_path / "diabetes.csv"
    result = succeeded("diabetes", "--out", output)
    assert result.stdout == ""
    assert result.stderr.startswith(f"wrote {output}")
    data = load_dataset("diabetes")
    found = pd.read_csv(output)
    assert found.columns[-1] == "progression"
    pd.testing.assert_frame_equal(found.astype("float64"), data.X.assign(progression=data.y))
    content = json.loads(succeeded("diabetes_distinct", "-o", output, "--json").stdout)
    assert (content["key"], content["rows"], content["sha256"]) == ("diabetes_distinct", 442, data.sha256)
    assert content["columns"] == list(found.columns)


def test_errors_are_one_line(tmp_path):
    assert (
        error_line("wine")
        == "error: there is no dataset 'wine'; did you mean 'wine_red' or 'wine_white' or 'wine_quality'?"
    )
    line = error_line("forest_fires", "--output", tmp_path / "fires.csv")
    assert "forest_fires/forestfires.csv" in line
    assert not (tmp_path / "fires.csv").exists()
    assert "must end in .csv" in error_line("diabetes", "-o", tmp_path / "diabetes.doc")
    assert "is a folder" in error_line("diabetes", "-o", tmp_path)


def test_output_needs_a_name(tmp_path):
    result = run("--output", tmp_path / "out.csv")
    assert result.exit_code == 2
    assert "needs the NAME" in result.stderr
