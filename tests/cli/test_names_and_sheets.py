"""Rows have names and tables stand in sheets: `--id`, `--sheet`, Excel in and out, on every command that reads."""

import json

import pandas as pd
import pytest

from taylor_sensus.tables.files import read_table
from tests.cli.test_messy_tables import failed, run, succeeded
from tests.tiny import OPTIONS, measurements

pytest.importorskip("openpyxl", reason="Excel files need the extra [excel]")
TARGET = ["--target", "strength"]


def named(rows=40, seed=0):
    table = measurements(rows, seed)
    table.insert(0, "sample", [f"S-{place + 1:03d}" for place in range(rows)])
    return table


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A book whose second sheet holds the table, under two lines of title."""
    folder = tmp_path_factory.mktemp("names")
    with pd.ExcelWriter(folder / "lab.xlsx") as book:
        pd.DataFrame({"who": ["me"]}).to_excel(book, sheet_name="about", index=False)
        named().to_excel(book, sheet_name="data", index=False, startrow=2)
        book.sheets["data"]["A1"] = "Strength of alloys"
    named(6, seed=1).to_excel(folder / "new.xlsx", index=False)
    command = ["fit", folder / "lab.xlsx", *TARGET, "--sheet", "data", "--id", "sample", "-o", folder / "m.tsnet"]
    result = succeeded(*command, "--quiet", *OPTIONS)
    assert "note: the header of lab.xlsx was found in line 3; left out above it: 'Strength of alloys'" in result.stderr
    return folder


def test_the_sheets_are_listed_where_the_first_lacks_a_column(folder):
    line = failed("fit", folder / "lab.xlsx", *TARGET, "-o", folder / "x.tsnet")
    assert "there is no target column 'strength'" in line and "--sheet names it: 'data'" in line
    line = failed("predict", folder / "m.tsnet", folder / "lab.xlsx", "-o", folder / "x.csv")
    assert "lacks 3 needed column(s)" in line and "--sheet names it: 'data'" in line


@pytest.mark.parametrize("ending", [".xlsx", ".csv", ".parquet"])
def test_predictions_carry_names_and_inputs(folder, ending):
    out = folder / f"out{ending}"
    arguments = ["predict", folder / "m.tsnet", folder / "new.xlsx", "--id", "sample", "--keep-all", "-o", out]
    succeeded(*arguments)
    found = read_table(out)
    names = found.index if ending == ".parquet" else found["sample"]
    assert list(names) == [f"S-{place:03d}" for place in range(1, 7)]
    assert {"temp [degC]", "mean", "lower_90"} <= set(found)


def test_without_a_name_predict_proposes_one(folder):
    result = succeeded("predict", folder / "m.tsnet", folder / "new.xlsx", "-o", folder / "plain.csv")
    assert "--id sample would name the rows" in result.stderr
    assert next(iter(pd.read_csv(folder / "plain.csv"))) == "mean", "places in the file are no names"


def test_a_column_of_names_is_no_input_and_never_dropped_in_silence(folder):
    named().to_csv(folder / "all.csv", index=False)
    line = failed("fit", folder / "all.csv", *TARGET, "-o", folder / "x.tsnet", "--quiet")
    assert "column 'sample' looks like a name" in line and "--id" in line
    named(12).to_csv(folder / "few.csv", index=False)
    few = run("fit", folder / "few.csv", *TARGET, "-o", folder / "x.tsnet", "--quiet", "--members", "0")
    assert few.exit_code != 0
    line = failed("fit", folder / "all.csv", *TARGET, "--id", "smaple", "-o", folder / "x.tsnet")
    assert "has no column 'smaple' to name its rows by (--id); did you mean 'sample'?" in line
    line = failed("fit", folder / "all.csv", *TARGET, "--id", "strength", "-o", folder / "x.tsnet")
    assert "there is no target column 'strength'" in line


def test_budget_report_and_suggestions_go_by_names(folder):
    model, new = folder / "m.tsnet", folder / "new.xlsx"
    one = json.loads(succeeded("budget", model, new, "--id", "sample", "--row", "S-004", "--json").stdout)
    assert one["rows"] == 1
    assert "there is no row 'S-04'; did you mean 'S-004'?" in failed(
        "budget", model, new, "--id", "sample", "--row", "S-04"
    )
    succeeded("budget", model, new, "--id", "sample", "-o", folder / "budget.xlsx")
    assert set(read_table(folder / "budget.xlsx")["row"]) == {f"S-{place:03d}" for place in range(1, 7)}
    succeeded("report", model, new, "--id", "sample", "-o", folder / "r.html")
    assert "S-004" in (folder / "r.html").read_text()
    succeeded("suggest", model, new, "--id", "sample", "-n", "2", "-o", folder / "form.xlsx")
    form = read_table(folder / "form.xlsx")
    assert set(form["candidate"]) <= {f"S-{place:03d}" for place in range(1, 7)}
    succeeded("suggest", model, new, "-n", "2", "-o", folder / "form.csv")
    assert set(read_table(folder / "form.csv")["candidate"]) <= set(range(2, 8)), "as the spreadsheet counts"


def test_evaluate_reads_a_sheet(folder):
    result = succeeded("evaluate", folder / "m.tsnet", folder / "lab.xlsx", "--sheet", "2", "--json")
    assert json.loads(result.stdout)["rows"] == 40


def test_a_bad_cell_is_named_by_its_row(folder):
    table = named(6, seed=1).astype({"time [s]": object})
    table.loc[3, "time [s]"] = "12 kg"
    table.to_csv(folder / "bad.csv", index=False)
    arguments = ["predict", folder / "m.tsnet", folder / "bad.csv", "-o", folder / "x.csv"]
    assert "row 5 ('12 kg')" in failed(*arguments)
    assert "row 'S-004' ('12 kg')" in failed(*arguments, "--id", "sample")
