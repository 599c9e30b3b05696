"""Tables through pipes, models that are not replaced by mistake, an example on each help page, completions."""

import io
import os
import subprocess
import sys

import pandas as pd
import pytest
from typer.testing import CliRunner

from taylor_sensus.cli import EXAMPLES, app
from tests.tiny import OPTIONS, measurements, tiny

X, Y = measurements().iloc[:, :3], measurements()["strength [MPa]"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pipes")
    tiny().fit(X, Y).save(folder / "m.tsnet")
    return folder


def run(*arguments, given=None):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=given)


def test_from_standard_input_to_standard_output(folder):
    text = measurements(5, seed=1).to_csv(index=False)
    result = run("predict", folder / "m.tsnet", "-", "-o", "-", given=text)
    assert result.exit_code == 0, result.output
    assert len(pd.read_csv(io.StringIO(result.stdout))) == 5
    form = run("suggest", folder / "m.tsnet", "-n", "2", "-o", "-")
    assert len(pd.read_csv(io.StringIO(form.stdout))) == 2
    budget = run("budget", folder / "m.tsnet", "-", "-o", "-", given=text)
    assert {"row", "source", "share"} <= set(pd.read_csv(io.StringIO(budget.stdout)))


def test_a_book_may_come_through_a_pipe(folder):
    pytest.importorskip("openpyxl", reason="Excel files need the extra [excel]")
    book = io.BytesIO()
    measurements(4, seed=1).to_excel(book, index=False)
    result = run("evaluate", folder / "m.tsnet", "-", "--json", given=book.getvalue())
    assert result.exit_code == 0 and '"rows": 4' in result.stdout, result.output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["predict", "m.tsnet", "-", "-o", "-", "--json"], "cannot both go to standard output"),
        (["report", "m.tsnet", "-", "--candidates", "-"], "only one table can come from standard input"),
        (["report", "m.tsnet", "-", "-o", "-"], "only tables can be written to standard output"),
        (["evaluate", "m.tsnet", "-"], "is empty"),
    ],
)
def test_what_pipes_cannot_do(folder, arguments, words, monkeypatch):
    monkeypatch.chdir(folder)
    result = run(*arguments, given="")
    assert result.exit_code == 1 and words in result.stderr


def test_a_model_is_replaced_only_by_force(folder):
    measurements().to_csv(folder / "t.csv", index=False)
    before = (folder / "m.tsnet").read_bytes()
    fit = ["fit", folder / "t.csv", "--target", "strength", "-o", folder / "m.tsnet", "--quiet", *OPTIONS]
    result = run(*fit)
    assert result.exit_code == 1 and "exists already; --force replaces it" in result.stderr
    assert (folder / "m.tsnet").read_bytes() == before
    assert run(*fit, "--force").exit_code == 0


def test_each_help_page_has_an_example():
    for function, example in EXAMPLES.items():
        name = example.split()[1]
        text = run(name, "--help").output
        assert "Example:" in text and example in text, function


def test_a_shell_can_ask_for_completions():
    environment = {
        **os.environ,
        "_TAYLOR_SENSUS_COMPLETE": "complete_bash",
        "COMP_WORDS": "taylor-sensus pre",
        "COMP_CWORD": "1",
    }
    code = "from taylor_sensus.cli import main; main()"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert found.stdout.split() == ["predict"]
