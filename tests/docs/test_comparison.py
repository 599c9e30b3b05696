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


# ------------------------------------------------------------------------------------------- the words


def averages(task: str, score: str, *, by: str = "case", how: str = "mean") -> pd.DataFrame:
    """Lines are peers, columns cases or rounds."""
    return results(task).pivot_table(index="peer", columns=by, values=score, aggfunc=how)


def test_words_about_error_bars():
    seconds = averages("uncertainty", "seconds", how="median")
    assert (seconds.idxmin() == "catboost").all()
    likelihoods = results("uncertainty").query("case == 'matbench_steels'").groupby("peer")["nll"]
    assert likelihoods.std()["catboost"] < likelihoods.std()["tsnet"]
    assert abs(likelihoods.mean()["tsnet"] - likelihoods.mean()["catboost"]) < 0.01
    held, width, error, nll = (averages("uncertainty", name) for name in ("coverage_90", "width_90", "rmse", "nll"))
    assert (held.loc["mapie"] >= 0.9).all() and held.loc["tsnet"].round(2).between(0.89, 0.93).all()
    assert error.loc["gpytorch", "diabetes"] < 1.02 * error.loc["tsnet", "diabetes"]
    others = error.index.drop(["tsnet", "tsnet_conformal"])
    assert (error.loc["tsnet"] < error.loc[others].min())[["diabetes", "matbench_steels"]].all()
    assert abs(error.loc["catboost", "concrete"] / error.loc["tsnet", "concrete"] - 1) < 0.01
    rivals = nll.index.intersection(others)
    assert (nll.loc["tsnet"] < nll.loc[rivals].min())[["concrete", "diabetes"]].all()
    assert (width.loc["tsnet"] < width.loc[others].min()).all()


def test_words_about_experiments():
    found = averages("experiments", "ten_best", by="round")
    assert (found.loc[["tsnet_max", "baybe_max"], 1] > found.loc["random", 1] + 5).all()
    assert (found.loc["tsnet_max"] >= found.loc["baybe_max"]).all()
    whole = results("experiments")["ten_best_of_all"].mean()
    assert (found.loc[["tsnet_max", "baybe_max"], 5] > 0.98 * whole).all()
    ours, forest = (averages("experiments", name, by="round")[5] for name in ("rmse", "rmse_forest"))
    assert ours.idxmin() == "baybe_learn" and 0.9 < ours["tsnet_learn"] / ours["random"] < 1
    assert forest.idxmin() == "tsnet_learn" and forest["random"] < forest[["tsnet_max", "baybe_max"]].min()


def test_words_about_a_formula():
    inside, beyond = averages("formula", "rmse_inside"), averages("formula", "rmse_outside")
    for case in inside:
        assert 1.5 < inside[case]["tsnet"] / inside[case]["lmfit"] < 3
        assert abs(inside[case]["tsnet_prior"] / inside[case]["tsnet"] - 1) < 0.05
        assert 0.9 < beyond[case]["tsnet_prior"] / beyond[case]["rough"] < 1.5
        assert beyond[case]["tsnet"] > 5 * beyond[case]["tsnet_prior"]
    assert (beyond.idxmin() == "lmfit").all() and averages("formula", "seconds", how="median").loc["lmfit"].max() < 0.01
