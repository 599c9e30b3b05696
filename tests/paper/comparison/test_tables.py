"""Tables and figures, from results made by hand whose averages, ranks and differences are known."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from paper.comparison.study import COMPARISON
from paper.comparison.summary import averages, differences, ranks
from paper.engine.atomic import StorageError
from paper.engine.collected import write_collected
from paper.engine.figures import write_figures
from paper.engine.ledger import Record
from paper.engine.printed import printed
from paper.engine.reading import read_results
from paper.engine.study import Inputs
from paper.engine.tables import write_tables
from paper.timing.study import TIMING
from paper.timing.tables import seconds_table
from taylor_sensus.baselines.registry import METHODS

SCORES = {"rmse": 1.0, "crps": 1.0, "nll": 2.0, "coverage_90": 0.9, "width_90": 3.0, "std_error_spearman": 0.2}


def record(study, dataset: str, method: str, seed: int, offset: float, **values: float) -> Record:
    rng = np.random.default_rng(seed)
    row = rng.permutation(200)[:40]
    std = np.full(40, 0.5 if METHODS[method].gives_std else np.nan, np.float32)
    arrays = {"row": row.astype(np.int32), "error": np.full(40, offset, np.float32), "std": std}
    keeps = study is COMPARISON
    inputs = Inputs("0" * 64, {"width": 3})
    return Record(study.task(dataset, method, seed), values, arrays if keeps else {}, inputs, {"numpy": "2"}, "by hand")


def results_by_hand(folder):
    offsets = {"tsnet": 0.1, "mlp": 0.2, "catboost": 0.3, "tsnet_paper": 0.4}
    lines = [
        record(
            COMPARISON, dataset, method, seed, offset, mse=offset + seed / 100, mae=offset,
            nll_paper=offset if METHODS[method].gives_std else None, **SCORES,
        )
        for dataset in ("diabetes", "concrete", "wine_red_distinct")
        for method, offset in offsets.items()
        for seed in (0, 1)
    ]  # fmt: skip
    write_collected(folder, COMPARISON, lines)
    times = {"mlp": 2.0, "tsnet": 8.0}
    seconds = [
        record(TIMING, "diabetes", m, 0, 0, first_fit_seconds=9.0, fit_seconds=t, predict_seconds=t / 10)
        for m, t in times.items()
    ]
    write_collected(folder, TIMING, seconds)
    return folder


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return results_by_hand(tmp_path_factory.mktemp("results"))


def test_averages_and_spreads_over_seeds(results):
    found = averages(read_results(results, "comparison").scores, ["mse"])
    assert found.loc[("concrete", "mlp"), ("mse", "mean")] == pytest.approx(0.205)
    assert found.loc[("concrete", "mlp"), ("mse", "std")] == pytest.approx(0.01 / np.sqrt(2))


def test_ranks_leave_out_what_a_method_does_not_give(results):
    found = ranks(read_results(results, "comparison").scores)
    assert list(found.index) == ["tsnet", "mlp", "catboost", "tsnet_paper"]
    assert found.loc["tsnet", "all"] == 1 and found.loc["tsnet", "cells won"] == 9
    assert found.loc["mlp", "cells"] == 6 and np.isnan(found.loc["mlp", "nll_paper"])
    assert found.loc["catboost", "nll_paper"] == 2, "second of the three that have a likelihood"


def test_differences_are_paired_by_row_and_averaged_over_splits(results):
    found = differences(read_results(results, "comparison").predictions, "mse").set_index(["dataset", "method"])
    line = found.loc[("diabetes", "mlp")]
    assert line.difference == pytest.approx(0.2**2 - 0.1**2, rel=1e-4)
    assert line.lower == pytest.approx(line.upper, rel=1e-4), "each row has the same difference"
    first, second = (set(np.random.default_rng(seed).permutation(200)[:40]) for seed in (0, 1))
    assert line.rows == len(first | second) < 80, "a row in both splits is one unit"
    likelihood = differences(read_results(results, "comparison").predictions, "nll_paper")
    assert "mlp" not in set(likelihood.method)


def test_seconds_as_ratios_to_the_plain_network(results):
    found = seconds_table(read_results(results, "timing").scores)
    assert found.loc[("diabetes", "tsnet"), "fit_seconds_ratio"] == 4
    assert found.loc[("diabetes", "mlp"), "predict_seconds_ratio"] == 1


def test_all_tables_in_three_spellings_and_again_the_same_bytes(results, tmp_path):
    first = {p.name: p.read_bytes() for p in write_tables(results, tmp_path / "a")}
    second = {p.name: p.read_bytes() for p in write_tables(results, tmp_path / "b")}
    assert first == second
    stems = {name.rsplit(".", 1)[0] for name in first}
    assert {"main_concrete", "scores_wine_red_distinct", "ranks", "differences_mse", "timing_fit_seconds"} <= stems
    assert "main_wine_red_distinct" not in stems, "the paper prints nothing for it"
    assert all(f"{stem}.{kind}" in first for stem in stems for kind in ("md", "csv", "tex"))


def test_the_main_table_has_the_papers_units_and_values(results, tmp_path):
    write_tables(results, tmp_path)
    table = pd.read_csv(tmp_path / "main_concrete.csv", keep_default_na=False).set_index("method")
    assert table.loc["TSNet as printed", "MSE (×10) in the paper"] == "2.47 ± 0.37"
    assert table.loc["TSNet as printed", "MSE (×10)"] == "0.0405 ± 0.0007"
    assert table.loc["MLP", "NLL in the paper"] == table.loc["MLP", "NLL"] == "N/A"
    assert table.loc["CatBoost", "MSE (×10) in the paper"] == "–"


def test_figures_are_whole_svg_and_again_the_same_bytes(results, tmp_path):
    first = write_figures(results, tmp_path / "a")
    second = write_figures(results, tmp_path / "b")
    assert [p.name for p in first] == [
        "calibration_concrete.svg", "calibration_diabetes.svg", "calibration_wine_red_distinct.svg", "ranks.svg",
    ]  # fmt: skip
    for a, b in zip(first, second, strict=True):
        assert a.read_bytes() == b.read_bytes()
        ElementTree.fromstring(a.read_text())
        assert "CatBoost" in a.read_text()


def test_no_results_say_what_to_run(tmp_path):
    with pytest.raises(StorageError, match="python -m paper run comparison"):
        write_tables(tmp_path, tmp_path / "out")


def test_printed_values_are_those_of_the_paper():
    table = printed("comparison").set_index(["dataset", "method", "score"])
    assert len(table) == 6 * 11 * 3
    steels = table.loc[("matbench_steels", "tsnet_paper", "mse")]
    assert steels["mean"] * steels["factor"] == pytest.approx(14_500)
    assert table.sort_index().loc[("wine_white", "vaer")]["mean"].isna().sum() == 1
    assert set(table.index.get_level_values("method")) <= set(METHODS)
    assert len(printed("timing")) == 6 * 11 * 2
