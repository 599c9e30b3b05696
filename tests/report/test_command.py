"""`taylor-sensus report`: from two files to a page."""

import json

import pytest
from typer.testing import CliRunner

from taylor_sensus.cli import app
from taylor_sensus.tables.files import write_table


def run(*arguments):
    return CliRunner().invoke(app, ["report", *map(str, arguments)])


@pytest.fixture(scope="module")
def files(model, table, tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    model.save(folder / "steel.tsnet")
    write_table(table, folder / "steel.csv")
    write_table(table.drop(columns="strength [MPa]"), folder / "settings.csv")
    return folder


def test_a_page_is_written_and_the_answers_are_shown(files):
    result = run(files / "steel.tsnet", files / "steel.csv", "-o", files / "out.html")
    assert result.exit_code == 0, result.output
    assert "wrote" in result.stderr and "How good are the predictions?" in result.stdout
    page = (files / "out.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>") and "steel.csv" in page and "random forest" in page
    assert "sample " in page, "rows are named by the labels of the file"


def test_without_data_with_candidates_and_as_json(files):
    result = run(
        files / "steel.tsnet", "-o", files / "b.html", "--candidates", files / "settings.csv", "--json"
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    content = json.loads(result.stdout)
    assert content["output"].endswith("b.html") and len(content["answers"]) == 4
    assert "to learn most about" in (files / "b.html").read_text(encoding="utf-8")


def test_a_table_without_measurements_is_told(files):
    result = run(files / "steel.tsnet", files / "settings.csv", "-o", files / "c.html")
    assert result.exit_code == 0, result.output
    assert "no measured values to evaluate the model by" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["steel.tsnet", "steel.csv", "-o", "out.pdf"], "must end in .html"),
        (["steel.tsnet", "steel.csv", "-o", "none/out.html"], "no folder"),
        (["steel.tsnet", "steel.tsnet", "-o", "out.html"], "steel.tsnet"),
    ],
)
def test_failures_are_one_line(files, arguments, message):
    paths = [a if a.startswith("-") else files / a for a in arguments]
    result = run(*paths)
    assert result.exit_code == 1 and message in result.stderr and len(result.stderr.strip().splitlines()) == 1
