"""Noise on a part of the entries: which cells, how much, the same for all; and the counts, tables and figures."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from paper.antinoise import run as antinoise
from paper.antinoise.run import FEATURE_NOISE, TARGET_NOISE, with_noise
from paper.antinoise.study import ANTINOISE, LEVELS, RIVALS, SEEDS
from paper.antinoise.summary import cells_won, duels, errors, relative
from paper.comparison import run as comparison
from paper.comparison.study import COMPARISON
from paper.data.catalogue import split
from paper.data.names import SIX
from paper.engine.collected import write_collected
from paper.engine.commands import app
from paper.engine.figures import write_figures
from paper.engine.ledger import Record
from paper.engine.reading import read_results
from paper.engine.study import Inputs, Selection
from paper.engine.tables import write_tables
from taylor_sensus.baselines.registry import METHODS


def changed(noisy: pd.DataFrame | pd.Series, clean: pd.DataFrame | pd.Series) -> np.ndarray:
    return (noisy - clean).to_numpy()


@pytest.mark.parametrize("level", LEVELS)
def test_the_asked_share_of_cells_is_noisy_and_test_rows_never(level):
    clean = split("diabetes", 0)
    noisy = with_noise(clean, level, 0)
    assert noisy.X_test is clean.X_test and noisy.y_test is clean.y_test
    for name in ("X_train", "X_val", "y_train", "y_val"):
        added = changed(getattr(noisy, name), getattr(clean, name))
        assert np.count_nonzero(added) == round(level / 100 * added.size), name
        assert getattr(noisy, name).index.equals(getattr(clean, name).index)


def test_the_noise_has_the_papers_size_in_units_of_each_column():
    clean = split("diabetes", 0)
    noisy = with_noise(clean, 100, 0)
    scaled = changed(noisy.X_train, clean.X_train) / clean.X_train.std(ddof=0).to_numpy()
    assert scaled.std() == pytest.approx(FEATURE_NOISE, rel=0.05) and scaled.mean() == pytest.approx(0, abs=0.02)
    assert scaled.std(axis=0) == pytest.approx(np.full(scaled.shape[1], FEATURE_NOISE), rel=0.2)
    target = changed(noisy.y_train, clean.y_train) / clean.y_train.std(ddof=0)
    assert target.std() == pytest.approx(TARGET_NOISE, rel=0.15)


def test_higher_levels_keep_the_noise_of_lower_ones_and_seeds_differ():
    clean = split("diabetes", 0)
    some, more, other = (
        changed(with_noise(clean, level, seed).X_train, clean.X_train) for level, seed in ((20, 0), (40, 0), (20, 1))
    )
    assert np.array_equal(some[some != 0], more[some != 0]) and np.count_nonzero(more) > np.count_nonzero(some)
    assert not np.array_equal(some, other)
    again = changed(with_noise(clean, 20, 0).X_train, clean.X_train)
    assert np.array_equal(some, again)


def test_a_column_without_spread_stays_as_it_is():
    clean = split("diabetes", 0)
    clean.X_train["flat"], clean.X_val["flat"] = 3.0, 3.0
    noisy = with_noise(clean, 100, 0)
    assert set(noisy.X_train["flat"]) == {3.0} == set(noisy.X_val["flat"])


def test_without_noise_it_is_the_comparison():
    ours = antinoise.run(ANTINOISE.task("diabetes", "mcrf", 1, level=0, quick=True), 1)
    theirs = comparison.run(COMPARISON.task("diabetes", "mcrf", 1, quick=True), 1)
    assert ours.values["mse"] == theirs.values["mse"] and ours.values["nll"] == theirs.values["nll"]
    assert np.array_equal(ours.arrays["error"], theirs.arrays["error"])
    noisy = antinoise.run(ANTINOISE.task("diabetes", "mcrf", 1, level=100, quick=True), 1)
    assert noisy.values["mse"] > ours.values["mse"]


def test_tasks_come_in_whole_seeds_and_a_methods_levels_together():
    tasks = ANTINOISE.tasks(Selection())
    assert len(tasks) == len(LEVELS) * 12 * sum(len(SEEDS[dataset]) for dataset in SIX)
    seeds = [task.seed for task in tasks]
    assert seeds == sorted(seeds) and {task.dataset for task in tasks if task.seed == 0} == set(SIX)
    assert {(task.dataset, task.method) for task in tasks[:5]} == {(SIX[0], RIVALS[0])}
    assert [task.parameters.get("level", 0) for task in tasks[:5]] == list(LEVELS)
    assert len(RIVALS) == 10
    wanted = Selection(datasets=["wine_white"], methods=["tsnet"], seeds=[7])
    assert {task.key for task in ANTINOISE.tasks(wanted)} == {
        "wine_white,tsnet,7", *(f"wine_white,tsnet,7,level={level}" for level in LEVELS[1:])
    }  # fmt: skip
    noisy = ANTINOISE.task("diabetes", "tsnet", 7, level=LEVELS[1])
    assert antinoise.inputs(noisy).settings["added_noise"] == [FEATURE_NOISE, TARGET_NOISE]


def test_a_quick_run_from_the_command_line_to_its_tables(tmp_path):
    wanted = ["run", "antinoise", "--quick", "--methods", "gprmk,mcrf", "--results", str(tmp_path)]
    done = CliRunner().invoke(app, wanted)
    assert done.exit_code == 0 and "10 done now, 0 failed" in done.output
    assert "0 to do" in CliRunner().invoke(app, wanted).output
    scores = pd.read_csv(tmp_path / "antinoise.csv").set_index(["method", "level"]).mse
    assert scores.index.size == 10 and (scores.xs("gprmk") >= 0.9 * scores["gprmk", 0]).all()
    write_tables(tmp_path, tmp_path / "tables", quick=True)
    table = pd.read_csv(tmp_path / "tables" / "antinoise_diabetes.csv").set_index("method")
    ratio = scores["mcrf", 100] / scores["mcrf", 0]
    assert table.loc["MCRF", "index, 100 %"] == pytest.approx(ratio, abs=0.006)


def record(dataset: str, method: str, seed: int, level: int) -> Record:
    """Errors that grow with the level: TSNet has the smallest, except on concrete without noise."""
    start = {"tsnet": 1.0, "tsnet_paper": 0.5, "gprmk": 2.0}.get(method, 3.0)
    start = 0.9 if (dataset, method, level) == ("concrete", "gprmk", 0) else start
    error = start + (0.01 if method == "mlp" else 0.02) * level
    arrays = {"row": np.arange(30, dtype=np.int32), "error": np.full(30, error, np.float32)}
    task = ANTINOISE.task(dataset, method, seed, level=level)
    return Record(task, {"mse": error**2}, arrays, Inputs("0" * 64, {}), {"numpy": "2"}, "by hand")


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    lines = [
        record(dataset, method, seed, level)
        for dataset in SIX
        for method in ANTINOISE.methods
        for seed in (0, 1)
        for level in LEVELS
    ]
    lines.append(record("concrete", "gprmk", 2, 0))  # an interrupted seed
    write_collected(folder, ANTINOISE, lines)
    return folder


def test_cells_are_counted_against_the_papers_rivals(results):
    means = errors(read_results(results, "antinoise").scores)
    assert means.shape == (6 * 12, 5)
    assert cells_won(means, "tsnet") == 29 and cells_won(means, "gprmk") == 1
    assert cells_won(means, "tsnet_paper") == 30, "each of ours against the rivals alone"
    index = relative(means)
    assert (index[0] == 1).all()
    assert index.loc[("diabetes", "tsnet"), 100] == pytest.approx(9.0)
    assert cells_won(index[[20, 40, 80, 100]], "mlp") == 24


def test_the_best_rival_of_each_cell_with_a_paired_interval(results):
    found = duels(read_results(results, "antinoise"))
    assert len(found) == 30
    clean = found["concrete", 0]
    assert clean.rival == "gprmk" and clean.difference == pytest.approx(-19) and clean.upper < 0
    noisy = found["concrete", 100]
    assert noisy.rival == "gprmk" and noisy.difference == pytest.approx(100 * (16 / 9 - 1), rel=1e-5)
    assert noisy.lower == pytest.approx(noisy.upper, rel=1e-4), "each row has the same difference"


def test_tables_and_figures(results, tmp_path):
    write_tables(results, tmp_path / "tables")
    counts = pd.read_csv(tmp_path / "tables" / "antinoise.csv").set_index("method")
    assert counts.loc["TSNet", "lowest MSE"] == "29 of 30"
    assert counts.loc["TSNet in the paper", "lowest relative index"] == "15 of 20"
    assert counts.loc["TSNet", "relative index, 100 %"] == pytest.approx(9.0)
    cells = (tmp_path / "tables" / "antinoise_cells.md").read_text()
    assert "TSNet is better in 29 of 30 cells: in 29 the interval is above zero, in 1 below" in cells
    assert "GPRMK -19.0 [-19.0, -19.0]*" in cells
    own = (tmp_path / "tables" / "antinoise_concrete.md").read_text()
    assert "**0.810 ± 0.000**" in own and "**9.00 ± 0.00**" in own
    figures = write_figures(results, tmp_path / "figures")
    assert [path.name for path in figures] == ["antinoise.svg", "antinoise_mse.svg"]
    text = figures[0].read_text()
    assert all(METHODS[name].label in text for name in ANTINOISE.methods) and "noisy entries" in text
