"""The how-to pages about tables, errors and experiments: all blocks run, commands too, and show what comes out."""

import inspect
import itertools
import re
import warnings

import numpy as np
import pandas as pd
import pytest

from docs.pages import FOLDER
from docs.worked_example import PAGE, renewed, run_blocks
from taylor_sensus import TSNetRegressor
from taylor_sensus.datasets.reactor import TABLE, simulated_table
from tests.tiny import OPTIONS, SMALL

NUMBER = re.compile(r"[-+]?\d[\d.,]*(e[-+]?\d+)?|\s+|-+|─+")


@pytest.fixture(autouse=True)
def small_budget(monkeypatch, tmp_path):
    """An own folder with the files that the commands of the pages name, and small networks by default."""
    parameters = list(inspect.signature(TSNetRegressor.__init__).parameters.values())[1:]
    defaults = tuple(SMALL.get(one.name, one.default) for one in parameters)
    monkeypatch.setattr(TSNetRegressor.__init__, "__defaults__", defaults)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(rng.uniform(1, 2, (40, 4)), columns=["temp", "p", "flow", "y"]).round(4)
    rows.assign(flow_unc=0.1).to_csv("data.csv", index=False)
    rows.head(9).to_csv("new.csv", index=False)
    rows.tail(9).to_csv("test.csv", index=False)
    rows.assign(p=rows["p"].astype(str).where(rows["p"] > 1.2, "<1.2")).to_csv("water.csv", index=False)


@pytest.mark.parametrize("page", ["declared_errors", "messy_tables", "missing_values", "intervals", "files"])
def test_all_blocks_of_a_page_run(page):
    if page == "intervals":  # its commands begin with a model
        TSNetRegressor(random_state=0).fit(*_table()).save("model.tsnet")
    ran = run_blocks(FOLDER / "howto" / f"{page}.md", OPTIONS)
    assert sum(block.printed is not None for block in ran) >= 3
    assert any(block.printed for block in ran if block.language == "python")


def _table():
    table = pd.read_csv("data.csv").drop(columns="flow_unc")
    return table.drop(columns="y"), table["y"]


def test_the_worked_example_runs_and_shows_what_comes_out():
    ran = run_blocks(PAGE, OPTIONS)
    texts = [(before.printed, block.code) for before, block in itertools.pairwise(ran) if block.language == "text"]
    assert [TABLE.read_text().startswith(code) for printed, code in texts if not printed] == [True]
    shown = [(code.splitlines(), printed.splitlines()) for printed, code in texts if printed]
    assert len(shown) == 5
    for page, now in shown:
        told = [line for line in page if line.startswith(("note: ", "warning: "))]
        assert told == [line for line in now if line.startswith(("note: ", "warning: "))]
        first = [NUMBER.sub(" ", next(line for line in lines if not _beside(line))) for lines in (page, now)]
        assert first[0] == first[1]
    assert renewed(PAGE, ran).count("```") == PAGE.read_text().count("```")


def _beside(line):
    return line.startswith(("note: ", "warning: ", "wrote "))


def test_the_table_is_what_the_simulation_gives():
    written = pd.read_csv(TABLE, dtype=str, keep_default_na=False)
    pd.testing.assert_frame_equal(written, simulated_table().astype(written.dtypes.iloc[0]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from taylor_sensus import read_measurements

        read = read_measurements(TABLE)
    assert len(read.values) == 60 and len(read.censored) == 3 and read.values["water [ppm]"].isna().sum() == 5
    assert (read.errors["temp [degC]"] == 4).all() and (read.errors["p [bar]"] == 0.05).all()
