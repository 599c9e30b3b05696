"""Titles above the header and names of rows in tables that are predicted part by part."""

import pandas as pd
import pytest
from typer.testing import CliRunner

from taylor_sensus.cli import app
from tests.tiny import measurements, tiny


@pytest.fixture(scope="module")
def model_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("named") / "m.tsnet"
    table = measurements(40)
    tiny().fit(table.iloc[:, :3], table["strength [MPa]"]).save(path)
    return path


def test_titles_are_left_out_and_names_are_kept(model_file, tmp_path):
    table = measurements(9, seed=1)
    table.insert(0, "sample", [f"S{place}" for place in range(9)])
    (tmp_path / "new.csv").write_text("A title\n\n" + table.to_csv(index=False))
    arguments = ["predict", model_file, tmp_path / "new.csv", "--id", "sample", "-o", tmp_path / "out", "--quiet"]
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    found = pd.concat([pd.read_csv(part) for part in sorted((tmp_path / "out").glob("*.csv"))])
    assert found["sample"].tolist() == [f"S{place}" for place in range(9)]
    refused = CliRunner().invoke(app, [*map(str, arguments), "--sheet", "1"])
    assert refused.exit_code == 2
