"""`taylor-sensus predict` and `fit` with a folder: files larger than memory on the command line."""

import json
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from taylor_sensus import load
from taylor_sensus.cli import app
from tests.tiny import OPTIONS, measurements, tiny

INPUTS = ["temp [degC]", "time [s]", "alloy"]


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model, and a folder `data` with two files of 40 rows."""
    folder = tmp_path_factory.mktemp("files")
    table = measurements()
    tiny().fit(table[INPUTS], table["strength [MPa]"]).save(folder / "m.tsnet")
    (folder / "data").mkdir()
    for name in "ab":
        table.assign(id=name, temp_err=1.0).to_parquet(folder / "data" / f"{name}.parquet", row_group_size=10)
    return folder


def test_a_folder_is_predicted_and_gone_on_with(folder):
    arguments = ["predict", folder / "m.tsnet", folder / "data", "-o", folder / "out", "--keep", "id", "--json"]
    first = run(*arguments)
    assert first.exit_code == 0, first.output
    assert "'temp_err' holds the errors of column 'temp [degC]'" in first.stderr
    assert "80 rows" in first.stderr and "wrote" in first.stderr
    told = json.loads(first.stdout)
    assert (told["rows"], told["parts"], told["kept_columns"]) == (80, 2, ["id"])
    found = pd.read_parquet(folder / "out")
    prediction = load(folder / "m.tsnet").predict_distribution(measurements()[INPUTS], X_err={"temp [degC]": 1.0})
    assert list(found["id"]) == ["a"] * 40 + ["b"] * 40
    assert (found["std"][40:].to_numpy() == prediction.std).all()
    (folder / "out" / "part-00001.parquet").unlink()
    again = run(*arguments)
    assert "note: 1 of 2 parts are there already" in again.stderr
    assert json.loads(again.stdout)["rows"] == 40


def test_a_file_into_a_folder_as_text(folder):
    found = run(
        "predict", folder / "m.tsnet", folder / "data/a.parquet", "-o", folder / "text", "--format", "csv", "-q"
    )
    assert found.exit_code == 0, found.output
    assert len(pd.read_csv(folder / "text" / "part-00000.csv")) == 40


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["data", "-o", "out.csv"], "must be one too"),
        (["dat", "-o", "o"], "no file or folder"),
        (["data", "-o", "data/o"], "is inside"),
        (["data", "-o", "o", "--format", "xlsx"], "file_format must be"),
        (["data", "-o", "o", "--keep", "idd"], "there is 'id'"),
    ],
)
def test_mistakes_are_one_line(folder, arguments, words, monkeypatch):
    monkeypatch.chdir(folder)
    result = run("predict", "m.tsnet", *arguments)
    assert result.exit_code == 1 and words in result.stderr.strip().splitlines()[-1]
    assert not Path("o").exists()


def test_options_for_folders_need_one(folder):
    result = run("predict", folder / "m.tsnet", folder / "data/a.parquet", "-o", folder / "o.csv", "--jobs", "2")
    assert result.exit_code == 2 and "folder as output" in result.stderr


def test_ctrl_c_tells_that_a_part_is_there(folder, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("taylor_sensus.out_of_core.predict.predict_part", interrupted)
    result = run("predict", folder / "m.tsnet", folder / "data", "-o", folder / "broken", "-q")
    assert result.exit_code == 130
    assert result.stderr.strip().splitlines()[-1].startswith("interrupted; only a part of ")


def test_fit_reads_a_folder(folder):
    arguments = ["fit", folder / "data", "--target", "strength", "--drop", "id", "-q"]
    result = run(*arguments, *OPTIONS, "--drop", "temp_err", "-o", folder / "f.tsnet")
    assert result.exit_code == 0, result.output
    model = load(folder / "f.tsnet")
    assert list(model.feature_names_in_) == INPUTS and model.fitted_.fit_summary.rows == 80
    refused = run(*arguments, "--decimal", ",", "-o", folder / "g.tsnet")
    assert refused.exit_code == 2 and "as it is" in refused.stderr
