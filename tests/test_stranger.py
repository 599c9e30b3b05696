"""A stranger's walk: messy tables through fit, predict, report, suggest and update, by the command line.

Each table either works or is refused with words that say what to do; what the words say is then done. None of them is
praised without reason. (The README's own lines are run in `test_documents.py`.)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from taylor_sensus import load
from taylor_sensus.cli import app
from tests.tiny import OPTIONS

ROWS = 40


class Walk(NamedTuple):
    """What the stranger types, and what must be said on the way."""

    write: Any
    """Writes the table, given a path without an ending, and gives its path."""
    options: tuple[str, ...] = ()
    """What the first answer told to add."""
    refusal: tuple[str, ...] = ()
    """Words of the refusal without the options; empty if the table works at once."""
    hint: tuple[str, ...] = ()
    """Words of the warning without the options, where the table works but not well."""
    notes: tuple[str, ...] = ()
    """Words that are said of a table that works."""


def numbers(rows: int = ROWS, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({"temp": rng.uniform(200, 400, rows).round(1), "p": rng.uniform(1, 9, rows).round(2)})
    strength = 0.1 * table["temp"] + 3 * table["p"] + rng.normal(0, 1, rows)
    return table.assign(strength=strength.round(2))


def csv(change, **how):
    """Writes the changed table as CSV."""

    def write(path):
        path = path.with_suffix(".csv")
        path.write_text(change(numbers()).to_csv(index=False, **how), encoding="utf-8")
        return path

    return write


def titled(path):
    path = path.with_suffix(".csv")
    path.write_text("Hardness lab;;\nmeasured by Ann;;\n" + numbers().to_csv(index=False, sep=";"), encoding="utf-8")
    return path


def book(path):
    path = path.with_suffix(".xlsx")
    with pd.ExcelWriter(path) as sheets:
        pd.DataFrame({"what": ["made in May"], "who": ["Ann"]}).to_excel(sheets, sheet_name="notes", index=False)
        numbers().to_excel(sheets, sheet_name="data", index=False)
    return path


def at(table: pd.DataFrame, column: str, cells: dict[int, str]) -> pd.DataFrame:
    """With some cells as they are written by hand."""
    written = table[column].astype(str)
    for row, text in cells.items():
        written[row] = text
    return table.assign(**{column: written})


def first(table: pd.DataFrame, **columns: Any) -> pd.DataFrame:
    return pd.DataFrame(columns, index=table.index).join(table)


def noise(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(strength=np.random.default_rng(5).normal(size=len(table)).round(3))


WALKS = {
    "title lines": Walk(titled, notes=("header of", "line 3", "measured by Ann")),
    "sheets": Walk(book, ("--sheet", "data"), ("no target column 'strength'", "--sheet", "'data'")),
    "n.d. and -": Walk(
        csv(lambda t: at(t.assign(alloy=np.resize(["brass", "steel", "-"], len(t))), "p", {3: "n.d.", 7: "NA"})),
        notes=("'alloy' holds words; 13 of its cells are missing",),
    ),
    "dates": Walk(
        csv(lambda t: first(t, day=[f"{d % 28 + 1}.05.2024" for d in range(len(t))])),
        ("--drop", "day"),
        ("day", "date"),
    ),
    "names of rows": Walk(
        csv(lambda t: first(t, sample=[f"S-{n}" for n in range(len(t))])), ("--id", "sample"), ("'sample'", "--id")
    ),
    "a constant column": Walk(csv(lambda t: first(t, furnace=7.0))),
    "a column without a cell": Walk(
        csv(lambda t: first(t, remark=np.nan)), ("--drop", "remark"), hint=("'remark'", "drop them")
    ),
    "words": Walk(csv(lambda t: first(t, alloy=np.resize(["brass", "steel"], len(t))))),
    "decimal commas": Walk(csv(lambda t: t, sep=";", decimal=",")),
    "gaps": Walk(csv(lambda t: t.assign(p=t["p"].where(np.arange(len(t)) % 5 > 0)))),
    "detection limits": Walk(csv(lambda t: at(t, "p", {2: "<0.05", 9: "<0.05"})), notes=("<0.05", "missing")),
    "± in cells": Walk(
        csv(lambda t: t.assign(temp=[f"{v} ± 2" for v in t["temp"]], strength=[f"{v}(50)" for v in t["strength"]])),
        notes=("errors are declared for 'temp' (in 40 of 40 rows), 'strength'",),
    ),
    "six rows": Walk(csv(lambda t: t.head(6))),
    "hopeless": Walk(csv(noise)),
}


def said(*arguments: Any) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def works(*arguments: Any) -> str:
    result = said(*arguments)
    assert result.exit_code == 0, result.output
    return " ".join(result.output.split())


@pytest.mark.slow
@pytest.mark.parametrize("name", WALKS)
def test_a_messy_table_works_or_says_what_to_do(tmp_path, name):
    walk = WALKS[name]
    table, model, form = walk.write(tmp_path / "table"), tmp_path / "m.tsnet", tmp_path / "form.csv"
    fit = ("fit", table, "--target", "strength", "-o", model, "--quiet", *OPTIONS)
    if walk.refusal:
        refused = said(*fit)
        assert refused.exit_code == 1 and not model.exists()
        assert all(words in refused.output for words in walk.refusal), refused.output
    if walk.hint:
        warned = works(*fit)
        assert all(words in warned for words in walk.hint), warned
        model.unlink()
    told = works(*fit, *walk.options)
    assert all(words in told for words in walk.notes), told
    sheet = walk.options if "--sheet" in walk.options else ()
    works("predict", model, table, "-o", tmp_path / "out.csv", *sheet)
    rows = len(load(model).fitted_.rows.x)
    predicted = pd.read_csv(tmp_path / "out.csv")
    assert len(predicted) == rows and np.isfinite(predicted[["mean", "std"]].to_numpy()).all()
    works("report", model, "-o", tmp_path / "report.html")
    assert_no_praise(name, told, (tmp_path / "report.html").read_text())
    works("suggest", model, "-n", "2", "-o", form)
    filled = pd.read_csv(form).assign(strength=[40.0, 50.0])
    filled.to_csv(form, index=False)
    works("update", model, form, "-o", tmp_path / "m2.tsnet", "--quiet")
    assert len(load(tmp_path / "m2.tsnet").fitted_.rows.x) == rows + 2


def assert_no_praise(name: str, told: str, report: str) -> None:
    """A table from which nothing, or hardly anything, can be learned is told to be so."""
    if name == "hopeless":
        assert "accuracy = check: none of the variance explained" in told, told
        assert "no better than the mean" in report and "other inputs" in report
    elif name == "six rows":
        assert "amount of data = check" in told, told
    else:
        assert "accuracy = check" not in told, told
