"""The standard benchmark: its tasks, ranks on shared splits, tables of a study under way, and a miniature run."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from miniature import command

from paper.engine.collected import write_collected
from paper.engine.figures import write_figures
from paper.engine.ledger import Record
from paper.engine.study import Inputs, Selection
from paper.engine.tables import write_tables
from paper.uci.study import DISTINCT, NINE, SPLITS, UCI
from paper.uci.summary import WITHOUT_COPIES, against_peers, mean_ranks
from tests.published import need_dataset

LEVELS = {"coverage_50": 0.5, "coverage_80": 0.8, "coverage_90": 0.9, "coverage_95": 0.95}


def line(dataset: str, method: str, seed: int, rmse: float, nll: float) -> dict:
    seconds = {"fit_cpu_seconds": 2.0, "predict_cpu_seconds": 0.1}
    scores = {"rmse": rmse, "nll": nll, "crps": rmse / 2, **LEVELS, **seconds}
    return {"dataset": dataset, "method": method, "seed": seed, **scores}


def records(lines: list[dict]) -> list[Record]:
    keys = ("dataset", "method", "seed")
    return [
        Record(
            UCI.task(*(one[key] for key in keys)), {k: v for k, v in one.items() if k not in keys}, {},
            Inputs("0" * 64, {}), {"numpy": "2"}, "by hand",
        )
        for one in lines
    ]  # fmt: skip


def test_nine_tables_twenty_splits_protein_five():
    tasks = UCI.tasks(Selection(methods=["catboost"]))
    counts = pd.Series([task.dataset for task in tasks]).value_counts().to_dict()
    assert counts == {name: 5 if name == "protein_structure" else 20 for name in (*NINE, DISTINCT)}
    asked = UCI.tasks(Selection(datasets=["protein_structure", "yacht"], methods=["gp"], seeds=[4, 5]))
    assert [(task.dataset, task.seed) for task in asked] == [
        ("protein_structure", 4),
        ("yacht", 4),
        ("yacht", 5),
    ]
    assert set(SPLITS) == {*NINE, DISTINCT}


def test_two_methods_are_compared_on_the_splits_that_both_have():
    """The process has split 0 alone, where ours is good; split 1, where ours is bad, counts against CatBoost only."""
    lines = [line("yacht", "tsnet", 0, 1.0, 0.0), line("yacht", "tsnet", 1, 90.0, 90.0)]
    lines += [line("yacht", "catboost", seed, 2.0, 1.0) for seed in (0, 1)]
    lines += [line("yacht", "gp", 0, 3.0, -1.0)]
    found = mean_ranks(pd.DataFrame(lines))
    assert found.rmse.to_dict() == {"catboost": 1, "tsnet": 2, "gp": 3}
    assert found.nll.to_dict() == {"gp": 1, "catboost": 2, "tsnet": 3}
    assert found["all"].to_dict() == {"catboost": 1.5, "gp": 2.0, "tsnet": 2.5}
    assert found.loc["gp", ["won", "cells", "behind"]].tolist() == [1, 2, -0.5]
    assert found.lower["catboost"] == 1.5 < found.upper["catboost"]
    assert np.isnan(found.lower["gp"]), "one split says nothing of others"


def test_ranks_without_copies_have_every_wine_once():
    """Copies help the process alone."""
    lines = [line(name, "tsnet", 0, 2.0, 2.0) for name in ("wine_quality", DISTINCT, "yacht")]
    lines += [
        line("wine_quality", "gp", 0, 1.0, 1.0),
        line(DISTINCT, "gp", 0, 3.0, 3.0),
        line("yacht", "gp", 0, 3.0, 3.0),
    ]
    assert mean_ranks(pd.DataFrame(lines))["all"].to_dict() == {"gp": 1.5, "tsnet": 1.5}
    assert mean_ranks(pd.DataFrame(lines), WITHOUT_COPIES)["all"].to_dict() == {"tsnet": 1.0, "gp": 2.0}
    assert set(WITHOUT_COPIES) == {*NINE, DISTINCT} - {"wine_quality"}


def test_intervals_of_ranks_are_wide_where_splits_disagree():
    rng = np.random.default_rng(0)
    sure = [line("yacht", name, s, level, level) for name, level in (("tsnet", 1), ("gp", 2)) for s in range(20)]
    found = mean_ranks(pd.DataFrame(sure)).loc["tsnet"]
    assert (found["all"], found.lower, found.upper) == (1, 1, 1)
    level = [line("yacht", name, s, *rng.normal(1, 0.1, 2)) for name in ("tsnet", "gp") for s in range(20)]
    found = mean_ranks(pd.DataFrame(level)).loc["tsnet"]
    assert found.upper - found.lower >= 0.5


def test_ready_made_settings_are_not_ranked():
    lines = [line("yacht", name, 0, 1.0, 0.0) for name in ("tsnet", "fast", "best", "gp")]
    assert set(mean_ranks(pd.DataFrame(lines)).index) == {"tsnet", "gp"}


def test_ours_beside_the_better_of_two_forests():
    lines = [line("yacht", "tsnet", s, 1.02, 0.5) for s in range(3)] + [
        line("yacht", "gp", s, 0.5, 0.4) for s in (0, 1)
    ]
    assert against_peers(pd.DataFrame(lines), "yacht") == {}
    lines += [line("yacht", "catboost", s, 2.0, 0.7) for s in range(3)]
    lines += [line("yacht", "extra_trees", s, 1.0, 0.9) for s in (0, 1, 2)]
    found = against_peers(pd.DataFrame(lines), "yacht")
    assert found["ratio"] == pytest.approx(1.02) and (found["better"], found["splits"]) == ("extra_trees", 3)
    assert (found["best"], found["peers"], found["nll"]) == ("gp", 0.4, 0.5)


@pytest.mark.parametrize("ours", ["none", "partial"])
def test_tables_and_figure_of_a_study_under_way(ours, tmp_path):
    lines = [line(name, m, 0, 1.0, 0.0) for name in NINE for m in ("catboost", "extra_trees")]
    lines += [line("yacht", "tsnet", s, 0.9, -1.0) for s in (0, 1)] if ours == "partial" else []
    write_collected(tmp_path, UCI, records(lines))
    write_tables(tmp_path, tmp_path / "tables")
    drawn = write_figures(tmp_path, tmp_path / "figures")
    assert [path.name for path in drawn] == ["uci.svg"]
    peers = pd.read_csv(tmp_path / "tables" / "uci_peers.csv").set_index("table")
    assert (
        peers.loc["yacht", "ratio"] == ("0.900" if ours == "partial" else "–") and peers.loc["Boston", "ratio"] == "–"
    )
    rmse = pd.read_csv(tmp_path / "tables" / "uci_rmse.csv").set_index("method")
    assert float(rmse.loc["*Deep ensemble, published*", "Boston"]) == 3.28
    splits = pd.read_csv(tmp_path / "tables" / "uci_splits.csv").set_index("method")
    assert ("TSNet" in splits.index) == (ours == "partial")


def test_a_miniature_of_the_study_runs(tmp_path):
    need_dataset("yacht")
    methods = ("catboost", "extra_trees", "hist_boosting", "gp", "fast")
    asked = ("run", "uci", "--quick", "--methods", ",".join(methods), "--results", tmp_path)
    assert f"{len(methods)} done now, 0 failed" in command(*asked)
    scores, seconds = (pd.read_csv(tmp_path / f"uci{ending}.csv") for ending in ("", "_seconds"))
    assert set(scores.method) == set(methods) and (scores.train_rows == 277).all() and (scores.rows == 31).all()
    assert np.isfinite(scores[["rmse", "nll", "crps", *LEVELS]]).all(axis=None)
    assert (seconds[["fit_cpu_seconds", "predict_cpu_seconds"]] > 0).all(axis=None)
    command("tables", "--quick", "--results", tmp_path, "--out", tmp_path / "tables")
    assert "CatBoost" in (tmp_path / "tables" / "uci_rmse.md").read_text()
