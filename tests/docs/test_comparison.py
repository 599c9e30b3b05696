"""The page about other libraries: its tables are those of the results, and its words agree with them."""

import pandas as pd
import pytest

from bench.peers import TASKS
from bench.peers_records import RESULTS, Records
from bench.peers_tables import tables, whole_seeds
from docs.pages import FOLDER

PAGE = (FOLDER / "comparison.md").read_text()


def results(task: str) -> pd.DataFrame:
    return whole_seeds(Records(RESULTS, task).read())


@pytest.mark.parametrize("task", TASKS)
def test_the_tables_are_those_of_the_results(task):
    """`python -m bench.peers tables` renews them."""
    path = RESULTS / f"peers_{task}.md"
    assert path.read_text() == tables(RESULTS)[task]
    assert f"{{include}} ../bench/results/{path.name}\n" in PAGE


@pytest.mark.parametrize("task", TASKS)
def test_everybody_was_run_on_the_same_seeds(task):
    found = results(task)
    wanted = {(case, peer.name) for case in TASKS[task].cases for peer in TASKS[task].peers}
    assert found["seed"].nunique() >= 3
    for _, runs in found.groupby("seed"):
        assert set(zip(runs["case"], runs["peer"], strict=True)) == wanted
    assert found["versions"].notna().all() and found["command"].str.startswith("python -m bench.peers ").all()
